#if Images
import Glibc
import StintCore

/// The strength of the slope, by Sobel's masks.
struct Sobel: Filter {
  func reach(in shape: ImageShape) -> Int { 1 }
  func weight(in shape: ImageShape) -> Double { shape.format == .uint8 ? 6 : 25 }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    try image.visibleColour().applying("sobel").relabelled(image.colourSpace).withAlpha(of: image)
  }
}

/// Thin lines along the steepest slopes, by Canny's method without its hysteresis, which has no
/// bounded neighbourhood.
struct Canny: Filter {
  /// The standard deviation of the blur before, in pixels.
  let sigma: Double
  /// Percent of full strength from which a line is white; 0 leaves the strengths.
  let threshold: Double

  private var blur: GaussianBlur { GaussianBlur(sigma: sigma, cutoff: 0.2) }

  func reach(in shape: ImageShape) -> Int { blur.reach(in: shape) + 2 }
  func weight(in shape: ImageShape) -> Double { blur.weight(in: shape) + 60 }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    let shape = image.shape
    var lines = try strengths(image.visibleColour()).relabelled(shape.colourSpace)
    if threshold > 0 {
      lines = try LookupTable(for: lines.shape, whiteFrom: threshold).apply(to: lines)
    }
    return try lines.withAlpha(of: image)
  }

  private func strengths(_ colour: VipsImage) throws(StintError) -> VipsImage {
    let sigma = VipsArgument.number(sigma)
    if colour.format == .uint8 {
      return try colour.applying("canny", ["sigma": sigma, "precision": .word("integer")])
    }
    // libvips squares the slope, which is meant for 8 bits: 16 bits are measured in the same unit,
    // with a fraction.
    return try colour.times(1 / 257.0)
      .applying("canny", ["sigma": sigma, "precision": .word("float")])
      .times(257).rounded(to: colour.format)
  }
}

/// A mask of numbers, summed up around every pixel.
struct Convolution: Filter {
  /// What alpha does.
  enum AlphaRule {
    /// The mask is a kind of blur: alpha is filtered too, and weights the colour.
    case filtered
    /// The mask looks for differences: alpha is kept.
    case kept
  }

  let mask: FilterMatrix
  /// Sums are divided by it.
  let scale: Double
  /// Percent of full strength that is added.
  let offset: Double
  let alphaRule: AlphaRule

  func reach(in shape: ImageShape) -> Int { mask.height / 2 }

  func weight(in shape: ImageShape) -> Double {
    let taps = Double(mask.elements.count { $0 != 0 })
    return sumsUpInWholeNumbers(shape) && !shape.hasAlpha ? 2 + taps * 0.8 : 8 + taps * 1.5
  }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    switch alphaRule {
    case .filtered:
      return try image.weightedByAlpha { image throws(StintError) in try convolved(image) }
    case .kept:
      return try convolved(image.visibleColour()).relabelled(image.colourSpace)
        .withAlpha(of: image)
    }
  }

  private func convolved(_ image: VipsImage) throws(StintError) -> VipsImage {
    let shape = image.shape
    let isWhole = shape.format == .uint8 || shape.format == .uint16
    let added =
      isWhole ? (offset / 100 * shape.highestSample).rounded(.toNearestOrEven) : 0
    let matrix = try VipsImage.matrix(mask.rows, scale: scale, offset: added)
    let inWholeNumbers = sumsUpInWholeNumbers(shape)
    let isWide = inWholeNumbers && shape.format == .uint8 && !isExactInVectors
    let result = try (isWide ? image.cast(.uint16) : image).applying(
      "conv",
      ["mask": .image(matrix), "precision": .word(inWholeNumbers ? "integer" : "float")])
    return isWhole ? try result.rounded(to: shape.format) : result
  }

  /// Whether all numbers are whole, no sum can leave 32 bits, and libvips' quotient is rounded to
  /// nearest.
  ///
  /// It cuts the fraction off towards 0, which is wrong below 0, where a result is only if an
  /// offset lifts it again.
  private func sumsUpInWholeNumbers(_ shape: ImageShape) -> Bool {
    let bound = mask.elements.reduce(0) { $0 + abs($1) } * shape.highestSample
    return (shape.format == .uint8 || shape.format == .uint16) && mask.isWhole
      && scale == scale.rounded() && scale >= 1 && (scale == 1 || offset == 0)
      && bound + scale < 2_147_483_647
  }

  /// Whether libvips' vector instructions for 8 bits give the exact sums of this mask.
  ///
  /// They multiply by numbers of 8 bits that share an exponent, shift each product to the right,
  /// and add up in 16 bits. That is exact if no shift loses anything and no sum is too large; if
  /// the last shift were negative, libvips before 8.18.1 computes nonsense ("guard against invalid
  /// shift" in its list of changes). Elsewhere samples of 16 bits avoid them.
  private var isExactInVectors: Bool {
    guard scale == 1, let largest = mask.elements.max(), largest >= 1 else { return false }
    let shift = Int((log2(largest) + 1).rounded(.up))
    let guardBits = Int(log2(Double(mask.elements.count)).rounded(.up))
    let lastShift = 7 - shift - guardBits
    guard lastShift >= 1 else { return false }
    let unit = Double(1 << lastShift)
    let sum = mask.elements.reduce(0) { $0 + abs($1) } * 255 * unit
    return sum <= 32_767 && mask.elements.allSatisfy { $0 >= -largest }
  }
}

extension Convolution {
  /// The sum of the differences from the neighbours.
  static func laplacian(neighbours: Int, offset: Double) -> Convolution {
    let corner: Double = neighbours == 8 ? -1 : 0
    let mask = FilterMatrix([
      [corner, -1, corner], [-1, Double(neighbours), -1], [corner, -1, corner],
    ])
    return Convolution(mask: mask, scale: 1, offset: offset, alphaRule: .kept)
  }

  /// The directions that light may come from, clockwise.
  static let lightDirections = ["nw", "n", "ne", "e", "se", "s", "sw", "w"]

  /// A relief that light from one side would show.
  static func emboss(from direction: String) -> Convolution {
    // The eight neighbours clockwise from the upper left, for light from there.
    let ring: [Double] = [-2, -1, 0, 1, 2, 1, 0, -1]
    let turn = lightDirections.firstIndex(of: direction) ?? 0
    let places = (0..<8).map { ring[($0 - turn + 8) % 8] }
    let mask = FilterMatrix([
      [places[0], places[1], places[2]], [places[7], 1, places[3]],
      [places[6], places[5], places[4]],
    ])
    return Convolution(mask: mask, scale: 1, offset: 0, alphaRule: .kept)
  }

  /// A matrix that a user gave.
  ///
  /// - Parameters:
  ///   - mask: The numbers.
  ///   - scale: What sums are divided by; nil for the sum of the numbers, or 1 if that is 0.
  ///   - offset: Percent of full strength that is added.
  /// - Returns: The filter; alpha is filtered too if the mask keeps the brightness and nothing is
  ///   added.
  static func custom(_ mask: FilterMatrix, scale: Double?, offset: Double) -> Convolution {
    let divisor = scale ?? (mask.sum == 0 ? 1 : mask.sum)
    let isBlur = offset == 0 && abs(mask.sum / divisor - 1) < 1e-9
    return Convolution(
      mask: mask, scale: divisor, offset: offset, alphaRule: isBlur ? .filtered : .kept)
  }
}

extension FilterCatalogue {
  private static func offset(_ summary: String) -> FilterParameter {
    .number("offset", -100...100, .percent, 0, summary)
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
        .number("sigma", 0.2...100, .pixels, 1.4, "standard deviation of the blur before"),
        .number(
          "threshold", 0...100, .percent, 0,
          "edge strength from which a line is white and all else black; 0 keeps the strengths"),
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
        .word("neighbours", ["4", "8"], "4", "how many neighbours"),
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
        .word("from", Convolution.lightDirections, "nw", "the side from which the light comes")
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
