extension Goal {
  /// How far Stint may be behind the oracle.
  static let oraclePoints = 1.5
  /// How far Stint may be behind any other strategy.
  static let rivalPoints = 0.5

  /// What must hold in a scenario; nothing where Stint's own choice was not run.
  package static func judge(_ result: ScenarioResult) -> [Goal] {
    guard let stint = result[.stint] else { return [] }
    var goals: [Goal] = []
    if let behind = stint.behindOraclePoints {
      goals.append(
        Goal(
          "withinOracle", "\(result.name): Stint is at most 1.5 points behind the oracle",
          measured: behind, limit: oraclePoints, sense: .atMost))
    }
    let rivals = result.strategies.filter {
      $0.name != StrategyName.oracle.rawValue && $0.name != stint.name
    }
    if let best = rivals.max(by: { $0.savedShare.mean < $1.savedShare.mean }),
      // All live the same trips, so what one is ahead differs less than what each saves.
      let ahead = Estimate(
        zip(best.savedShare.repeats, stint.savedShare.repeats).map { ($0 - $1) * 100 })
    {
      goals.append(
        Goal(
          "notBehindOthers",
          "\(result.name): Stint is at most 0.5 points behind the best other strategy (\(best.title))",
          measured: ahead, limit: rivalPoints, sense: .atMost))
    }
    if let least = result.definition.leastSavedShare {
      goals.append(
        Goal(
          "savedShare", "\(result.name): Stint saves at least \((least * 100).short) % of the time",
          measured: stint.savedShare, limit: least, sense: .atLeast))
    }
    goals.append(
      Goal(
        "noOverrun", "\(result.name): no overrun in \(stint.overruns.trips) budgets",
        count: stint.overruns.count))
    return goals.map { goal in
      var goal = goal
      let limit = result.definition.expectedLimits.first { $0.goal == goal.name }
      if !goal.isKept { goal.explanation = limit?.explanation }
      return goal
    }
  }

  /// What must hold over all scenarios.
  package static func judge(_ results: [ScenarioResult]) -> [Goal] {
    let stints = results.compactMap { $0[.stint] }
    guard !stints.isEmpty else { return [] }
    let budgets = stints.reduce(0) { $0 + $1.overruns.trips }
    let claims = results.flatMap(\.strategies).reduce(0) { $0 + $1.falseClaims }
    return [
      Goal(
        "noOverrun", "no overrun of Stint in all \(budgets) budgets whose end was told",
        count: stints.reduce(0) { $0 + $1.overruns.count }),
      Goal(
        "noFalseClaim", "no strategy says that work is saved which is not", count: claims),
    ]
  }
}
