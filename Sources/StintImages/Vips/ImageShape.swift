#if Images
/// What an image is, but for its pixels.
package struct ImageShape: Hashable, Sendable {
  /// The width, in pixels.
  package var width: Int
  /// The height, in pixels.
  package var height: Int
  /// The number of samples of a pixel.
  package var bands: Int
  /// The type of a sample.
  package var format: SampleFormat
  /// What the bands mean.
  package var colourSpace: ColourSpace

  package init(
    width: Int, height: Int, bands: Int, format: SampleFormat, colourSpace: ColourSpace
  ) {
    self.width = width
    self.height = height
    self.bands = bands
    self.format = format
    self.colourSpace = colourSpace
  }

  /// The same with another value of one property.
  package func with<Value>(
    _ property: WritableKeyPath<ImageShape, Value>, _ value: Value
  ) -> ImageShape {
    var shape = self
    shape[keyPath: property] = value
    return shape
  }

  /// The same turned by a quarter.
  package var turned: ImageShape { with(\.width, height).with(\.height, width) }

  /// The size of a row, in bytes.
  package var rowBytes: Int { width * bands * format.sizeBytes }

  /// The size of all pixels, in bytes.
  package var sizeBytes: Int { rowBytes * height }

  /// How many bands hold colour.
  package var colourBands: Int { min(bands, colourSpace.colourBands ?? bands) }

  /// Whether the first band after the colour is alpha.
  package var hasAlpha: Bool { bands > colourBands }

  /// The largest value of a sample that stands for full strength: 255, 65535, or 1 for floating
  /// point.
  package var highestSample: Double {
    switch format {
    case .uint8: 255
    case .uint16: 65535
    case .int8: 127
    case .int16: 32767
    case .uint32: 4_294_967_295
    case .int32: 2_147_483_647
    case .float, .double, .complex, .doubleComplex: 1
    }
  }

  /// What a person calls it, such as "4000 x 3000 pixels of 8-bit RGB with alpha".
  package var phrase: String {
    let extra = hasAlpha ? " with alpha" : ""
    return "\(width) x \(height) pixels of \(format.phrase) \(colourSpace.phrase)\(extra)"
  }
}

extension VipsImage {
  /// What the image is, but for its pixels.
  package var shape: ImageShape {
    ImageShape(
      width: width, height: height, bands: bands, format: format, colourSpace: colourSpace)
  }
}
#endif
