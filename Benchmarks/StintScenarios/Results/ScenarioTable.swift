import StintReport

/// A report as tables for people.
package enum ScenarioTable {
  package static func render(_ result: ScenarioResult) -> String {
    let head = [
      "", "saved", "±", "behind", "lost", "again", "saves", "writing", "overruns", "p50", "p99",
      "max", "to durable", "trips",
    ]
    let rows = [head] + result.strategies.map { row($0, grantedSeconds: result.grantedSeconds) }
    var lines = ["\(result.name): \(result.title)"]
    if let oracle = result.oracle {
      lines.append(
        "  the oracle expects \(percent(oracle.expectedSavedShare)), known to "
          + "\(fixed(oracle.errorPoints, 2)) points")
    }
    return (lines + aligned(rows).map { "  " + $0 }).joined(separator: "\n") + "\n"
  }

  /// The goals, missed ones first.
  package static func render(_ goals: [Goal]) -> String {
    let missed = goals.filter { !$0.isKept }
    var lines = ["\(goals.count - missed.count) of \(goals.count) goals are kept."]
    for goal in missed {
      let sign = goal.sense == .atMost ? "above" : "below"
      lines.append(
        "Missed: \(goal.sentence): \(fixed(goal.measured, 3)), \(sign) \(fixed(goal.limit, 3))."
          + (goal.explanation.map { " Expected: \($0)" } ?? ""))
    }
    for goal in goals {
      guard goal.needsMoreRepeats, let low = goal.low, let high = goal.high else { continue }
      lines.append(
        "Not decided: \(goal.sentence): \(fixed(low, 3)) to \(fixed(high, 3)), and the limit is "
          + "\(fixed(goal.limit, 3)).")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Two reports side by side: what changed, in points, and whether it is more than chance.
  package static func compare(_ first: ScenarioReport, _ second: ScenarioReport) -> String {
    var rows = [["", "", "saved A", "saved B", "B - A", "±", ""]]
    for scenario in first.scenarios {
      guard let other = second.scenarios.first(where: { $0.name == scenario.name }) else {
        continue
      }
      for strategy in scenario.strategies {
        guard let theirs = other.strategies.first(where: { $0.name == strategy.name }) else {
          continue
        }
        let difference = difference(first, strategy.savedShare, second, theirs.savedShare)
        let half = (difference.high - difference.low) / 2
        let verdict = difference.low > 0 ? "more" : difference.high < 0 ? "less" : ""
        rows.append([
          scenario.name, strategy.title, percent(strategy.savedShare.mean),
          percent(theirs.savedShare.mean), fixed(difference.mean, 2), fixed(half, 2), verdict,
        ])
      }
    }
    return aligned(rows, words: [0, 1, 6]).joined(separator: "\n") + "\n"
  }

  /// Paired by repeat where both had the same seed, else with the widths of both added in squares.
  private static func difference(
    _ first: ScenarioReport, _ a: Estimate, _ second: ScenarioReport, _ b: Estimate
  ) -> (mean: Double, low: Double, high: Double) {
    if first.seed == second.seed, a.repeats.count == b.repeats.count,
      let paired = Estimate(zip(a.repeats, b.repeats).map { ($1 - $0) * 100 })
    {
      return (paired.mean, paired.low, paired.high)
    }
    let mean = (b.mean - a.mean) * 100
    let (x, y) = ((a.high - a.low) * 50, (b.high - b.low) * 50)
    let half = (x * x + y * y).squareRoot()
    return (mean, mean - half, mean + half)
  }

  private static func row(_ strategy: StrategyResult, grantedSeconds: Double) -> [String] {
    let past = strategy.overruns.pastDeadlineSeconds
    return [
      strategy.title, percent(strategy.savedShare.mean),
      fixed((strategy.savedShare.high - strategy.savedShare.low) * 50, 2),
      strategy.behindOraclePoints.map { fixed($0.mean, 2) } ?? "",
      percent(strategy.lostShare.mean),
      percent(grantedSeconds > 0 ? strategy.doneAgainSeconds / grantedSeconds : 0),
      String(strategy.checkpoints), percent(strategy.checkpointShare.mean),
      strategy.overruns.count == 0
        ? "0" : "\(strategy.overruns.count) of \(strategy.overruns.trips)",
      past.map { seconds($0.p50) } ?? "", past.map { seconds($0.p99) } ?? "",
      past.map { seconds($0.maximum) } ?? "",
      strategy.expiryToDurableSeconds.map { seconds($0.p99) } ?? "",
      strategy.tripsToFinish.map { fixed($0.mean, 1) } ?? "never",
    ]
  }

  /// Rows with their columns under each other: where `words` are, cells begin there, else they end.
  static func aligned(_ rows: [[String]], words: Set<Int> = [0]) -> [String] {
    let widths = (rows.first ?? []).indices.map { column in
      rows.map { $0[column].count }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return words.contains(column) ? cell + padding : padding + cell
      }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private static func percent(_ share: Double) -> String { fixed(share * 100, 2) + " %" }
  private static func seconds(_ value: Double) -> String { fixed(value, 3) + " s" }

  private static func fixed(_ value: Double, _ decimals: Int) -> String {
    NumberText.fixed(value, decimals: decimals)
  }
}
