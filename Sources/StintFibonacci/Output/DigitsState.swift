/// A decimal number on its way into the output.
struct DigitsState: Sendable {
  /// The number; the limbs that are written may be missing.
  var number: DecimalNumber
  /// How many of its limbs are written, from the top.
  var written: Int
  /// The value of the written digits modulo 2^61 − 1.
  var residue: UInt64
}
