/// How a Fibonacci number is written.
package enum FibonacciFormat: String, Hashable, Sendable, CaseIterable {
  /// Decimal digits and a newline.
  case decimal
  /// Lowercase hexadecimal digits without a prefix, and a newline.
  case hex
  /// The bytes of the number, least significant first, without leading zeros (one zero byte for
  /// F(0)) and without a newline.
  case raw
  /// Only the number of decimal digits, and a newline.
  case digits

  /// The length of the output for F(n), in bytes.
  package func outputBytes(_ n: Int) -> Int {
    switch self {
    case .decimal: FibonacciLength.digits(n) + 1
    case .hex: max((FibonacciLength.bits(n) + 3) / 4, 1) + 1
    case .raw: max((FibonacciLength.bits(n) + 7) / 8, 1)
    case .digits: String(FibonacciLength.digits(n)).utf8.count + 1
    }
  }
}
