#if Images
import StintCore

/// A format to write with the options that were asked for.
package struct OutputRequest: Hashable, Sendable {
  package var format: OutputFormat
  /// 1 to 100, for formats that lose something.
  package var quality: Int?
  /// 0 to 9 for PNG; `none` or `deflate` with a level for TIFF.
  package var compression: String?
  /// The side of a tile of a TIFF.
  package var tile: Int?

  package init(
    format: OutputFormat, quality: Int? = nil, compression: String? = nil, tile: Int? = nil
  ) {
    (self.format, self.quality, self.compression, self.tile) = (format, quality, compression, tile)
  }
}
#endif
