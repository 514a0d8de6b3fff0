import CGMP
import Glibc
import Stint

/// Products of decimal numbers by way of GMP's products of binary ones, without converting them.
///
/// A number is a polynomial in R = 10^304 whose coefficients, sixteen limbs of base 10^19 each, are converted to binary one by one.
/// Its value at x = 2^1024 is the coefficients side by side. The product polynomial h has coefficients up to 2^2048, twice
/// as wide, so that they overlap in h(x); but h(x) and h(−x) together hold them all (D. Harvey, "Faster polynomial
/// multiplication via multipoint Kronecker substitution", J. Symbolic Computation 44, 2009, section 3.2): the even ones do
/// not overlap in (h(x) + h(−x))/2, nor the odd ones in (h(x) − h(−x))/2. Each of the two is one product of binary numbers
/// of the length of the factors, one per thread. Carrying h(R) out gives the decimal digits.
///
/// A coefficient of h is a sum of fewer than 2^27 products of numbers below R, for every position that ``FibonacciIndex``
/// accepts, and so below 2^(2·1009.88 + 27) < 2^2048.
enum Kronecker {
  /// The limbs of a coefficient, decimal or binary.
  static let group = 16
  /// A coefficient of the product.
  private static let wide = 2 * group

  /// The product of two numbers; of a number with itself, faster.
  static func product(
    _ left: DecimalNumber, _ right: DecimalNumber, threads: Int
  ) -> DecimalNumber {
    guard !left.isZero, !right.isZero else { return DecimalNumber(limbs: []) }
    let threads = left.limbCount + right.limbCount < leastSharedLimbs ? 1 : threads
    let (long, short) = left.limbCount >= right.limbCount ? (left, right) : (right, left)
    let first = packed(long, threads: threads)
    let second = left === right ? first : packed(short, threads: threads)
    let values = Parallel.each(count: 2, threads: threads) { index in
      index == 0 ? productOfValues(first, second) : productAtMinus(first, second)
    }
    let halves = Parallel.each(count: 2, threads: threads) { index in
      half(values[0].limbs, values[1].limbs, isSum: (index == 0) != values[1].isNegative)
    }
    return carried(even: halves[0], odd: halves[1], threads: threads)
  }

  /// Below this size, waking a thread costs more than it brings.
  private static let leastSharedLimbs = 4096

  /// The cost of a product of numbers of so many limbs, given that of GMP's.
  static func cost(_ product: Double, length: Int, threads: Int) -> Double {
    let shared = threads > 1 && 2 * length >= leastSharedLimbs
    return shared
      ? sharing(length) * product + 100 * Double(length)
      : 2 * product + 180 * Double(length) + 2000
  }

  /// How many times longer each of two products takes that run side by side.
  ///
  /// Those that one thread alone would find in the cache lose most; the longest wait for memory anyway. Measured with factors from 3 · 10^5 to
  /// 5.5 · 10^6 limbs: some 5 % less with each doubling of the length.
  private static func sharing(_ length: Int) -> Double {
    min(max(1.1 * pow(1.4e6 / Double(length), 0.08), 0.95), 1.25)
  }

  /// The coefficients in binary, side by side.
  private static func packed(_ number: DecimalNumber, threads: Int) -> LimbBuffer {
    let groups = (number.limbCount + group - 1) / group
    let result = LimbBuffer(count: groups * group)
    let parts = max(threads, 1)
    _ = Parallel.each(count: parts, threads: threads) { part in
      for index in groups * part / parts..<groups * (part + 1) / parts {
        pack(number.limbBuffer, group: index, into: result.limbs + index * group)
      }
    }
    return result
  }

  /// Converts the limbs of one coefficient by Horner's rule.
  private static func pack(
    _ source: UnsafeBufferPointer<UInt64>, group index: Int, into target: UnsafeMutablePointer<UInt>
  ) {
    let start = index * group
    let end = min(start + group, source.count)
    target.initialize(repeating: 0, count: group)
    target[0] = UInt(source[end - 1])
    var length = 1
    for position in stride(from: end - 2, through: start, by: -1) {
      target[length] = gmpn_multiply_small(target, target, length, UInt(DecimalNumber.base))
      length += 1
      _ = gmpn_add_small(target, target, length, UInt(source[position]))
    }
  }

  /// A value of h, without its sign.
  private struct Value: Sendable {
    var limbs: LimbBuffer
    var isNegative: Bool
  }

  private static func productOfValues(_ first: LimbBuffer, _ second: LimbBuffer) -> Value {
    // One coefficient more, which is zero: the odd coefficient above the last one ends there.
    let count = first.count + second.count
    let result = LimbBuffer(count: count + group)
    (result.limbs + count).initialize(repeating: 0, count: group)
    if first === second {
      gmpn_square(result.limbs, first.limbs, first.count)
    } else {
      gmpn_multiply(result.limbs, first.limbs, first.count, second.limbs, second.count)
    }
    return Value(limbs: result, isNegative: false)
  }

  private static func productAtMinus(_ first: LimbBuffer, _ second: LimbBuffer) -> Value {
    let left = valueAtMinus(first)
    let right = first === second ? left : valueAtMinus(second)
    var product = productOfValues(left.limbs, right.limbs)
    product.isNegative = left.isNegative != right.isNegative
    return product
  }

  /// The value of a polynomial at −x: the even coefficients less the odd ones.
  private static func valueAtMinus(_ value: LimbBuffer) -> Value {
    let result = LimbBuffer(count: value.count)
    var borrow: UInt = 0
    for index in 0..<value.count / group {
      let (source, target) = (value.limbs + index * group, result.limbs + index * group)
      if index & 1 == 0 {
        borrow = gmpn_sub_small(target, source, group, borrow)
      } else {
        _ = gmpn_add_small(target, source, group, borrow)
        borrow = gmpn_neg(target, target, group)
      }
    }
    if borrow != 0 { _ = gmpn_neg(result.limbs, result.limbs, result.count) }
    return Value(limbs: result, isNegative: borrow != 0)
  }

  /// (h(x) + |h(−x)|)/2 or their difference's half.
  private static func half(_ plus: LimbBuffer, _ minus: LimbBuffer, isSum: Bool) -> LimbBuffer {
    let result = LimbBuffer(count: plus.count)
    let carry =
      isSum
      ? gmpn_add_n(result.limbs, plus.limbs, minus.limbs, plus.count)
      : gmpn_sub_n(result.limbs, plus.limbs, minus.limbs, plus.count)
    precondition(carry == 0, "the uppermost coefficient is zero")
    _ = gmpn_shift_right(result.limbs, result.limbs, result.count, 1)
    return result
  }
}
