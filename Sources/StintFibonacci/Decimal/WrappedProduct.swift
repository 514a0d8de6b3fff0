import CGMP

/// A product of binary numbers by way of its values modulo W − 1 and W + 1, with W = 2^(64·n).
///
/// Each takes half as long as the product itself: GMP's own products of large numbers consist of
/// the two, and it has functions for them. Where the product is below W² − 1 they determine it.
enum WrappedProduct {
  /// Whether this GMP is one whose functions are known to be these: they are not a part of its
  /// documented interface.
  static let exists = GMPVersion.major == 6

  /// The least number of limbs of W, and what it is a multiple of.
  static let unit = 16

  /// The limbs n of W for factors of so many, none above the other; a length that suits the
  /// transform.
  static func modulusLimbs(_ long: Int, _ short: Int) -> Int {
    let least = leastModulusLimbs(long, short)
    return gmpn_transform_size(least, gmpn_transform_depth(least, 0))
  }

  /// The fewest limbs of W for such factors: neither factor is reduced, and W² holds the product.
  static func leastModulusLimbs(_ long: Int, _ short: Int) -> Int {
    let least = max((long + short + 1) / 2, long)
    return (least + unit - 1) / unit * unit
  }

  /// The product modulo W − 1, in n limbs; W − 1 itself may stand for zero.
  static func minus(_ left: LimbBuffer, _ right: LimbBuffer, limbs: Int) -> LimbBuffer {
    let result = LimbBuffer(count: limbs)
    let scratch = LimbBuffer(count: 2 * limbs + 8)
    // What is shorter than n limbs is not filled up.
    result.limbs.initialize(repeating: 0, count: limbs)
    let (long, short) = left.count >= right.count ? (left, right) : (right, left)
    if left === right {
      gmpn_square_minus(result.limbs, limbs, left.limbs, left.count, scratch.limbs)
    } else {
      gmpn_multiply_minus(
        result.limbs, limbs, long.limbs, long.count, short.limbs, short.count, scratch.limbs)
    }
    return result
  }

  /// The product modulo W + 1, in n + 1 limbs.
  static func plus(_ left: LimbBuffer, _ right: LimbBuffer, limbs: Int) -> LimbBuffer {
    let result = LimbBuffer(count: limbs + 1)
    // The transform cuts W into 2^depth pieces of whole limbs.
    let best = Int(gmpn_transform_depth(limbs, left === right ? 1 : 0))
    let depth = min(best, limbs.trailingZeroBitCount)
    result.limbs[limbs] = gmpn_multiply_plus(
      result.limbs, limbs, left.limbs, left.count, right.limbs, right.count, CInt(depth))
    return result
  }

  /// The product from its two values.
  ///
  /// With s and d modulo W − 1 and W + 1 it is d + (W + 1)·t, where t is (s − d)/2 modulo W − 1.
  ///
  /// - Parameters:
  ///   - minus: s, in n limbs.
  ///   - plus: d, in n + 1 limbs.
  ///   - count: The limbs of the result, at most 2n.
  /// - Returns: nil if they are of no product that is so short.
  static func joined(minus: LimbBuffer, plus: LimbBuffer, count: Int) -> LimbBuffer? {
    let limbs = minus.count
    let result = LimbBuffer(count: count, spare: 2 * limbs - count)
    let (low, high) = (result.limbs, result.limbs + limbs)
    // W is 1 modulo W − 1, so a borrow from above takes one more away.
    var borrow = gmpn_sub_n(low, minus.limbs, plus.limbs, limbs)
    borrow += gmpn_sub_small(low, low, limbs, plus.limbs[limbs])
    _ = gmpn_sub_small(low, low, limbs, borrow)
    // W − 1 is odd, and half of it modulo itself is a rotation by a bit.
    let lowest = gmpn_shift_right(low, low, limbs, 1)
    low[limbs - 1] |= lowest
    if (0..<limbs).allSatisfy({ low[$0] == .max }) {
      low.update(repeating: 0, count: limbs)
    }
    high.update(from: low, count: limbs)
    let carry = gmpn_add(low, low, 2 * limbs, plus.limbs, limbs + 1)
    guard carry == 0, (count..<2 * limbs).allSatisfy({ result.limbs[$0] == 0 }) else { return nil }
    return result
  }
}
