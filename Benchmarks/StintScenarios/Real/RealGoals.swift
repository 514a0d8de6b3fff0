/// What must hold of Stint's own worker on the real clock.
package enum RealGoals {
  /// The goals of a scenario; none if Stint's worker was not in it.
  package static func judge(_ result: ScenarioResult) -> [Goal] {
    guard let stint = result[.stint] else { return [] }
    return [
      Goal(
        "noOverrun", "\(result.name): no overrun in \(stint.overruns.trips) real budgets",
        measured: Double(stint.overruns.count), limit: 0, sense: .atMost),
      Goal(
        "noFinding", "\(result.name): nothing is found that Stint's worker did wrong",
        measured: Double(stint.findings?.count ?? 0), limit: 0, sense: .atMost),
    ]
  }
}
