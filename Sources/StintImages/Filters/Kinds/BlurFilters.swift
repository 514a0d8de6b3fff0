#if Images
import Glibc
import StintCore

/// A blur by a bell curve.
struct GaussianBlur: Filter {
  /// The standard deviation, in pixels.
  let sigma: Double
  /// Where the curve is cut off, as a part of its height.
  let cutoff: Double

  /// The half width of the mask that libvips makes.
  func reach(in shape: ImageShape) -> Int {
    sigma < 0.2 ? 0 : Int((sigma * sqrt(-2 * log(cutoff))).rounded(.up)) + 1
  }

  func weight(in shape: ImageShape) -> Double {
    let taps = Double(4 * reach(in: shape) + 2)
    return shape.hasAlpha ? 12 + taps * 1.5 : shape.format == .uint8 ? 2 + taps * 0.4 : 2 + taps
  }

  func apply(to image: VipsImage, statistics: FilterStatistics?) throws(StintError) -> VipsImage {
    try image.weightedByAlpha { image throws(StintError) in try blurred(image) }
  }

  /// The blur of all bands; whole samples are summed up in whole numbers.
  func blurred(_ image: VipsImage) throws(StintError) -> VipsImage {
    let isWhole = image.format == .uint8 || image.format == .uint16
    return try image.applying(
      "gaussblur",
      [
        "sigma": .number(sigma), "min-ampl": .number(cutoff),
        "precision": .word(isWhole ? "integer" : "float"),
      ])
  }
}

/// A blur by the mean of a square.
struct BoxBlur: Filter {
  /// Pixels on each side of the one in the middle.
  let radius: Int

  func reach(in shape: ImageShape) -> Int { radius }

  func weight(in shape: ImageShape) -> Double {
    shape.hasAlpha ? 12 + Double(radius) * 4 : 8
  }

  func apply(to image: VipsImage, statistics: FilterStatistics?) throws(StintError) -> VipsImage {
    let side = 2 * radius + 1
    return try image.weightedByAlpha { image throws(StintError) in
      let ones = [[Double](repeating: 1, count: side)]
      let mask = try VipsImage.matrix(ones, scale: Double(side))
      switch image.format {
      case .uint8, .uint16:
        // A running sum: the time does not depend on the radius. One layer is the box itself.
        return try image.applying(
          "convsep",
          ["mask": .image(mask), "precision": .word("approximate"), "layers": .integer(1)])
      case .int8, .int16, .uint32, .int32, .float, .double, .complex, .doubleComplex:
        // A running sum of floating-point numbers would depend on where it began.
        return try image.applying(
          "convsep", ["mask": .image(mask), "precision": .word("float")])
      }
    }
  }
}

/// The middle value of a square.
struct Median: Filter {
  /// The side of the square, odd.
  let size: Int

  func reach(in shape: ImageShape) -> Int { size / 2 }

  func weight(in shape: ImageShape) -> Double {
    let area = Double(size * size)
    switch shape.format {
    case .uint8 where !shape.hasAlpha && size == 3: return 20
    case _: return 10 + area * 4
    }
  }

  func apply(to image: VipsImage, statistics: FilterStatistics?) throws(StintError) -> VipsImage {
    try image.weightedByAlpha { image throws(StintError) in
      // With 8 bits and more than 10 pixels, libvips keeps a histogram, to which 8.14 adds a wrong
      // column at every step ("rank: fix an off-by-one error" and "expand input by one column" in
      // its later changes); with 16 bits it selects.
      let input = size > 3 && image.format == .uint8 ? try image.cast(.uint16) : image
      return try input.atLeast(size, size) { image throws(StintError) in
        try image.applying(
          "rank",
          ["width": .integer(size), "height": .integer(size), "index": .integer(size * size / 2)])
      }.cast(image.format)
    }
  }
}

extension VipsImage {
  /// Filters an image that libvips would call too small for a window, as part of a larger one whose
  /// edge pixels go on.
  func atLeast(
    _ windowWidth: Int, _ windowHeight: Int,
    _ body: (VipsImage) throws(StintError) -> VipsImage
  ) throws(StintError) -> VipsImage {
    guard width < windowWidth || height < windowHeight else { return try body(self) }
    let (left, top) = (windowWidth / 2, windowHeight / 2)
    let larger = try applying(
      "embed",
      [
        "x": .integer(left), "y": .integer(top), "width": .integer(width + windowWidth),
        "height": .integer(height + windowHeight), "extend": .word("copy"),
      ])
    return try body(larger).area(left: left, top: top, width: width, height: height)
  }
}
#endif
