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

  /// The value divided by a power of two, rounded down (also below zero).
  package static func >> (left: BigInteger, bits: Int) -> BigInteger {
    BigInteger { gmpz_shift_right($0, left.value, UInt(bits)) }
  }

  /// The power of two with so many zero bits.
  package static func powerOfTwo(_ exponent: Int) -> BigInteger {
    BigInteger { gmpz_set_bit($0, UInt(exponent)) }
  }

  package static func powerOfTen(_ exponent: Int) -> BigInteger {
    BigInteger { gmpz_power($0, 10, UInt(exponent)) }
  }

  /// The quotient, rounded towards zero.
  package func quotient(by divisor: BigInteger) -> BigInteger {
    BigInteger { gmpz_quotient($0, value, divisor.value) }
  }

  /// The quotient and the remainder by GMP's own division.
  package func quotientAndRemainder(
    by divisor: BigInteger
  ) -> (quotient: BigInteger, remainder: BigInteger) {
    var remainder: BigInteger?
    let quotient = BigInteger { q in
      remainder = BigInteger { gmpz_divide(q, $0, value, divisor.value) }
    }
    return (quotient, remainder ?? BigInteger(0))
  }

  /// The residue in 0..<modulus, also for negative values.
  package func residue(modulo modulus: UInt64) -> UInt64 {
    UInt64(gmpz_remainder(value, UInt(modulus)))
  }

  /// F(n) as GMP itself computes it: the second opinion of tests and benchmarks.
  package static func fibonacciByGMP(_ n: Int) -> BigInteger {
    BigInteger { gmpz_fibonacci($0, UInt(n)) }
  }

  /// F(2k+1) from the squares of F(k) and F(k−1): 4 F(k)² − F(k−1)² + 2 (−1)^k.
  static func oddFibonacci(
    square: BigInteger, previousSquare: BigInteger, indexIsOdd: Bool
  ) -> BigInteger {
    BigInteger {
      gmpz_shift_left($0, square.value, 2)
      gmpz_sub($0, $0, previousSquare.value)
      if indexIsOdd { gmpz_sub_ui($0, $0, 2) } else { gmpz_add_ui($0, $0, 2) }
    }
  }
}

extension BigInteger {
  package func negated() -> BigInteger {
    BigInteger { gmpz_neg($0, value) }
  }

  package var magnitude: BigInteger {
    isNegative ? negated() : self
  }
}
