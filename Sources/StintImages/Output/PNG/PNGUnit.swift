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
#endif
