#if Images
import StintCore
import StintRuntime

/// Where the work on an image stands between two chunks: an immutable value that counts what the
/// partial files hold (W14).
package struct ImageState: Sendable {
  /// What the next chunk does.
  enum Phase: Sendable {
    /// The source is being decoded; that many rows of it are in the partial file. A stream that was
    /// lost may have delivered rows.
    case decoding(rows: Int, after: EncodingProgress? = nil)
    /// The statistics of a filter are being collected from its input, of which that many rows are
    /// done.
    case collecting(filter: Int, rows: Int, sum: FilterStatistics?)
    /// Rows of the result are computed from any rows of the source.
    case filtering(EncodingProgress)
    /// Rows of the result are computed while the source is decoded, of which nothing is kept.
    case streaming(EncodingProgress)
    /// All rows are stored, and the image file is written from them.
    case encoding
    /// The image file is complete and so long.
    case complete(sizeBytes: Int)
  }

  /// The statistics of the filters that wanted some and have been given them, in the order of the
  /// pipeline.
  var statistics: [FilterStatistics] = []
  var phase: Phase
}

/// A partial file of plain pixels, row after row.
enum PixelFile {
  /// The image that the file holds.
  ///
  /// A file of the operating system is mapped; any other one, as in tests, is read as a whole.
  ///
  /// - Throws: ``StintError`` with the code `damaged` if the file is shorter than the image.
  static func image(of file: any PartialFile, shape: ImageShape) throws -> VipsImage {
    try check(file, holds: shape.height, of: shape)
    if let path = (file as? any MappableFile)?.descriptorPath {
      return try VipsImage(rawPath: path, shape: shape)
    }
    let memory = PixelMemory(sizeBytes: shape.sizeBytes)
    let buffer = UnsafeMutableRawBufferPointer(rebasing: memory.buffer.prefix(shape.sizeBytes))
    try file.read(into: buffer, at: 0)
    return try VipsImage(
      viewing: UnsafeRawBufferPointer(buffer), owner: memory, shape: shape)
  }

  /// Refuses a file that lost rows which the checkpoint counts.
  static func check(_ file: any PartialFile, holds rows: Int, of shape: ImageShape) throws {
    let sizeBytes = try file.sizeBytes
    guard sizeBytes >= rows * shape.rowBytes else {
      throw StintError(
        .damaged,
        "The stored pixels have \(sizeBytes) bytes, and the checkpoint counts on "
          + "\(rows * shape.rowBytes).", remedies: ["go back to an earlier checkpoint", .startOver])
    }
  }
}
#endif
