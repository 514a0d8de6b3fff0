import StintReport

/// Saved share by strategy and chunk size.
struct ShareSection {
  let report: ScenarioReport

  var markup: Markup {
    var markup = Page.paragraph(
      "Each sign is a scenario. To the right is better; the end of the axis is all of the granted "
        + "time.")
    markup += DotPlot.legend(groups.map { ($0.rawValue, $0.words) })
    let lowest = rows.flatMap(\.dots).map(\.value).min() ?? 0
    let start = max(0, (lowest / 10 - 0.05).rounded(.down) * 10)
    markup += figure(
      min(start, 90)...100,
      "Saved share of all strategies. The axis begins at \(Int(min(start, 90))) %.")
    // If no strategy reaches this range, the second plot would be empty.
    if lowest < 80, rows.flatMap(\.dots).contains(where: { $0.value >= 90 }) {
      markup += figure(
        90...100,
        "The same from 90 % on. An arrow at the left is a scenario with a smaller share.")
    }
    return markup + table
  }

  private var groups: [ChunkGroup] {
    let occurring = Set(report.scenarios.map { ChunkGroup(seconds: $0.chunkMeanSeconds) })
    return ChunkGroup.allCases.filter(occurring.contains)
  }

  private var rows: [DotPlot.Row] {
    report.strategies.map { strategy in
      DotPlot.Row(
        name: strategy.title, isStrong: strategy.name == StrategyName.stint.rawValue,
        dots: report.runs(of: strategy.name).map { run in
          let share = run.strategy.savedShare
          return DotPlot.Dot(
            value: share.mean * 100, low: share.low * 100, high: share.high * 100,
            series: ChunkGroup(seconds: run.scenario.chunkMeanSeconds).rawValue,
            words: "\(strategy.title), \(run.scenario.title): \(NumberText.percent(share.mean))")
        })
    }
  }

  private func figure(_ range: ClosedRange<Double>, _ caption: String) -> Markup {
    let plot = DotPlot(
      label: "Saved share by strategy and chunk size, \(Int(range.lowerBound)) to 100 per cent",
      unit: "% of the granted time saved", range: range, rows: rows)
    return Page.figure(plot.markup, caption)
  }

  private var table: Markup {
    var table = DataTable(
      "Saved share, mean of the scenarios with chunks of a size, and the least of all",
      [.init("Strategy", .words)] + groups.map { .init($0.words) }
        + [.init("All"), .init("Least")])
    for strategy in report.strategies {
      let runs = report.runs(of: strategy.name)
      let shares = runs.map(\.strategy.savedShare.mean)
      let byGroup = groups.map { group in
        Self.mean(
          runs.filter { ChunkGroup(seconds: $0.scenario.chunkMeanSeconds) == group }
            .map(\.strategy.savedShare.mean))
      }
      table.add(
        [strategy.title] + byGroup
          + [Self.mean(shares), shares.min().map { NumberText.percent($0) } ?? ""],
        isStrong: strategy.name == StrategyName.stint.rawValue)
    }
    return table.markup
  }

  private static func mean(_ shares: [Double]) -> String {
    shares.isEmpty ? "" : NumberText.percent(shares.reduce(0, +) / Double(shares.count))
  }
}

/// How many points each strategy stays behind the optimum.
struct OracleSection {
  /// The goal: no scenario in which Stint is farther away.
  private static let limit = 1.5
  /// What is farther away stands at the end of the axis.
  private static let farthest = 6.0

  let report: ScenarioReport

  var isEmpty: Bool { distances.isEmpty }

  private var distances: [Double] {
    report.scenarios.flatMap(\.strategies).compactMap(\.behindOraclePoints?.mean)
  }

  private var strategies: [(name: String, title: String)] {
    report.strategies.filter { $0.name != StrategyName.oracle.rawValue }
  }

  var markup: Markup {
    let rows = strategies.map { strategy in
      DotPlot.Row(
        name: strategy.title, isStrong: strategy.name == StrategyName.stint.rawValue,
        dots: report.runs(of: strategy.name).compactMap { run in
          run.strategy.behindOraclePoints.map { behind in
            DotPlot.Dot(
              value: behind.mean, low: behind.low, high: behind.high,
              series: ChunkGroup(seconds: run.scenario.chunkMeanSeconds).rawValue,
              words: "\(strategy.title), \(run.scenario.title): \(Self.points(behind.mean)) points")
          }
        })
    }
    let all = rows.flatMap(\.dots)
    let least = min(0, all.map(\.value).min() ?? 0)
    let most = min(Self.farthest, max(2, all.map(\.value).max() ?? 0))
    let plot = DotPlot(
      label: "Points behind the oracle by strategy", unit: "points behind the oracle",
      range: least.rounded(.down)...most.rounded(.up), rows: rows, limit: Self.limit)
    var caption =
      "Each sign is a scenario; zero is the oracle, to the left is better. The dashed line is Stint's goal, \(Self.limit) points."
    if plot.hasDotsOutside {
      caption +=
        " An arrow at the right is a scenario that is farther away; the table has the figure."
    }
    return Page.figure(plot.markup, caption) + table
  }

  private var table: Markup {
    var table = DataTable(
      "Points behind the oracle",
      [.init("Scenario", .words)] + strategies.map { .init($0.title) })
    for scenario in report.scenarios {
      table.add(
        [scenario.title]
          + strategies.map { strategy in
            scenario.strategies.first { $0.name == strategy.name }?.behindOraclePoints
              .map { Self.points($0.mean) } ?? ""
          })
    }
    return table.markup
  }

  private static func points(_ number: Double) -> String {
    NumberText.fixed(number, decimals: 2)
  }
}
