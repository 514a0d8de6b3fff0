/// The state of a Fibonacci computation between two chunks.
///
/// It is immutable; copies share their numbers.
package struct FibonacciState: OperationState {
  /// What is being done.
  enum Phase: Sendable {
    /// F(k) grows by doubling k.
    case doubling(DoublingState<BigInteger>)
    /// The same in base 10^19.
    case decimalDoubling(DoublingState<DecimalNumber>)
    /// F(n) is known in base 10^19 and its digits are written.
    case digits(DigitsState)
    /// F(n) is known and its hexadecimal digits or bytes are written.
    case binary(BinaryState)
    /// The text is complete and is read back; its value modulo a prime is compared with F(n).
    case checking(CheckingState)
    /// Nothing is left.
    case complete
  }

  var phase: Phase
  package var isUntried = false
}

/// A decimal number on its way into the output.
struct DigitsState: Sendable {
  /// The number; the limbs that are written may be missing.
  var number: DecimalNumber
  /// How many of its limbs are written, from the top.
  var written: Int
  /// The value of the written digits modulo 2^61 − 1.
  var residue: UInt64
}

/// A number on its way into hexadecimal digits or raw bytes.
struct BinaryState: Sendable {
  var number: BigInteger
  /// How many bytes of the output are written.
  var written: Int
}

/// An output that is being read back, from its most significant end.
struct CheckingState: Sendable {
  /// How many bytes are read.
  var checked: Int
  /// Their value modulo 2^61 − 1.
  var residue: UInt64
}
