import CGMP
import StintRuntime

extension Kronecker {
  /// Binary limbs of what is carried from a coefficient to the next: a coefficient and a carry over
  /// R.
  private static let carryLimbs = 2 * group + 2 - group + 1

  /// Powers of ten in binary.
  private struct Powers: Sendable {
    /// R = 10^304, and its root 10^152.
    let whole: LimbBuffer
    let half: LimbBuffer

    init() {
      func limbs(_ exponent: Int) -> LimbBuffer {
        let power = BigInteger.powerOfTen(exponent)
        let buffer = LimbBuffer(count: power.limbBytes / 8)
        UnsafeMutableRawBufferPointer(start: buffer.limbs, count: power.limbBytes)
          .copyMemory(from: power.limbBuffer)
        return buffer
      }
      whole = limbs(group * DecimalNumber.limbDigits)
      half = limbs(group / 2 * DecimalNumber.limbDigits)
      precondition(whole.count == group && half.count == group / 2, "as long as in base 10^19")
    }
  }

  private static let powers = Powers()

  /// The digits of h(R) from its coefficients; nil if those are not of a product.
  static func carried(_ coefficients: KroneckerHalves, threads: Int) -> DecimalNumber? {
    let groups = 2 * coefficients.pairs
    let (even, odd) = (coefficients.even, coefficients.odd)
    let parts = min(max(threads, 1), groups)
    let starts = (0...parts).map { groups * $0 / parts }
    var hasRoom = true
    let number = DecimalNumber(limbCount: groups * group) { limbs in
      // Each thread writes limbs of its own.
      nonisolated(unsafe) let target = limbs.baseAddress!
      let carries = Parallel.each(count: parts, threads: threads) { part in
        carry(even, odd, groups: starts[part]..<starts[part + 1], into: target)
      }
      for (part, carry) in carries.enumerated() {
        if !add(carry, to: limbs, from: starts[part + 1] * group) { hasRoom = false }
      }
    }
    return hasRoom ? number : nil
  }

  /// Carries out a range of coefficients, beginning with no carry.
  ///
  /// - Returns: What is carried to the coefficient above them, in binary.
  private static func carry(
    _ even: LimbBuffer, _ odd: LimbBuffer, groups: Range<Int>,
    into target: UnsafeMutablePointer<UInt64>
  ) -> [UInt] {
    var carry = [UInt](repeating: 0, count: carryLimbs)
    let room = 2 * group + 2
    withUnsafeTemporaryAllocation(of: UInt.self, capacity: room + 2 * group) { space in
      let sum = space.baseAddress!
      let rest = sum + room
      carry.withUnsafeMutableBufferPointer { carry in
        let carry = carry.baseAddress!
        for index in groups {
          let coefficient = (index & 1 == 0 ? even : odd).limbs + (index >> 1) * 2 * group
          sum[room - 2] = 0
          sum[room - 1] = 0
          sum.update(from: coefficient, count: 2 * group)
          _ = gmpn_add(sum, sum, room, carry, carryLimbs)
          divide(sum, room, by: powers.whole, quotient: carry, carryLimbs, rest: rest)
          unpack(rest, scratch: sum, into: target + index * group)
        }
      }
    }
    return carry
  }

  /// Divides, leaving out zeros at the top of the dividend.
  private static func divide(
    _ dividend: UnsafeMutablePointer<UInt>, _ count: Int, by divisor: LimbBuffer,
    quotient: UnsafeMutablePointer<UInt>, _ quotientCount: Int,
    rest: UnsafeMutablePointer<UInt>
  ) {
    var used = count
    while used > divisor.count, dividend[used - 1] == 0 { used -= 1 }
    gmpn_divide(quotient, rest, dividend, used, divisor.limbs, divisor.count)
    let written = used - divisor.count + 1
    (quotient + written).update(repeating: 0, count: quotientCount - written)
  }

  /// Converts a number below R to limbs of base 10^19.
  private static func unpack(
    _ number: UnsafeMutablePointer<UInt>, scratch: UnsafeMutablePointer<UInt>,
    into target: UnsafeMutablePointer<UInt64>
  ) {
    let half = group / 2
    // The quotient has half a group and a zero, the remainder half a group.
    let (upper, lower) = (scratch, scratch + half + 1)
    divide(number, group, by: powers.half, quotient: upper, half + 1, rest: lower)
    for (part, start) in [(lower, 0), (upper, half)] {
      var length = half
      for index in 0..<half {
        target[start + index] = UInt64(
          gmpn_divide_small(part, part, length, UInt(DecimalNumber.base)))
        if part[length - 1] == 0, length > 1 { length -= 1 }
      }
    }
  }

  /// Adds a binary number to decimal limbs; false if they have no room for it.
  private static func add(
    _ number: [UInt], to limbs: UnsafeMutableBufferPointer<UInt64>, from start: Int
  ) -> Bool {
    var rest = number
    var index = start
    var carry: UInt64 = 0
    while carry > 0 || rest.contains(where: { $0 != 0 }) {
      if index >= limbs.count { return false }
      let digit = UInt64(gmpn_divide_small(&rest, rest, rest.count, UInt(DecimalNumber.base)))
      let (sum, overflow) = limbs[index].addingReportingOverflow(digit + carry)
      let exceeds = overflow || sum >= DecimalNumber.base
      limbs[index] = exceeds ? sum &- DecimalNumber.base : sum
      carry = exceeds ? 1 : 0
      index += 1
    }
    return true
  }
}
