#if Images
import StintCore

/// Each band of colour spread over the whole range so that all strengths are equally frequent.
///
/// The arithmetic is that of libvips' `hist_equal`, its single precision included, so that the
/// pixels are the same.
struct Equalise: TableFilter {
  func table(for shape: ImageShape, statistics: FilterStatistics?) throws(StintError)
    -> LookupTable
  {
    let statistics = try FilterStatistics.required(statistics, for: shape, by: "equalise")
    // The histogram of 16 bits ends at the highest sample that there is.
    let highest = shape.format == .uint8 ? 255 : statistics.highestSample
    let scale = Float(Double(highest) / Double(max(1, statistics.pixelCount)))
    let tables = statistics.counts.map { counts in
      var sum: UInt64 = 0
      return counts.map { count in
        sum += count
        return UInt16(min(scale * Float(sum), Float(shape.highestSample)))
      }
    }
    return LookupTable(colour: tables, format: shape.format)
  }
}

/// The range between the darkest and the brightest pixels, but for a few, becomes the whole range.
struct ContrastStretch: TableFilter {
  /// Percent of the samples that may become black.
  let black: Double
  /// Percent of the samples that may become full strength.
  let white: Double

  func table(for shape: ImageShape, statistics: FilterStatistics?) throws(StintError)
    -> LookupTable
  {
    let statistics = try FilterStatistics.required(
      statistics, for: shape, by: "contrast-stretch")
    let (low, high) = limits(statistics)
    guard low < high else { return LookupTable(for: shape) { $0 } }
    return LookupTable(for: shape) { sample in
      (sample - Double(low)) * shape.highestSample / Double(high - low)
    }
  }

  /// The samples that become black and full strength.
  ///
  /// All bands of colour have the same ones, so that hues stay.
  private func limits(_ statistics: FilterStatistics) -> (low: Int, high: Int) {
    let counts = statistics.joined
    let total = Double(counts.reduce(0, +))
    func first(_ entries: some Sequence<Int>, beyond share: Double) -> Int? {
      var sum: UInt64 = 0
      return entries.first { entry in
        sum += counts[entry]
        return Double(sum) > total * share / 100
      }
    }
    let low = first(counts.indices, beyond: black) ?? 0
    let high = first(counts.indices.reversed(), beyond: white) ?? counts.count - 1
    return (low, high)
  }
}

/// Contrast by the histogram of each pixel's surroundings, limited so that noise does not take
/// over.
struct LocalContrast: Filter {
  /// The side of the surroundings, odd, in pixels.
  let size: Int
  /// The steepest slope of a mapping; 0 for no limit.
  let slope: Double

  func reach(in shape: ImageShape) -> Int { size / 2 + 1 }
  func weight(in shape: ImageShape) -> Double { 150 + 2 * Double(size) }

  func apply(to image: VipsImage, statistics: FilterStatistics?) throws(StintError) -> VipsImage {
    let shape = image.shape
    let colour = try image.colour()
    let shade = try colour.grey().colour()
    let grey =
      shade.format == .uint8
      ? shade : try Depth(format: .uint8).apply(to: shade, statistics: nil)
    let (width, height) = (min(size, shape.width), min(size, shape.height))
    // libvips limits the count of a bin; the slope is that count beside the mean count.
    let limit = slope == 0 ? 0 : max(1, Int((slope * Double(width * height) / 256).rounded()))
    let levelled = try grey.applying(
      "hist_local",
      ["width": .integer(width), "height": .integer(height), "max-slope": .integer(limit)])
    let unit = shape.format == .uint8 ? 1.0 : 257
    let added = try levelled.differences(from: grey) { $0 * unit }
    return try colour.plus(added).cast(shape.format).relabelled(shape.colourSpace)
      .withAlpha(of: image)
  }
}
#endif
