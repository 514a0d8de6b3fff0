#if Images
import StintCore

/// The weights of red, green and blue in the strength of a grey.
enum GreyWeights: String, CaseIterable {
  case rec709, rec601, mean

  var numbers: [Double] {
    switch self {
    case .rec709: [0.2126, 0.7152, 0.0722]
    case .rec601: [0.299, 0.587, 0.114]
    case .mean: [1 / 3.0, 1 / 3.0, 1 / 3.0]
    }
  }
}

extension ImageShape {
  /// Whether colour is one band, or bands that are each a grey of their own.
  var isGrey: Bool { colourBands < 3 || colourSpace == .multiband }

  /// A grey image of the same depth, with the same alpha.
  var grey: ImageShape {
    guard !isGrey else { return self }
    return with(\.bands, bands - colourBands + 1)
      .with(\.colourSpace, format == .uint16 ? .grey16 : .grey)
  }
}

extension VipsImage {
  /// Each pixel's weighted strength as the only band of colour.
  func grey(_ weights: GreyWeights = .rec709) throws(StintError) -> VipsImage {
    let shape = shape
    guard !shape.isGrey else { return self }
    return try recombined([weights.numbers]).rounded(to: shape.format)
      .relabelled(shape.grey.colourSpace)
  }

  /// The sums of the bands of colour that the rows of a matrix say, the alpha after them.
  func recombined(_ matrix: [[Double]]) throws(StintError) -> VipsImage {
    let shape = shape
    let extra = shape.bands - shape.colourBands
    var rows = matrix.map { $0 + [Double](repeating: 0, count: extra) }
    for band in 0..<extra {
      rows.append((0..<shape.bands).map { $0 == shape.colourBands + band ? 1 : 0 })
    }
    return try applying("recomb", ["m": .image(VipsImage.matrix(rows))])
  }
}

/// Colour becomes its strength.
struct Grayscale: Filter {
  let weights: GreyWeights

  func passesOn(_ shape: ImageShape) -> Bool { shape.isGrey }
  func outputShape(of shape: ImageShape) -> ImageShape { shape.grey }
  func weight(in shape: ImageShape) -> Double { shape.isGrey ? 0 : 8 }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    try image.grey(weights)
  }
}

/// The brown of old photographs.
struct Sepia: Filter {
  /// How much of it, 0 to 1.
  let strength: Double

  /// The full effect, as the W3C's filter effects define it.
  private static let full: [[Double]] = [
    [0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131],
  ]

  func check(for shape: ImageShape) throws(StintError) {
    guard shape.colourBands == 1 || shape.colourBands == 3 else {
      throw StintError(
        .usage,
        "The filter sepia takes one or three bands of colour; this image has \(shape.bands).")
    }
  }

  func outputShape(of shape: ImageShape) -> ImageShape {
    shape.with(\.bands, shape.bands + 3 - shape.colourBands)
      .with(\.colourSpace, shape.format == .uint16 ? .rgb16 : .srgb)
  }

  func weight(in shape: ImageShape) -> Double { 5 }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    let shape = image.shape
    let mixed = Self.full.enumerated().map { row, numbers in
      numbers.enumerated().map { column, number in
        strength * number + (1 - strength) * (row == column ? 1 : 0)
      }
    }
    // Grey is the same in all three bands.
    let matrix = shape.colourBands == 3 ? mixed : mixed.map { [$0.reduce(0, +)] }
    return try image.recombined(matrix).rounded(to: shape.format)
      .relabelled(outputShape(of: shape).colourSpace)
  }
}

/// Black or white.
struct Threshold: Filter {
  /// Percent of full strength from which a pixel is white.
  let level: Double

  func outputShape(of shape: ImageShape) -> ImageShape { shape.grey }
  func weight(in shape: ImageShape) -> Double { shape.isGrey ? 1 : 9 }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    let grey = try image.grey()
    return try LookupTable(for: grey.shape, whiteFrom: level).apply(to: grey)
  }
}

extension FilterCatalogue {
  static let colours: [FilterSpecification] = [
    FilterSpecification(
      "grayscale", aliases: ["greyscale", "gray", "grey", "desaturate"], "Shades of grey",
      [
        .word(
          "weights", GreyWeights.allCases.map(\.rawValue), "rec709",
          "weights of red, green and blue")
      ],
      images: .greyOrRGB, alpha: .kept, neighbourhood: "the pixel alone",
      result: "one band: 0.2126 R + 0.7152 G + 0.0722 B (rec709), 0.299 R + 0.587 G + 0.114 B "
        + "(rec601) or the mean, of the samples as they are stored; in single precision, rounded to nearest, halves to even; "
        + "an image of one band as it is, whatever its samples",
      example: "grayscale"
    ) { arguments throws(StintError) in
      Grayscale(weights: GreyWeights(rawValue: arguments.word("weights")) ?? .rec709)
    },
    FilterSpecification(
      "sepia", "The brown of old photographs",
      [
        .number("strength", 0...100, .percent, 100, "how much of it")
      ],
      images: .greyOrRGB, alpha: .kept, neighbourhood: "the pixel alone",
      result: "RGB, by the matrix of the W3C's filter effects; rounded to nearest, halves to even, "
        + "and clipped",
      example: "sepia:80"
    ) { arguments throws(StintError) in Sepia(strength: arguments.number("strength") / 100) },
    FilterSpecification(
      "threshold", aliases: ["binarise", "binarize"], "Black or white",
      [
        .number("level", 0...100, .percent, 50, "strength from which a pixel is white")
      ],
      images: .greyOrRGB, alpha: .kept, neighbourhood: "the pixel alone",
      result: "one band, 0 or full strength, of the shade of grey by grayscale",
      example: "threshold:60"
    ) { arguments throws(StintError) in Threshold(level: arguments.number("level")) },
    FilterSpecification(
      "flatten", aliases: ["remove-alpha"], "Replace transparency by a background colour",
      [
        FilterParameter(
          "background", .colour, .none, .standard(.colour(.white)),
          "colour to show where the image is transparent")
      ],
      images: .greyOrRGB, alpha: .used, neighbourhood: "the pixel alone",
      result:
        "the bands of colour: (sample x alpha + background x (full strength - alpha)) / full strength, "
        + "rounded down; an image without alpha as it is, whatever its samples and colours. A background for the output means it as the last filter",
      example: "flatten:white"
    ) { arguments throws(StintError) in Flatten(background: arguments.colour("background")) },
  ]
}
#endif
