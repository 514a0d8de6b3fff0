import StintCore
import Testing

@testable import StintFibonacci

@Suite("Addition of decimal text")
struct DigitAdditionTests {
  /// Adds two texts; the shorter may come first or second.
  private func sum(_ first: String, _ second: String) -> String {
    let (short, long) = first.utf8.count <= second.utf8.count ? (first, second) : (second, first)
    // Bytes around it show whether something else is written.
    var room = [UInt8](repeating: 0xAA, count: long.utf8.count + 16)
    let end = 8 + long.utf8.count
    let isLonger = Array(short.utf8).withUnsafeBytes { short in
      Array(long.utf8).withUnsafeBytes { long in
        room.withUnsafeMutableBytes {
          DigitAddition.add(short, to: long, endingAt: $0.baseAddress! + end)
        }
      }
    }
    #expect(room[..<8].allSatisfy { $0 == 0xAA } && room[end...].allSatisfy { $0 == 0xAA })
    return (isLonger ? "1" : "") + String(decoding: room[8..<end], as: UTF8.self)
  }

  @Test("every pair of digits, with and without a carry from the right, at every place of a word")
  func everyPair() {
    for place in 0..<9 {
      for (first, second) in (0..<100).map({ ($0 / 10, $0 % 10) }) {
        for tail in ["0", "9"] {
          let right = String(repeating: tail, count: place)
          // 9…9 + 9…9 carries, 0…0 + 0…0 does not.
          let (left, other) = ("3\(first)\(right)", "\(second)\(right)")
          let expected = SimpleDecimal(left).adding(SimpleDecimal(other)).text
          #expect(sum(left, other) == expected)
        }
      }
    }
  }

  @Test("a carry runs through all digits, and makes one more")
  func longCarry() {
    for length in 1...40 {
      let nines = String(repeating: "9", count: length)
      #expect(sum(nines, "1") == "1" + String(repeating: "0", count: length))
      #expect(sum(nines, nines) == "1" + String(repeating: "9", count: length - 1) + "8")
    }
  }

  @Test("random numbers of all lengths", arguments: 0..<20 as Range<UInt64>)
  func random(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    func number() -> String {
      let rest = (0..<Int.random(in: 0..<60, using: &generator)).map { _ in
        String(Int.random(in: 0...9, using: &generator))
      }
      return String(Int.random(in: 1...9, using: &generator)) + rest.joined()
    }
    for _ in 0..<100 {
      let (first, second) = (number(), number())
      #expect(sum(first, second) == SimpleDecimal(first).adding(SimpleDecimal(second)).text)
    }
  }
}
