package import StintCore

/// The one line that a terminal shows of a running job, as a pure function of report and width.
package enum LiveLine {
  private static let leastBar = 6
  private static let mostBar = 30
  /// A bar is so many columns or a multiple of them, or the least: it must not change its length
  /// with every text beside it.
  private static let barStep = 10
  private static let leastForEcho = 20
  /// The columns around a bar: two brackets and two blanks.
  private static let barFrame = 4

  /// Renders a report.
  ///
  /// What matters least goes first when the terminal is narrow: the stint's number, the estimate,
  /// the next checkpoint, the bar, the phase. Share and remaining time always stay.
  ///
  /// - Parameters:
  ///   - report: What to show.
  ///   - width: Columns of the terminal; one is left free, because some terminals wrap when the
  ///     last is written. From 20 on it is three: the `^C` or `^Z` that a terminal shows would wrap
  ///     and leave the line behind.
  ///   - style: What may be drawn.
  /// - Returns: A text of that many columns at most, without a newline; colours take no column.
  package static func render(_ report: StatusReport, width: Int, style: LineStyle) -> String {
    let room = max(1, width - (width < leastForEcho ? 1 : 3))
    var parts = Parts(report)
    while parts.width + leastBar + barFrame > room, parts.drop(above: .phase) {}
    let space = min(mostBar, room - parts.width - barFrame)
    if space >= leastBar {
      let bar = space >= barStep ? space / barStep * barStep : leastBar
      let drawn = style.bar(report.progress.fraction, width: bar, color: color(of: report.state))
      return drawn + "  " + parts.line
    }
    while parts.width > room, parts.drop(above: .remaining) {}
    return CellWidth.fitted(parts.line, to: room)
  }

  private static func color(of state: StatusReport.State) -> String {
    switch state {
    case .running: "\u{1B}[36m"
    case .saving: "\u{1B}[33m"
    case .registering, .waiting, .paused: "\u{1B}[90m"
    case .finished: "\u{1B}[32m"
    }
  }

  /// What a part says; the later ones give way first.
  private enum Rank: Comparable {
    case share, remaining, phase, noLimit, checkpoint, estimate, stint
  }

  /// The texts of a line in the order in which they stand.
  private struct Parts {
    private var all: [(text: String, rank: Rank)] = []

    init(_ report: StatusReport) {
      all.append((ReportText.percent(report.progress.fraction), .share))
      all.append((ReportText.activity(report, longest: 24), .phase))
      switch report.remaining {
      case .unlimited: all.append(("no limit", .noLimit))
      case .limited(let rest): all.append(("\(rest.secondsText(decimals: 1))s left", .remaining))
      }
      if let next = ReportText.nextCheckpoint(report) {
        all.append(("checkpoint in \(ReportText.seconds(next))", .checkpoint))
      }
      if report.state != .finished, let estimate = report.estimateToFinish {
        all.append(("done in ~\(ReportText.seconds(estimate))", .estimate))
      }
      all.append(("stint \(report.stint)", .stint))
      all.removeAll { $0.text.isEmpty }
    }

    var line: String { all.map(\.text).joined(separator: "  ") }

    /// The columns of the texts with two blanks between them.
    var width: Int { all.reduce(0) { $0 + CellWidth.of($1.text) + 2 } - 2 }

    /// Removes the part that gives way first; false if there is none above a rank.
    mutating func drop(above least: Rank) -> Bool {
      guard let first = all.indices.max(by: { all[$0].rank < all[$1].rank }),
        all[first].rank > least
      else { return false }
      all.remove(at: first)
      return true
    }
  }
}
