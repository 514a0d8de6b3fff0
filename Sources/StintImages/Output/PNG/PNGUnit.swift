#if Images
import StintCore

/// Turns a unit of rows into one part of a PNG's compressed data, which refers to nothing outside
/// the unit.
struct PNGUnit {
  /// A unit's chunk and what the next ones need to know of it.
  struct Result: Sendable {
    /// One or more whole IDAT chunks.
    let chunks: UnitBuffer
    /// Checksum and length of the filtered bytes.
    let adler: UInt32
    let filteredBytes: Int
  }

  let shape: PixelShape
  let options: PNGOptions

  /// Encodes a unit.
  ///
  /// - Parameters:
  ///   - rows: The packed rows of the unit.
  ///   - isFirst: Whether the stream's header comes before it.
  /// - Returns: Its chunk.
  /// - Throws: ``StintError`` with the code `unavailable` without memory for zlib.
  func encode(_ rows: UnsafeRawBufferPointer, isFirst: Bool) throws -> Result {
    let filtered = filter(rows)
    let chunks = UnitBuffer(capacity: Deflater.bound(filtered.count) + 32)
    let strategy: Deflater.Strategy = options.filter == .none ? .standard : .filtered
    var deflater = try Deflater(level: options.level, strategy: strategy, wrapping: .raw)
    let adler = filtered.withBytes { bytes in
      PNGChunk.write(.imageData, to: chunks) { chunks in
        if isFirst { chunks.append(PNGChunk.zlibHeader(level: options.level)) }
        deflater.compress(bytes, to: chunks, ending: .independent)
      }
      return ZlibChecksum.adler32(bytes)
    }
    return Result(chunks: chunks, adler: adler, filteredBytes: filtered.count)
  }

  // MARK: Filtering

  /// The rows with the byte before each that says how it is filtered.
  private func filter(_ rows: UnsafeRawBufferPointer) -> UnitBuffer {
    let count = rows.count / shape.rowBytes
    let filtered = UnitBuffer(capacity: count * (shape.rowBytes + 1))
    guard shape.sample == .unsigned16 else {
      filter(rows, to: filtered)
      return filtered
    }
    // PNG has the more significant byte first.
    let swapped = UnsafeMutableRawBufferPointer.allocate(byteCount: rows.count, alignment: 16)
    defer { swapped.deallocate() }
    for offset in stride(from: 0, to: rows.count, by: 2) {
      let sample = rows.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
      swapped.storeBytes(of: sample.bigEndian, toByteOffset: offset, as: UInt16.self)
    }
    filter(UnsafeRawBufferPointer(swapped), to: filtered)
    return filtered
  }

  /// Takes for each row the filter with the smallest sum (PNG specification, section 12.7).
  ///
  /// The first row of a unit is filtered without the one above it: a unit can be made, and made
  /// again, without its neighbours.
  private func filter(_ rows: UnsafeRawBufferPointer, to filtered: UnitBuffer) {
    guard let base = rows.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let size = shape.rowBytes
    let tried = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * size)
    defer { tried.deallocate() }
    var (best, other) = (tried, tried + size)
    for offset in stride(from: 0, to: rows.count, by: size) {
      let row = base + offset
      let filters = candidates(isFirst: offset == 0)
      let above = offset == 0 ? row : row - size
      var chosen = filters[0]
      var least = UInt64.max
      for filter in filters {
        let sum = filter.apply(
          to: row, above: above, count: size, pixelBytes: shape.pixelBytes, output: other)
        guard sum < least else { continue }
        (chosen, least) = (filter, sum)
        swap(&best, &other)
      }
      filtered.append(CollectionOfOne(chosen.rawValue))
      filtered.append(UnsafeRawBufferPointer(start: best, count: size))
    }
  }

  private func candidates(isFirst: Bool) -> [PNGRowFilter] {
    switch options.filter {
    case .none: [.none]
    case .adaptive: isFirst ? [.none, .sub] : PNGRowFilter.allCases
    }
  }
}

/// The five filters of PNG, which replace each byte by its difference from what its neighbours
/// foretell (PNG specification, third edition, section 9).
///
/// All of them take the raw bytes of the row and of the one above, so that no loop waits for its
/// own results: the compiler makes vector code of each.
enum PNGRowFilter: UInt8, CaseIterable {
  case none = 0
  case sub = 1
  case up = 2
  case average = 3
  case paeth = 4

  /// Filters a row and says how small the result is.
  ///
  /// The size is the sum of its bytes' distances from zero, as signed numbers.
  ///
  /// - Parameters:
  ///   - row: The raw bytes.
  ///   - above: The raw bytes of the row above; as many.
  ///   - count: The bytes of a row.
  ///   - pixelBytes: The bytes of a pixel.
  ///   - output: Gets as many bytes.
  /// - Returns: The sum.
  func apply(
    to row: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>, count: Int, pixelBytes: Int,
    output: UnsafeMutablePointer<UInt8>
  ) -> UInt64 {
    // The first pixel has nothing to its left.
    for index in 0..<min(pixelBytes, count) {
      let foretold: UInt8 =
        switch self {
        case .none, .sub: 0
        case .up, .paeth: above[index]
        case .average: above[index] >> 1
        }
      output[index] = row[index] &- foretold
    }
    let rest = max(0, count - pixelBytes)
    let (from, to) = (row + pixelBytes, output + pixelBytes)
    switch self {
    case .none:
      to.update(from: from, count: rest)
    case .sub:
      for index in 0..<rest { to[index] = from[index] &- row[index] }
    case .up:
      let over = above + pixelBytes
      for index in 0..<rest { to[index] = from[index] &- over[index] }
    case .average:
      Self.average(from, left: row, above: above + pixelBytes, count: rest, output: to)
    case .paeth:
      Self.paeth(
        from, left: row, above: above + pixelBytes, corner: above, count: rest, output: to)
    }
    return Self.size(of: output, count: count)
  }

  private static func average(
    _ row: UnsafePointer<UInt8>, left: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>,
    count: Int, output: UnsafeMutablePointer<UInt8>
  ) {
    for index in 0..<count {
      let (a, b) = (left[index], above[index])
      // The mean of two bytes, rounded down, within eight bits.
      output[index] = row[index] &- ((a & b) &+ ((a ^ b) >> 1))
    }
  }

  private static func paeth(
    _ row: UnsafePointer<UInt8>, left: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>,
    corner: UnsafePointer<UInt8>, count: Int, output: UnsafeMutablePointer<UInt8>
  ) {
    for index in 0..<count {
      let (a, b, c) = (left[index], above[index], corner[index])
      let toLeft = Int16(b) &- Int16(c)
      let toAbove = Int16(a) &- Int16(c)
      let toCorner = toLeft &+ toAbove
      let (pa, pb, pc) = (magnitude(toLeft), magnitude(toAbove), magnitude(toCorner))
      let upper = pb <= pc ? b : c
      let foretold = pa <= pb && pa <= pc ? a : upper
      output[index] = row[index] &- foretold
    }
  }

  @inline(__always)
  private static func magnitude(_ number: Int16) -> Int16 {
    number < 0 ? 0 &- number : number
  }

  private static func size(of bytes: UnsafePointer<UInt8>, count: Int) -> UInt64 {
    var total: UInt64 = 0
    var position = 0
    while position < count {
      // A row of 2^24 bytes cannot reach 2^32.
      let end = min(count, position + 1 << 24)
      var sum: UInt32 = 0
      for index in position..<end {
        let byte = bytes[index]
        sum &+= UInt32(byte < 128 ? byte : 0 &- byte)
      }
      total += UInt64(sum)
      position = end
    }
    return total
  }
}
#endif
