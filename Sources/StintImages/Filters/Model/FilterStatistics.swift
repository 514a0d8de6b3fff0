#if Images
package import StintCore

/// How often each sample occurs in each band of colour of an image, or of some of its rows.
///
/// Statistics of parts of an image add up to those of the image, in whatever order.
package struct FilterStatistics: Hashable, Sendable {
  /// For each band of colour, a count for each possible sample: 256 or 65,536 of them.
  package private(set) var counts: [[UInt64]]

  /// Statistics of no pixels of an image of that shape.
  ///
  /// - Throws: `usage` if the samples are not of 8 or 16 bits.
  package init(for shape: ImageShape) throws(StintError) {
    guard shape.format == .uint8 || shape.format == .uint16 else {
      throw StintError(
        .usage, "Statistics are taken of 8 and 16-bit samples; this image has \(shape.phrase).")
    }
    let row = [UInt64](repeating: 0, count: Int(shape.highestSample) + 1)
    counts = Array(repeating: row, count: shape.colourBands)
  }

  init(counts: [[UInt64]]) {
    self.counts = counts
  }

  /// How many pixels were counted.
  package var pixelCount: UInt64 { counts.first?.reduce(0, &+) ?? 0 }

  /// The highest sample that occurs in any band.
  var highestSample: Int {
    counts.map { $0.lastIndex { $0 > 0 } ?? 0 }.max() ?? 0
  }

  /// The counts of all bands together.
  var joined: [UInt64] {
    counts.dropFirst().reduce(counts.first ?? []) { sums, counts in
      zip(sums, counts).map { $0 &+ $1 }
    }
  }

  /// Counts the samples of some rows, on all of the library's threads.
  ///
  /// - Throws: `io` with libvips' words if the rows cannot be computed.
  package mutating func collect(from image: VipsImage, rows: Range<Int>) throws(StintError) {
    let rest = try image.rows(rows).colour()
    // The counts of one call have 32 bits.
    let most = max(1, Int(UInt32.max) / max(1, image.width))
    var top = 0
    while top < rest.height {
      let bottom = min(rest.height, top + most)
      let (band, watch) = try rest.rows(top..<bottom).watched()
      let action = "compute rows \(top) to \(bottom - 1)"
      try add(
        watch.watching(action) { () throws(StintError) in try band.applying("hist_find") })
      top = bottom
    }
  }

  /// Adds a histogram of libvips; it may be shorter than the range of the samples.
  private mutating func add(_ histogram: VipsImage) throws(StintError) {
    let bytes = try histogram.pixels()
    let bands = histogram.bands
    guard histogram.format == .uint32, bands == counts.count, histogram.height == 1,
      histogram.width <= counts[0].count
    else { throw StintError(.checkFailed, "libvips made a histogram of another shape.") }
    bytes.withUnsafeBytes { bytes in
      for index in 0..<histogram.width * bands {
        let count = bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
        counts[index % bands][index / bands] += UInt64(count)
      }
    }
  }

  /// Whether they can be of an image of that shape.
  func isOf(_ shape: ImageShape) -> Bool {
    counts.count == shape.colourBands && counts.first?.count == Int(shape.highestSample) + 1
  }

  /// Statistics that are there and of images of that shape.
  static func required(
    _ statistics: FilterStatistics?, for shape: ImageShape, by filter: String
  ) throws(StintError) -> FilterStatistics {
    guard let statistics, statistics.isOf(shape), statistics.pixelCount > 0 else {
      throw StintError(
        .checkFailed, "The filter \(filter) has no statistics of an image of \(shape.phrase).")
    }
    return statistics
  }
}

extension FilterStatistics {
  /// The most bands that are read back.
  static let mostBands = 64

  /// The counts as bytes: the number of bands (1 byte), 8 or 16 bits (1 byte), then each count in
  /// groups of seven bits, lowest first, the top bit saying that more follow; a count of 0 is
  /// followed by how many zeros there are in a row, less one.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = [UInt8(counts.count), counts.first?.count == 256 ? 8 : 16]
    for counts in counts {
      var sample = 0
      while sample < counts.count {
        Self.append(counts[sample], to: &bytes)
        var next = sample + 1
        if counts[sample] == 0 {
          while next < counts.count, counts[next] == 0 { next += 1 }
          Self.append(UInt64(next - sample - 1), to: &bytes)
        }
        sample = next
      }
    }
    return bytes
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 128 {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Reads counts back; no size in the bytes is trusted.
  ///
  /// - Parameter bytes: Exactly what ``encoded`` made.
  /// - Throws: `damaged` if the bytes are not the one encoding of some counts, or bands disagree
  ///   about the number of pixels.
  package init(decoding bytes: some RandomAccessCollection<UInt8>) throws(StintError) {
    var reader = CountReader(bytes)
    let bands = Int(try reader.byte())
    let bits = try reader.byte()
    guard (1...Self.mostBands).contains(bands), bits == 8 || bits == 16 else {
      throw CountReader.damaged("\(bands) bands of \(bits) bits")
    }
    var counts: [[UInt64]] = []
    for _ in 0..<bands { counts.append(try reader.counts(1 << Int(bits))) }
    try reader.finish()
    let totals = try counts.map { counts throws(StintError) in try Self.total(counts) }
    guard totals.allSatisfy({ $0 == totals[0] }) else {
      throw CountReader.damaged("bands of different numbers of pixels")
    }
    self.init(counts: counts)
  }

  private static func total(_ counts: [UInt64]) throws(StintError) -> UInt64 {
    var total: UInt64 = 0
    for count in counts {
      let (sum, overflow) = total.addingReportingOverflow(count)
      guard !overflow else { throw CountReader.damaged("more pixels than can be counted") }
      total = sum
    }
    return total
  }
}

/// Reads the encoding of counts.
private struct CountReader {
  private var bytes: [UInt8].SubSequence

  init(_ bytes: some RandomAccessCollection<UInt8>) {
    self.bytes = Array(bytes)[...]
  }

  static func damaged(_ what: String) -> StintError {
    StintError(.damaged, "The statistics in the checkpoint are damaged: they have \(what).")
  }

  mutating func byte() throws(StintError) -> UInt8 {
    guard let byte = bytes.popFirst() else { throw Self.damaged("too few bytes") }
    return byte
  }

  /// A number in its shortest form.
  private mutating func number() throws(StintError) -> UInt64 {
    var (result, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = try byte()
      let part = UInt64(byte & 127)
      guard shift < 64, (part << shift) >> shift == part, shift == 0 || byte != 0 else {
        throw Self.damaged("a number of too many digits")
      }
      result |= part << shift
      if byte < 128 { return result }
      shift += 7
    }
  }

  mutating func counts(_ size: Int) throws(StintError) -> [UInt64] {
    var result: [UInt64] = []
    result.reserveCapacity(size)
    var afterZero = false
    while result.count < size {
      let count = try number()
      result.append(count)
      guard count == 0 else {
        afterZero = false
        continue
      }
      let more = try number()
      guard !afterZero, more <= UInt64(size - result.count) else {
        throw Self.damaged("too many zeros")
      }
      result += [UInt64](repeating: 0, count: Int(more))
      afterZero = true
    }
    return result
  }

  func finish() throws(StintError) {
    guard bytes.isEmpty else { throw Self.damaged("\(bytes.count) bytes too many") }
  }
}
#endif
