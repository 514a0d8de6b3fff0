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

/// Replaces the samples of a row by their differences before compression.
enum TIFFPredictor: Int {
  /// Each sample minus the one of the pixel to its left (TIFF 6.0, section 14).
  case horizontal = 2
  /// The bytes of floating-point samples, most significant first, each kind together, minus those
  /// to their left (Adobe Photoshop TIFF Technical Note 3).
  case floatingPoint = 3

  /// The one that suits a kind of sample.
  init(for sample: PixelShape.Sample) {
    switch sample {
    case .unsigned8, .unsigned16: self = .horizontal
    case .float32: self = .floatingPoint
    }
  }

  /// Predicts rows.
  ///
  /// - Parameters:
  ///   - rows: Rows of packed pixels.
  ///   - rowBytes: The bytes of each.
  ///   - channels: The samples of a pixel.
  ///   - sample: How a sample is stored.
  ///   - output: Gets as many bytes; none of the input.
  func apply(
    to rows: UnsafeRawBufferPointer, rowBytes: Int, channels: Int, sample: PixelShape.Sample,
    output: UnsafeMutableRawBufferPointer
  ) {
    guard let source = rows.baseAddress, let target = output.baseAddress else { return }
    for offset in stride(from: 0, to: rows.count, by: rowBytes) {
      let (from, to) = (source + offset, target + offset)
      switch (self, sample) {
      case (.horizontal, .unsigned16):
        Self.subtract(UInt16.self, from, to, count: rowBytes / 2, step: channels)
      case (.horizontal, _):
        Self.subtract(UInt8.self, from, to, count: rowBytes, step: channels)
      case (.floatingPoint, _):
        Self.planes(from, to, count: rowBytes / 4, step: channels)
      }
    }
  }

  /// Both pointers are aligned for the number: rows begin at multiples of a sample's size in
  /// buffers that are aligned.
  @inline(__always)
  private static func subtract<Number: FixedWidthInteger>(
    _ type: Number.Type, _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer,
    count: Int, step: Int
  ) {
    let from = source.assumingMemoryBound(to: type)
    let to = target.assumingMemoryBound(to: type)
    for index in 0..<min(step, count) { to[index] = from[index] }
    let (now, before) = (from + step, from)
    let out = to + step
    for index in 0..<max(0, count - step) { out[index] = now[index] &- before[index] }
  }

  private static func planes(
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, count: Int, step: Int
  ) {
    let from = source.assumingMemoryBound(to: UInt8.self)
    let to = target.assumingMemoryBound(to: UInt8.self)
    for index in 0..<count {
      for byte in 0..<4 { to[(3 - byte) * count + index] = from[4 * index + byte] }
    }
    // In place, from the end, so that each difference is taken of what was there before.
    for index in stride(from: 4 * count - 1, through: step, by: -1) {
      to[index] = to[index] &- to[index - step]
    }
  }
}
#endif
