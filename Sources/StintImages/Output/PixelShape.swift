#if Images
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
#endif
