#if Images
import Glibc
import StintCore

/// The negative: full strength minus the sample.
struct Invert: TableFilter {
  func table(for shape: ImageShape, statistics: FilterStatistics?) -> LookupTable {
    LookupTable(for: shape) { shape.highestSample - $0 }
  }

  func apply(to image: VipsImage, statistics: FilterStatistics?) throws(StintError) -> VipsImage {
    image.shape.hasAlpha
      ? try table(for: image.shape, statistics: nil).apply(to: image)
      : try image.applying("invert")
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
#endif
