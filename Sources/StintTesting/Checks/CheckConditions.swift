public import StintCore

/// Under what conditions a check runs a computation.
///
/// A check runs the whole computation some dozens of times, so give it a small one: what counts is
/// the number of chunks, of which a check makes as many as it needs, and not how much each of them
/// does.
public struct CheckConditions: Sendable {
  /// Decides every cut, cost and loss.
  public var seed: UInt64 = 2026
  /// How many histories are tried: what a check costs, and finds, is in proportion.
  ///
  /// ``expectSameResult(of:underAnyCut:conditions:output:)`` makes so many runs without a worker,
  /// with two to sixteen chunks chosen at random, and as many with one.
  /// ``expectCheckpointSurvives(of:faults:conditions:on:)`` has no histories.
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
  /// Whether ``expectSameResult(of:underAnyCut:conditions:output:)`` passes a computation whose
  /// chunks end at fewer than two places before the end, so that no cut can matter.
  public var allowsUncutRuns = false
  /// The time between two checkpoints.
  public var checkpointEvery: Duration = .seconds(1)

  /// Creates the default conditions.
  public init() {}
}

extension CheckConditions {
  /// Tries as many histories as there are to try, each drawn from a seed of its own, and throws
  /// what is wrong with the shortest one that fails.
  ///
  /// - Parameters:
  ///   - words: The beginning of the sentence for a history that fails only once.
  ///   - draw: Draws a history.
  ///   - failure: What is wrong with a history under its seed, or nil.
  /// - Throws: ``CheckFailure``, and what the body throws.
  @MainActor
  func expectNoFailure<Step: CustomStringConvertible>(
    whose words: String, draw: (inout SeededGenerator) -> [Step],
    in failure: ([Step], UInt64) throws -> CheckFailure?
  ) throws {
    var seeds = SeededGenerator(seed: seed)
    for _ in 0..<histories {
      let seed = seeds.next()
      var generator = SeededGenerator(seed: seed)
      let steps = draw(&generator)
      guard try failure(steps, seed) != nil else { continue }
      let shortest = try shrunk(steps, attempts: 60) { try failure($0, seed) != nil }
      if let failure = try failure(shortest, seed) { throw failure }
      throw CheckFailure(
        "\(words) once and not again: something that no seed decides has a part.",
        seed: self.seed, steps: steps.map(\.description))
    }
  }
}
