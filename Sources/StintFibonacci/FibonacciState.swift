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
