#if Images
/// How a TIFF is laid out and compressed.
package struct TIFFOptions: Hashable, Sendable {
  /// How the pixels are divided.
  package enum Layout: Hashable, Sendable {
    /// Into runs of whole rows.
    case strips
    /// Into squares of that many pixels a side, a multiple of 16.
    case tiles(side: Int)
  }

  /// How each strip or tile is compressed.
  package enum Compression: Hashable, Sendable {
    /// Not at all.
    case none
    /// By zlib, with a level of 1 (fast) to 9 (smallest).
    case deflate(level: Int)
    /// By LZW, which every reader knows since 1988.
    case lzw
  }

  package let layout: Layout
  package let compression: Compression
  /// Whether samples are replaced by their differences before they are compressed.
  package let usesPredictor: Bool

  /// Creates options; uncompressed samples stay as they are.
  package init(
    layout: Layout = .strips, compression: Compression = .deflate(level: 6),
    usesPredictor: Bool = true
  ) {
    if case .tiles(let side) = layout {
      precondition(
        side % 16 == 0 && (16...8192).contains(side),
        "the side of a tile is a multiple of 16 to 8192, not \(side)")
    }
    if case .deflate(let level) = compression {
      precondition((1...9).contains(level), "Deflate's levels are 1 to 9, not \(level)")
    }
    self.layout = layout
    self.compression = compression
    self.usesPredictor = usesPredictor && compression != .none
  }
}
#endif
