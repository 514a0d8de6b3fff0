import StintCore

/// Random numbers that come again for the same seed (``SplitMix64``).
struct SeededNumbers: RandomNumberGenerator {
  private var numbers: SplitMix64

  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { numbers.next() }

  /// A duration from zero up to a limit.
  mutating func duration(below limit: Duration) -> Duration {
    limit * Double.random(in: 0..<1, using: &self)
  }
}
