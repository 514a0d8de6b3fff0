import Glibc

/// What GMP's operations cost, as a function of their sizes.
///
/// The unit is a nanosecond of GMP 6.2.1 on the 64-bit machine on which the tables were measured
/// (one thread, machine idle). Elsewhere a unit takes another time, but about the same for all
/// sizes, which is all that the fit test needs. Between the measured sizes, a factor of two apart,
/// the tables are interpolated in logarithms; beyond their end the last growth per doubling goes
/// on.
enum GMPCost {
  /// Every operation costs at least this: allocation and calls.
  static let overhead = 100.0

  /// The square of a number.
  static func squaring(bits: Int) -> Double {
    overhead + interpolated(squaringTable, limbs: limbs(bits), growth: 2.2)
  }

  /// The product of two numbers.
  ///
  /// Where GMP's Fourier transform rules, only the length of the product counts.
  static func product(bits: Int, bits otherBits: Int) -> Double {
    overhead
      + interpolated(productTable, limbs: (limbs(bits) + limbs(otherBits)) / 2, growth: 2.25)
  }

  /// Additions, shifts and copies that follow an operation on numbers of this size: passes over
  /// fresh memory.
  static func linear(bits: Int) -> Double {
    4 * limbs(bits)
  }

  private static func limbs(_ bits: Int) -> Double {
    max(1, Double(bits) / 64)
  }

  private static func interpolated(_ table: [Double], limbs: Double, growth: Double) -> Double {
    let position = log2(limbs)
    let index = min(Int(position), table.count - 1)
    let rest = position - Double(index)
    let next = index + 1 < table.count ? table[index + 1] / table[index] : growth
    return table[index] * pow(next, rest)
  }

  // Nanoseconds at 1, 2, 4, ... limbs of 64 bits.
  private static let squaringTable: [Double] = [
    4, 5, 8, 25, 75, 271, 868, 2469, 7424, 22_274, 54_337, 149_927, 414_106, 877_327, 1_838_914,
    4_158_446, 9_403_784, 22_516_178, 50_144_073, 105_839_932, 257_057_019, 522_094_411,
    1_266_634_264, 2_690_200_321,
  ]
  private static let productTable: [Double] = [
    4, 5, 12, 32, 119, 378, 1210, 3916, 10_895, 29_702, 79_857, 209_921, 540_757, 1_413_337,
    2_783_972, 6_956_555, 16_257_150, 33_819_371, 73_991_290, 168_190_273, 375_594_317,
    860_147_913, 1_925_652_277, 4_357_389_792,
  ]
}
