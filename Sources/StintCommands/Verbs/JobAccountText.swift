import StintCore
import StintReport

/// The report of a job for the terminal.
struct JobAccountText {
  /// How many stints the table shows from each end of a long life.
  static let shownFirst = 8
  static let shownLast = 16
  static let shownRemarks = 12

  let account: JobAccount
  /// How the lines of a batch stand.
  var tally: ItemTally?

  var text: String {
    var lines = FactLines(CellWidth.fitted(account.what, to: .max))
    lines.add("job", account.name)
    lines.add("state", stateText)
    for problem in account.problems { lines.add("problem", problem) }
    for note in account.notes { lines.add("note", note) }
    lines.add("lines", account.counts)
    if let tally, !tally.running.isEmpty { lines.add("running", tally.runningText) }
    lines.add("output", account.output)
    lines.add("result", account.result)
    lines.add("log", account.log)
    let figures = account.figures
    lines.add(
      "work kept", figures.stints > 0 && figures.countsWork ? account.workTime.compactText : nil)
    lines.add("elapsed", figures.stints > 0 ? elapsedText(figures) : nil)
    for line in figures.lines { lines.add(line.name, line.text) }
    lines.add(account.isFinished ? "finished in" : "to finish", account.timeToFinish)
    return lines.text + (tally?.failureList(indent: 2) ?? "")
      + stintTable + remarkList
  }

  private var stateText: String {
    guard let fraction = account.fraction, !account.isFinished else { return account.state }
    return "\(account.state), \(NumberText.percent(fraction)) done"
  }

  private func elapsedText(_ figures: LifeFigures) -> String {
    figures.span > figures.elapsed
      ? "\(figures.elapsed.compactText) in stints, within \(figures.span.compactText)"
      : figures.elapsed.compactText
  }

  /// The stints that are shown: the first and the last of a long life.
  private var shown: [Int] {
    let count = account.life.stints.count
    guard count > Self.shownFirst + Self.shownLast + 1 else { return Array(0..<count) }
    return Array(0..<Self.shownFirst) + Array((count - Self.shownLast)..<count)
  }

  private var stintTable: String {
    guard !account.life.stints.isEmpty else { return "" }
    var table = TextTable([
      ("STINT", .right), ("BEGAN", .left), ("BUDGET", .right), ("RAN", .right), ("SAVED", .right),
      ("SHARE", .right), ("LOST", .right), ("CHECKPOINTS", .right), ("COST", .right),
      ("HOW IT ENDED", .left),
    ])
    var last = -1
    for index in shown {
      if index > last + 1 {
        table.add(["..."] + Array(repeating: "", count: 8) + ["\(index - last - 1) not shown"])
      }
      last = index
      let stint = account.life.stints[index]
      let costs = stint.checkpoints.compactMap(\.took)
      let isUntold = stint.ending == .open || !account.life.countsWork
      table.add([
        String(index + 1), stint.moment ?? "", stint.budget?.compactText ?? "none",
        stint.elapsed.compactText, account.life.countsWork ? stint.saved.compactText : "",
        isUntold ? "" : stint.savedShare.map { NumberText.percent($0) } ?? "",
        isUntold ? "" : stint.lost?.compactText ?? "?",
        String(stint.checkpoints.count),
        costs.isEmpty ? "" : costs.reduce(.zero, +).compactText,
        stint.wordsWithReason,
      ])
    }
    return "\n" + table.render(indent: 2)
  }

  private var remarkList: String {
    let remarks = account.life.stints.enumerated().flatMap { index, stint in
      stint.remarks.map { (stint: index + 1, remark: $0) }
    }
    guard !remarks.isEmpty else { return "" }
    let shown = remarks.suffix(Self.shownRemarks)
    let more = remarks.count > shown.count ? ", the last \(shown.count) of \(remarks.count)" : ""
    return "\n  What was said\(more):\n"
      + shown.map { entry in
        "  stint \(entry.stint), after \(entry.remark.at.compactText): "
          + "\(CellWidth.fitted(entry.remark.text, to: .max))\n"
      }.joined()
  }
}
