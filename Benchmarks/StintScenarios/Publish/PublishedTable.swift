import StintReport

/// The table of `stint-bench publish`: traces by workloads by strategies
/// (`docs/bench-table.md` says what each number means).
package struct PublishedTable: Sendable {
  /// A trace with what was found on it.
  package struct Section: Sendable {
    package var name: String
    package var title: String
    package var description: String
    /// One for each workload.
    package var results: [ScenarioResult]

    package init(name: String, title: String, description: String, results: [ScenarioResult]) {
      self.name = name
      self.title = title
      self.description = description
      self.results = results
    }
  }

  /// The traces that ship and are published.
  ///
  /// Two with told ends, three of which only some are told, three whose ends nobody knows; the last
  /// was measured.
  package static let traces = [
    "policy-ios13", "varying", "slurm", "revoked-lead", "revoked-sudden", "spot", "preempted",
    "gcp-preemption",
  ]

  package var version: String
  package var seed: UInt64
  package var repeats: Int
  package var sections: [Section]
  /// Runs on the real clock, measured before.
  package var measured: [Section]

  package init(
    version: String, seed: UInt64, repeats: Int, sections: [Section], measured: [Section] = []
  ) {
    self.version = version
    self.seed = seed
    self.repeats = repeats
    self.sections = sections
    self.measured = measured
  }

  /// All of them, those of the real clock last.
  var all: [Section] { sections + measured }

  /// The strategies of the virtual sections, in their order.
  var strategies: [(name: String, title: String)] {
    StrategyName.allCases.map { ($0.rawValue, $0.title) }.filter { strategy in
      sections.contains { section in
        section.results.contains { $0.strategies.contains { $0.name == strategy.0 } }
      }
    }
  }

  /// What made the numbers, so that anybody can make them again.
  var source: String {
    "stint-bench \(version), seed \(seed), \(NumberText.count(repeats, "repeat"))"
  }
}

extension PublishedTable.Section {
  /// The mean useful share of a strategy over the workloads; nil if it did not live all of them.
  func meanUseful(_ name: String) -> Double? {
    let shares = results.compactMap { $0.strategy(name)?.savedShare.mean }
    guard !results.isEmpty, shares.count == results.count else { return nil }
    return shares.reduce(0, +) / Double(shares.count)
  }

  /// How many points a strategy is behind the best rule of the same workload, where that is most;
  /// nil if it did not live all of them.
  func worstBehind(_ name: String) -> Double? {
    let gaps = results.compactMap { result in
      result.strategy(name).map { (result.bestRule - $0.savedShare.mean) * 100 }
    }
    return gaps.count == results.count ? gaps.max() : nil
  }

  /// The overruns of a strategy, and the deadlines that were told.
  func overruns(_ name: String) -> (count: Int, deadlines: Int) {
    results.compactMap { $0.strategy(name)?.overruns }
      .reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.trips) }
  }
}

extension ScenarioResult {
  func strategy(_ name: String) -> StrategyResult? { strategies.first { $0.name == name } }

  /// The useful share of the best rule, the optimum left out: nobody can play that.
  var bestRule: Double {
    strategies.filter { $0.name != StrategyName.oracle.rawValue }.map(\.savedShare.mean).max() ?? 0
  }

  /// A checkpoint's mean time over the time between two ends that nobody told in time; nil where
  /// every end was told.
  var checkpointOverFailures: Double? {
    meanTimeBetweenFailuresSeconds.map { checkpointMeanSeconds / $0 }
  }

  var chunkOverBudget: Double? {
    budgetMeanSeconds > 0 ? chunkMeanSeconds / budgetMeanSeconds : nil
  }

  var restartSeconds: Double { definition.workload.restartSeconds }

  /// The points by which a strategy saved more than Stint, paired by repeat; nil for Stint itself,
  /// and where Stint did not live the same repeats.
  func aheadOfStint(_ strategy: StrategyResult) -> Estimate? {
    guard let stint = self[.stint], stint.name != strategy.name,
      stint.savedShare.repeats.count == strategy.savedShare.repeats.count
    else { return nil }
    return Estimate(
      zip(strategy.savedShare.repeats, stint.savedShare.repeats).map { ($0 - $1) * 100 })
  }
}
