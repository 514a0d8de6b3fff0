#if Images
package import StintCore

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
