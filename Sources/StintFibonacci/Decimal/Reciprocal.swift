/// The scaled reciprocals of powers of ten, by which the decimal phase divides with two multiplications.
///
/// For a divisor P of d bits, V is 2^(2d + guard) / P, a few units off. The error only costs corrections:
/// every quotient is checked against its remainder.
enum Reciprocal {
  /// Bits beyond the divisor's length, so that the error does not grow from level to level.
  static let guardBits = 64

  /// The reciprocal by division, for the smallest level.
  static func direct(_ divisor: BigInteger) -> BigInteger {
    BigInteger.powerOfTwo(2 * divisor.bitCount + guardBits).quotient(by: divisor)
  }

  /// Approximates the reciprocal of P² by V², to half of its digits; V belongs to P, which has so many bits.
  static func approximation(_ reciprocal: BigInteger, bits: Int) -> BigInteger {
    reciprocal.squared() >> (bits + guardBits)
  }

  /// What the approximation A lacks: 2^u − P²·A, cut to the bits that count; it may be negative.
  static func error(of approximation: BigInteger, square: BigInteger, bits: Int) -> BigInteger {
    let scale = 3 * bits + guardBits
    return (BigInteger.powerOfTwo(scale) - square * approximation) >> cut(bits)
  }

  /// One step of Newton's iteration: A · (2 − P²·A), scaled for P² of `squareBits` bits.
  static func refined(
    approximation: BigInteger, error: BigInteger, bits: Int, squareBits: Int
  ) -> BigInteger {
    // The shift is −1 where P² is a bit shorter than twice P and P has one bit: not for powers of ten.
    let whole = approximation << (2 * squareBits - 3 * bits)
    let shift = 6 * bits + guardBits - 2 * squareBits - cut(bits)
    return whole + ((approximation * error) >> shift)
  }

  /// The reciprocal of P′ from that of P, where P is the square of P′: V · P′, cut to length.
  static func descended(
    _ reciprocal: BigInteger, bits: Int, root: BigInteger, rootBits: Int
  ) -> BigInteger {
    let excess = max(bits - rootBits - 32, 0)
    return ((reciprocal >> excess) * root) >> (2 * (bits - rootBits) - excess)
  }

  /// The reciprocal itself if it has the right length, else a new one by division.
  ///
  /// Only a damaged reciprocal that was loaded can lead to a wrong length.
  static func sound(_ reciprocal: BigInteger, for divisor: BigInteger, bits: Int) -> BigInteger {
    let isSound = !reciprocal.isNegative && reciprocal.bitCount == bits + guardBits + 1
    return isSound ? reciprocal : direct(divisor)
  }

  /// Whether an error is as small as it is when the approximation is right.
  static func isPlausible(error: BigInteger, bits: Int) -> Bool {
    error.bitCount <= largestErrorBits(bits)
  }

  /// The length that no error of a right approximation exceeds.
  static func largestErrorBits(_ bits: Int) -> Int {
    bits + 32
  }

  /// The lowest bits of the error do not count.
  private static func cut(_ bits: Int) -> Int {
    max(bits - 16, 0)
  }

  /// An estimate of dividend / divisor, at most a few units off, for a dividend below the divisor's square.
  static func estimatedQuotient(
    _ dividend: BigInteger, reciprocal: BigInteger, bits: Int
  ) -> BigInteger {
    ((dividend >> (bits - 1)) * reciprocal) >> (bits + 1 + guardBits)
  }

  /// The exact quotient and remainder from an estimate of the quotient.
  ///
  /// An estimate that is far off (a reciprocal that was damaged and yet loaded) is thrown away for GMP's own division.
  static func corrected(
    _ dividend: BigInteger, by divisor: BigInteger, estimate: BigInteger
  ) -> (quotient: BigInteger, remainder: BigInteger) {
    var quotient = estimate
    var remainder = dividend - estimate * divisor
    let one = BigInteger(1)
    for _ in 0..<8 {
      if remainder.isNegative {
        quotient = quotient - one
        remainder = remainder + divisor
      } else if remainder >= divisor {
        quotient = quotient + one
        remainder = remainder - divisor
      } else {
        return (quotient, remainder)
      }
    }
    return dividend.quotientAndRemainder(by: divisor)
  }
}
