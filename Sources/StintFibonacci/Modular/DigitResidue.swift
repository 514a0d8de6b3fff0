import StintCore

/// The value of a growing text of decimal digits modulo 2^61 − 1, eighteen digits at a time.
struct DigitResidue: Hashable, Sendable {
  /// The value of the digits so far.
  private(set) var value: UInt64

  init(value: UInt64 = 0) {
    self.value = value
  }

  private static let prime: UInt64 = (1 << 61) - 1
  private static let ten18: UInt64 = 1_000_000_000_000_000_000
  private static let ten19: UInt64 = 10_000_000_000_000_000_000 % prime

  /// Goes on with more digits.
  ///
  /// - Returns: False if a byte is not a digit; the value is then meaningless.
  mutating func append(_ text: UnsafeRawBufferPointer) -> Bool {
    var strange: UInt8 = 0
    var index = 0
    while index + 18 <= text.count {
      let group = Self.parse(text, from: index, count: 18, strange: &strange)
      value = Self.reduce(value.multipliedFullWidth(by: Self.ten18), plus: group)
      index += 18
    }
    var scale: UInt64 = 1
    for _ in index..<text.count { scale *= 10 }
    let group = Self.parse(text, from: index, count: text.count - index, strange: &strange)
    value = Self.reduce(value.multipliedFullWidth(by: scale), plus: group)
    return strange == 0
  }

  /// Goes on with the nineteen digits of a limb.
  @inline(__always)
  mutating func append(limb: UInt64) {
    let folded = (limb & Self.prime) &+ (limb >> 61)
    value = Self.reduce(value.multipliedFullWidth(by: Self.ten19), plus: folded)
  }

  /// Goes on with digits whose value and number are known.
  mutating func append(residue: UInt64, digitCount: Int) {
    let modular = ModularArithmetic.mersenne
    value = modular.add(modular.multiply(value, modular.power(10, digitCount)), residue)
  }

  @inline(__always)
  private static func parse(
    _ text: UnsafeRawBufferPointer, from start: Int, count: Int, strange: inout UInt8
  ) -> UInt64 {
    var group: UInt64 = 0
    for offset in start..<start + count {
      let digit = text[offset] &- 48
      strange |= digit > 9 ? 1 : 0
      group = group &* 10 &+ UInt64(digit)
    }
    return group
  }

  /// A product below 2^61 · 2^61 and an addend below 2^61 + 8, modulo 2^61 − 1.
  @inline(__always)
  private static func reduce(_ product: (high: UInt64, low: UInt64), plus addend: UInt64) -> UInt64
  {
    let upper = product.high << 3 | product.low >> 61
    var sum = (product.low & prime) &+ upper &+ addend
    sum = (sum & prime) &+ (sum >> 61)
    return sum >= prime ? sum &- prime : sum
  }
}
