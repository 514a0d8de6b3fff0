import StintRuntime

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
