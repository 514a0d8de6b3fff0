import StintCore

/// Reads the encoding of a state.
///
/// Nothing is allocated for a size that is not both allowed and there.
package struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  /// Reads from the first byte on.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The bytes that were not read yet.
  package var remainingBytes: Int { bytes.count - position }

  /// One byte.
  package mutating func readByte() throws -> UInt8 {
    try take(1, "a tag")[0]
  }

  /// A number that must not exceed a limit.
  package mutating func readCount(atMost limit: Int, _ what: String) throws -> Int {
    let word = try readWord(what)
    guard word <= UInt64(limit) else {
      throw StintError(
        .damaged, "The checkpoint's \(what) is \(word), above the limit of \(limit).")
    }
    return Int(word)
  }

  /// Eight bytes, the least significant first.
  package mutating func readWord(_ what: String) throws -> UInt64 {
    UInt64(littleEndian: try take(8, what).loadUnaligned(as: UInt64.self))
  }

  /// Refuses bytes that nobody read.
  package func finish() throws {
    guard remainingBytes == 0 else {
      throw StintError(.damaged, "The checkpoint has \(remainingBytes) bytes too many.")
    }
  }

  /// The next bytes, without a copy.
  package mutating func take(_ count: Int, _ what: String) throws -> UnsafeRawBufferPointer {
    guard count <= remainingBytes else {
      throw StintError(.damaged, "The checkpoint ends inside \(what).")
    }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }
}
