import Foundation
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

/// The decimal numbers that are computed, against other ways to know them.
///
/// The long form (`scripts/check full_size`) takes every position up to 200,000 instead of one in
/// forty-one up to 60,000, 1,000 random ones up to 10^8 instead of twenty up to 3·10^6, and
/// F(10^9).
@Suite("Fibonacci: many positions, and large ones", .serialized)
struct FullSizeTests {
  static let isFull = ProcessInfo.processInfo.environment["STINT_FULL"] != nil

  @Test("W8 F(n) for n from 0 upward against plain addition")
  func plainAddition() throws {
    var plain = PlainAddition(digitsAtMost: FibonacciLength.digits(200_000) + 1)
    let last = Self.isFull ? 200_000 : 60_000
    for n in 0...last {
      if Self.isFull || n % 41 == 0 || n > last - 10 {
        let doubling = Doubling<DecimalNumber>(n: n, wantsPair: false)
        var state = doubling.start()
        while state.remainingBits > 0 {
          state = try doubling.advanced(state, atMost: .infinity, threads: 1).state
        }
        try #require(plain.isEqual(to: state.current.limbBuffer), "n = \(n)")
      }
      if n % (Self.isFull ? 499 : 9973) == 0 {
        try #require(try FibonacciComputation.small(n, block: 700).text() == plain.text + "\n")
      }
      plain.advance()
    }
  }

  @Test("W8 F(n) for random n up to 10^8 against GMP's own function")
  func random() throws {
    let seed: UInt64 = 0xf1b0_0a11
    var generator = SplitMix64(seed: seed)
    for round in 0..<(Self.isFull ? 1000 : 20) {
      // As many of each length.
      let exponent = Double.random(in: 3...(Self.isFull ? 8 : 6.5), using: &generator)
      let n = Int(pow(10, exponent))
      let threads = 1 + round % 2
      let length: Int? = round % 3 == 0 ? 1000 : nil
      let computation = try FibonacciComputation.small(
        n, block: 1 << 18, threads: threads, splitFrom: length)
      let largest = length == nil ? 1e18 : GMPCost.squaring(bits: n / 4)
      let bytes = try computation.uninterrupted(atMost: largest, threads: threads)
      let expected = BigInteger.fibonacciByGMP(n).decimalText.utf8
      try #require(
        bytes.dropLast().elementsEqual(expected), "seed \(seed), round \(round): n = \(n)")
    }
  }

  /// The three largest primes below 2^61.
  static let primes: [UInt64] = [
    2_305_843_009_213_693_951, 2_305_843_009_213_693_921, 2_305_843_009_213_693_907,
  ]

  @Test("W8 the text of F(10^9) modulo primes, and its sum of digits", .enabled(if: isFull))
  func billion() throws {
    let n = 1_000_000_000
    let computation = FibonacciComputation(try FibonacciIndex(n), threads: 2) { _, _ in }
    let workspace = MemoryWorkspace()
    // The products of the last steps are done in pieces.
    let bytes = try computation.uninterrupted(workspace, atMost: 2e9, threads: 2)
    #expect(bytes.count == 208_987_641)
    try Self.expect(bytes.dropLast(), isFibonacci: n)
  }

  @Test("W8 the text of F(10^7), done in pieces, modulo primes, and its sum of digits")
  func tenMillion() throws {
    let n = 10_000_000
    let computation = try FibonacciComputation.small(
      n, block: 1 << 18, threads: 2, splitFrom: 1 << 14)
    let bytes = try computation.uninterrupted(atMost: 1e7, threads: 2)
    #expect(bytes.count == 2_089_878)
    try Self.expect(bytes.dropLast(), isFibonacci: n)
  }

  private static func expect(_ text: ArraySlice<UInt8>, isFibonacci n: Int) throws {
    for prime in primes {
      let modular = ModularArithmetic(modulus: prime)
      let value = text.withUnsafeBufferPointer { residue(of: $0, modular) }
      #expect(value == MatrixFibonacci.value(n, modulo: prime), "modulo \(prime)")
    }
    var sum = 0
    text.withUnsafeBufferPointer { text in
      var index = 0
      while index < text.count {
        sum &+= Int(text[index]) &- 48
        index &+= 1
      }
    }
    // The sum of digits and the number are the same modulo 9; the period of F modulo 9 is 24.
    var pair = (0, 1)
    for _ in 0..<n % 24 { pair = (pair.1, (pair.0 + pair.1) % 9) }
    #expect(sum % 9 == pair.0)
  }

  private static func residue(
    of text: UnsafeBufferPointer<UInt8>, _ modular: ModularArithmetic
  ) -> UInt64 {
    var value: UInt64 = 0
    var index = 0
    while index < text.count {
      let end = min(index + 17, text.count)
      var group: UInt64 = 0
      var scale: UInt64 = 1
      while index < end {
        group = group &* 10 &+ UInt64(text[index]) &- 48
        scale = scale &* 10
        index &+= 1
      }
      value = modular.add(modular.multiply(value, scale), group)
    }
    return value
  }
}

/// F(n) by addition in base 10^19, and nothing else.
private struct PlainAddition {
  private static let base: UInt64 = 10_000_000_000_000_000_000
  private var current: [UInt64]
  private var previous: [UInt64]
  private var count = 0

  /// Begins with F(0), after F(−1).
  init(digitsAtMost digits: Int) {
    current = [UInt64](repeating: 0, count: digits / 19 + 2)
    previous = current
    previous[0] = 1
  }

  /// Goes on to the next position.
  mutating func advance() {
    let used = max(count, 1)
    let carry = current.withUnsafeBufferPointer { current in
      previous.withUnsafeMutableBufferPointer { previous in
        var carry: UInt64 = 0
        var index = 0
        while index < used {
          let (sum, overflow) = current[index].addingReportingOverflow(previous[index] &+ carry)
          carry = overflow || sum >= Self.base ? 1 : 0
          previous[index] = carry == 1 ? sum &- Self.base : sum
          index &+= 1
        }
        return carry
      }
    }
    previous[used] = carry
    count = carry == 1 ? used + 1 : used
    swap(&current, &previous)
  }

  func isEqual(to limbs: UnsafeBufferPointer<UInt64>) -> Bool {
    let count = current[0] == 0 && self.count <= 1 ? 0 : self.count
    guard limbs.count == count, let other = limbs.baseAddress else { return count == limbs.count }
    return memcmp(current, other, 8 * count) == 0
  }

  var text: String {
    var text = String(current[max(count, 1) - 1])
    for limb in current[..<max(count - 1, 0)].reversed() {
      let digits = String(limb)
      text += String(repeating: "0", count: 19 - digits.count) + digits
    }
    return text
  }
}
