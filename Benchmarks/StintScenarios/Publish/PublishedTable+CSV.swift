import StintReport

extension PublishedTable {
  /// The columns, each with its unit in its name.
  package static let columns = [
    "trace", "workload", "clock", "strategy", "repeats", "budgetSeconds", "checkpointSeconds",
    "checkpointOverMTBF", "chunkSeconds", "chunkOverBudget", "restartSeconds", "usefulShare",
    "usefulLow", "usefulHigh", "aheadOfStintPoints", "aheadOfStintLow", "aheadOfStintHigh",
    "behindOptimumPoints", "behindOptimumLow", "behindOptimumHigh", "checkpointShare", "lostShare",
    "idleShare", "restartShare", "lateShare", "pastShare", "makespanOverIdeal", "makespanLow",
    "makespanHigh", "unfinishedRepeats", "overruns", "deadlines",
  ]

  /// Every row of the table; a field without a value is empty.
  package var csv: String {
    var lines = [Self.columns.joined(separator: ",")]
    for (sections, clock) in [(sections, "virtual"), (measured, "real")] {
      for section in sections {
        for (number, result) in section.results.enumerated() {
          for strategy in result.strategies {
            let key = [section.name, String(number + 1), clock, strategy.name]
            lines.append((key + Self.fields(strategy, of: result)).joined(separator: ","))
          }
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func fields(_ strategy: StrategyResult, of result: ScenarioResult) -> [String] {
    let waste = strategy.waste
    let world = [
      result.budgetMeanSeconds, result.checkpointMeanSeconds, result.checkpointOverFailures,
      result.chunkMeanSeconds, result.chunkOverBudget, result.restartSeconds,
    ].map(text)
    let judged =
      interval(strategy.savedShare) + interval(result.aheadOfStint(strategy))
      + interval(strategy.behindOraclePoints)
    let shares = [
      strategy.checkpointShare, strategy.lostShare, waste?.idleShare, waste?.restartShare,
      waste?.lateShare, waste?.pastShare,
    ].map { text($0?.mean) }
    let counts = [
      strategy.unfinishedRepeats, strategy.overruns.count, strategy.overruns.trips,
    ].map(String.init)
    return [String(strategy.savedShare.repeats.count)] + world + judged + shares
      + interval(waste?.makespanOverIdeal) + counts
  }

  private static func interval(_ estimate: Estimate?) -> [String] {
    [estimate?.mean, estimate?.low, estimate?.high].map(text)
  }

  /// Six decimals: more are noise, and may differ between machines.
  private static func text(_ number: Double?) -> String {
    guard let number, number.isFinite else { return "" }
    return NumberText.fixed(number, decimals: 6).filter { $0 != "," }
  }
}
