import Stint
import StintCore

/// The partial file that receives the text.
enum ResultFile {
  static let name = "result"

  /// Ends the text, and cuts off what an earlier, longer attempt may have left behind it.
  static func writeNewline(to file: any PartialFile, at offset: Int) throws {
    try withUnsafeBytes(of: UInt8(ascii: "\n")) { try file.write($0, at: offset) }
    try file.truncate(to: offset + 1)
  }
}

/// How much of the output the newest checkpoint counts on.
///
/// The rest has to be synchronized before the next one, which is most of what a checkpoint costs once the text is being written.
final class SavedOutput: Sendable {
  /// A chunk writes at most so much: what it adds to the next checkpoint is known only when it has ended.
  static let chunkBytes = 32 << 20

  private let saved = Protected(0)

  /// The checkpoint that is being made, or was loaded, counts on so many bytes.
  func counts(on bytes: Int) {
    saved.withLock { $0 = bytes }
  }

  /// How many of so many bytes are still to be synchronized, about.
  func unsaved(_ bytes: Int) -> Int {
    saved.withLock { max(0, bytes - $0) }
  }
}
