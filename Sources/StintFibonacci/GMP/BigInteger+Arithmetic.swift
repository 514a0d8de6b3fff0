import CGMP

extension BigInteger {
  package func squared() -> BigInteger {
    BigInteger { gmpz_mul($0, value, value) }
  }

  package static func * (left: BigInteger, right: BigInteger) -> BigInteger {
    BigInteger { gmpz_mul($0, left.value, right.value) }
  }

  package static func + (left: BigInteger, right: BigInteger) -> BigInteger {
    BigInteger { gmpz_add($0, left.value, right.value) }
  }

  package static func - (left: BigInteger, right: BigInteger) -> BigInteger {
    BigInteger { gmpz_sub($0, left.value, right.value) }
  }

  package static func << (left: BigInteger, bits: Int) -> BigInteger {
    BigInteger { gmpz_shift_left($0, left.value, UInt(bits)) }
  }

  /// The power of two with that many zero bits.
  package static func powerOfTwo(_ exponent: Int) -> BigInteger {
    BigInteger { gmpz_set_bit($0, UInt(exponent)) }
  }

  package static func powerOfTen(_ exponent: Int) -> BigInteger {
    BigInteger { gmpz_power($0, 10, UInt(exponent)) }
  }

  /// The residue in 0..<modulus, also for negative values.
  package func residue(modulo modulus: UInt64) -> UInt64 {
    UInt64(gmpz_remainder(value, UInt(modulus)))
  }

  /// F(n) as GMP itself computes it: the second opinion of tests and benchmarks.
  package static func fibonacciByGMP(_ n: Int) -> BigInteger {
    BigInteger { gmpz_fibonacci($0, UInt(n)) }
  }
}
