import StintCore
package import StintRuntime

/// The partial file that receives the text.
enum ResultFile {
  static let name = "result"
  /// What a chunk writes at most; see ``OperationComputation/chunkBytes``.
  static let chunkBytes = 32 << 20

  /// Reads the first bytes of a file, a piece after the other, each with where it begins.
  static func forEachPiece(
    of file: any PartialFile, upTo count: Int, atMost pieceBytes: Int,
    _ body: (Int, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(max(count, 1), pieceBytes), alignment: 16)
    defer { buffer.deallocate() }
    for start in stride(from: 0, to: count, by: buffer.count) {
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count - start))
      try file.read(into: piece, at: start)
      try body(start, UnsafeRawBufferPointer(piece))
    }
  }

  /// Ends the text, and cuts off what an earlier, longer attempt may have left behind it.
  static func writeNewline(to file: any PartialFile, at offset: Int) throws {
    try withUnsafeBytes(of: UInt8(ascii: "\n")) { try file.write($0, at: offset) }
    try file.truncate(to: offset + 1)
  }
}

/// Puts a finished partial file where the result belongs; what it did is durable when it returns
/// (W9).
///
/// The arguments are the workspace and the name of the partial file in it. It may be called again
/// after a kill.
package typealias ResultSink = @Sendable (_ workspace: any Workspace, _ name: String) throws -> Void
