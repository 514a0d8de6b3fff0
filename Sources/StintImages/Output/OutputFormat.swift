#if Images
import StintCore

/// A kind of image file that can be written.
package enum OutputFormat: String, Hashable, Sendable, CaseIterable {
  case png
  case tiff
  package func check(_ shape: PixelShape) throws {}
}
#endif
