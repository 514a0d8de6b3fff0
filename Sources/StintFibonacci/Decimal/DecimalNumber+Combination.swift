import StintRuntime

extension DecimalNumber {
  /// α·a + β·b + constant, limb by limb with a carry; two threads take a half each.
  ///
  /// - Precondition: The coefficients are −30 to 30, the constant −2 to 2, and the result at least
  ///   zero.
  static func combination(
    _ alpha: Int, _ a: DecimalNumber, _ beta: Int, _ b: DecimalNumber, plus constant: Int,
    threads: Int
  ) -> DecimalNumber {
    let count = max(a.limbCount, b.limbCount) + 1
    return DecimalNumber(limbCount: count) { sum in
      // Each thread writes limbs of its own.
      nonisolated(unsafe) let target = sum.baseAddress!
      let parts = count >= leastSharedLimbs ? max(threads, 1) : 1
      let starts = (0...parts).map { count * $0 / parts }
      // A part begins with no carry; what the one below carries over is added afterwards.
      let carries = Parallel.each(count: parts, threads: threads) { part in
        combine(
          alpha, a.limbBuffer, beta, b.limbBuffer, carry: part == 0 ? constant : 0,
          limbs: starts[part]..<starts[part + 1], into: target)
      }
      for (part, carry) in carries.enumerated() {
        carryOver(carry, from: starts[part + 1], to: count, in: target)
      }
    }
  }

  /// Below this size, waking a thread costs more than it brings.
  private static let leastSharedLimbs = 16_384

  /// Combines the limbs of a range.
  ///
  /// - Returns: What is carried over to the limb above it.
  private static func combine(
    _ alpha: Int, _ a: UnsafeBufferPointer<UInt64>, _ beta: Int, _ b: UnsafeBufferPointer<UInt64>,
    carry: Int, limbs: Range<Int>, into target: UnsafeMutablePointer<UInt64>
  ) -> Int {
    var carry = Int64(carry)
    let (alpha, beta) = (Int64(alpha), Int64(beta))
    let both = limbs.clamped(to: 0..<min(a.count, b.count))
    let longer = a.count > b.count ? a : b
    let tail = limbs.clamped(to: both.upperBound..<max(longer.count, both.upperBound))
    if let a = a.baseAddress, let b = b.baseAddress {
      carry = combine(alpha, a, beta, b, carry: carry, limbs: both, into: target)
    }
    if let longer = longer.baseAddress {
      let factor = a.count > b.count ? alpha : beta
      carry = combine(factor, longer, 0, longer, carry: carry, limbs: tail, into: target)
    }
    for index in max(limbs.lowerBound, longer.count)..<max(limbs.upperBound, longer.count) {
      carry = split(UInt64(bitPattern: carry), estimate: 0, into: target + index)
    }
    return Int(carry)
  }

  /// The loop of it: numbers of one type, without a division, which is fast in any build.
  private static func combine(
    _ alpha: Int64, _ a: UnsafePointer<UInt64>, _ beta: Int64, _ b: UnsafePointer<UInt64>,
    carry: Int64, limbs: Range<Int>, into target: UnsafeMutablePointer<UInt64>
  ) -> Int64 {
    var carry = carry
    let (lowAlpha, lowBeta) = (UInt64(bitPattern: alpha), UInt64(bitPattern: beta))
    var index = limbs.lowerBound
    let end = limbs.upperBound
    while index < end {
      let (x, y) = (a[index], b[index])
      let low = lowAlpha &* x &+ lowBeta &* y &+ UInt64(bitPattern: carry)
      let high = alpha &* Int64(bitPattern: x >> 34) &+ beta &* Int64(bitPattern: y >> 34)
      carry = split(low, estimate: (high &* 61_897_001) >> 55, into: target + index)
      index += 1
    }
    return carry
  }

  /// Leaves a limb of a sum.
  ///
  /// - Parameters:
  ///   - low: The sum modulo 2^64.
  ///   - estimate: The quotient of the sum by the base, or one more or less. 61897001/2^55 is a
  ///     little less than 2^34/base.
  ///   - limb: Receives what the quotient leaves.
  /// - Returns: The quotient.
  @inline(__always)
  private static func split(
    _ low: UInt64, estimate: Int64, into limb: UnsafeMutablePointer<UInt64>
  ) -> Int64 {
    let rest = low &- UInt64(bitPattern: estimate) &* base
    if rest < base {
      limb.pointee = rest
      return estimate
    }
    // A rest below zero is just below 2^64, far above one that is a base too large.
    if rest >= 0 &- (base >> 8) {
      limb.pointee = rest &+ base
      return estimate - 1
    }
    limb.pointee = rest &- base
    return estimate + 1
  }

  /// Adds a small number to limbs that are finished.
  private static func carryOver(
    _ carry: Int, from start: Int, to end: Int, in limbs: UnsafeMutablePointer<UInt64>
  ) {
    var carry = Int64(carry)
    var index = start
    while carry != 0 {
      precondition(index < end, "the result is at least zero and has room")
      carry = combine(1, limbs, 0, limbs, carry: carry, limbs: index..<index + 1, into: limbs)
      index += 1
    }
  }
}
