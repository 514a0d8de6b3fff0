#if Images
import StintCore

/// Alpha is gone: what can be seen through shows a background.
struct Flatten: Filter {
  let background: FilterColour

  func passesOn(_ shape: ImageShape) -> Bool { !shape.hasAlpha }

  func check(for shape: ImageShape) throws(StintError) {
    guard shape.bands == shape.colourBands + 1 else {
      throw StintError(
        .usage,
        "The filter flatten takes one alpha channel; this image has \(shape.bands - shape.colourBands)."
      )
    }
    guard shape.colourBands == 3 || background.isGrey else {
      throw StintError(
        .usage,
        "The filter flatten lays a grayscale image on a shade of grey alone, not on "
          + "\(background.canonicalText); write one such as white, black or 808080.")
    }
  }

  func outputShape(of shape: ImageShape) -> ImageShape { shape.with(\.bands, shape.colourBands) }

  func weight(in shape: ImageShape) -> Double { shape.hasAlpha ? 2 : 0 }

  func apply(to image: VipsImage, statistics: FilterStatistics?) throws(StintError) -> VipsImage {
    let shape = image.shape
    guard shape.hasAlpha else { return image }
    let highest = shape.highestSample
    let samples = [background.red, background.green, background.blue].map {
      Double($0) * highest / 255
    }
    return try image.applying(
      "flatten",
      [
        "background": .numbers(Array(samples.prefix(shape.colourBands))),
        "max-alpha": .number(highest),
      ]
    ).relabelled(shape.colourSpace)
  }
}
#endif
