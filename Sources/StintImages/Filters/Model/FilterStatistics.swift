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

  /// Adds the statistics of another part of the same image.
  ///
  /// - Throws: `checkFailed` if they are of an image of another depth or number of bands.
  package mutating func merge(_ other: FilterStatistics) throws(StintError) {
    guard other.counts.count == counts.count, other.counts.first?.count == counts.first?.count
    else { throw StintError(.checkFailed, "Statistics of two different images were to be added.") }
    for band in counts.indices {
      for sample in counts[band].indices { counts[band][sample] &+= other.counts[band][sample] }
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
#endif
