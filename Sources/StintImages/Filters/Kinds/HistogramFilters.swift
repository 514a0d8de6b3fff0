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

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    let shape = image.shape
    let colour = try image.colour()
    let shade = try colour.grey().colour()
    let grey =
      shade.format == .uint8
      ? shade : try Depth(format: .uint8).apply(to: shade)
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

extension FilterCatalogue {
  private static func share(_ name: String, _ summary: String) -> FilterParameter {
    .number(name, 0...49, .percent, 0.5, summary)
  }

  static let histograms: [FilterSpecification] = [
    FilterSpecification(
      "equalise", aliases: ["equalize", "histogram-equalisation", "histogram-equalization"],
      "Histogram equalisation: all brightness levels equally frequent", [],
      images: .greyOrRGB, alpha: .kept, neighbourhood: "the whole image, in a pass of its own",
      result: "as hist_equal of libvips: each band of colour alone, fractions cut off. Pixels "
        + "that alpha hides are counted as well",
      example: "equalise", needsStatistics: true
    ) { _ throws(StintError) in Equalise() },
    FilterSpecification(
      "contrast-stretch", aliases: ["stretch", "normalise", "normalize", "auto-level"],
      "Stretch the brightness range in use to the full range",
      [
        share("black", "share of the samples that may become black"),
        share("white", "share of the samples that may become full strength"),
      ],
      images: .greyOrRGB, alpha: .kept, neighbourhood: "the whole image, in a pass of its own",
      result: "a line through two strengths that all bands of colour share, rounded to nearest, "
        + "halves to even, and clipped. Pixels that alpha hides are counted as well",
      example: "contrast-stretch:black=1,white=1", needsStatistics: true
    ) { arguments throws(StintError) in
      ContrastStretch(black: arguments.number("black"), white: arguments.number("white"))
    },
    FilterSpecification(
      "clahe", aliases: ["local-contrast", "adaptive-equalise", "adaptive-equalize"],
      "Local contrast: equalise around each pixel, within limits",
      [
        FilterParameter(
          "size", .odd(3...511), .pixels, .standard(.whole(65)), "side of the surroundings"),
        .number("slope", 0...100, .none, 3, "limit of the contrast gain; 0 for no limit"),
      ],
      images: .greyOrRGB, alpha: .kept,
      neighbourhood: "a square of size x size pixels, or the image where that is smaller",
      result: "hist_local of libvips on the shade of grey (of 8 bits); what it changes is added to "
        + "every band of colour, times 257 with 16 bits, and clipped. Pixels that alpha hides are counted as well",
      example: "clahe:size=101,slope=2"
    ) { arguments throws(StintError) in
      LocalContrast(size: arguments.whole("size"), slope: arguments.number("slope"))
    },
  ]
}
#endif
