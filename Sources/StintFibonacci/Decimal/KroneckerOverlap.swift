import CGMP

/// Takes coefficients out of a sum in which each overlaps the next, given the same sum with the
/// order reversed.
///
/// With X = 2^1024 and coefficients w_0, …, w_{L−1} below X²/2 there are a = Σ w_j·X^j and c = Σ
/// w_j·X^{L−1−j}. Each w_j has a lower half l_j and an upper one t_j. From below, once w_0, …,
/// w_{j−1} are taken from a, its digit at j is l_j. From above, once they are taken from c, what is
/// left is t_j·X^{L−j} + l_j·X^{L−1−j} + less than X^{L−j}, which with l_j known gives t_j. So the
/// halves follow from each other in turn (Harvey, section 3.4). At the end nothing is left of
/// either sum; that is checked, and finds products that were wrong and halves that are not of one
/// product.
enum KroneckerOverlap {
  private static let group = Kronecker.group

  /// Finds the coefficients; the reversed sum is used up.
  ///
  /// - Parameters:
  ///   - sum: a, with one digit more than there are coefficients.
  ///   - reversed: c, of as many digits.
  ///   - count: L.
  ///   - room: For how many coefficients the result is; those above L are zero.
  /// - Returns: The coefficients side by side, each as wide as two digits; nil if the sums
  ///   contradict each other.
  static func resolved(
    _ sum: UnsafeMutablePointer<UInt>, reversed: UnsafeMutablePointer<UInt>, count: Int, room: Int
  ) -> LimbBuffer? {
    let result = LimbBuffer(count: 2 * group * room)
    let isConsistent = withUnsafeTemporaryAllocation(of: UInt.self, capacity: 2 * group) { space in
      // The upper half of the coefficient before, and what is left at the top of c.
      let (upper, left) = (space.baseAddress!, space.baseAddress! + group)
      upper.update(repeating: 0, count: group)
      left.update(from: reversed + count * group, count: group)
      var borrow: UInt = 0
      for index in 0..<count {
        let lower = result.limbs + 2 * group * index
        borrow = subtract(upper, borrow, from: sum + index * group, into: lower)
        let digit = reversed + (count - 1 - index) * group
        let isBorrowed = gmpn_sub_n(digit, digit, lower, group)
        let exceeds = gmpn_sub_small(upper, left, group, isBorrowed)
        if exceeds != 0 { return false }
        (lower + group).update(from: upper, count: group)
        left.update(from: digit, count: group)
      }
      borrow = subtract(upper, borrow, from: sum + count * group, into: upper)
      return borrow == 0 && (0..<group).allSatisfy { upper[$0] == 0 && left[$0] == 0 }
    }
    guard isConsistent else { return nil }
    (result.limbs + 2 * group * count).update(repeating: 0, count: 2 * group * (room - count))
    return result
  }

  /// A digit less another and a borrow; returns the borrow from the digit above.
  private static func subtract(
    _ other: UnsafeMutablePointer<UInt>, _ borrow: UInt, from digit: UnsafeMutablePointer<UInt>,
    into target: UnsafeMutablePointer<UInt>
  ) -> UInt {
    let first = gmpn_sub_n(target, digit, other, group)
    return first + gmpn_sub_small(target, target, group, borrow)
  }
}
