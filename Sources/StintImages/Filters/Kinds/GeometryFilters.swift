#if Images
package import StintCore

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

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    try image.applying("rot", ["angle": .word("d\(degrees)")])
  }
}

/// A mirror image.
struct Flip: Filter {
  let direction: String

  var keepsOrderOfRows: Bool { direction == "horizontal" }
  func weight(in shape: ImageShape) -> Double { 1 }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
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

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    try image.area(left: left, top: top, width: width, height: height)
  }
}

/// Another size.
struct Resize: Filter {
  /// What the new size follows from.
  enum Size: Hashable {
    /// Both sides in pixels.
    case exactly(Int, Int)
    /// The width in pixels; the height keeps the proportions.
    case width(Int)
    /// The height in pixels; the width keeps the proportions.
    case height(Int)
    /// Percent of the sides.
    case scale(Double)
  }

  /// The longest side that libvips works with.
  static let longestSide = 10_000_000
  /// The largest reduction of a side, which is also the largest enlargement.
  static let largestFactor = 1000.0

  let size: Size
  let kernel: String

  /// How many old pixels make a new one, across and down; below 1 where the image grows.
  private func factors(of shape: ImageShape) -> (across: Double, down: Double) {
    let (width, height) = (Double(shape.width), Double(shape.height))
    let (across, down): (Double, Double) =
      switch size {
      case .exactly(let newWidth, let newHeight):
        (width / Double(newWidth), height / Double(newHeight))
      case .width(let newWidth): (width / Double(newWidth), width / Double(newWidth))
      case .height(let newHeight): (height / Double(newHeight), height / Double(newHeight))
      case .scale(let percent): (100 / percent, 100 / percent)
      }
    // No side gets shorter than a pixel.
    return (min(across, width), min(down, height))
  }

  /// The new sides, in pixels.
  func sides(of shape: ImageShape) -> (width: Int, height: Int) {
    let factors = factors(of: shape)
    return (Self.side(shape.width, factors.across), Self.side(shape.height, factors.down))
  }

  /// A side divided by a factor, rounded as libvips does.
  private static func side(_ length: Int, _ factor: Double) -> Int {
    let divisor = factor > 1 ? ReductionFactor(factor, of: length).factor : factor
    return max(1, Int(min(Double(length) / divisor + 0.5, 1e15)))
  }

  func check(for shape: ImageShape) throws(StintError) {
    let (width, height) = sides(of: shape)
    for (side, old, name) in [(width, shape.width, "width"), (height, shape.height, "height")] {
      guard side <= Self.longestSide else {
        throw StintError(
          .usage,
          "The filter resize would make the \(name) \(side) px; the maximum is \(Self.longestSide) px."
        )
      }
      let factor = max(Double(side) / Double(old), Double(old) / Double(side))
      guard factor <= Self.largestFactor else {
        throw StintError(
          .usage,
          "The filter resize would make the \(name) \(side) px of \(old) px; a side changes by a "
            + "factor of \(Int(Self.largestFactor)) at most. Do it in two steps.")
      }
    }
  }

  func outputShape(of shape: ImageShape) -> ImageShape {
    let (width, height) = sides(of: shape)
    return shape.with(\.width, width).with(\.height, height)
  }

  func reach(in shape: ImageShape) -> Int {
    let shrink = Double(shape.height) / Double(sides(of: shape).height)
    return Int((3 * max(1, shrink)).rounded(.up)) + 1
  }

  func weight(in shape: ImageShape) -> Double {
    let (width, height) = sides(of: shape)
    let shrink = max(1, Double(shape.width) / Double(width))
    let shrinkDown = max(1, Double(shape.height) / Double(height))
    let taps = min(shrink, 4) * 6 + min(shrinkDown, 4) * 6 * shrink
    return kernel == "nearest" ? 3 : 4 + taps * (shape.hasAlpha ? 1.5 : 0.7)
  }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    let (width, height) = sides(of: image.shape)
    if kernel == "nearest" { return try resized(image, width, height) }
    return try image.weightedByAlpha { image throws(StintError) in
      try resized(image, width, height)
    }
  }

  private func resized(_ image: VipsImage, _ width: Int, _ height: Int) throws(StintError)
    -> VipsImage
  {
    let factors = factors(of: image.shape)
    var result = image
    if factors.down > 1 {
      let factor = ReductionFactor(factors.down, of: image.height)
      result = try result.applying("reducev", arguments("vshrink", factor))
    }
    if factors.across > 1 {
      let factor = ReductionFactor(factors.across, of: image.width)
      // The mean across asks for one row after another, and each would be computed from many rows
      // that the row before it needed, too.
      if factor.whole > 1, factors.down > 1 { result = try result.keepingRows() }
      result = try result.applying("reduceh", arguments("hshrink", factor))
    }
    guard width > image.width || height > image.height else { return result }
    return try result.applying(
      "resize",
      [
        "scale": .number(Double(max(width, result.width)) / Double(result.width)),
        "vscale": .number(Double(max(height, result.height)) / Double(result.height)),
        "kernel": .word(kernel),
      ])
  }

  private func arguments(_ name: String, _ factor: ReductionFactor) -> [String: VipsArgument] {
    [name: .number(factor.factor), "gap": .number(factor.gap), "kernel": .word(kernel)]
  }
}

/// By how much libvips reduces a side, chosen so that the pixels do not depend on where a band
/// begins.
///
/// libvips finds the place of an output row in its input by adding the factor once a row, from the
/// first row of the region that it computes. With an arbitrary factor the sums of two regions
/// differ in their last bits, and a row that falls between two entries of its table of masks comes
/// out differently. A factor with few enough binary digits makes every sum exact. The first part of
/// a large reduction is a mean of whole pixels; its number is a power of two, so that its quotient
/// is exact as well.
struct ReductionFactor: Equatable {
  /// The factor for libvips.
  let factor: Double
  /// The least factor that is left for the kernel; it makes libvips take ``whole`` pixels into the
  /// mean.
  let gap: Double
  /// How many pixels the mean takes together.
  let whole: Int

  /// A factor above 1 by which a length is divided.
  init(_ exact: Double, of length: Int) {
    // The kernel is left a factor of 2 to 4.
    var whole = 1
    while exact / Double(2 * whole) >= 2 { whole *= 2 }
    self.whole = whole
    // Sums reach the length; two bits more are for halves, and those of the whole part for its
    // product.
    let digits =
      49 - (Int.bitWidth - length.leadingZeroBitCount)
      - whole.trailingZeroBitCount
    let unit = Double(sign: .plus, exponent: -digits, significand: 1)
    factor = (exact / Double(whole) / unit).rounded(.toNearestOrEven) * unit * Double(whole)
    // Half a pixel more keeps the quotient away from the whole number at which libvips would round
    // it down.
    gap = whole == 1 ? 0 : exact / (Double(whole) + 0.5)
  }
}

/// A smaller image that is made while the file is decoded.
///
/// The source does the work, because decoders make some reductions for next to nothing; in the
/// pipeline, whose first filter it is, it passes the pixels on.
package struct Thumbnail: Filter, Hashable {
  /// The rectangle that the result fits into, in pixels.
  let width: Int
  let height: Int
  /// Which images change their size, in libvips' words: `both`, `down`, `up`, or `force` for
  /// exactly these sides.
  let size: String

  package func weight(in shape: ImageShape) -> Double { 0.1 }

  package func apply(to image: VipsImage) throws(StintError) -> VipsImage { image }

  /// Opens a file for reading the small image once, from top to bottom, not turned.
  ///
  /// - Parameters:
  ///   - file: Where the file is.
  ///   - page: Which image of it, from 0.
  ///   - swapsSides: Whether the image will be turned by a quarter afterwards.
  ///   - failOn: What the loader is to fail on.
  /// - Returns: The small image; little is computed yet.
  /// - Throws: `damaged` with libvips' words.
  func open(
    _ file: VipsFile, page: Int, swapsSides: Bool, failOn: String
  ) throws(StintError) -> VipsImage {
    var arguments: [String: VipsArgument] = [
      "width": .integer(swapsSides ? height : width),
      "height": .integer(swapsSides ? width : height), "size": .word(size),
      "no-rotate": .flag(true),
    ]
    // The operation's own argument `fail-on` reaches only some of the loaders.
    let options = "[fail-on=\(failOn)" + (page == 0 ? "]" : ",page=\(page)]")
    let operation: String
    switch file {
    case .path(let path):
      operation = "thumbnail"
      arguments["filename"] = .text(path + options)
    case .stream(let file):
      operation = "thumbnail_source"
      arguments["source"] = .source(file)
      arguments["option-string"] = .text(options)
    case .memory(let memory):
      operation = "thumbnail_buffer"
      arguments["buffer"] = .memory(memory)
      arguments["option-string"] = .text(options)
    }
    return VipsImage(
      owning: try VipsOperation.pointer(
        operation, arguments, "read \(file.shown)", code: .damaged),
      over: file)
  }
}
#endif
