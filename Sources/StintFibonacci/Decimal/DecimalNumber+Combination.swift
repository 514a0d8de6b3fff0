import Stint

extension DecimalNumber {
  /// α·a + β·b + constant, limb by limb with a carry; two threads take a half each.
  ///
  /// - Precondition: The coefficients are −2 to 4, the constant −2 to 2, and the result at least zero.
  static func combination(
    _ alpha: Int, _ a: DecimalNumber, _ beta: Int, _ b: DecimalNumber, plus constant: Int,
    threads: Int
  ) -> DecimalNumber {
    let count = max(a.limbCount, b.limbCount) + 1
    return DecimalNumber(limbCount: count) { sum in
      let target = LimbPointer(sum.baseAddress!)
      let parts = count >= leastSharedLimbs ? max(threads, 1) : 1
      let starts = (0...parts).map { count * $0 / parts }
      // A part begins with no carry; what the one below carries over is added afterwards.
      let carries = Parallel.each(count: parts, threads: threads) { part in
        combine(
          alpha, a.limbBuffer, beta, b.limbBuffer, carry: part == 0 ? constant : 0,
          limbs: starts[part]..<starts[part + 1], into: target.value)
      }
      for (part, carry) in carries.enumerated() {
        carryOver(carry, from: starts[part + 1], to: count, in: target.value)
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
    var carry = Int128(carry)
    let (alpha, beta) = (Int128(alpha), Int128(beta))
    for index in limbs {
      var sum = carry
      if index < a.count { sum += alpha * Int128(a[index]) }
      if index < b.count { sum += beta * Int128(b[index]) }
      (carry, target[index]) = split(sum)
    }
    return Int(carry)
  }

  /// Takes a small multiple of the base out of a sum, so that a limb is left.
  @inline(__always)
  private static func split(_ sum: Int128) -> (carry: Int128, limb: UInt64) {
    // 7555 / 2^16 is a little less than 2^60 / base, so the estimate is right or one too small.
    let estimate = (Int(truncatingIfNeeded: sum >> 60) * 7555) >> 16
    let rest = sum - Int128(estimate) * Int128(base)
    if rest >= Int128(base) { return (Int128(estimate + 1), UInt64(rest - Int128(base))) }
    if rest < 0 { return (Int128(estimate - 1), UInt64(rest + Int128(base))) }
    return (Int128(estimate), UInt64(rest))
  }

  /// Adds a small number to limbs that are finished.
  private static func carryOver(
    _ carry: Int, from start: Int, to end: Int, in limbs: UnsafeMutablePointer<UInt64>
  ) {
    var carry = Int128(carry)
    var index = start
    while carry != 0 {
      precondition(index < end, "the result is at least zero and has room")
      (carry, limbs[index]) = split(Int128(limbs[index]) + carry)
      index += 1
    }
  }
}

/// A place that threads write to, each its own part.
struct LimbPointer: @unchecked Sendable {
  // Unchecked: whoever shares it gives every thread limbs of its own.
  let value: UnsafeMutablePointer<UInt64>

  init(_ value: UnsafeMutablePointer<UInt64>) {
    self.value = value
  }
}
