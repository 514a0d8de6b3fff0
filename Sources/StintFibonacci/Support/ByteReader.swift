import StintCore
import StintRuntime

extension ByteReader {
  /// A residue, which must be below its modulus.
  mutating func readResidue(below modulus: UInt64, _ what: String) throws -> UInt64 {
    let word = try readWord(what)
    guard word < modulus else {
      throw StintError(.damaged, "The checkpoint's \(what) is not below its modulus.")
    }
    return word
  }

  /// An integer of at most that many bits, in the shortest encoding.
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
}

extension CheckpointPayload {
  /// Appends the length and lends the limbs of an integer.
  mutating func append(_ integer: BigInteger) {
    precondition(!integer.isNegative, "stored integers are at least zero")
    append(UInt64(integer.limbBytes))
    lend(integer.limbBuffer, owner: integer)
  }

  mutating func append(count: Int) {
    append(UInt64(count))
  }
}
