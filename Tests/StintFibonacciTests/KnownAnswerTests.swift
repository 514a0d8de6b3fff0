import Testing

@testable import StintFibonacci

@Suite("Known Fibonacci numbers")
struct KnownAnswerTests {
  static let published: [(Int, String)] = [
    (0, "0"), (1, "1"), (2, "1"), (93, "12200160415121876738"), (94, "19740274219868223167"),
    (186, "332825110087067562321196029789634457848"),
    (187, "538522340430300790495419781092981030533"),
    (188, "871347450517368352816615810882615488381"),
    (189, "1409869790947669143312035591975596518914"),
    (190, "2281217241465037496128651402858212007295"),
    (191, "3691087032412706639440686994833808526209"),
    (192, "5972304273877744135569338397692020533504"),
    (
      1000,
      "43466557686937456435688527675040625802564660517371780402481729089536555417949051890403879840"
        + "07925516929592259308032263477520968962323987332247116164299644090653318793829896964992851600"
        + "3704476137795166849228875"
    ),
  ]

  @Test("W8 published values in decimal", arguments: published)
  func decimal(n: Int, value: String) throws {
    for block in [1, 3, 7, 64, 1 << 18] {
      #expect(try FibonacciComputation.small(n, block: block).text() == value + "\n")
    }
  }

  @Test("W8 published values in the other formats", arguments: published)
  func otherFormats(n: Int, value: String) throws {
    let digits = SimpleDecimal(value)
    #expect(
      try FibonacciComputation.small(n, .hex).text() == digits.text(base: 16) + "\n")
    #expect(try FibonacciComputation.small(n, .digits).text() == "\(value.count)\n")
    #expect(try FibonacciComputation.small(n, .raw).uninterrupted() == digits.bytes)
  }

  @Test("W8 every n up to 3000 against plain addition")
  func plainAddition() throws {
    var (previous, current) = (SimpleDecimal("1"), SimpleDecimal("0"))
    for n in 0...3000 {
      let text = current.text
      try #require(FibonacciLength.digits(n) == text.count, "n = \(n)")
      let computation = try FibonacciComputation.small(n, block: 1 + n % 97)
      try #require(try computation.text() == text + "\n", "n = \(n)")
      (previous, current) = (current, current.adding(previous))
    }
  }

  @Test("W8 every n up to 700 in hex and raw against plain addition")
  func plainAdditionBinary() throws {
    var (previous, current) = (SimpleDecimal("1"), SimpleDecimal("0"))
    for n in 0...700 {
      let bytes = current.bytes
      try #require(try FibonacciComputation.small(n, .raw).uninterrupted() == bytes, "n = \(n)")
      let hex = try FibonacciComputation.small(n, .hex).text()
      try #require(hex == current.text(base: 16) + "\n", "n = \(n)")
      (previous, current) = (current, current.adding(previous))
    }
  }

  @Test("a piece of hex or raw may begin and end anywhere", arguments: [1, 2, 90, 93, 700, 703])
  func pieces(n: Int) throws {
    let number = BigInteger.fibonacciByGMP(n)
    for (format, isHex) in [(FibonacciFormat.hex, true), (.raw, false)] {
      let all = try FibonacciComputation.small(n, format).uninterrupted()
      let length = isHex ? all.count - 1 : all.count
      let output = BinaryOutput(isHex: isHex, length: length)
      for start in 0..<length {
        for end in start + 1...length {
          try output.withPiece(of: number, start..<end) {
            try #require($0.elementsEqual(all[start..<end]), "\(format) \(start)..<\(end)")
          }
        }
      }
    }
  }

  @Test(
    "W8 large n against GMP's own function and matrices modulo primes",
    arguments: [10_000, 99_999, 131_072, 1_000_000])
  func large(n: Int) throws {
    let text = try FibonacciComputation.small(n, block: 1000).text()
    #expect(text == BigInteger.fibonacciByGMP(n).decimalText + "\n")
    for prime in [1_000_000_007, 998_244_353, 4_294_967_291] as [UInt64] {
      let digits = text.utf8.dropLast().reduce(UInt64(0)) { ($0 * 10 + UInt64($1 - 48)) % prime }
      #expect(digits == MatrixFibonacci.value(n, modulo: prime))
    }
  }

  @Test(
    "W8 the number of digits is exact",
    arguments: [
      (1_000_000, 208_988), (10_000_000, 2_089_877), (100_000_000, 20_898_764),
    ])
  func digitCounts(n: Int, digits: Int) throws {
    #expect(FibonacciLength.digits(n) == digits)
    #expect(try FibonacciComputation.small(n, .digits).text() == "\(digits)\n")
  }

  @Test("W8 ten million, by its length and modulo primes")
  func tenMillion() throws {
    let computation = FibonacciComputation(try FibonacciIndex(10_000_000), threads: 2) { _, _ in }
    let bytes = try computation.uninterrupted(atMost: 2e7, threads: 2)
    #expect(bytes.count == 2_089_878)
    for prime in [1_000_000_007, 4_294_967_291] as [UInt64] {
      let digits = bytes.dropLast().reduce(UInt64(0)) { ($0 * 10 + UInt64($1 - 48)) % prime }
      #expect(digits == MatrixFibonacci.value(10_000_000, modulo: prime))
    }
  }
}
