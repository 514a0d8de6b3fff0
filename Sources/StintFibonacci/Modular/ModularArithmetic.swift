/// Arithmetic modulo a 64-bit prime, with 128-bit products.
package struct ModularArithmetic: Hashable, Sendable {
  package let modulus: UInt64

  /// The largest prime below 2^64: checks of pairs and pieces.
  package static let word = ModularArithmetic(modulus: 18_446_744_073_709_551_557)

  /// The Mersenne prime 2^61 − 1: checks of text, where its cheap reduction counts.
  package static let mersenne = ModularArithmetic(modulus: (1 << 61) - 1)

  package init(modulus: UInt64) {
    precondition(modulus > 2, "the modulus is an odd prime")
    self.modulus = modulus
  }

  package func add(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow || sum >= modulus ? sum &- modulus : sum
  }

  package func subtract(_ a: UInt64, _ b: UInt64) -> UInt64 {
    a >= b ? a - b : a &- b &+ modulus
  }

  package func multiply(_ a: UInt64, _ b: UInt64) -> UInt64 {
    modulus.dividingFullWidth(a.multipliedFullWidth(by: b)).remainder
  }

  package func power(_ base: UInt64, _ exponent: Int) -> UInt64 {
    power(base, exponent: UInt64(exponent))
  }

  package func power(_ base: UInt64, exponent: UInt64) -> UInt64 {
    var result: UInt64 = 1
    var square = base % modulus
    var rest = exponent
    while rest > 0 {
      if rest & 1 == 1 { result = multiply(result, square) }
      square = multiply(square, square)
      rest >>= 1
    }
    return result
  }

  /// F(n) and F(n−1) by fast doubling; F(−1) is 1.
  package func fibonacci(_ n: Int) -> (value: UInt64, previous: UInt64) {
    var current: UInt64 = 0
    var previous: UInt64 = 1
    var index = 0
    for shift in stride(from: Int.bitWidth - n.leadingZeroBitCount - 1, through: 0, by: -1) {
      let square = multiply(current, current)
      let previousSquare = multiply(previous, previous)
      let low = add(square, previousSquare)
      let four = multiply(4, square)
      let sign =
        index & 1 == 1
        ? subtract(subtract(four, previousSquare), 2) : add(subtract(four, previousSquare), 2)
      index = n >> shift
      (current, previous) =
        index & 1 == 1 ? (sign, subtract(sign, low)) : (subtract(sign, low), low)
    }
    return (current, previous)
  }

  /// Whether x² − xy − y² is 1 or −1 with the sign that x = F(k), y = F(k−1) must have; the index
  /// is k.
  package func isFibonacciPair(_ pair: (value: UInt64, previous: UInt64), index: Int) -> Bool {
    let (x, y) = pair
    let form = subtract(
      subtract(multiply(x, x), multiply(x, y)), multiply(y, y))
    return form == (index & 1 == 1 ? 1 : modulus - 1)
  }
}
