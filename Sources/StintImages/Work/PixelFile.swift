#if Images
import StintRuntime
import StintCore

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
