#if Images
import StintRuntime

/// Turns the pixels of a strip or a tile into its bytes in the file.
struct TIFFPiece {
  /// A piece as it goes to the file.
  enum Encoded: Sendable {
    /// Bytes that were made for it.
    case made(UnitBuffer)
    /// The rows themselves.
    case rows(LentRows)

    /// The length that the directory tells.
    var sizeBytes: Int {
      switch self {
      case .made(let buffer): buffer.count
      case .rows(let rows): rows.bytes.count
      }
    }

    func write(to file: any PartialFile, at offset: Int) throws {
      switch self {
      case .made(let buffer): try buffer.write(to: file, at: offset)
      case .rows(let rows): try file.write(rows.bytes, at: offset)
      }
    }
  }

  let shape: PixelShape
  let options: TIFFOptions
  let grid: TIFFGrid

  /// Encodes a piece.
  ///
  /// - Parameters:
  ///   - rows: The rows of the image that the piece's row of pieces covers.
  ///   - column: The number of the piece in its row.
  /// - Returns: Its bytes.
  /// - Throws: ``StintError`` with the code `unavailable` without memory for zlib.
  func encode(_ rows: UnsafeRawBufferPointer, column: Int) throws -> Encoded {
    if !grid.isTiled {
      if options.compression == .none { return .rows(LentRows(rows)) }
      return try encode(pixels: rows)
    }
    if options.compression == .none {
      let buffer = UnitBuffer(capacity: grid.pieceBytes)
      let tile = UnsafeMutableRawBufferPointer(
        rebasing: buffer.room(grid.pieceBytes).prefix(grid.pieceBytes))
      grid.copyTile(from: rows, column: column, to: tile)
      buffer.advance(by: grid.pieceBytes)
      return .made(buffer)
    }
    let tile = UnsafeMutableRawBufferPointer.allocate(byteCount: grid.pieceBytes, alignment: 16)
    defer { tile.deallocate() }
    grid.copyTile(from: rows, column: column, to: tile)
    return try encode(pixels: UnsafeRawBufferPointer(tile))
  }

  private func encode(pixels: UnsafeRawBufferPointer) throws -> Encoded {
    guard options.usesPredictor else { return try compress(pixels) }
    let predicted = UnsafeMutableRawBufferPointer.allocate(byteCount: pixels.count, alignment: 16)
    defer { predicted.deallocate() }
    TIFFPredictor(for: shape.sample).apply(
      to: pixels, rowBytes: grid.pieceRowBytes, channels: shape.channels, sample: shape.sample,
      output: predicted)
    return try compress(UnsafeRawBufferPointer(predicted))
  }

  private func compress(_ bytes: UnsafeRawBufferPointer) throws -> Encoded {
    switch options.compression {
    case .none: preconditionFailure("plain pieces are not compressed")
    case .deflate(let level):
      let buffer = UnitBuffer(capacity: Deflater.bound(bytes.count))
      let strategy: Deflater.Strategy = options.usesPredictor ? .filtered : .standard
      var deflater = try Deflater(level: level, strategy: strategy, wrapping: .zlib)
      deflater.compress(bytes, to: buffer, ending: .complete)
      return .made(buffer)
    case .lzw:
      let buffer = UnitBuffer(capacity: LZWCompressor.bound(bytes.count))
      LZWCompressor.compress(bytes, to: buffer)
      return .made(buffer)
    }
  }
}
#endif
