import StintCore
import Testing

@testable import StintFibonacci

@Suite("Positions, ranges and arithmetic")
struct InputTests {
  @Test(
    "R14 positions that are accepted",
    arguments: [
      ("0", 0), ("000", 0), ("00012", 12), ("100000000", 100_000_000), ("1e8", 100_000_000),
      ("1E8", 100_000_000), ("100_000_000", 100_000_000), ("+5", 5), ("0e99999999999999999999", 0),
      ("197000000000", 197_000_000_000), ("197e9", 197_000_000_000),
    ])
  func accepted(text: String, value: Int) throws {
    #expect(try FibonacciIndex(text: text).value == value)
  }

  @Test(
    "R14 positions that are refused",
    arguments: [
      "", "-1", "-0x", "-", "+", "e", "e8", "1e", "1e-2", "1.5", "nan", "inf", "0x10", " 5", "5 ",
      "_5", "5_", "1e8e8", "197000000001", "1e12", "1e999999999999999999999", "٣", "10^8",
      "99999999999999999999999999999999999999999999999999", "--5", "1e+8",
    ])
  func refused(text: String) {
    #expect {
      try FibonacciIndex(text: text)
    } throws: { error in
      (error as? StintError)?.code == .usage
    }
  }

  @Test(
    "R14 ranges",
    arguments: [
      ("0..10", true), ("5..5", true), ("1e3..2e3", true), ("10..0", false), ("..5", false),
      ("5..", false), ("5", false), ("1..2..3", false), ("-1..3", false), ("0..10000001", false),
      ("1...3", false), ("", false), ("a..b", false),
    ])
  func ranges(text: String, isAccepted: Bool) {
    #expect(((try? FibonacciRange(text: text)) != nil) == isAccepted)
  }

  @Test(
    "W8 the modular pair is that of matrices", arguments: [0, 1, 2, 3, 93, 94, 1000, 123_456_789])
  func modular(n: Int) {
    for prime in [1_000_000_007, 4_294_967_291, 5] as [UInt64] {
      let pair = ModularArithmetic(modulus: prime).fibonacci(n)
      #expect(pair.value == MatrixFibonacci.value(n, modulo: prime))
      if n > 0 { #expect(pair.previous == MatrixFibonacci.value(n - 1, modulo: prime)) }
      #expect(ModularArithmetic(modulus: prime).isFibonacciPair(pair, index: n))
    }
  }

  @Test("W8 lengths in bits are exact")
  func bits() {
    for n in 0...4000 {
      #expect(FibonacciLength.bits(n) == BigInteger.fibonacciByGMP(n).bitCount, "n = \(n)")
    }
  }

  @Test("W8 the largest position fits GMP's largest number")
  func largest() {
    let limbs = (FibonacciLength.bits(FibonacciIndex.maximum) + 63) / 64
    #expect(limbs + 10_000_000 < Int(Int32.max))
  }
}
