#if Images
import StintCore

/// A turn by quarters, clockwise.
struct Rotate: Filter {
  let degrees: Int

  func outputShape(of shape: ImageShape) -> ImageShape {
    degrees == 180 ? shape : shape.turned
  }

  /// Rows come from columns: a band of the result needs the whole height.
  func reach(in shape: ImageShape) -> Int { degrees == 180 ? 0 : shape.height }
  var keepsOrderOfRows: Bool { false }
  func weight(in shape: ImageShape) -> Double { 2 }

  func apply(to image: VipsImage, statistics: FilterStatistics?) throws(StintError) -> VipsImage {
    try image.applying("rot", ["angle": .word("d\(degrees)")])
  }
}

/// A mirror image.
struct Flip: Filter {
  let direction: String

  var keepsOrderOfRows: Bool { direction == "horizontal" }
  func weight(in shape: ImageShape) -> Double { 1 }

  func apply(to image: VipsImage, statistics: FilterStatistics?) throws(StintError) -> VipsImage {
    try image.applying("flip", ["direction": .word(direction)])
  }
}

/// A rectangle of the image.
struct Crop: Filter {
  let left: Int
  let top: Int
  let width: Int
  let height: Int

  func check(for shape: ImageShape) throws(StintError) {
    guard left + width <= shape.width, top + height <= shape.height else {
      throw StintError(
        .usage,
        "The filter crop asks for columns \(left) to \(left + width - 1) and rows \(top) to "
          + "\(top + height - 1); the image has \(shape.width) columns and \(shape.height) rows there."
      )
    }
  }

  func outputShape(of shape: ImageShape) -> ImageShape {
    shape.with(\.width, width).with(\.height, height)
  }

  func weight(in shape: ImageShape) -> Double { 0.3 }

  func apply(to image: VipsImage, statistics: FilterStatistics?) throws(StintError) -> VipsImage {
    try image.area(left: left, top: top, width: width, height: height)
  }
}
#endif
