#if Images
import CVips

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

/// The type of one sample of a pixel, by libvips' numbers.
package enum SampleFormat: Int32, Sendable, CaseIterable {
  case uint8 = 0
  case int8 = 1
  case uint16 = 2
  case int16 = 3
  case uint32 = 4
  case int32 = 5
  case float = 6
  case complex = 7
  case double = 8
  case doubleComplex = 9

  /// The size of a sample, in bytes.
  package var sizeBytes: Int {
    switch self {
    case .uint8, .int8: 1
    case .uint16, .int16: 2
    case .uint32, .int32, .float: 4
    case .complex, .double: 8
    case .doubleComplex: 16
    }
  }

  /// The name that libvips' operations know it by.
  package var word: String {
    String(cString: vips_enum_nick(vips_band_format_get_type(), rawValue))
  }

  /// What a person calls it.
  package var phrase: String {
    switch self {
    case .uint8: "8-bit"
    case .int8: "signed 8-bit"
    case .uint16: "16-bit"
    case .int16: "signed 16-bit"
    case .uint32: "unsigned 32-bit"
    case .int32: "signed 32-bit"
    case .float: "32-bit floating-point"
    case .complex: "complex floating-point"
    case .double: "64-bit floating-point"
    case .doubleComplex: "double complex floating-point"
    }
  }

  var vips: VipsBandFormat { VipsBandFormat(rawValue: rawValue) }
}

/// What the bands of an image mean, by libvips' numbers ("interpretation").
package enum ColourSpace: Int32, Sendable, CaseIterable {
  case multiband = 0
  case grey = 1
  case histogram = 10
  case xyz = 12
  case lab = 13
  case cmyk = 15
  case labq = 16
  case rgb = 17
  case cmc = 18
  case lch = 19
  case labs = 21
  case srgb = 22
  case yxy = 23
  case fourier = 24
  case rgb16 = 25
  case grey16 = 26
  case matrix = 27
  case scrgb = 28
  case hsv = 29

  /// The name that libvips' operations know it by.
  package var word: String {
    String(cString: vips_enum_nick(vips_interpretation_get_type(), rawValue))
  }

  /// What a person calls it.
  package var phrase: String {
    switch self {
    case .grey, .grey16: "grayscale"
    case .srgb, .rgb, .rgb16: "RGB"
    case .cmyk: "CMYK"
    case .scrgb: "linear light"
    case .xyz: "XYZ"
    case .lab, .labq, .labs: "Lab"
    case .lch: "LCh"
    case .cmc: "CMC"
    case .yxy: "Yxy"
    case .hsv: "HSV"
    case .multiband: "bands without a colour space"
    case .histogram: "a histogram"
    case .fourier: "a spectrum"
    case .matrix: "a matrix"
    }
  }

  /// How many bands hold the colour; nil where all do.
  ///
  /// Every band after them is alpha.
  package var colourBands: Int? {
    switch self {
    case .grey, .grey16: 1
    case .xyz, .lab, .labq, .rgb, .cmc, .lch, .labs, .srgb, .yxy, .rgb16, .scrgb, .hsv: 3
    case .cmyk: 4
    case .multiband, .histogram, .fourier, .matrix: nil
    }
  }
}
#endif
