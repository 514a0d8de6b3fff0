import StintCore

extension SplitMix64 {
  /// A duration from zero up to a limit.
  mutating func duration(below limit: Duration) -> Duration {
    limit * Double.random(in: 0..<1, using: &self)
  }
}
