#if Images
import StintCore

/// What becomes of every possible sample: a filter that looks at one sample alone, computed
/// beforehand.
///
/// Tables that follow one another are one table, whose result is exactly that of both.
struct LookupTable: Sendable {
  /// One table for all bands of colour, or one for each.
  let colour: [[UInt16]]
  /// The table for the bands after the colour; nil leaves them as they are.
  var alpha: [UInt16]?
  /// The depth of what comes out.
  let format: SampleFormat
}

extension LookupTable {
  /// A table for all bands of colour of an image, from a function of a sample to a sample.
  ///
  /// Results are clipped to the range of the samples and rounded to nearest, halves to even.
  init(for shape: ImageShape, _ function: (Double) -> Double) {
    let highest = shape.highestSample
    self.init(
      colour: [
        (0...Int(highest)).map { Self.sample(function(Double($0)), highest: highest) }
      ], format: shape.format)
  }

  /// A table that makes samples white from a percentage of full strength on, and all others black.
  init(for shape: ImageShape, whiteFrom level: Double) {
    let highest = shape.highestSample
    self.init(for: shape) { $0 >= level / 100 * highest ? highest : 0 }
  }

  /// A number as a sample: clipped, and rounded to nearest, halves to even; what is no number is 0.
  static func sample(_ value: Double, highest: Double) -> UInt16 {
    guard value > 0 else { return 0 }
    return UInt16(min(value, highest).rounded(.toNearestOrEven))
  }

  /// This table and then another, as one.
  func followed(by next: LookupTable) -> LookupTable {
    let count = max(colour.count, next.colour.count)
    let joined = (0..<count).map { band in
      let second = next.colour[min(band, next.colour.count - 1)]
      return colour[min(band, colour.count - 1)].map { second[Int($0)] }
    }
    let joinedAlpha: [UInt16]? =
      switch (alpha, next.alpha) {
      case (let first?, let second?): first.map { second[Int($0)] }
      case (let one?, nil), (nil, let one?): one
      case (nil, nil): nil
      }
    return LookupTable(colour: joined, alpha: joinedAlpha, format: next.format)
  }

  /// The image with every sample replaced.
  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    let shape = image.shape
    let isUniform = colour.count == 1 && (shape.bands == shape.colourBands || alpha == colour[0])
    let tables = isUniform ? colour : bandTables(for: shape)
    let space = shape.withDepth(format).colourSpace
    let list = try tableImage(of: tables, colourSpace: space)
    return try image.applying("maplut", ["lut": .image(list)]).relabelled(space)
  }

  /// A table for every band of an image.
  private func bandTables(for shape: ImageShape) -> [[UInt16]] {
    let rest = alpha ?? (0...UInt16(shape.highestSample)).map { $0 }
    return (0..<shape.bands).map { band in
      band < shape.colourBands ? colour[min(band, colour.count - 1)] : rest
    }
  }

  private func tableImage(of tables: [[UInt16]], colourSpace: ColourSpace) throws(StintError)
    -> VipsImage
  {
    var entries = [UInt16](repeating: 0, count: tables.count * tables[0].count)
    for (band, table) in tables.enumerated() {
      var place = band
      for sample in table {
        entries[place] = sample
        place += tables.count
      }
    }
    let shape = ImageShape(
      width: tables[0].count, height: 1, bands: tables.count, format: format,
      colourSpace: colourSpace)
    return format == .uint8
      ? try VipsImage(samples: entries.map { UInt8(truncatingIfNeeded: $0) }, shape: shape)
      : try VipsImage(samples: entries, shape: shape)
  }
}

/// A filter that is a lookup table.
protocol TableFilter: Filter {
  /// The table for an image that has passed the check, with what the first pass found, if the
  /// filter needs that.
  ///
  /// - Throws: `checkFailed` if statistics are missing or of another image.
  func table(for shape: ImageShape, statistics: FilterStatistics?) throws(StintError)
    -> LookupTable
}

extension TableFilter {
  package func weight(in shape: ImageShape) -> Double { 1 }

  package func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    try table(for: image.shape, statistics: nil).apply(to: image)
  }
}
#endif
