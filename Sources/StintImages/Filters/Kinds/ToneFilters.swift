#if Images
import Glibc
import StintCore

/// The negative: full strength minus the sample.
struct Invert: TableFilter {
  func table(for shape: ImageShape, statistics: FilterStatistics?) -> LookupTable {
    LookupTable(for: shape) { shape.highestSample - $0 }
  }
}

/// A power of the strength.
struct Gamma: TableFilter {
  let gamma: Double

  func table(for shape: ImageShape, statistics: FilterStatistics?) -> LookupTable {
    let highest = shape.highestSample
    return LookupTable(for: shape) { highest * pow($0 / highest, 1 / gamma) }
  }
}

/// A line through the middle grey, turned and moved.
struct BrightnessContrast: TableFilter {
  /// Percent of full strength, -100 to 100.
  let brightness: Double
  /// Percent: -100 is flat, 0 as it was, 100 a step.
  let contrast: Double

  init(_ arguments: FilterArguments) {
    (brightness, contrast) = (arguments.number("brightness"), arguments.number("contrast"))
  }

  func table(for shape: ImageShape, statistics: FilterStatistics?) -> LookupTable {
    let highest = shape.highestSample
    let middle = highest / 2
    // At 0 the tangent is not exactly 1, and an image that is to stay as it is must.
    let slope = contrast == 0 ? 1 : tan((contrast / 100 + 1) * .pi / 4)
    return LookupTable(for: shape) {
      middle + ($0 - middle) * slope + brightness / 100 * highest
    }
  }
}

/// A few steps of each band.
struct Posterise: TableFilter {
  let levels: Int

  func table(for shape: ImageShape, statistics: FilterStatistics?) -> LookupTable {
    let highest = shape.highestSample
    return LookupTable(for: shape) { sample in
      let level = min(floor(sample * Double(levels) / (highest + 1)), Double(levels - 1))
      return level * highest / Double(levels - 1)
    }
  }
}

/// Samples of another size.
struct Depth: TableFilter {
  let format: SampleFormat

  func outputShape(of shape: ImageShape) -> ImageShape { shape.withDepth(format) }

  func table(for shape: ImageShape, statistics: FilterStatistics?) -> LookupTable {
    let table: [UInt16] = (0...Int(shape.highestSample)).map { sample in
      switch (shape.format, format) {
      case (.uint8, .uint16): UInt16(sample * 257)
      case (.uint16, .uint8): UInt16((sample + 128) / 257)
      case (_, _): UInt16(sample)
      }
    }
    return LookupTable(colour: [table], alpha: table, format: format)
  }
}

extension FilterCatalogue {
  private static let nearest = "rounded to nearest, halves to even, and clipped"

  private static func percent(
    _ name: String, _ presence: FilterParameter.Presence, _ summary: String
  ) -> FilterParameter {
    FilterParameter(name, .number(-100...100), .percent, presence, summary)
  }

  private static func tone(
    _ name: String, aliases: [String] = [], _ summary: String, _ parameters: [FilterParameter],
    result: String, example: String,
    standsFor: (@Sendable (FilterArguments) -> (name: String, arguments: FilterArguments))? = nil,
    make: @escaping @Sendable (FilterArguments) throws(StintError) -> any Filter
  ) -> FilterSpecification {
    FilterSpecification(
      name, aliases: aliases, summary, parameters, images: name == "invert" ? .whole : .greyOrRGB,
      alpha: .kept, neighbourhood: "the pixel alone", result: result, example: example,
      standsFor: standsFor, make: make)
  }

  /// One parameter of brightness-contrast under a name of its own.
  private static func half(
    _ name: String, _ title: String, _ summary: String, example: String
  ) -> FilterSpecification {
    @Sendable func whole(_ arguments: FilterArguments) -> FilterArguments {
      let rest: [String: FilterValue] = ["brightness": .number(0), "contrast": .number(0)]
      let own: [String: FilterValue] = [name: .number(arguments.number("amount"))]
      return FilterArguments(rest.merging(own) { $1 })
    }
    return tone(
      name, title, [percent("amount", .required, summary)], result: "as brightness-contrast",
      example: example, standsFor: { ("brightness-contrast", whole($0)) }
    ) { arguments throws(StintError) in BrightnessContrast(whole(arguments)) }
  }

  static let tones: [FilterSpecification] = [
    tone(
      "invert", aliases: ["negate", "negative"], "The negative", [],
      result: "full strength - sample", example: "invert"
    ) { _ throws(StintError) in Invert() },
    tone(
      "gamma", "Gamma correction: above 1 brighter, below 1 darker",
      [FilterParameter("gamma", .number(0.01...100), .none, .required, "1 over the exponent")],
      result: "full x (sample / full) ^ (1 / gamma), \(nearest)", example: "gamma:2.2"
    ) { arguments throws(StintError) in Gamma(gamma: arguments.number("gamma")) },
    tone(
      "brightness-contrast", "Change brightness and contrast",
      [
        percent(
          "brightness", .standard(.number(0)), "how much is added, in percent of full strength"),
        percent(
          "contrast", .standard(.number(0)), "-100 is flat grey, 0 as it was, 100 black and white"),
      ],
      result: "full / 2 + (sample - full / 2) x tan((contrast / 100 + 1) x pi / 4) + brightness, "
        + nearest,
      example: "brightness-contrast:brightness=10,contrast=20"
    ) { arguments throws(StintError) in BrightnessContrast(arguments) },
    half(
      "brightness", "Change the brightness", "how much is added, in percent of full strength",
      example: "brightness:15"),
    half(
      "contrast", "Change the contrast", "-100 is flat grey, 0 as it was, 100 black and white",
      example: "contrast:-20"),
    tone(
      "posterise", aliases: ["posterize"], "Reduce each colour channel to a few levels",
      [FilterParameter("levels", .whole(2...256), .none, .standard(.whole(4)), "how many levels")],
      result: "steps of equal width, spread over the whole range, \(nearest)",
      example: "posterise:4"
    ) { arguments throws(StintError) in Posterise(levels: arguments.whole("levels")) },
    FilterSpecification(
      "depth", "Samples of 8 or 16 bits",
      [FilterParameter("bits", .word(["8", "16"]), .bits, .required, "bits of a sample")],
      images: .whole, alpha: .moved, neighbourhood: "the pixel alone",
      result: "16 bits are 257 x 8 bits; 8 bits are 16 bits / 257, rounded to nearest",
      example: "depth:16"
    ) { arguments throws(StintError) in
      Depth(format: arguments.word("bits") == "16" ? .uint16 : .uint8)
    },
  ]
}
#endif
