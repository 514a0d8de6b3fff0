#if Images
import StintCore

extension FilterCatalogue {
  static let colours: [FilterSpecification] = [
    FilterSpecification(
      "grayscale", aliases: ["greyscale", "gray", "grey", "desaturate"], "Shades of grey",
      [
        FilterParameter(
          "weights", .word(GreyWeights.allCases.map(\.rawValue)), .none, .standard(.word("rec709")),
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
        FilterParameter(
          "strength", .number(0...100), .percent, .standard(.number(100)), "how much of it")
      ],
      images: .greyOrRGB, alpha: .kept, neighbourhood: "the pixel alone",
      result: "RGB, by the matrix of the W3C's filter effects; rounded to nearest, halves to even, "
        + "and clipped",
      example: "sepia:80"
    ) { arguments throws(StintError) in Sepia(strength: arguments.number("strength") / 100) },
    FilterSpecification(
      "threshold", aliases: ["binarise", "binarize"], "Black or white",
      [
        FilterParameter(
          "level", .number(0...100), .percent, .standard(.number(50)),
          "strength from which a pixel is white")
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
