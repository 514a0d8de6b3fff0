import StintCore
import Testing

@testable import StintFibonacci

@Suite("Products modulo W − 1 and W + 1")
struct WrappedProductTests {
  private static func buffer(_ limbs: [UInt]) -> LimbBuffer {
    let buffer = LimbBuffer(count: limbs.count)
    _ = UnsafeMutableBufferPointer(start: buffer.limbs, count: limbs.count).initialize(
      fromContentsOf: limbs)
    return buffer
  }

  private static func limbs(_ buffer: LimbBuffer) -> [UInt] {
    Array(UnsafeBufferPointer(start: buffer.limbs, count: buffer.count))
  }

  private static func integer(_ limbs: [UInt]) -> BigInteger {
    limbs.withUnsafeBytes { BigInteger(limbs: $0) }
  }

  private static func limbs(_ integer: BigInteger, count: Int) -> [UInt] {
    let words = Array(integer.limbBuffer.bindMemory(to: UInt.self))
    return words + [UInt](repeating: 0, count: count - words.count)
  }

  private static func factors(_ length: Int, _ random: inout SplitMix64) -> [[UInt]] {
    [
      (0..<length).map { _ in UInt(random.next()) },
      [UInt](repeating: .max, count: length),
      [UInt](repeating: 0, count: length),
      [1] + [UInt](repeating: 0, count: length - 1),
      [UInt](repeating: 0, count: length - 1) + [1 << 63],
    ]
  }

  @Test(
    "both values make the product, of factors of any kind",
    arguments: [(24, 24), (40, 24), (56, 40), (200, 24), (264, 248), (1000, 1000), (3000, 2984)])
  func joined(lengths: (Int, Int)) throws {
    var random = SplitMix64(seed: UInt64(lengths.0))
    let modulus = WrappedProduct.modulusLimbs(lengths.0, lengths.1)
    #expect(modulus % WrappedProduct.unit == 0)
    #expect(modulus >= WrappedProduct.leastModulusLimbs(lengths.0, lengths.1))
    let count = lengths.0 + lengths.1
    // Another length than the one that suits GMP here, as a checkpoint from elsewhere may have.
    let least = WrappedProduct.leastModulusLimbs(lengths.0, lengths.1)
    for limbs in [modulus, least, 2 * least] {
      for left in Self.factors(lengths.0, &random) {
        for right in Self.factors(lengths.1, &random) {
          let (first, second) = (Self.buffer(left), Self.buffer(right))
          let minus = WrappedProduct.minus(first, second, limbs: limbs)
          let plus = WrappedProduct.plus(second, first, limbs: limbs)
          #expect((minus.count, plus.count) == (limbs, limbs + 1))
          let product = try #require(
            WrappedProduct.joined(minus: minus, plus: plus, count: count))
          let expected = Self.integer(left) * Self.integer(right)
          #expect(Self.limbs(product) == Self.limbs(expected, count: count))
        }
      }
    }
  }

  @Test("both values make the square", arguments: [24, 40, 136, 1000, 5000])
  func square(length: Int) throws {
    var random = SplitMix64(seed: UInt64(length))
    for limbs in Self.factors(length, &random) {
      let factor = Self.buffer(limbs)
      let modulus = WrappedProduct.modulusLimbs(length, length)
      let product = try #require(
        WrappedProduct.joined(
          minus: WrappedProduct.minus(factor, factor, limbs: modulus),
          plus: WrappedProduct.plus(factor, factor, limbs: modulus), count: 2 * length))
      let expected = Self.integer(limbs).squared()
      #expect(Self.limbs(product) == Self.limbs(expected, count: 2 * length))
    }
  }

  @Test("W − 1 stands for zero, and what is longer than the product can be is none")
  func edges() throws {
    let zero = Self.buffer([UInt](repeating: 0, count: 17))
    let ones = Self.buffer([UInt](repeating: .max, count: 16))
    let product = try #require(WrappedProduct.joined(minus: ones, plus: zero, count: 20))
    #expect(Self.limbs(product) == [UInt](repeating: 0, count: 20))
    // W modulo W + 1 and 1 modulo W − 1 are W, whose seventeenth limb is 1.
    let one = Self.buffer([1] + [UInt](repeating: 0, count: 15))
    let top = Self.buffer([UInt](repeating: 0, count: 16) + [1])
    let power = try #require(WrappedProduct.joined(minus: one, plus: top, count: 17))
    #expect(Self.limbs(power) == Self.limbs(BigInteger.powerOfTwo(1024), count: 17))
    #expect(WrappedProduct.joined(minus: one, plus: top, count: 16) == nil)
  }

  @Test("C2 the prime of the check divides W − 1 for every length that a value has")
  func prime() {
    let modular = ModularArithmetic(modulus: KroneckerProduct.wrappedPrime)
    for limbs in stride(from: WrappedProduct.unit, to: 500, by: WrappedProduct.unit) {
      #expect(modular.power(2, 64 * limbs) == 1)
    }
    #expect(modular.power(3, exponent: modular.modulus - 1) == 1)
    #expect(modular.power(2, 128) == modular.modulus - 1)
  }
}
