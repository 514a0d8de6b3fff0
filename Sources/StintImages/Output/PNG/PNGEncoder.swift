#if Images
import StintCore
package import StintRuntime

/// Writes PNG files (ISO/IEC 15948; PNG specification, third edition) resumably.
///
/// A PNG's pixels are one zlib stream. Each unit of rows becomes a run of deflate blocks that ends
/// with a full flush, in an IDAT chunk of its own, so that units are compressed on any number of
/// threads and joined by their Adler-32. The first row of a unit is filtered without the row above
/// it.
package struct PNGEncoder: ResumableEncoder {
  package let shape: PixelShape
  package let options: PNGOptions
  package let metadata: ImageMetadata

  /// The filtered bytes of a unit: it costs some 50 ms, and looks no further back than its own
  /// start, which makes a file less than one percent longer than a single stream would.
  package static let usualUnitBytes = 512 << 10

  private let unitBytes: Int

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - shape: What is encoded.
  ///   - options: How hard to compress.
  ///   - metadata: What is said besides.
  ///   - unitBytes: The bytes of rows in a unit; tests have less.
  /// - Throws: ``StintError`` with the code `usage` if PNG cannot hold such pixels.
  package init(
    shape: PixelShape, options: PNGOptions = PNGOptions(),
    metadata: ImageMetadata = ImageMetadata(), unitBytes: Int = Self.usualUnitBytes
  ) throws {
    try OutputFormat.png.check(shape)
    self.shape = shape
    self.options = options
    self.metadata = metadata
    self.unitBytes = unitBytes
  }

  package var rowsPerUnit: Int {
    min(shape.height, max(1, unitBytes / (shape.rowBytes + 1)))
  }

  package var largestFileBytes: Int {
    let units = (shape.height + rowsPerUnit - 1) / rowsPerUnit
    let metadataBytes = PNGHeader(shape: shape, metadata: metadata).largestBytes
    return metadataBytes + units * (Deflater.bound(rowsPerUnit * (shape.rowBytes + 1)) + 32) + 64
  }

  package var nanosecondsPerPixel: Double {
    Double(shape.pixelBytes) * EncodingCost.nanosecondsPerByte(options)
  }

  package func begin(into file: any PartialFile) throws -> EncodingProgress {
    let buffer = UnitBuffer(capacity: 1 << 10)
    try PNGHeader(shape: shape, metadata: metadata).write(to: buffer)
    try file.truncate(to: 0)
    try buffer.write(to: file, at: 0)
    return EncodingProgress(rows: 0, sizeBytes: buffer.count)
  }

  package func append(
    _ rows: UnsafeRawBufferPointer, after progress: EncodingProgress, threads: Int,
    stopFlag: StopFlag?, into file: any PartialFile
  ) throws -> EncodingProgress {
    let count = checkedRows(rows, after: progress)
    let unit = PNGUnit(shape: shape, options: options)
    let lent = LentRows(rows)
    let unitRows = rowsPerUnit
    let unitBytes = unitRows * shape.rowBytes
    let run = UnitRun(count: (count + unitRows - 1) / unitRows, unitBytes: unitBytes)
    var reached = progress
    try run.forEach(threads: threads, stopFlag: stopFlag) { number in
      try unit.encode(
        lent.piece(at: number * unitBytes, atMost: unitBytes),
        isFirst: progress.rows == 0 && number == 0)
    } write: { (_, result) in
      try result.chunks.write(to: file, at: reached.sizeBytes)
      reached = EncodingProgress(
        rows: min(reached.rows + unitRows, shape.height),
        sizeBytes: reached.sizeBytes + result.chunks.count,
        adler: ZlibChecksum.adler32(
          reached.adler, then: result.adler, ofBytes: result.filteredBytes))
    }
    return reached
  }

  package func finish(_ progress: EncodingProgress, into file: any PartialFile) throws {
    precondition(progress.rows == shape.height, "a file is finished when all rows are encoded")
    let buffer = UnitBuffer(capacity: 64)
    PNGChunk.write(.imageData, to: buffer) { buffer in
      // An empty last block, then the checksum of all that was compressed (RFC 1951, section
      // 3.2.6).
      buffer.append([0x03, 0x00])
      buffer.append(bigEndian: progress.adler)
    }
    PNGChunk.write(.end, to: buffer) { _ in }
    try buffer.write(to: file, at: progress.sizeBytes)
    try file.truncate(to: progress.sizeBytes + buffer.count)
  }
}

/// How a PNG is compressed.
package struct PNGOptions: Hashable, Sendable {
  /// How rows are prepared for compression.
  package enum Filter: String, Hashable, Sendable, CaseIterable {
    /// Each row by the filter that makes it smallest.
    case adaptive
    /// Not at all.
    case none
  }

  /// 0 (stored) to 9 (smallest), as zlib counts.
  package let level: Int
  package let filter: Filter

  /// Creates options; stored rows need no filter.
  package init(level: Int = 6, filter: Filter = .adaptive) {
    precondition((0...9).contains(level), "zlib's levels are 0 to 9, not \(level)")
    self.level = level
    self.filter = level == 0 ? .none : filter
  }
}
#endif
