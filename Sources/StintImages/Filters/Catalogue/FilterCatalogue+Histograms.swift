#if Images
import StintCore

extension FilterCatalogue {
  private static func share(_ name: String, _ summary: String) -> FilterParameter {
    FilterParameter(name, .number(0...49), .percent, .standard(.number(0.5)), summary)
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
        FilterParameter(
          "slope", .number(0...100), .none, .standard(.number(3)),
          "limit of the contrast gain; 0 for no limit"),
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
