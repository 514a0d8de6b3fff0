import StintCore

/// Reads the encoding of a state.
///
/// Nothing is allocated for a size that is not both allowed and there.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var remainingBytes: Int { bytes.count - position }

  mutating func readByte() throws -> UInt8 {
    try take(1, "a tag")[0]
  }

  /// A number that must not exceed a limit.
  mutating func readCount(atMost limit: Int, _ what: String) throws -> Int {
    let word = try readWord(what)
    guard word <= UInt64(limit) else {
      throw StintError(
        .damaged, "The checkpoint's \(what) is \(word), above the limit of \(limit).")
    }
    return Int(word)
  }

  mutating func readWord(_ what: String) throws -> UInt64 {
    UInt64(littleEndian: try take(8, what).loadUnaligned(as: UInt64.self))
  }

  /// A residue, which must be below its modulus.
  mutating func readResidue(below modulus: UInt64, _ what: String) throws -> UInt64 {
    let word = try readWord(what)
    guard word < modulus else {
      throw StintError(.damaged, "The checkpoint's \(what) is not below its modulus.")
    }
    return word
  }

  /// An integer of at most so many bits, in the shortest encoding.
  mutating func readInteger(bitsAtMost limit: Int, _ what: String) throws -> BigInteger {
    let size = try readCount(atMost: (limit + 63) / 64 * 8, "length of \(what)")
    guard size % 8 == 0 else {
      throw StintError(.damaged, "The checkpoint's \(what) does not consist of whole limbs.")
    }
    let integer = BigInteger(limbs: try take(size, what))
    guard integer.limbBytes == size, integer.bitCount <= limit else {
      throw StintError(
        .damaged, "The checkpoint's \(what) has \(integer.bitCount) bits; \(limit) are possible.")
    }
    return integer
  }

  func finish() throws {
    guard remainingBytes == 0 else {
      throw StintError(.damaged, "The checkpoint has \(remainingBytes) bytes too many.")
    }
  }

  private mutating func take(_ count: Int, _ what: String) throws -> UnsafeRawBufferPointer {
    guard count <= remainingBytes else {
      throw StintError(.damaged, "The checkpoint ends inside \(what).")
    }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }
}
