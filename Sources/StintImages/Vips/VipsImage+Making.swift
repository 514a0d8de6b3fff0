#if Images
import CVips
import StintCore

extension VipsImage {
  /// An image of a copy of samples.
  convenience init<Sample: FixedWidthInteger>(samples: [Sample], shape: ImageShape)
    throws(StintError)
  {
    let copy = samples.withUnsafeBytes { PixelMemory($0) }
    try self.init(viewing: UnsafeRawBufferPointer(copy.buffer), owner: copy, shape: shape)
  }

  /// A matrix as libvips' convolutions take it: results are divided by the scale, then the offset
  /// is added.
  static func matrix(_ rows: [[Double]], scale: Double = 1, offset: Double = 0)
    throws(StintError) -> VipsImage
  {
    try VipsLibrary.start()
    let elements = rows.flatMap { $0 }
    guard
      let image = vips_image_new_matrix_from_array(
        Int32(rows[0].count), Int32(rows.count), elements, Int32(elements.count))
    else { throw VipsError.take("make a matrix") }
    vips_image_set_double(image, "scale", scale)
    vips_image_set_double(image, "offset", offset)
    return VipsImage(owning: image)
  }

  /// The same pixels, of which some rows that were computed together are kept for those who ask for
  /// them one by one.
  func keepingRows() throws(StintError) -> VipsImage {
    try applying(
      "tilecache",
      [
        "tile-width": .integer(width), "tile-height": .integer(16),
        "max-tiles": .integer(4 * VipsLibrary.threads + 4), "threaded": .flag(true),
      ])
  }

  /// Some bands of the image.
  func bands(_ range: Range<Int>) throws(StintError) -> VipsImage {
    range == 0..<bands
      ? self
      : try applying(
        "extract_band", ["band": .integer(range.lowerBound), "n": .integer(range.count)])
  }

  /// The bands of this image and then those of another.
  func joined(with other: VipsImage) throws(StintError) -> VipsImage {
    try VipsImage.making("bandjoin", ["in": .images([self, other])]).relabelled(colourSpace)
  }

  /// The image in another format of samples: clipped to its range, fractions cut off.
  func cast(_ format: SampleFormat) throws(StintError) -> VipsImage {
    format == self.format ? self : try applying("cast", ["format": .word(format.word)])
  }

  /// The image in another format of samples: rounded to nearest, halves to even, then clipped.
  func rounded(to format: SampleFormat) throws(StintError) -> VipsImage {
    switch self.format {
    case .float, .double: try applying("round", ["round": .word("rint")]).cast(format)
    case .uint8, .int8, .uint16, .int16, .uint32, .int32, .complex, .doubleComplex:
      try cast(format)
    }
  }
}
#endif
