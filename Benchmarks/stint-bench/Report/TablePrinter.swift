import Foundation

/// A report as a table for people.
enum TablePrinter {
  /// Renders all figures, with a line for each note.
  static func render(_ report: BenchReport) -> String {
    let head = ["", "measured", "gate", "goal", "verdict", "min / median / p99 / max"]
    let rows = [head] + report.figures.map(row)
    let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      row.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        // Numbers end under each other, words begin under each other.
        return (1...3).contains(column) ? padding + cell : cell + padding
      }
      .joined(separator: "  ").trimmingCharacters(in: .newlines).replacing(/[ ]+$/, with: "")
    }
    let notes = report.figures.compactMap { figure in
      let parts = [figure.interval.map { interval($0, figure.unit) }, figure.note].compactMap(
        \.self)
      return parts.isEmpty ? nil : "\(figure.what): \(parts.joined(separator: "; "))"
    }
    let others = report.others.map { [$0.description] } ?? []
    let took = String(format: "%.0f s in all.", report.tookSeconds)
    return (lines + (notes.isEmpty ? [] : [""]) + notes + [""] + others + [took]).joined(
      separator: "\n") + "\n"
  }

  private static func row(_ figure: Figure) -> [String] {
    let unit = figure.unit
    let spread = figure.spread.map { spread in
      [spread.minimum, spread.median, spread.p99, spread.maximum].map { text($0, unit) }
        .joined(separator: " / ") + "  (\(spread.samples))"
    }
    return [
      figure.what, text(figure.measured, unit), figure.gate.map { text($0, unit) } ?? "",
      figure.goal.map { text($0, unit) } ?? "", words(figure), spread ?? "",
    ]
  }

  private static func interval(_ interval: Interval, _ unit: Figure.Unit) -> String {
    switch (interval.low, interval.high) {
    case (let low?, let high?):
      "with 95 % probability between \(text(low, unit)) and \(text(high, unit))"
    case (let low?, nil): "at least \(text(low, unit)); too few rounds to say at most what"
    case (nil, let high?): "at most \(text(high, unit)); too few rounds to say at least what"
    case (nil, nil): "too few rounds for an interval"
    }
  }

  private static func words(_ figure: Figure) -> String {
    switch figure.verdict {
    case .reachedGoal: "reached goal"
    case .withinGate: "within gate"
    case .missed: "missed"
    case .notJudged: figure.gate == nil ? "" : "not judged"
    }
  }

  private static func text(_ value: Double, _ unit: Figure.Unit) -> String {
    switch unit {
    case .nanoseconds: String(format: "%.0f ns", value)
    case .milliseconds: String(format: "%.3f ms", value)
    case .percent: String(format: "%.2f %%", value)
    case .ratio, .exponent: String(format: "%.3f", value)
    case .mebibytes: String(format: "%.1f MiB", value)
    case .count: String(format: "%.0f", value)
    }
  }
}
