#if Images
import StintCore

extension FilterCatalogue {
  static let sigma = FilterParameter(
    "sigma", .number(0.2...500), .pixels, .required,
    "standard deviation of the bell curve")

  static let blurs: [FilterSpecification] = [
    FilterSpecification(
      "gaussian-blur", aliases: ["gaussian", "gaussblur", "blur"], "Gaussian blur",
      [
        sigma,
        FilterParameter(
          "cutoff", .number(0.001...0.5), .none, .standard(.number(0.2)),
          "height at which the bell curve is cut off, as a fraction of its peak"),
      ],
      images: .any, alpha: .weighted,
      neighbourhood: "about 1.8 sigma in each direction (3.7 with a cutoff of 0.001)",
      result: "as gaussblur of libvips: a row and a column of whole numbers for 8 and 16 bits "
        + "without alpha, of floating-point ones else, then rounded to nearest, halves to even",
      example: "gaussian-blur:3"
    ) { arguments throws(StintError) in
      GaussianBlur(sigma: arguments.number("sigma"), cutoff: arguments.number("cutoff"))
    },
    FilterSpecification(
      "box-blur", aliases: ["box", "mean"], "Blur by the mean of a square",
      [
        FilterParameter(
          "radius", .whole(1...500), .pixels, .required,
          "pixels on each side of the one in the middle")
      ],
      images: .any, alpha: .weighted, neighbourhood: "a square of 2 radius + 1 pixels",
      result: "as convsep of libvips with ones in one layer: the mean of a row, then of a column, "
        + "each (sum + radius + 1) / (2 radius + 1) without its fraction for 8 and 16 bits "
        + "without alpha; floating point else, then rounded to nearest, halves to even",
      example: "box-blur:4"
    ) { arguments throws(StintError) in BoxBlur(radius: arguments.whole("radius")) },
    FilterSpecification(
      "median", aliases: ["despeckle"], "Median of a square: removes specks",
      [
        FilterParameter(
          "size", .odd(3...31), .pixels, .standard(.whole(3)), "side of the square")
      ],
      images: .any, alpha: .weighted, neighbourhood: "a square of size x size pixels",
      result: "as rank of libvips: one of the samples of the square",
      example: "median:5"
    ) { arguments throws(StintError) in Median(size: arguments.whole("size")) },
    FilterSpecification(
      "sharpen", aliases: ["unsharp", "unsharp-mask"],
      "Sharpen by an unsharp mask: add the difference from a blurred copy",
      [
        FilterParameter(
          "sigma", .number(0.2...500), .pixels, .standard(.number(1)),
          "standard deviation of the blur"),
        FilterParameter(
          "amount", .number(0...10), .none, .standard(.number(1)),
          "how much of the difference is added"),
        FilterParameter(
          "threshold", .number(0...100), .percent, .standard(.number(0)),
          "smallest difference that counts, in percent of full strength"),
      ],
      images: .whole, alpha: .weighing, neighbourhood: "that of its gaussian-blur",
      result: "sample + amount x (sample - blur), the product rounded to nearest, halves to even, "
        + "the sum clipped; the blur is gaussian-blur's",
      example: "sharpen:sigma=1.5,amount=0.8"
    ) { arguments throws(StintError) in
      Sharpen(
        blur: GaussianBlur(sigma: arguments.number("sigma"), cutoff: 0.2),
        amount: arguments.number("amount"), threshold: arguments.number("threshold"))
    },
  ]
}
#endif
