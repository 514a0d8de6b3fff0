import StintCore

/// A line that runs, as the display shows it.
struct BatchRow: Hashable, Sendable {
  var number: Int
  var title: String
  /// What its process said last; nil if it says nothing of itself.
  var reading: StatusReport?
  /// Since its process was started.
  var elapsed: Duration
}

/// The batch as a whole, as the display shows it.
struct BatchTotal: Hashable, Sendable {
  var progress: BatchProgress
  var remaining: RemainingTime
  /// Whether it waits between two trips.
  var isResting: Bool
  /// Whether nothing new is started and what runs saves.
  var isClosing: Bool
}

/// The lines that a terminal shows of a running batch, as a pure function of what runs and of the
/// terminal's size.
enum BatchFrame {
  private static let leastBar = 6
  private static let mostBar = 20

  /// Renders what runs, a line each, and the total below.
  ///
  /// Of more lines than the terminal has room for, the first are shown and the rest counted. It is
  /// at least one line, fewer than the terminal has rows, and none wraps.
  static func render(
    _ rows: [BatchRow], _ total: BatchTotal, columns: Int, height: Int, style: LineStyle
  ) -> [String] {
    let width = room(columns)
    // The line above is the user's command, and the cursor stays on the last one.
    let room = max(0, height - 2)
    let shown = rows.count <= room ? rows : Array(rows.prefix(max(0, room - 1)))
    let numbers = shown.map { String($0.number).count }.max() ?? 1
    var lines = shown.map { line($0, numberWidth: numbers, width: width) }
    if shown.count < rows.count, room > 0 {
      lines.append(CellWidth.fitted("and \(rows.count - shown.count) more", to: width))
    }
    return lines + [line(total, width: width, style: style)]
  }

  /// The columns that are used; see ``LiveLine``.
  static func room(_ columns: Int) -> Int { max(1, columns - (columns < 20 ? 1 : 3)) }

  private static func line(_ row: BatchRow, numberWidth: Int, width: Int) -> String {
    let number = String(row.number)
    var parts = [String(repeating: " ", count: numberWidth - number.count) + number]
    if let reading = row.reading {
      parts.append(ReportText.percent(reading.progress.fraction))
      if let estimate = reading.estimateToFinish {
        parts.append("~\(ReportText.seconds(estimate))")
      }
    } else {
      parts.append(ReportText.seconds(row.elapsed))
    }
    parts.append(row.title)
    return CellWidth.fitted(parts.joined(separator: "  "), to: width)
  }

  private static func line(_ total: BatchTotal, width: Int, style: LineStyle) -> String {
    // What gives way first stands last.
    var texts = words(total)
    func length(_ texts: [String]) -> Int { texts.reduce(-2) { $0 + CellWidth.of($1) + 2 } }
    while texts.count > 2, length(texts) > width { texts.removeLast() }
    let text = texts.joined(separator: "  ")
    let bar = min(mostBar, (width - CellWidth.of(text) - 4) / 2 * 2)
    guard bar >= leastBar else { return CellWidth.fitted(text, to: width) }
    let colour = total.isClosing ? "\u{1B}[33m" : total.isResting ? "\u{1B}[90m" : "\u{1B}[36m"
    return style.bar(total.progress.fraction, width: bar, color: colour) + "  \(text)"
  }

  /// The texts of the total; without a terminal they are one line of a log.
  static func words(_ total: BatchTotal) -> [String] {
    let progress = total.progress
    var texts = [ReportText.percent(progress.fraction)]
    switch total.remaining {
    case .unlimited: break
    case .limited where total.isResting: texts.append("resting")
    case .limited(let rest): texts.append("\(rest.secondsText(decimals: 1))s left")
    }
    texts.append("\(progress.finished)/\(progress.total) done")
    if progress.failed > 0 { texts.append("\(progress.failed) failed") }
    if progress.running > 0 { texts.append("\(progress.running) running") }
    if let estimate = progress.estimate { texts.append("done in ~\(ReportText.seconds(estimate))") }
    return texts
  }
}
