import Testing

@testable import StintTesting

@Suite("Seeds")
struct SeededGeneratorTests {
  @Test("SplitMix64 gives the published numbers")
  func published() {
    // The reference implementation's output for this seed (prng.di.unimi.it/splitmix64.c).
    var generator = SeededGenerator(seed: 1_234_567)
    let numbers: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
    ]
    #expect(numbers.map { _ in generator.next() } == numbers)
  }

  @Test("a part that draws from a generator of its own does not move the others")
  func split() {
    var one = SeededGenerator(seed: 7)
    var other = SeededGenerator(seed: 7)
    var part = one.split()
    _ = other.split()
    for _ in 1...10 { _ = part.next() }
    #expect(one.next() == other.next())
    #expect(part.next() != one.next())
  }

  @Test("a chance comes about as often as it should")
  func chance() {
    var generator = SeededGenerator(seed: 3)
    let hits = (0..<10_000).count { _ in generator.chance(0.25) }
    #expect((2_300...2_700).contains(hits), "seed 3: \(hits) of 10,000")
    #expect((0..<1_000).count { _ in generator.chance(0) } == 0)
    #expect((0..<1_000).count { _ in generator.chance(1) } == 1_000)
  }
}
