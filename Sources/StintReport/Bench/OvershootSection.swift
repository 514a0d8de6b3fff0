import StintCore

/// Trips that went past their deadline, and how far.
struct OvershootSection {
  let account: BenchAccount

  init(_ account: BenchAccount) {
    self.account = account
  }

  var markup: Markup {
    let plot = OvershootPlot(rows)
    let caption =
      rows.contains { $0.overruns > 0 }
      ? "Trips by how far past the deadline their task was still open, all scenarios together. The height is a share of the trips, "
        + "on one scale for all rows."
      : "No strategy was past a deadline that had been told before."
    return .element(
      "figure", [:], plot.markup, .element("figcaption", [:], Markup(caption)))
      + table
  }

  private var rows: [OvershootPlot.Row] {
    account.strategies.map { strategy in
      let all = account.runs(of: strategy.name).map(\.strategy.overruns)
      return OvershootPlot.Row(
        name: strategy.title, isStrong: strategy.name == BenchAccount.ownName,
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
    for (strategy, row) in zip(account.strategies, rows) {
      let all = account.runs(of: strategy.name).map(\.strategy.overruns)
      let count = all.reduce(0) { $0 + $1.count }
      func worst(_ quantile: (BenchAccount.Overruns) -> Double?) -> String {
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
        isStrong: strategy.name == BenchAccount.ownName)
    }
    return table.markup
  }
}

extension OvershootPlot {
  /// Sums bins of any width into decades, each by its upper end.
  package static func counts(_ bins: [BenchAccount.Overruns.Bin]) -> [Int] {
    var counts = Array(repeating: 0, count: names.count)
    for bin in bins {
      counts[ends.firstIndex { bin.toSeconds <= $0 * (1 + 1e-9) } ?? ends.count] += bin.count
    }
    return counts
  }
}
