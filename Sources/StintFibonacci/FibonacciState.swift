/// The state of a Fibonacci computation between two chunks.
///
/// It is immutable; copies share their numbers.
package struct FibonacciState: Sendable {
  /// What is being done.
  enum Phase: Sendable {
    /// F(k) grows by doubling k.
    case doubling(DoublingState)
    /// F(n) is known and becomes decimal digits.
    case decimal(DecimalState)
    /// F(n) is known and its hexadecimal digits or bytes are written.
    case binary(BinaryState)
    /// The text is complete and is read back; its value modulo a prime is compared with F(n).
    case checking(CheckingState)
    /// Nothing is left.
    case complete
  }

  var phase: Phase
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
