import StintCore
import StintRuntime

/// The partial file that receives the text.
enum ResultFile {
  static let name = "result"
  /// What a chunk writes at most; see ``OperationComputation/chunkBytes``.
  static let chunkBytes = 32 << 20

  /// Ends the text, and cuts off what an earlier, longer attempt may have left behind it.
  static func writeNewline(to file: any PartialFile, at offset: Int) throws {
    try withUnsafeBytes(of: UInt8(ascii: "\n")) { try file.write($0, at: offset) }
    try file.truncate(to: offset + 1)
  }
}
