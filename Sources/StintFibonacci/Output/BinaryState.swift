/// A number on its way into hexadecimal digits or raw bytes.
struct BinaryState: Sendable {
  var number: BigInteger
  /// How many bytes of the output are written.
  var written: Int
}
