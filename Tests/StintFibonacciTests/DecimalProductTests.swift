import StintCore
import Testing

@testable import StintFibonacci

@Suite("Products of decimal numbers")
struct DecimalProductTests {
  private static let base = DecimalNumber.base

  /// The product by the method of school, limb by limb.
  private func schoolProduct(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
    var result = [UInt64](repeating: 0, count: left.count + right.count)
    for (i, a) in left.enumerated() {
      var carry: UInt64 = 0
      for (j, b) in right.enumerated() {
        // Below 10^38 + 2·10^19, which two words hold.
        var (high, low) = a.multipliedFullWidth(by: b)
        for addend in [result[i + j], carry] {
          let (sum, overflow) = low.addingReportingOverflow(addend)
          low = sum
          high += overflow ? 1 : 0
        }
        let (quotient, rest) = Self.base.dividingFullWidth((high, low))
        result[i + j] = rest
        carry = quotient
      }
      result[i + right.count] = carry
    }
    while result.last == 0 { result.removeLast() }
    return result
  }

  private func expectRight(_ left: [UInt64], _ right: [UInt64], _ what: Comment) {
    let (first, second) = (DecimalNumber(limbs: left), DecimalNumber(limbs: right))
    let expected = schoolProduct(left, right)
    for threads in [1, 2, 3] {
      let product = DecimalNumber.product(first, second, threads: threads)
      #expect(product.limbs == expected, what)
    }
    let square = DecimalNumber.product(first, first, threads: 2)
    #expect(square.limbs == schoolProduct(left, left), what)
  }

  private static let lengths = [1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 65, 160]

  @Test("products of lengths around a group are those of school", arguments: lengths)
  func lengthsAroundGroups(_ length: Int) {
    var random = SplitMix64(seed: UInt64(length))
    for other in Self.lengths {
      let left = (0..<length).map { _ in UInt64.random(in: 1..<Self.base, using: &random) }
      let right = (0..<other).map { _ in UInt64.random(in: 1..<Self.base, using: &random) }
      expectRight(left, right, "\(length) by \(other) limbs")
    }
  }

  @Test("the largest coefficients, and numbers that are nearly all zeros")
  func extremes() {
    for length in [1, 16, 17, 32, 100, 320] {
      let largest = [UInt64](repeating: Self.base - 1, count: length)
      let power = [UInt64](repeating: 0, count: length - 1) + [1]
      var sparse = power
      sparse[0] = Self.base - 1
      for left in [largest, power, sparse] {
        for right in [largest, power, sparse] { expectRight(left, right, "\(length) limbs") }
      }
      // The value at −y is below zero where the odd coefficients prevail.
      let odd = (0..<length).map { $0 / 16 % 2 == 1 ? Self.base - 1 : 0 } + [1]
      let even = (0..<length).map { $0 / 16 % 2 == 0 ? Self.base - 1 : 0 } + [1]
      expectRight(odd, even, "odd and even groups of \(length) limbs")
      expectRight(odd, largest, "odd groups of \(length) limbs")
    }
  }

  @Test("a long product on several threads: (10^k − 1)² = 10^2k − 2·10^k + 1", arguments: [1, 2])
  func longSquare(threads: Int) {
    let length = 50_000
    let number = DecimalNumber(limbs: [UInt64](repeating: Self.base - 1, count: length))
    let expected =
      [1] + [UInt64](repeating: 0, count: length - 1) + [Self.base - 2]
      + [UInt64](repeating: Self.base - 1, count: length - 1)
    #expect(DecimalNumber.product(number, number, threads: threads).limbs == expected)
  }

  @Test("a long product of random numbers has the residues of its factors")
  func longProduct() {
    var random = SplitMix64(seed: 7)
    let modular = DecimalNumber.modular
    for (length, other) in [(30_000, 30_000), (40_001, 39_990), (65_536, 300)] {
      let (left, right) = (random.number(limbs: length), random.number(limbs: other))
      let product = DecimalNumber.product(left, right, threads: 2)
      #expect(product.residue() == modular.multiply(left.residue(), right.residue()))
    }
  }

  @Test("coefficients that overlap are taken apart, whatever halves they have")
  func overlap() throws {
    var random = SplitMix64(seed: 11)
    for count in [1, 2, 3, 40] {
      for kind in 0..<3 {
        let words = OverlapWords(count: count, kind: kind, using: &random)
        let result = try #require(
          KroneckerOverlap.resolved(
            words.sum.limbs, reversed: words.reversed.limbs, count: count, room: count + 1))
        let limbs = (0..<result.count).map { result.limbs[$0] }
        let zero = [UInt](repeating: 0, count: 2 * Kronecker.group)
        #expect(limbs == words.coefficients.flatMap { $0 } + zero, "\(count) of kind \(kind)")
      }
    }
  }

  @Test("sums that contradict each other are not taken apart")
  func contradiction() {
    var random = SplitMix64(seed: 11)
    for limb in [0, 15, 16, 40, 95] {
      let words = OverlapWords(count: 5, kind: 0, using: &random)
      words.reversed.limbs[limb] ^= 1 << 20
      let result = KroneckerOverlap.resolved(
        words.sum.limbs, reversed: words.reversed.limbs, count: 5, room: 5)
      #expect(result == nil, "limb \(limb)")
    }
  }
}

extension SplitMix64 {
  fileprivate mutating func number(limbs: Int) -> DecimalNumber {
    DecimalNumber(
      limbs: (0..<limbs).map { _ in UInt64.random(in: 1..<DecimalNumber.base, using: &self) })
  }
}

/// Coefficients below 2^2047 and their two sums, which overlap by half.
private struct OverlapWords {
  var coefficients: [[UInt]] = []
  let sum: LimbBuffer
  let reversed: LimbBuffer

  init(count: Int, kind: Int, using random: inout SplitMix64) {
    let group = Kronecker.group
    for _ in 0..<count {
      var words = (0..<2 * group).map { _ in UInt(random.next()) }
      switch kind {
      case 0: break
      case 1: words = words.map { _ in .max }
      default: for index in words.indices where index != group - 1 { words[index] = 0 }
      }
      words[2 * group - 1] >>= 1
      coefficients.append(words)
    }
    sum = Self.sum(coefficients)
    reversed = Self.sum(coefficients.reversed())
  }

  private static func sum(_ coefficients: [[UInt]]) -> LimbBuffer {
    let group = Kronecker.group
    let result = LimbBuffer(count: group * (coefficients.count + 1))
    result.limbs.initialize(repeating: 0, count: result.count)
    for (position, words) in coefficients.enumerated() {
      var carry: UInt = 0
      for (index, word) in words.enumerated() {
        let target = result.limbs + position * group + index
        let (first, one) = target.pointee.addingReportingOverflow(word)
        let (second, two) = first.addingReportingOverflow(carry)
        target.pointee = second
        carry = (one ? 1 : 0) + (two ? 1 : 0)
      }
      // The next coefficient of the sum reaches higher than this one, and takes the carry.
      if carry > 0, position * group + words.count < result.count {
        result.limbs[position * group + words.count] += carry
      }
    }
    return result
  }
}
