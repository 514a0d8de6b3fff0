#if Images
import StintCore

extension FilterCatalogue {
  private static func pixels(
    _ name: String, _ range: ClosedRange<Int>, _ presence: FilterParameter.Presence,
    _ summary: String
  ) -> FilterParameter {
    FilterParameter(name, .whole(range), .pixels, presence, summary)
  }

  private static let sides = 1...Resize.longestSide
  private static let places = 0...Resize.longestSide

  static let geometry: [FilterSpecification] = [
    FilterSpecification(
      "rotate", aliases: ["rot"], "Turn clockwise by 90, 180 or 270 degrees",
      [FilterParameter("angle", .word(["90", "180", "270"]), .degrees, .required, "how far")],
      images: .any, alpha: .moved, neighbourhood: "the pixel alone, at another place",
      result: "as rot of libvips; 90 and 270 swap width and height", example: "rotate:90"
    ) { arguments throws(StintError) in Rotate(degrees: Int(arguments.word("angle")) ?? 90) },
    FilterSpecification(
      "flip", aliases: ["mirror"], "Mirror image",
      [
        FilterParameter(
          "direction", .word(["horizontal", "vertical"]), .none, .required,
          "horizontal swaps left and right, vertical top and bottom")
      ],
      images: .any, alpha: .moved, neighbourhood: "the pixel alone, at another place",
      result: "as flip of libvips", example: "flip:horizontal"
    ) { arguments throws(StintError) in Flip(direction: arguments.word("direction")) },
    FilterSpecification(
      "crop", "Cut out a rectangle",
      [
        pixels("left", places, .standard(.whole(0)), "columns to cut off on the left"),
        pixels("top", places, .standard(.whole(0)), "rows to cut off at the top"),
        pixels("width", sides, .required, "columns to keep"),
        pixels("height", sides, .required, "rows to keep"),
      ],
      images: .any, alpha: .moved, neighbourhood: "the pixel alone, at another place",
      result: "the pixels as they are; a rectangle that is not inside the image is an error",
      example: "crop:300x200+10+20", shorthand: GeometryText.crop
    ) { arguments throws(StintError) in
      Crop(
        left: arguments.whole("left"), top: arguments.whole("top"),
        width: arguments.whole("width"), height: arguments.whole("height"))
    },
    FilterSpecification(
      "resize", aliases: ["scale"], "Change the size",
      [
        pixels("width", sides, .optional("follows from the height"), "columns of the result"),
        pixels("height", sides, .optional("follows from the width"), "rows of the result"),
        FilterParameter(
          "scale", .number(0.1...100_000), .percent, .optional("instead of width and height"),
          "of both sides"),
        .word(
          "kernel", ["nearest", "linear", "cubic", "mitchell", "lanczos2", "lanczos3"], "lanczos3",
          "how pixels are weighted"),
      ],
      images: .any, alpha: .weighted, neighbourhood: "about 3 pixels of the smaller image",
      result:
        "as reducev, reduceh and resize of libvips; large reductions begin with a mean of 2, 4, "
        + "8, ... pixels and leave a factor of 2 to 4 to the kernel",
      example: "resize:800x600", shorthand: GeometryText.resize
    ) { arguments throws(StintError) in
      Resize(size: try GeometryText.size(arguments), kernel: arguments.word("kernel"))
    },
    FilterSpecification(
      "thumbnail", aliases: ["thumb"], "A small image, made while the file is decoded",
      [
        pixels("width", sides, .required, "columns of the rectangle that the result fits into"),
        pixels("height", sides, .optional("as the width"), "rows of that rectangle"),
        .word(
          "size", ["both", "down", "up", "force"], "both",
          "whether only larger images change (down), only smaller ones (up), or both; force "
            + "makes exactly these sides"),
      ],
      images: .any, alpha: .weighted, neighbourhood: "several pixels of the file",
      result:
        "as the command vips thumbnail, pixel by pixel; decoders that can leave pixels out do so, "
        + "so it is faster than resize and a little less exact; it must be the first filter",
      example: "thumbnail:400", shorthand: GeometryText.thumbnail
    ) { arguments throws(StintError) in
      let width = arguments.whole("width")
      return Thumbnail(
        width: width, height: arguments.optionalWhole("height") ?? width,
        size: arguments.word("size"))
    },
  ]
}

/// The short forms in which rectangles and sizes are written.
enum GeometryText {
  /// `300x200+10+20` and `300x200`.
  static func crop(_ text: String) -> [(key: String, value: String)]? {
    let parts = text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 1 || parts.count == 3, let sides = sides(parts[0]), sides.count == 2
    else { return nil }
    return parts.count == 1 ? sides : [("left", parts[1]), ("top", parts[2])] + sides
  }

  /// `800x600`, `800x`, `x600`, `800` and `50%`, alone or with further parameters by name.
  static func resize(_ text: String) -> [(key: String, value: String)]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let size = parts.first.map(String.init) ?? ""
    let isScale = size.hasSuffix("%") && !size.contains("=")
    guard var pairs = isScale ? [("scale", size)] : sides(size) else { return nil }
    for part in parts.dropFirst() {
      guard let pair = FilterText.pair(part) else { return nil }
      pairs.append(pair)
    }
    return pairs
  }

  private static func sides(_ text: String) -> [(key: String, value: String)]? {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map(String.init)
    guard sides.count == 2, sides.contains(where: { !$0.isEmpty }),
      sides.allSatisfy({ $0.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } })
    else { return nil }
    return zip(["width", "height"], sides).filter { !$1.isEmpty }.map { ($0, $1) }
  }

  /// `400x300`, and where one side may be of any length `400x` and `x300`; after it `>` for larger
  /// images only, `<` for smaller ones only, `!` for exactly these sides.
  static func thumbnail(_ text: String) -> [(key: String, value: String)]? {
    let endings: [Character: String] = [">": "down", "<": "up", "!": "force"]
    let ending = text.last.flatMap { endings[$0] }
    let box = ending == nil ? text : String(text.dropLast())
    let unlimited = String(Resize.longestSide)
    var pairs: [(key: String, value: String)]
    if let sides = sides(box) {
      let given = Dictionary(uniqueKeysWithValues: sides.map { ($0.key, $0.value) })
      pairs = ["width", "height"].map { ($0, given[$0] ?? unlimited) }
    } else if ending != nil {
      pairs = [("width", box)]
    } else {
      return nil
    }
    if let ending { pairs.append(("size", ending)) }
    return pairs
  }

  /// What the arguments of resize say together.
  static func size(_ arguments: FilterArguments) throws(StintError) -> Resize.Size {
    let (width, height) = (arguments.optionalWhole("width"), arguments.optionalWhole("height"))
    let scale = arguments.optionalNumber("scale")
    switch (width, height, scale) {
    case (let width?, let height?, nil): return .exactly(width, height)
    case (let width?, nil, nil): return .width(width)
    case (nil, let height?, nil): return .height(height)
    case (nil, nil, let scale?): return .scale(scale)
    case (nil, nil, nil):
      throw StintError(
        .usage, "The filter resize needs a width, a height or a scale, for example resize:800x600.")
    case (_, _, _?):
      throw StintError(
        .usage, "The filter resize takes a width and a height, or a scale, and not both.")
    }
  }
}
#endif
