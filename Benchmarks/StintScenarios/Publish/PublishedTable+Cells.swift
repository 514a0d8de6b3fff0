import StintCore
import StintReport

/// A row of the table as people read it, the same on the page and in LaTeX.
extension PublishedTable {
  /// The headings behind the strategy's name.
  static let headings = [
    "Useful %", "±", "Beside Stint", "Checkpoints %", "Lost %", "Idle %", "Restart %", "Makespan",
    "Overruns",
  ]

  static func cells(_ strategy: StrategyResult, of result: ScenarioResult) -> [String] {
    let waste = strategy.waste
    let ahead = result.aheadOfStint(strategy).map { ahead in
      ahead.repeats.count > 1
        ? "\(fixed(ahead.low, 2)) to \(fixed(ahead.high, 2))" : fixed(ahead.mean, 2)
    }
    let saved = strategy.savedShare
    let makespan = waste?.makespanOverIdeal.map { fixed($0.mean, 3) }
    return [
      percent(saved), saved.repeats.count > 1 ? fixed((saved.high - saved.low) * 50, 2) : "",
      ahead ?? "", percent(strategy.checkpointShare), percent(strategy.lostShare),
      percent(waste?.idleShare), percent(waste?.restartShare),
      strategy.unfinishedRepeats > 0 ? "not finished" : makespan ?? "",
      "\(NumberText.grouped(strategy.overruns.count)) of "
        + NumberText.grouped(strategy.overruns.trips),
    ]
  }

  /// What is asked of the strategies, in a line.
  static func facts(_ result: ScenarioResult) -> String {
    func time(_ seconds: Double) -> String { Duration(clampingSeconds: seconds).compactText }
    let failures = result.checkpointOverFailures.map { fixed($0, 4) } ?? "none"
    return "C \(time(result.checkpointMeanSeconds)), C/MTBF \(failures), chunk/budget "
      + "\(result.chunkOverBudget.map { fixed($0, 4) } ?? "none"), restart "
      + time(result.restartSeconds)
  }

  /// The headings of the summary: the traces.
  var summaryHeadings: [String] { sections.map(\.name) }

  /// A row for each strategy: its mean useful share on each trace; how far behind the best rule it
  /// is in the worst case; its overruns in a thousand told deadlines.
  var summary: [(title: String, cells: [String], isStint: Bool)] {
    strategies.map { strategy in
      let worst = sections.compactMap { $0.worstBehind(strategy.name) }.max()
      let overruns = sections.map { $0.overruns(strategy.name) }
      let deadlines = overruns.reduce(0) { $0 + $1.deadlines }
      let count = overruns.reduce(0) { $0 + $1.count }
      let means = sections.map { section in
        section.meanUseful(strategy.name).map { Self.fixed($0 * 100, 1) } ?? ""
      }
      return (
        strategy.title,
        means + [
          worst.map { Self.fixed($0, 1) } ?? "",
          deadlines > 0 ? Self.fixed(Double(count) / Double(deadlines) * 1_000, 1) : "",
        ], strategy.name == StrategyName.stint.rawValue
      )
    }
  }

  private static func percent(_ share: Estimate?) -> String {
    share.map { fixed($0.mean * 100, 2) } ?? ""
  }

  private static func fixed(_ number: Double, _ decimals: Int) -> String {
    NumberText.fixed(number, decimals: decimals)
  }
}
