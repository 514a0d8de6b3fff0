public import StintCore

/// Under what conditions a check runs a computation.
///
/// A check runs the whole computation some dozens of times, so give it a small one: what counts is the number of chunks,
/// which ``wholeTime`` decides, and not how much each of them does.
public struct CheckConditions: Sendable {
  /// Decides every cut, cost and loss.
  public var seed: UInt64 = 2026
  /// How many histories are tried.
  public var histories = 20
  /// The numbers of the system; short trips by default, so that there are many.
  public var policy = SystemPolicy.iOS13.withBudget(.seconds(5))
  /// How long the uninterrupted run takes in virtual time, about.
  public var wholeTime: Duration = .seconds(20)
  /// Partial files that only some runs need, such as one with what a run that was cut reads again: they are not compared.
  public var scratchFiles: Set<String> = []
  /// The time between two checkpoints.
  public var checkpointEvery: Duration = .seconds(1)

  /// Creates the default conditions.
  public init() {}
}
