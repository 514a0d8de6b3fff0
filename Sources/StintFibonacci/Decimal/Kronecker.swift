import CGMP
import Glibc
import StintRuntime

/// Products of decimal numbers by way of GMP's products of binary ones, without converting them.
///
/// A number is a polynomial in R = 10^304 whose coefficients, sixteen limbs of base 10^19 each, are
/// converted to binary one by one. The product polynomial h has coefficients up to 2^2048, four
/// times as wide as y = 2^512, so that four of them overlap in h(y); but h(y), h(−y) and the values
/// of the reversed polynomial at the same points hold them all (D. Harvey, "Faster polynomial
/// multiplication via multipoint Kronecker substitution", J. Symbolic Computation 44, 2009,
/// sections 3.2 to 3.4). Each value is one product of binary numbers of half the length of the
/// factors, so that threads share them; four such products take less than the two of the whole
/// length that h(2^1024) and h(−2^1024) would be. ``KroneckerOverlap`` takes the coefficients out,
/// and carrying h(R) out gives the decimal digits.
///
/// A coefficient of h is a sum of fewer than 2^27 products of numbers below R, for every position
/// that ``FibonacciIndex`` accepts, and so below 2^(2·1009.88 + 27) < 2^2047.
enum Kronecker {
  /// The limbs of a coefficient, decimal or binary.
  static let group = 16
  /// The limbs of y.
  static let shift = group / 2

  /// The product of two numbers; of a number with itself, faster.
  static func product(
    _ left: DecimalNumber, _ right: DecimalNumber, threads: Int
  ) -> DecimalNumber {
    guard !left.isZero, !right.isZero else { return DecimalNumber(limbs: []) }
    let factors = Factors(left, right, threads: threads)
    guard let sums = sums(factors, isReversed: false),
      let reversed = Kronecker.sums(factors, isReversed: true),
      let coefficients = coefficients(sums, reversed: reversed, factors),
      let product = carried(coefficients, threads: factors.threads)
    else { preconditionFailure("a product is wrong: its values contradict each other") }
    return product
  }

  /// The two factors in binary, the longer one first, and how many threads work on them.
  struct Factors: Sendable {
    fileprivate let long: Parts
    fileprivate let short: Parts
    var threads: Int

    init(_ left: DecimalNumber, _ right: DecimalNumber, threads: Int) {
      self.threads = left.limbCount + right.limbCount < leastSharedLimbs ? 1 : threads
      let isInOrder = left.limbCount >= right.limbCount
      long = Parts(isInOrder ? left : right, threads: self.threads)
      short = left === right ? long : Parts(isInOrder ? right : left, threads: self.threads)
    }

    /// The coefficients of the product polynomial, by two.
    fileprivate var pairs: Int { long.pairs + short.pairs }
  }

  /// The sums of the terms with even and with odd powers; nil if a product of GMP was wrong.
  private static func sums(_ factors: Factors, isReversed: Bool) -> KroneckerHalves? {
    let values = Parallel.each(count: 2, threads: factors.threads) { index in
      let values = FactorValues(factors, at: Point(isReversed: isReversed, isNegative: index == 1))
      return Value(limbs: values.product(), isNegative: values.isNegative)
    }
    return separated(values[0], values[1])
  }

  /// The values at y and −y modulo W − 1.
  static func wrapped(_ factors: Factors, isReversed: Bool) -> WrappedValues {
    let limbs = WrappedProduct.modulusLimbs(factors.long.valueLimbs, factors.short.valueLimbs)
    return WrappedValues(
      values: Parallel.each(count: 2, threads: factors.threads) { index in
        let point = Point(isReversed: isReversed, isNegative: index == 1)
        let values = FactorValues(factors, at: point)
        return WrappedProduct.minus(values.left, values.right, limbs: limbs)
      })
  }

  /// The sums, given the values modulo W − 1; nil if these are of other factors, as far as that
  /// shows.
  static func sums(
    _ factors: Factors, isReversed: Bool, after wrapped: WrappedValues
  ) -> KroneckerHalves? {
    let values = Parallel.each(count: 2, threads: factors.threads) { index -> Value? in
      let point = Point(isReversed: isReversed, isNegative: index == 1)
      let values = FactorValues(factors, at: point)
      let product = WrappedProduct.joined(
        minus: wrapped.values[index],
        plus: WrappedProduct.plus(values.left, values.right, limbs: wrapped.limbs),
        count: values.productLimbs)
      return product.map { Value(limbs: $0, isNegative: values.isNegative) }
    }
    guard let plus = values[0], let minus = values[1] else { return nil }
    return separated(plus, minus)
  }

  /// The values at y and −y modulo a prime, without their signs, and these.
  static func residues(
    _ factors: Factors, isReversed: Bool, _ modular: ModularArithmetic
  ) -> [(value: UInt64, isNegative: Bool)] {
    Parallel.each(count: 2, threads: factors.threads) { index in
      let point = Point(isReversed: isReversed, isNegative: index == 1)
      let values = FactorValues(factors, at: point)
      let residues = [values.left, values.right].map {
        UInt64(gmpn_rest($0.limbs, $0.count, UInt(modular.modulus)))
      }
      return (modular.multiply(residues[0], residues[1]), values.isNegative)
    }
  }

  /// The coefficients from the sums, of which the reversed ones are used up; nil if they contradict
  /// each other.
  static func coefficients(
    _ sums: KroneckerHalves, reversed: KroneckerHalves, _ factors: Factors
  ) -> KroneckerHalves? {
    let pairs = factors.pairs
    let length = (pairs + 1) * group
    guard sums.limbs == length, reversed.limbs == length else { return nil }
    let coefficients = Parallel.each(count: 2, threads: factors.threads) { index in
      index == 0
        ? KroneckerOverlap.resolved(
          sums.even.limbs, reversed: reversed.even.limbs, count: pairs, room: pairs)
        : KroneckerOverlap.resolved(
          sums.odd.limbs + shift, reversed: reversed.odd.limbs + shift, count: pairs - 1,
          room: pairs)
    }
    guard let even = coefficients[0], let odd = coefficients[1] else { return nil }
    return KroneckerHalves(even: even, odd: odd)
  }

  /// Below this size, waking a thread costs more than it brings.
  private static let leastSharedLimbs = 4096

  /// The cost of a product of numbers of that many limbs, given that of GMP's for half the length.
  static func cost(_ half: Double, length: Int, threads: Int) -> Double {
    let shared = threads > 1 && 2 * length >= leastSharedLimbs
    return shared
      ? 2 * sharing(length) * half + 110 * Double(length)
      : 4 * half + 200 * Double(length) + 2000
  }

  /// How many times longer each of two products takes that run side by side.
  ///
  /// Those that one thread alone would find in the cache lose most; the longest wait for memory
  /// anyway. Measured with factors from 7 · 10^4 to 3.6 · 10^6 limbs: some 2 % less with each
  /// doubling of the length.
  private static func sharing(_ length: Int) -> Double {
    min(max(1.1 * pow(1.4e6 / Double(length), 0.03), 0.95), 1.25)
  }

  /// The coefficients of even powers in binary, side by side, and those of odd ones.
  fileprivate struct Parts: Sendable {
    let even: LimbBuffer
    let odd: LimbBuffer
    /// How many there are of each.
    let pairs: Int
    var valueLimbs: Int { even.count + shift }

    init(_ number: DecimalNumber, threads: Int) {
      let groups = (number.limbCount + group - 1) / group
      let pairs = (groups + 1) / 2
      let (even, odd) = (LimbBuffer(count: pairs * group), LimbBuffer(count: pairs * group))
      let parts = max(threads, 1)
      _ = Parallel.each(count: parts, threads: threads) { part in
        for index in pairs * part / parts..<pairs * (part + 1) / parts {
          pack(number.limbBuffer, group: 2 * index, into: even.limbs + index * group)
          pack(number.limbBuffer, group: 2 * index + 1, into: odd.limbs + index * group)
        }
      }
      (self.even, self.odd, self.pairs) = (even, odd, pairs)
    }
  }

  /// Converts the limbs of one coefficient by Horner's rule; one above the number is zero.
  private static func pack(
    _ source: UnsafeBufferPointer<UInt64>, group index: Int, into target: UnsafeMutablePointer<UInt>
  ) {
    let start = index * group
    let end = min(start + group, source.count)
    target.initialize(repeating: 0, count: group)
    guard start < end else { return }
    target[0] = UInt(source[end - 1])
    var length = 1
    for position in stride(from: end - 2, through: start, by: -1) {
      target[length] = gmpn_multiply_small(target, target, length, UInt(DecimalNumber.base))
      length += 1
      _ = gmpn_add_small(target, target, length, UInt(source[position]))
    }
  }

  /// Where a polynomial is evaluated.
  private struct Point {
    /// Whether its coefficients are in reversed order.
    var isReversed: Bool
    /// Whether at −y.
    var isNegative: Bool
  }

  /// A value of a polynomial, without its sign.
  private struct Value: Sendable {
    var limbs: LimbBuffer
    var isNegative: Bool
  }

  /// What the factors are at a point, without their signs, and the sign of the product.
  private struct FactorValues {
    let left: LimbBuffer
    let right: LimbBuffer
    let isNegative: Bool

    init(_ factors: Factors, at point: Point) {
      let first = value(of: factors.long, at: point)
      let second =
        factors.long.even === factors.short.even ? first : value(of: factors.short, at: point)
      (left, right) = (first.limbs, second.limbs)
      isNegative = first.isNegative != second.isNegative
    }

    var productLimbs: Int { left.count + right.count }

    func product() -> LimbBuffer {
      let result = LimbBuffer(count: productLimbs)
      if left === right {
        gmpn_square(result.limbs, left.limbs, left.count)
      } else {
        gmpn_multiply(result.limbs, left.limbs, left.count, right.limbs, right.count)
      }
      return result
    }
  }

  /// The value of a factor.
  ///
  /// It has an even number of coefficients, so that reversing it makes even powers of the odd ones.
  private static func value(of parts: Parts, at point: Point) -> Value {
    let count = parts.pairs * group
    let result = LimbBuffer(count: count + shift)
    var upper = parts.odd
    if point.isReversed {
      reverse(parts.odd, into: result.limbs)
      upper = LimbBuffer(count: count)
      reverse(parts.even, into: upper.limbs)
    } else {
      result.limbs.update(from: parts.even.limbs, count: count)
    }
    (result.limbs + count).update(repeating: 0, count: shift)
    let target = result.limbs + shift
    guard point.isNegative else {
      let carry = gmpn_add_n(target, target, upper.limbs, count)
      precondition(carry == 0, "the uppermost coefficient leaves room")
      return Value(limbs: result, isNegative: false)
    }
    let borrow = gmpn_sub_n(target, target, upper.limbs, count)
    if borrow != 0 { _ = gmpn_neg(result.limbs, result.limbs, result.count) }
    return Value(limbs: result, isNegative: borrow != 0)
  }

  private static func reverse(_ source: LimbBuffer, into target: UnsafeMutablePointer<UInt>) {
    let count = source.count / group
    for index in 0..<count {
      (target + index * group).update(
        from: source.limbs + (count - 1 - index) * group, count: group)
    }
  }

  /// Takes a polynomial's values at y and −y apart: even powers give half their sum, odd ones half
  /// their difference; nil if they are of no polynomial.
  private static func separated(_ plus: Value, _ minus: Value) -> KroneckerHalves? {
    let (sum, count) = (plus.limbs, plus.limbs.count)
    let difference = LimbBuffer(count: count)
    let borrow = gmpn_sub_n(difference.limbs, sum.limbs, minus.limbs.limbs, count)
    let carry = gmpn_add_n(sum.limbs, sum.limbs, minus.limbs.limbs, count)
    // No value at −y exceeds the one at y.
    guard borrow == 0, carry == 0 else { return nil }
    for half in [sum, difference] {
      guard gmpn_shift_right(half.limbs, half.limbs, count, 1) == 0 else { return nil }
    }
    return minus.isNegative
      ? KroneckerHalves(even: difference, odd: sum) : KroneckerHalves(even: sum, odd: difference)
  }
}
