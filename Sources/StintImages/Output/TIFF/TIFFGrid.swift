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

/// How the pixels of a TIFF are divided into pieces: strips or tiles.
struct TIFFGrid {
  /// The columns and rows of a piece; the last strip may have fewer rows, a tile is always whole.
  let pieceWidth: Int
  let pieceHeight: Int
  let isTiled: Bool
  private let shape: PixelShape

  init(shape: PixelShape, layout: TIFFOptions.Layout, stripBytes: Int) {
    self.shape = shape
    switch layout {
    case .strips:
      isTiled = false
      pieceWidth = shape.width
      pieceHeight = min(shape.height, max(1, stripBytes / shape.rowBytes))
    case .tiles(let side):
      isTiled = true
      pieceWidth = side
      pieceHeight = side
    }
  }

  /// Pieces side by side.
  var across: Int { (shape.width + pieceWidth - 1) / pieceWidth }
  /// Pieces one below the other.
  var down: Int { (shape.height + pieceHeight - 1) / pieceHeight }
  /// All pieces.
  var count: Int { across * down }

  /// The bytes of a row of a piece.
  var pieceRowBytes: Int { pieceWidth * shape.pixelBytes }
  /// The bytes of a whole piece.
  var pieceBytes: Int { pieceHeight * pieceRowBytes }

  /// Copies a tile out of its row of tiles; what lies outside the image repeats its last column and
  /// row, which compresses well.
  ///
  /// - Parameters:
  ///   - rows: The rows of the image that the row of tiles covers, at most a tile's height.
  ///   - column: The number of the tile in its row.
  ///   - tile: Gets the pixels.
  func copyTile(
    from rows: UnsafeRawBufferPointer, column: Int, to tile: UnsafeMutableRawBufferPointer
  ) {
    guard let source = rows.baseAddress, let target = tile.baseAddress else { return }
    let rowCount = rows.count / shape.rowBytes
    let start = column * pieceRowBytes
    let inside = min(pieceRowBytes, shape.rowBytes - start)
    for row in 0..<pieceHeight {
      let to = target + row * pieceRowBytes
      guard row < rowCount else {
        to.copyMemory(from: to - pieceRowBytes, byteCount: pieceRowBytes)
        continue
      }
      to.copyMemory(from: source + row * shape.rowBytes + start, byteCount: inside)
      for offset in stride(from: inside, to: pieceRowBytes, by: shape.pixelBytes) {
        (to + offset).copyMemory(from: to + offset - shape.pixelBytes, byteCount: shape.pixelBytes)
      }
    }
  }
}
#endif
