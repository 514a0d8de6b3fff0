#if Images
import StintCore

extension FilterCatalogue {
  private static func offset(_ summary: String) -> FilterParameter {
    FilterParameter("offset", .number(-100...100), .percent, .standard(.number(0)), summary)
  }

  static let edges: [FilterSpecification] = [
    FilterSpecification(
      "sobel", aliases: ["edges"], "Edge strength, by Sobel's masks", [],
      images: .whole, alpha: .weighing, neighbourhood: "3 x 3 pixels",
      result: "as sobel of libvips, each band alone: the sum of the absolute slopes across and "
        + "down, clipped; with 8 bits each slope is halved and rounded before it is doubled again",
      example: "sobel"
    ) { _ throws(StintError) in Sobel() },
    FilterSpecification(
      "canny", "Thin lines along edges, by Canny's method",
      [
        FilterParameter(
          "sigma", .number(0.2...100), .pixels, .standard(.number(1.4)),
          "standard deviation of the blur before"),
        FilterParameter(
          "threshold", .number(0...100), .percent, .standard(.number(0)),
          "edge strength from which a line is white and all else black; 0 keeps the strengths"
        ),
      ],
      images: .whole, alpha: .weighing,
      neighbourhood: "about 1.8 sigma + 2 pixels in each direction",
      result:
        "as canny of libvips, each band alone: the squared slope over 512 (of 255) where it is "
        + "the greatest across the edge, else 0. There is no hysteresis: an edge may "
        + "run through the whole image, so a pixel of it would depend on all others",
      example: "canny:sigma=2,threshold=10"
    ) { arguments throws(StintError) in
      Canny(sigma: arguments.number("sigma"), threshold: arguments.number("threshold"))
    },
    FilterSpecification(
      "laplacian", aliases: ["laplace"], "Laplacian: sum of the differences from the neighbours",
      [
        FilterParameter(
          "neighbours", .word(["4", "8"]), .none, .standard(.word("4")), "how many neighbours"),
        offset("added to the sums; 50 also shows negative sums, which would be clipped at 0"),
      ],
      images: .whole, alpha: .weighing, neighbourhood: "3 x 3 pixels",
      result: "as conv of libvips in whole numbers, each band alone, clipped",
      example: "laplacian:neighbours=8,offset=50"
    ) { arguments throws(StintError) in
      Convolution.laplacian(
        neighbours: arguments.word("neighbours") == "8" ? 8 : 4,
        offset: arguments.number("offset"))
    },
    FilterSpecification(
      "emboss", aliases: ["relief"], "A relief lit from one side",
      [
        FilterParameter(
          "from", .word(Convolution.lightDirections), .none, .standard(.word("nw")),
          "the side from which the light comes")
      ],
      images: .whole, alpha: .weighing, neighbourhood: "3 x 3 pixels",
      result: "as conv of libvips in whole numbers with -2 -1 0 / -1 1 1 / 0 1 2, turned; clipped",
      example: "emboss:from=w"
    ) { arguments throws(StintError) in Convolution.emboss(from: arguments.word("from")) },
    FilterSpecification(
      "convolve", aliases: ["convolution", "conv"], "Convolution with a matrix of your own",
      [
        FilterParameter("matrix", .matrix, .none, .required, "the weights of the pixels around"),
        FilterParameter(
          "scale", .number(-1_000_000_000...1_000_000_000), .none,
          .optional("default: the sum of the matrix, or 1 if that is 0"),
          "what sums are divided by; not 0"),
        offset("added to the quotients"),
      ],
      images: .whole, alpha: .weighing, neighbourhood: "as large as the matrix",
      result: "as conv of libvips, rounded to nearest and clipped: in whole numbers if matrix and "
        + "scale are whole, else in floating point. A matrix whose sum is its scale, with no "
        + "offset, filters alpha too",
      example: "convolve:0,-1,0/-1,5,-1/0,-1,0"
    ) { arguments throws(StintError) in
      let scale = arguments.optionalNumber("scale")
      guard scale != 0 else {
        throw StintError(
          .usage, "The filter convolve cannot divide by a scale of 0; leave it out for the sum.")
      }
      return Convolution.custom(
        arguments.matrix("matrix"), scale: scale, offset: arguments.number("offset"))
    },
  ]
}
#endif
