import StintCore
import StintReport

/// Trips that went past their deadline, and how far.
struct OvershootSection {
  let report: ScenarioReport

  var markup: Markup {
    let plot = OvershootPlot(rows)
    let caption =
      rows.contains { $0.overruns > 0 }
      ? "Trips by how far past the deadline their task was still open, all scenarios together. The height is a share of the trips, "
        + "on one scale for all rows."
      : "No strategy was past a deadline that had been told before."
    return Page.figure(plot.markup, caption) + table
  }

  private var rows: [OvershootPlot.Row] {
    report.strategies.map { strategy in
      let all = report.runs(of: strategy.name).map(\.strategy.overruns)
      return OvershootPlot.Row(
        name: strategy.title, isStrong: strategy.name == StrategyName.stint.rawValue,
        trips: all.reduce(0) { $0 + $1.trips },
        counts: OvershootPlot.counts(all.flatMap(\.histogram)))
    }
  }

  private var table: Markup {
    var table = DataTable(
      "Overruns, and seconds past the deadline in the scenario where each was worst",
      [
        .init("Strategy", .words), .init("Deadlines"), .init("Overruns"), .init("Share"),
        .init("p50"), .init("p99"), .init("Maximum"),
      ] + OvershootPlot.names.map { .init($0 == "longer" ? $0 : "≤ " + $0) })
    for (strategy, row) in zip(report.strategies, rows) {
      let all = report.runs(of: strategy.name).map(\.strategy.overruns)
      let count = all.reduce(0) { $0 + $1.count }
      func worst(_ quantile: (StrategyResult.Overruns) -> Double?) -> String {
        all.compactMap(quantile).max().map { Duration(clampingSeconds: $0).compactText } ?? ""
      }
      table.add(
        [
          strategy.title, NumberText.grouped(row.trips), NumberText.grouped(count),
          row.trips > 0
            ? NumberText.percent(Double(count) / Double(row.trips), decimals: 2) : "",
          worst(\.pastDeadlineSeconds?.p50), worst(\.pastDeadlineSeconds?.p99),
          worst(\.pastDeadlineSeconds?.maximum),
        ] + row.counts.map { $0 == 0 ? "" : NumberText.grouped($0) },
        isStrong: strategy.name == StrategyName.stint.rawValue)
    }
    return table.markup
  }
}

extension OvershootPlot {
  /// Sums bars of any width into decades, each by its upper end.
  static func counts(_ bars: [HistogramBar]) -> [Int] {
    var counts = Array(repeating: 0, count: names.count)
    for bar in bars {
      counts[ends.firstIndex { bar.toSeconds <= $0 * (1 + 1e-9) } ?? ends.count] += bar.count
    }
    return counts
  }
}
