import StintCore

/// A small generator whose seed decides every number (SplitMix64: Steele, Lea and Flood, OOPSLA
/// 2014).
///
/// One 64-bit seed decides everything in this module: costs, faults, what a power loss takes, where
/// a run is cut. A failure names its seed, and the same seed gives the same history to the byte.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
  private var numbers: SplitMix64

  /// Creates a generator.
  ///
  /// - Parameter seed: Decides every number to come.
  public init(seed: UInt64) {
    numbers = SplitMix64(seed: seed)
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    numbers.next()
  }

  /// A generator of its own, so that what one part draws does not move what another part gets.
  public mutating func split() -> SeededGenerator {
    SeededGenerator(seed: next())
  }

  /// Whether something happens that has this probability.
  mutating func chance(_ probability: Double) -> Bool {
    numbers.chance(probability)
  }

  /// A time between two others.
  mutating func duration(in range: ClosedRange<Duration>) -> Duration {
    .nanoseconds(
      Int64.random(
        in: range.lowerBound.nanoseconds...range.upperBound.nanoseconds, using: &self))
  }
}
