#if Images
import CVips
import StintCore

/// An image of libvips: a node of a lazy graph, evaluated only where its pixels are asked for.
///
/// Images never change after they are made, so any thread may use one.
package final class VipsImage: @unchecked Sendable {
  // Unchecked: the reference count is atomic, and no function here changes the image that it is
  // called on.

  /// Owned: one reference.
  let pointer: UnsafeMutablePointer<CVips.VipsImage>

  /// Takes over a reference.
  init(owning pointer: UnsafeMutablePointer<CVips.VipsImage>) {
    self.pointer = pointer
  }

  deinit {
    GraphLock.release(pointer)
  }

  /// The width, in pixels.
  package var width: Int { Int(vips_image_get_width(pointer)) }
  /// The height, in pixels.
  package var height: Int { Int(vips_image_get_height(pointer)) }
  /// The number of samples of a pixel.
  package var bands: Int { Int(vips_image_get_bands(pointer)) }
  /// The resolution, in pixels per millimetre.
  package var resolution: (x: Double, y: Double) {
    (vips_image_get_xres(pointer), vips_image_get_yres(pointer))
  }

  /// The type of a sample.
  package var format: SampleFormat {
    SampleFormat(rawValue: vips_image_get_format(pointer).rawValue) ?? .uint8
  }

  /// What the bands mean.
  package var colourSpace: ColourSpace {
    ColourSpace(rawValue: vips_image_get_interpretation(pointer).rawValue) ?? .multiband
  }

  /// Whether a pixel is stored as its plain samples, and not in one of the two packed codings
  /// (LABQ, RAD).
  package var isPlain: Bool { vips_image_get_coding(pointer) == VIPS_CODING_NONE }

  /// The size of a row, in bytes.
  package var rowBytes: Int { shape.rowBytes }

  /// The size of all pixels, in bytes.
  package var sizeBytes: Int { rowBytes * height }
}

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

  /// The image with every sample multiplied, as a floating-point number.
  func times(_ factor: Double) throws(StintError) -> VipsImage {
    try applying("linear", ["a": .numbers([factor]), "b": .numbers([0])])
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
