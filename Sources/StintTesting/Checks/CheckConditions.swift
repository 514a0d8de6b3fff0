public import StintCore

/// Under what conditions a check runs a computation.
///
/// A check runs the whole computation some dozens of times, so give it a small one: what counts is
/// the number of chunks, which ``wholeTime`` decides, and not how much each of them does.
public struct CheckConditions: Sendable {
  /// Decides every cut, cost and loss.
  public var seed: UInt64 = 2026
  /// How many histories are tried.
  public var histories = 20
  /// The numbers of the system; short trips by default, so that there are many.
  public var policy = SystemPolicy.iOS13.withBudget(.seconds(5))
  /// How long the uninterrupted run takes in virtual time, about.
  ///
  /// Unless it is set, ``expectEndsBeforeDeadline(of:conditions:)`` takes less for a computation of
  /// a few steps that cannot be split, so that each of them fits a trip.
  public var wholeTime: Duration {
    get { givenWholeTime ?? .seconds(20) }
    set { givenWholeTime = newValue }
  }
  /// The same if it was set.
  var givenWholeTime: Duration?
  /// Partial files that only some runs need, such as one with what a run that was cut reads again:
  /// they are not compared.
  public var scratchFiles: Set<String> = []
  /// The time between two checkpoints.
  public var checkpointEvery: Duration = .seconds(1)

  /// Creates the default conditions.
  public init() {}
}
