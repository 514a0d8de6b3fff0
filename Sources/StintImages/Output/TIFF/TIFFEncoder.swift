#if Images
package import StintRuntime
import StintCore

/// Writes TIFF files (TIFF 6.0; BigTIFF where 32-bit offsets might not do) resumably.
///
/// Each strip or tile is compressed by itself. The directory is at the front, with room for the
/// offset and the length of every piece; an append fills in those of its own pieces.
package struct TIFFEncoder: ResumableEncoder {
  package let shape: PixelShape
  package let options: TIFFOptions
  package let metadata: ImageMetadata
  private let grid: TIFFGrid
  private let layout: TIFFLayout
  /// Whether the file holds the EXIF data, if there is any.
  let keepsExif: Bool
  package var leftOut: [String] { keepsExif ? [] : ["EXIF data such as this"] }

  /// The bytes that a strip has at least, before compression: it costs some ten milliseconds.
  package static let usualStripBytes = 256 << 10

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - shape: What is encoded.
  ///   - options: Layout and compression.
  ///   - metadata: What is said besides.
  ///   - stripBytes: The bytes of rows in a strip; tests have less.
  ///   - isBig: Whether offsets have 64 bits; nil decides by the size.
  /// - Throws: ``StintError`` with the code `usage` if TIFF cannot hold such pixels.
  package init(
    shape: PixelShape, options: TIFFOptions = TIFFOptions(),
    metadata: ImageMetadata = ImageMetadata(), stripBytes: Int = Self.usualStripBytes,
    isBig: Bool? = nil
  ) throws {
    try OutputFormat.tiff.check(shape)
    self.shape = shape
    self.options = options
    self.metadata = metadata
    grid = TIFFGrid(shape: shape, layout: options.layout, stripBytes: stripBytes)
    let front = TIFFDirectory(shape: shape, options: options, metadata: metadata, grid: grid)
    // BigTIFF if the longest file that can come out needs it, so that the pixels never decide.
    let longest = Self.piecesBytes(grid, options) + 8 * grid.count + front.metadataBytes
    let isBig = isBig ?? (longest > Int(UInt32.max))
    let exif = isBig ? nil : Self.exif(of: metadata, in: shape)
    keepsExif = exif != nil || metadata.exif == nil
    layout = TIFFLayout(fields: front.fields(isBig: isBig), isBig: isBig, exif: exif)
  }

  /// The EXIF data if the file can have its order of bytes: samples of more than a byte are written
  /// in this machine's.
  private static func exif(of metadata: ImageMetadata, in shape: PixelShape) -> ExifBlock? {
    guard let exif = metadata.exif.flatMap(ExifBlock.init) else { return nil }
    return exif.isBigEndian && shape.sample.sizeBytes > 1 ? nil : exif
  }

  package var rowsPerUnit: Int { grid.pieceHeight }

  package var nanosecondsPerPixel: Double {
    Double(shape.pixelBytes) * EncodingCost.nanosecondsPerByte(options)
  }

  package var largestFileBytes: Int { layout.front.count + Self.piecesBytes(grid, options) }

  private static func piecesBytes(_ grid: TIFFGrid, _ options: TIFFOptions) -> Int {
    let pieceBytes =
      switch options.compression {
      case .none: grid.pieceBytes
      case .deflate: Deflater.bound(grid.pieceBytes)
      case .lzw: LZWCompressor.bound(grid.pieceBytes)
      }
    return grid.count * (pieceBytes + 1)
  }

  package func begin(into file: any PartialFile) throws -> EncodingProgress {
    let front = layout.front
    try file.truncate(to: 0)
    try front.write(to: file, at: 0)
    return EncodingProgress(rows: 0, sizeBytes: front.count)
  }

  package func append(
    _ rows: UnsafeRawBufferPointer, after progress: EncodingProgress, threads: Int,
    stopFlag: StopFlag?, into file: any PartialFile
  ) throws -> EncodingProgress {
    let count = checkedRows(rows, after: progress)
    let grid = grid
    let piece = TIFFPiece(shape: shape, options: options, grid: grid)
    let lent = LentRows(rows)
    let unitBytes = grid.pieceHeight * shape.rowBytes
    let units = (count + grid.pieceHeight - 1) / grid.pieceHeight
    let run = UnitRun(count: units * grid.across, unitBytes: grid.pieceBytes)
    var (offsets, counts): ([Int], [Int]) = ([], [])
    var (reached, sizeBytes) = (progress, progress.sizeBytes)
    try run.forEach(threads: threads, stopFlag: stopFlag) { number in
      let rows = lent.piece(at: number / grid.across * unitBytes, atMost: unitBytes)
      return try piece.encode(rows, column: number % grid.across)
    } write: { (number, encoded) in
      try encoded.write(to: file, at: sizeBytes)
      offsets.append(sizeBytes)
      counts.append(encoded.sizeBytes)
      sizeBytes += encoded.sizeBytes
      if sizeBytes % 2 == 1 {
        // The next piece begins at an even offset.
        try withUnsafeBytes(of: UInt8(0)) { try file.write($0, at: sizeBytes) }
        sizeBytes += 1
      }
      guard (number + 1) % grid.across == 0 else { return }
      reached = EncodingProgress(
        rows: min(reached.rows + grid.pieceHeight, shape.height), sizeBytes: sizeBytes)
    }
    let place = progress.rows / grid.pieceHeight * grid.across * layout.wordBytes
    try layout.words(offsets).write(to: file, at: layout.offsetsPosition + place)
    try layout.words(counts).write(to: file, at: layout.countsPosition + place)
    return reached
  }

  /// What stands before the pixels without the two lists, of each list the pieces that are
  /// encoded, and those pieces.
  ///
  /// The rest of the lists may hold anything: an append fills in what no checkpoint counts yet.
  package func counted(_ progress: EncodingProgress) -> [Range<Int>] {
    let rows = (progress.rows + grid.pieceHeight - 1) / grid.pieceHeight
    let done = rows * grid.across * layout.wordBytes
    let all = grid.count * layout.wordBytes
    let lists = [layout.offsetsPosition, layout.countsPosition].sorted()
    let ends = [0] + lists.map { $0 + all }
    let between = zip(ends, lists + [layout.front.count]).map { $0..<$1 }
    let front = layout.front.count
    return between.filter { !$0.isEmpty } + lists.map { $0..<$0 + done }
      + [front..<max(front, progress.sizeBytes)]
  }

  package func finish(_ progress: EncodingProgress, into file: any PartialFile) throws {
    precondition(progress.rows == shape.height, "a file is finished when all rows are encoded")
    try file.truncate(to: progress.sizeBytes)
  }
}
#endif
