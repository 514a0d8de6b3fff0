/// What `stint-bench run` found (`docs/formats/bench-report.md`).
package struct ScenarioReport: Hashable, Sendable, Codable {
  /// The format's name and version.
  package static let format = "stint-bench-report/1"

  package var format = Self.format
  package var program = "stint-bench"
  package var version: String
  package var mode = "virtual"
  package var seed: UInt64
  package var repeats: Int
  package var scenarios: [ScenarioResult] = []
  package var goals: [Goal] = []

  package init(version: String, seed: UInt64, repeats: Int) {
    self.version = version
    self.seed = seed
    self.repeats = repeats
  }

  /// All goals, those of the scenarios first.
  package var allGoals: [Goal] { scenarios.flatMap(\.goals) + goals }
  /// Whether a goal is missed that could have been kept.
  package var missesGoal: Bool { allGoals.contains { !$0.isKept && $0.explanation == nil } }
}

package struct ScenarioResult: Hashable, Sendable, Codable {
  package var name: String
  package var title: String
  package var description: String
  package var definition: Scenario
  package var trips: Int
  package var grantedSeconds: Double
  package var chunkMeanSeconds: Double
  package var checkpointMeanSeconds: Double
  package var budgetMeanSeconds: Double
  /// The time granted between two ends that nobody told in time; nil where every end was told.
  package var meanTimeBetweenFailuresSeconds: Double?
  package var oracle: OracleResult?
  package var strategies: [StrategyResult]
  package var goals: [Goal] = []

  package subscript(name: StrategyName) -> StrategyResult? {
    strategies.first { $0.name == name.rawValue }
  }
}

extension ScenarioResult {
  /// What strategies made of the trips of all repeats; `lived` was granted of them, nil for all.
  init(
    _ scenario: Scenario, _ trips: [Trip], lived: Nanoseconds? = nil, strategies: [StrategyResult]
  ) {
    let usable = trips.reduce(0) { $0 + $1.usable }
    self.init(
      name: scenario.name, title: scenario.title, description: scenario.description,
      definition: scenario, trips: scenario.trips, grantedSeconds: (lived ?? usable).seconds,
      chunkMeanSeconds: scenario.workload.chunk.mean,
      checkpointMeanSeconds: scenario.workload.checkpoint.mean,
      budgetMeanSeconds: usable.seconds / Double(max(1, trips.count { !$0.isDenied })),
      strategies: strategies)
  }
}

/// How the optimum was found.
package struct OracleResult: Hashable, Sendable, Codable {
  package var expectedSavedShare: Double
  package var gridSeconds: Double
  package var errorPoints: Double
  package var sentence: String
}

package struct StrategyResult: Hashable, Sendable, Codable {
  package struct Overruns: Hashable, Sendable, Codable {
    package var count: Int
    package var trips: Int
    package var pastDeadlineSeconds: Quantiles?
    package var histogram: [HistogramBar]
  }

  /// What was counted in one repeat.
  package struct Counts: Hashable, Sendable, Codable {
    package var overruns: Int
    package var checkpoints: Int
    package var tripsToFinish: Int?
    /// Nil in a report of an earlier version, like all that follow.
    package var doneAgainSeconds: Double?
    package var checkpointSeconds: Double?
    package var pastDeadlineSeconds: Quantiles?
    package var expiryToDurableSeconds: Quantiles?
    package var tickLatenessSeconds: Quantiles?
    package var remainingErrorSeconds: Quantiles?
  }

  /// Where the granted time went that is neither useful, nor lost, nor a checkpoint.
  ///
  /// All shares are of the granted time. Useful, checkpoints, lost, idle, restart and late are
  /// together 1 and what was lived past the deadlines.
  package struct Waste: Hashable, Sendable, Codable {
    /// Nothing was done, or the task had been ended.
    package var idleShare: Estimate
    /// A process started again after a kill and loaded its state.
    package var restartShare: Estimate
    /// Work that became durable only after the deadline.
    package var lateShare: Estimate
    /// Lived after the deadline.
    package var pastShare: Estimate
    /// The granted time until the job's work was durable, over that work; of the repeats that got
    /// there, nil if none did.
    package var makespanOverIdeal: Estimate?
  }

  package var name: String
  package var title: String
  package var savedShare: Estimate
  package var behindOraclePoints: Estimate?
  package var lostShare: Estimate
  package var checkpointShare: Estimate
  package var lostSeconds: Double
  package var doneAgainSeconds: Double
  package var unusedSeconds: Double
  package var checkpoints: Int
  package var checkpointSeconds: Double
  package var overruns: Overruns
  package var expiryToDurableSeconds: Quantiles?
  /// Of real runs: how late reports came, and by how much they missed the deadline.
  package var tickLatenessSeconds: Quantiles?
  package var remainingErrorSeconds: Quantiles?
  package var tripsToFinish: Estimate?
  package var unfinishedRepeats: Int
  package var falseClaims: Int
  package var perRepeat: [Counts]
  /// What was found to be wrong with it; nil where nobody looked.
  package var findings: [Finding]?
  /// Nil in a real run, whose workers save beside their chunks.
  package var waste: Waste?
  package var life: [TripLife]
}

/// Something that must hold.
package struct Goal: Hashable, Sendable, Codable {
  package enum Sense: String, Hashable, Sendable, Codable {
    case atMost, atLeast
  }

  package var name: String
  package var sentence: String
  package var measured: Double
  package var limit: Double
  package var sense: Sense
  package var isKept: Bool
  /// The 95 % confidence interval of what was measured; nil for what is counted.
  package var low: Double?
  package var high: Double?
  /// Whether the interval lies on one side of the limit; nil without an interval.
  package var isDecided: Bool?
  package var explanation: String?

  package init(
    _ name: String, _ sentence: String, measured: Double, limit: Double, sense: Sense
  ) {
    self.name = name
    self.sentence = sentence
    self.measured = measured
    self.limit = limit
    self.sense = sense
    isKept = sense == .atMost ? measured <= limit : measured >= limit
  }

  /// Nothing of what was counted may be.
  package init(_ name: String, _ sentence: String, count: Int) {
    self.init(name, sentence, measured: Double(count), limit: 0, sense: .atMost)
  }

  /// Judged by the interval over the repeats.
  ///
  /// Where the limit lies in it, or too few repeats say how wide it is, the mean has to do, and the
  /// goal is not decided.
  package init(
    _ name: String, _ sentence: String, measured: Estimate, limit: Double, sense: Sense
  ) {
    self.init(name, sentence, measured: measured.mean, limit: limit, sense: sense)
    low = measured.low
    high = measured.high
    isDecided =
      measured.repeats.count >= Self.leastRepeats
      && (measured.high <= limit || measured.low >= limit)
  }

  /// With fewer repeats nothing is decided that differs from one to the next.
  package static let leastRepeats = 5

  /// Whether more repeats would help.
  package var needsMoreRepeats: Bool { isDecided == false && explanation == nil }
}
