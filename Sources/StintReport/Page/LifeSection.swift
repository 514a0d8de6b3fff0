import StintCore

/// The timeline of a life and the table that says the same.
struct LifeSection {
  let life: Life

  var markup: Markup {
    let plot = TimelinePlot(
      life, label: "Timeline of \(NumberText.count(life.stints.count, "stint"))")
    return TimelinePlot.legend + Page.figure(plot.markup, caption(of: plot)) + table
  }

  private func caption(of plot: TimelinePlot) -> String {
    let count = life.stints.count
    var text =
      count == 1
      ? "The one stint of this job, from its begin at the left."
      : "Each row is a stint, the oldest above. All begin at the left, so that deadlines stand under each other; "
        + "the rests between stints are left out. At the right: the share of the granted time that was saved."
    if plot.hasCutBudgets {
      text += " A budget without an end mark reaches beyond the plot: not all of it was needed."
    }
    if plot.shown.count < count {
      text += " The first \(plot.shownFirstCount) and the last "
      text +=
        "\(plot.shown.count - plot.shownFirstCount) of \(NumberText.grouped(count)) are shown."
    }
    return text
  }

  private var table: Markup {
    let isNamed = life.stints.contains { $0.moment != nil }
    let count = life.stints.count
    let skipped = max(0, count - JobPage.mostRows)
    // What the plot shows of a long life is in the table too.
    let first = skipped > 0 ? TimelinePlot(life, label: "").shownFirstCount : 0
    var table = DataTable(
      "The stints, oldest first"
        + (skipped > 0
          ? ": the first \(first) and the last \(JobPage.mostRows - first) of \(NumberText.grouped(count))"
          : ""),
      [.init("Stint")] + (isNamed ? [.init("Began (UTC)")] : [])
        + [
          .init("Budget"), .init("Ran"), .init("Saved"), .init("Share"), .init("Lost"),
          .init("Checkpoints"), .init("How it ended", .words),
        ])
    for (index, stint) in life.stints.enumerated()
    where index < first || index >= first + skipped {
      let isUntold = stint.ending == .open || !life.countsWork
      table.add(
        [String(index + 1)] + (isNamed ? [Self.moment(stint.moment)] : [])
          + [
            stint.budget?.compactText ?? "none", stint.elapsed.compactText,
            life.countsWork ? stint.saved.compactText : "",
            isUntold ? "" : stint.savedShare.map { NumberText.percent($0) } ?? "",
            isUntold ? "" : stint.lost?.compactText ?? "not told",
            NumberText.grouped(stint.checkpoints.count),
            stint.wordsWithReason,
          ])
    }
    return table.markup
  }

  /// A moment without the letters that only programs need.
  private static func moment(_ moment: String?) -> String {
    guard let moment else { return "" }
    return String(moment.map { $0 == "T" ? " " : $0 }.filter { $0 != "Z" })
  }
}
