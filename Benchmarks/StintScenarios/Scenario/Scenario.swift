/// A budget trace, a workload, and the strategies that are compared on them
/// (`docs/formats/bench-scenario.md`).
package struct Scenario: Hashable, Sendable {
  package var name: String
  package var title: String
  package var description = ""
  /// Budgets in each repeat.
  package var trips = 200
  package var trace: Trace
  package var workload: Workload
  package var strategies = StrategyName.allCases
  /// The work of the job, for the trips to finish; nil for ten times the mean budget.
  package var givenWorkSeconds: Double?
  /// The interval of `every`; nil for a quarter of the mean budget.
  package var givenEverySeconds: Double?
  /// What Stint has to save here at least; nil for no such goal.
  package var leastSavedShare: Double?
  /// Goals that cannot be kept here, with the reason.
  package var expectedLimits: [ExpectedLimit] = []

  /// The work of the job.
  package var workSeconds: Double { givenWorkSeconds ?? trace.meanGrantSeconds * 10 }
  /// The interval of the strategy that saves every so often.
  package var everySeconds: Double { givenEverySeconds ?? trace.meanGrantSeconds / 4 }
}

/// A goal that no strategy without the oracle's knowledge can keep in a scenario.
package struct ExpectedLimit: Hashable, Sendable, Codable {
  /// The goal's name.
  package var goal: String
  /// Why, by figures.
  package var explanation: String
}
