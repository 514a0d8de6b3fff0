#if Images
import StintCore

// How the filters deal with alpha, so that the colour of what cannot be seen never comes into what
// can.

extension ImageShape {
  /// The same with samples of another depth, its colour space named accordingly.
  func withDepth(_ format: SampleFormat) -> ImageShape {
    let space: ColourSpace =
      switch (colourSpace, format) {
      case (.srgb, .uint16), (.rgb, .uint16): .rgb16
      case (.rgb16, .uint8): .srgb
      case (.grey, .uint16): .grey16
      case (.grey16, .uint8): .grey
      case (_, _): colourSpace
      }
    return with(\.format, format).with(\.colourSpace, space)
  }
}

extension VipsImage {
  /// The image without alpha.
  func colour() throws(StintError) -> VipsImage {
    try bands(0..<shape.colourBands)
  }

  /// The image with the alpha of another, if that has some.
  func withAlpha(of other: VipsImage) throws(StintError) -> VipsImage {
    let shape = other.shape
    guard shape.hasAlpha else { return self }
    return try joined(with: other.bands(shape.colourBands..<shape.bands))
  }

  /// Filters all bands, colour weighted by alpha: what alpha hides counts for nothing.
  ///
  /// - Parameter body: Filters an image. It is this one if it has no alpha, else one of
  ///   floating-point samples whose colour is multiplied by alpha.
  /// - Returns: The result in this image's format and colour space, rounded to nearest if it was
  ///   not whole.
  /// - Throws: What the body throws, or libvips' words.
  func weightedByAlpha(_ body: (VipsImage) throws(StintError) -> VipsImage) throws(StintError)
    -> VipsImage
  {
    let shape = shape
    guard shape.hasAlpha else { return try body(self).relabelled(colourSpace) }
    let highest = VipsArgument.number(shape.highestSample)
    let weighted = try applying("premultiply", ["max-alpha": highest])
    let whole = try body(weighted).applying("unpremultiply", ["max-alpha": highest])
    return try whole.finished(as: shape.format).relabelled(colourSpace)
  }

  /// The colour multiplied by alpha and without it, in the image's own format: what alpha hides is
  /// black.
  func visibleColour() throws(StintError) -> VipsImage {
    let shape = shape
    guard shape.hasAlpha else { return self }
    let weighted = try applying("premultiply", ["max-alpha": .number(shape.highestSample)])
    return try weighted.bands(0..<shape.colourBands).finished(as: shape.format)
      .relabelled(colourSpace)
  }

  /// The image in a format: rounded if that is whole.
  private func finished(as format: SampleFormat) throws(StintError) -> VipsImage {
    switch format {
    case .float, .double, .complex, .doubleComplex: try cast(format)
    case .uint8, .int8, .uint16, .int16, .uint32, .int32: try rounded(to: format)
    }
  }
}

/// Alpha is gone: what can be seen through shows a background.
struct Flatten: Filter {
  let background: FilterColour

  func passesOn(_ shape: ImageShape) -> Bool { !shape.hasAlpha }

  func check(for shape: ImageShape) throws(StintError) {
    guard shape.bands == shape.colourBands + 1 else {
      throw StintError(
        .usage,
        "The filter flatten takes one alpha channel; this image has \(shape.bands - shape.colourBands)."
      )
    }
    guard shape.colourBands == 3 || background.isGrey else {
      throw StintError(
        .usage,
        "The filter flatten lays a grayscale image on a shade of grey alone, not on "
          + "\(background.canonicalText); write one such as white, black or 808080.")
    }
  }

  func outputShape(of shape: ImageShape) -> ImageShape { shape.with(\.bands, shape.colourBands) }

  func weight(in shape: ImageShape) -> Double { shape.hasAlpha ? 2 : 0 }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    let shape = image.shape
    guard shape.hasAlpha else { return image }
    let highest = shape.highestSample
    let samples = [background.red, background.green, background.blue].map {
      Double($0) * highest / 255
    }
    return try image.applying(
      "flatten",
      [
        "background": .numbers(Array(samples.prefix(shape.colourBands))),
        "max-alpha": .number(highest),
      ]
    ).relabelled(shape.colourSpace)
  }
}
#endif
