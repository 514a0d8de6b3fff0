import StintCore
import Testing

@Suite("SplitMix64")
struct SplitMix64Tests {
  @Test("the numbers are the published ones")
  func published() {
    // The reference implementation's output for this seed (prng.di.unimi.it/splitmix64.c).
    let numbers: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
    ]
    var generator = SplitMix64(seed: 1_234_567)
    #expect(numbers.map { _ in generator.next() } == numbers)
  }

  @Test("a copy goes on with the same numbers, another seed with others")
  func copies() {
    var one = SplitMix64(seed: .max)
    _ = one.next()
    var copy = one
    #expect(copy == one)
    let numbers = (0..<100).map { _ in one.next() }
    #expect(copy != one)
    #expect((0..<100).map { _ in copy.next() } == numbers)
    #expect(copy == one)
    var other = SplitMix64(seed: 0)
    #expect(Set((0..<100).map { _ in other.next() }).isDisjoint(with: numbers))
  }
}
