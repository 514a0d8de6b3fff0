#if Images
import StintCore

/// An unsharp mask: what a blur takes away is added once more.
struct Sharpen: Filter {
  let blur: GaussianBlur
  /// How much of the difference from the blur is added; 1 is all of it.
  let amount: Double
  /// Percent of full strength below which a difference is left alone.
  let threshold: Double

  func reach(in shape: ImageShape) -> Int { blur.reach(in: shape) }
  func weight(in shape: ImageShape) -> Double { blur.weight(in: shape) + 6 }

  func apply(to image: VipsImage, statistics: FilterStatistics?) throws(StintError) -> VipsImage {
    let shape = image.shape
    let colour = try image.colour()
    let blurred = try blur.apply(to: image, statistics: nil).colour()
    let least = threshold / 100 * shape.highestSample
    let added = try colour.differences(from: blurred) { difference in
      abs(difference) < least ? 0 : (amount * difference).rounded(.toNearestOrEven)
    }
    return try colour.plus(added).cast(shape.format).relabelled(shape.colourSpace)
      .withAlpha(of: image)
  }
}

extension VipsImage {
  /// A whole number for each difference between the samples of two images of equal format, of 8 or
  /// 16 bits.
  ///
  /// With 8 bits it is looked up, which is several times faster than computing it in floating
  /// point.
  func differences(from other: VipsImage, _ function: (Double) -> Double) throws(StintError)
    -> VipsImage
  {
    let highest = Int(shape.highestSample)
    guard highest == 255 else { return try wideDifferences(from: other, function) }
    // The sum of a sample and another's complement is their difference plus the highest sample: an
    // index.
    let index = try plus(other.applying("invert"))
    let entries = (-highest...highest).map { Int32(clamping: Int(function(Double($0)))) }
    var shape = ImageShape(
      width: entries.count, height: 1, bands: 1, format: .int32, colourSpace: .histogram)
    // Sums of 16 bits are enough where the table's numbers are small.
    let isSmall = entries.allSatisfy { abs($0) <= 32_767 - 255 }
    if isSmall { shape.format = .int16 }
    let table =
      isSmall
      ? try VipsImage(samples: entries.map { Int16($0) }, shape: shape)
      : try VipsImage(samples: entries, shape: shape)
    return try index.applying("maplut", ["lut": .image(table)])
  }

  /// A table for 16 bits would have more entries than libvips' tables may, so it is two, for the
  /// two signs.
  private func wideDifferences(from other: VipsImage, _ function: (Double) -> Double)
    throws(StintError) -> VipsImage
  {
    let highest = Int(shape.highestSample)
    let signed = try applying("subtract", ["right": .image(other)], input: "left")
    let up = try signed.cast(.uint16)
    let down = try other.applying("subtract", ["right": .image(self)], input: "left").cast(.uint16)
    let list = ImageShape(
      width: highest + 1, height: 1, bands: 1, format: .int32, colourSpace: .histogram)
    let above = (0...highest).map { Int32(clamping: Int(function(Double($0)))) }
    let below = (0...highest).map { Int32(clamping: Int(function(-Double($0)))) }
    let zero = Int32(clamping: Int(function(0)))
    let raised = try up.applying(
      "maplut", ["lut": .image(VipsImage(samples: above.map { $0 - zero }, shape: list))])
    let lowered = try down.applying(
      "maplut", ["lut": .image(VipsImage(samples: below, shape: list))])
    return try raised.plus(lowered)
  }

  /// The sums of the samples of two images.
  func plus(_ other: VipsImage) throws(StintError) -> VipsImage {
    try applying("add", ["right": .image(other)], input: "left")
  }
}
#endif
