import CGMP

@testable import StintFibonacci

extension BigInteger {
  /// F(n) as GMP itself computes it: the second opinion.
  static func fibonacciByGMP(_ n: Int) -> BigInteger {
    BigInteger { gmpz_fibonacci($0, UInt(n)) }
  }

  /// The value in decimal.
  var decimalText: String {
    let room = gmpz_size_in_base(value, 10)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: room + 3) { text in
      _ = gmpz_get_str(text.baseAddress, 10, value)
      return String(cString: text.baseAddress!)
    }
  }
}
