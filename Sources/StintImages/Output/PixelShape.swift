#if Images
package import StintCore

/// The size of an image and what its pixels are made of.
///
/// Rows of pixels are handed to encoders packed: samples interleaved, in the processor's byte
/// order, no padding.
package struct PixelShape: Hashable, Sendable {
  /// What the samples of a pixel mean, the alpha left out.
  package enum Color: String, Hashable, Sendable, CaseIterable {
    /// One sample, from black to white.
    case gray
    /// Red, green and blue.
    case rgb
    /// Cyan, magenta, yellow and black; no ink is 0.
    case cmyk

    /// How many samples a pixel has, the alpha left out.
    package var channels: Int {
      switch self {
      case .gray: 1
      case .rgb: 3
      case .cmyk: 4
      }
    }
  }

  /// How a sample is stored.
  package enum Sample: String, Hashable, Sendable, CaseIterable {
    /// 0 to 255.
    case unsigned8
    /// 0 to 65,535.
    case unsigned16
    /// IEEE 754, 32 bits.
    case float32

    /// The bytes of a sample.
    package var sizeBytes: Int {
      switch self {
      case .unsigned8: 1
      case .unsigned16: 2
      case .float32: 4
      }
    }
  }

  /// Columns, at least 1.
  package let width: Int
  /// Rows, at least 1.
  package let height: Int
  package let color: Color
  /// Whether an alpha follows the samples of each pixel; the colour is not multiplied by it.
  package let hasAlpha: Bool
  package let sample: Sample

  /// Creates a shape; both sides are at least 1 and at most 2^31 - 1.
  package init(
    width: Int, height: Int, color: Color, hasAlpha: Bool = false, sample: Sample = .unsigned8
  ) {
    precondition(
      (1...Int(Int32.max)).contains(width) && (1...Int(Int32.max)).contains(height),
      "an image has 1 to 2147483647 columns and rows, not \(width) x \(height)")
    self.width = width
    self.height = height
    self.color = color
    self.hasAlpha = hasAlpha
    self.sample = sample
  }

  /// The samples of a pixel, the alpha included.
  package var channels: Int { color.channels + (hasAlpha ? 1 : 0) }

  /// The bytes of a pixel.
  package var pixelBytes: Int { channels * sample.sizeBytes }

  /// The bytes of a row.
  package var rowBytes: Int { width * pixelBytes }
}

extension PixelShape {
  /// The shape of an image of libvips, if its pixels are such as files hold.
  ///
  /// - Throws: ``StintError`` with the code `usage` for other colour spaces, samples, or more than
  ///   one band beside the colour.
  package init(_ shape: ImageShape) throws(StintError) {
    let color: Color? =
      switch shape.colourSpace {
      case .grey, .grey16: .gray
      case .rgb, .rgb16, .srgb, .scrgb: .rgb
      case .cmyk: .cmyk
      case .multiband, .histogram, .matrix, .fourier:
        [1: .gray, 3: .rgb][shape.bands]
      case .xyz, .lab, .labq, .labs, .cmc, .lch, .yxy, .hsv: nil
      }
    let sample: Sample? =
      switch shape.format {
      case .uint8: .unsigned8
      case .uint16: .unsigned16
      case .float: .float32
      case .int8, .int16, .uint32, .int32, .double, .complex, .doubleComplex: nil
      }
    guard let sample else {
      throw StintError(
        .usage,
        """
        \(shape.phrase) cannot be written: no output format holds samples of \(shape.format.phrase); convert \
        the image to 8 or 16 bits or 32-bit floating point before, for example with vips cast.
        """)
    }
    guard let color,
      shape.bands == color.channels || shape.bands == color.channels + 1
    else {
      throw StintError(
        .usage,
        """
        \(shape.phrase) in \(shape.bands) band\(shape.bands == 1 ? "" : "s") cannot be written; convert the \
        image to grayscale, RGB or CMYK, with one alpha at most.
        """)
    }
    self.init(
      width: shape.width, height: shape.height, color: color,
      hasAlpha: shape.bands > color.channels, sample: sample)
  }

  /// The same in libvips' words.
  package var imageShape: ImageShape {
    let space: ColourSpace =
      switch (color, sample) {
      case (.gray, .unsigned16): .grey16
      case (.gray, _): .grey
      case (.rgb, .unsigned16): .rgb16
      case (.rgb, .unsigned8): .srgb
      case (.rgb, .float32): .scrgb
      case (.cmyk, _): .cmyk
      }
    let format: SampleFormat =
      switch sample {
      case .unsigned8: .uint8
      case .unsigned16: .uint16
      case .float32: .float
      }
    return ImageShape(
      width: width, height: height, bands: channels, format: format, colourSpace: space)
  }
}
#endif
