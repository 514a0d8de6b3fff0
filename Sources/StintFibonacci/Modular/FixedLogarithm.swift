/// Multiples of an irrational logarithm, exact enough that their whole part is never in doubt.
///
/// The logarithm is kept with 128 bits after the point. A multiple by n < 2^40 is then known to
/// 2^−88, while no F(n) and no power of ten that occurs here comes that close to a power of the
/// other base.
struct FixedLogarithm {
  /// The whole part of the logarithm.
  var whole: Int
  /// The part after the point, in units of 2^−128.
  var fraction: UInt128

  /// log10 of the golden ratio.
  static let goldenRatioBase10 = FixedLogarithm(
    whole: 0, fraction: 0x3580_36c8_2451_b7f3_65d3_db23_8455_99f5)
  /// log10 of the square root of 5.
  static let rootOfFiveBase10 = FixedLogarithm(
    whole: 0, fraction: 0x5977_d95e_c10c_0219_dc1d_a994_fd20_dba1)
  /// log2 of the golden ratio.
  static let goldenRatioBase2 = FixedLogarithm(
    whole: 0, fraction: 0xb1b9_d68a_8e53_425d_e48f_c742_6f0c_4428)
  /// log2 of the square root of 5.
  static let rootOfFiveBase2 = FixedLogarithm(
    whole: 1, fraction: 0x2934_f097_9a37_15fc_9257_edfe_9b5f_b699)

  /// The whole part of n times this logarithm, less another one.
  func floorOfMultiple(_ n: Int, minus other: FixedLogarithm) -> Int {
    let product = fraction.multipliedFullWidth(by: UInt128(n))
    let borrow = product.low < other.fraction ? 1 : 0
    return whole * n + Int(product.high) - other.whole - borrow
  }
}

/// The lengths of Fibonacci numbers and powers of ten, without computing them.
package enum FibonacciLength {
  /// The number of decimal digits of F(n), exactly; 1 for F(0).
  package static func digits(_ n: Int) -> Int {
    if n < small.count { return String(small[n]).count }
    return FixedLogarithm.goldenRatioBase10
      .floorOfMultiple(n, minus: .rootOfFiveBase10) + 1
  }

  /// The number of bits of F(n), exactly; 0 for F(0).
  package static func bits(_ n: Int) -> Int {
    if n < small.count { return UInt64.bitWidth - small[n].leadingZeroBitCount }
    return FixedLogarithm.goldenRatioBase2
      .floorOfMultiple(n, minus: .rootOfFiveBase2) + 1
  }

  /// F(0) to F(93), all that fit a word.
  ///
  /// Above them, F(n) and φ^n/√5 differ by less than 2^−129 of their size.
  static let small: [UInt64] = {
    var list: [UInt64] = [0, 1]
    while list.count < 94 { list.append(list[list.count - 1] + list[list.count - 2]) }
    return list
  }()
}
