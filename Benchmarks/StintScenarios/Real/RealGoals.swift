/// What must hold of Stint's own worker on the real clock.
package enum RealGoals {
  /// The goals of a scenario; none if Stint's worker was not in it.
  package static func judge(_ result: ScenarioResult) -> [Goal] {
    guard let stint = result[.stint] else { return [] }
    return [
      Goal(
        "noOverrun", "\(result.name): no overrun in \(stint.overruns.trips) real budgets",
        count: stint.overruns.count),
      Goal(
        "noFinding", "\(result.name): nothing is found that Stint's worker did wrong",
        count: stint.findings?.count ?? 0),
    ]
  }
}
