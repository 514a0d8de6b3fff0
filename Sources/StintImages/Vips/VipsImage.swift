#if Images
import CVips

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
#endif
