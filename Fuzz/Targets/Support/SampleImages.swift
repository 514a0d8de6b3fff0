#if Images
import StintRuntime

@testable import StintImages

/// Small image files, made by the product's own encoders.
enum SampleImages {
  /// A file that is written piece by piece.
  static func file(_ encoder: some ResumableEncoder) throws -> [UInt8] {
    let file = MemoryFile()
    let progress = try pixels(of: encoder.shape).withUnsafeBytes {
      try encoder.append(
        $0, after: encoder.begin(into: file), threads: 1, stopFlag: nil, into: file)
    }
    try encoder.finish(progress, into: file)
    return file.bytes
  }

  /// A JPEG without metadata.
  static func jpeg(_ shape: PixelShape) throws -> [UInt8] {
    try VipsLibrary.start(threads: 1)
    let file = MemoryFile()
    let image = try VipsImage(samples: pixels(of: shape), shape: shape.imageShape)
    let encoder = try WholeFileEncoder(format: .jpeg, shape: shape)
    require(try encoder.encode(image, into: file), "a JPEG was not finished")
    return file.bytes
  }

  private static func pixels(of shape: PixelShape) -> [UInt8] {
    (0..<shape.rowBytes * shape.height).map { UInt8(truncatingIfNeeded: $0 * 5) }
  }
}
#endif
