import StintCore

/// The report of a job as a page.
package struct JobPage {
  /// How many rows a table has at most; JSON has all.
  static let mostRows = 400

  let account: JobAccount

  package init(_ account: JobAccount) {
    self.account = account
  }

  /// The file's contents.
  package var html: String {
    let figures = account.figures
    var subtitles = ["\(stateText) · \(account.name)"]
    if let counts = account.counts { subtitles.append("Lines: \(counts).") }
    subtitles += account.notes.map(Self.sentence)
    if let output = account.output {
      subtitles.append("Result: \(output)" + (account.result.map { ", " + $0 } ?? ""))
    }
    return Page(
      title: account.what, subtitles: subtitles, figures: large(figures),
      problems: account.problems.map(Self.sentence), sections: sections(figures),
      footer: "Written by stint report at \(account.written). This file needs nothing else: "
        + "no network, no script."
    ).html
  }

  private var stateText: String {
    let state = account.state.prefix(1).uppercased() + account.state.dropFirst()
    guard let fraction = account.fraction, !account.isFinished else { return state }
    return "\(state), \(NumberText.percent(fraction)) done"
  }

  private func large(_ figures: LifeFigures) -> [Page.Figure] {
    guard figures.stints > 0 else { return [] }
    guard figures.countsWork else {
      return [
        Page.Figure("Stints", NumberText.grouped(figures.stints)),
        Page.Figure("Elapsed", figures.elapsed.compactText, "in stints"),
      ]
    }
    var large: [Page.Figure] = []
    if let share = figures.savedShare {
      large.append(
        Page.Figure(
          "Saved", NumberText.percent(share),
          "\(figures.saved.compactText) of \(figures.granted.compactText) granted"))
    }
    large.append(
      Page.Figure(
        "Work kept", account.workTime.compactText,
        "in \(NumberText.count(figures.stints, "stint")), which took \(figures.elapsed.compactText)"
      ))
    large.append(
      Page.Figure(
        "Checkpoints", NumberText.grouped(figures.checkpoints),
        figures.costs.isEmpty
          ? (figures.checkpoints == 0 ? "" : "their cost is not known")
          : "\(figures.cost.compactText) in all"))
    large.append(lostFigure(figures))
    if let rest = account.expectedRest {
      large.append(
        Page.Figure(
          "To finish", "≈ " + rest.compactText,
          account.expectedStints.map { "about \(NumberText.count($0, "more stint"))" }
            ?? "of work"))
    } else if account.isFinished, figures.span > figures.elapsed + .seconds(1) {
      large.append(
        Page.Figure("From begin to end", figures.span.compactText, "rests between stints included"))
    }
    return large
  }

  private func lostFigure(_ figures: LifeFigures) -> Page.Figure {
    if figures.stintsUntold == 0 {
      return Page.Figure(
        "Lost", figures.lost == .zero ? "nothing" : figures.lost.compactText,
        figures.lost == .zero ? "" : "in \(NumberText.count(figures.stintsThatLost, "stint"))")
    }
    let known = figures.lost + figures.untold
    return Page.Figure(
      "Lost", known > .zero ? "≥ " + known.compactText : "unknown",
      "\(NumberText.count(figures.stintsUntold, "stint")) did not say")
  }

  private func sections(_ figures: LifeFigures) -> [Page.Section] {
    guard figures.stints > 0 else {
      return [
        Page.Section("life", "Life", Page.paragraph("No stint of this job has begun."))
      ]
    }
    var sections = [Page.Section("life", "Life", LifeSection(life: account.life).markup)]
    if let failures { sections.append(Page.Section("failures", "Failed lines", failures)) }
    let checkpoints = CheckpointSection(account.life)
    if !checkpoints.isEmpty {
      sections.append(Page.Section("checkpoints", "Checkpoints", checkpoints.markup))
    }
    sections.append(Page.Section("endings", "Ends and expiries", endings(figures)))
    if let remarks { sections.append(Page.Section("remarks", "What was said", remarks)) }
    sections.append(Page.Section("reading", "How to read this", Self.reading))
    return sections
  }

  private func endings(_ figures: LifeFigures) -> Markup {
    let ends = DataTable(
      "How the stints ended", [.init("How", .words), .init("Stints")],
      rows: figures.endings.map { [$0.words, NumberText.grouped($0.count)] })
    guard !figures.expiries.isEmpty else {
      return ends.markup + Page.paragraph("No expiry was announced: no handler was ever called.")
    }
    let reasons = DataTable(
      "Why the handlers were called", [.init("Reason", .words), .init("Expiries")],
      rows: figures.expiries.map { [$0.words, NumberText.grouped($0.count)] })
    return ends.markup + reasons.markup
  }

  private var failures: Markup? {
    let shown = account.failures.prefix(Self.mostRows)
    guard !shown.isEmpty else { return nil }
    return DataTable(
      "Lines that failed, and where their output lies"
        + (shown.count < account.failedItems
          ? ", the first \(shown.count) of \(account.failedItems)" : ""),
      [.init("Line"), .init("What", .words), .init("Output", .words)],
      rows: shown.map { [String($0.number), $0.text, $0.places] }
    ).markup
  }

  private var remarks: Markup? {
    let all = account.life.stints.enumerated().flatMap { index, stint in
      stint.remarks.map { (stint: index + 1, remark: $0) }
    }
    guard !all.isEmpty else { return nil }
    let shown = all.suffix(Self.mostRows)
    return DataTable(
      "Failures, terminations and notices"
        + (shown.count < all.count ? ", the last \(shown.count) of \(all.count)" : ""),
      [.init("Stint"), .init("After"), .init("What", .words)],
      rows: shown.map { [String($0.stint), $0.remark.at.compactText, $0.remark.text] }
    ).markup
  }

  private static func sentence(_ clause: String) -> String {
    clause.prefix(1).uppercased() + clause.dropFirst() + (clause.hasSuffix(".") ? "" : ".")
  }

  private static let reading =
    Page.paragraph(
      "Saved is the work that became durable, over the time that was granted. Of a stint whose time "
        + "ran out, the whole budget counts as granted; of one that ended for another reason, what it "
        + "used of it; of one that was killed without a warning, the time up to its last sign of life. "
        + "A stint that still runs counts in neither.")
    + Page.paragraph(
      "Lost is what the stints themselves said they had computed in vain. One that was killed cannot "
        + "say: what it ran after its last checkpoint, up to its last sign of life, is the least that it "
        + "has lost.")
    + Page.paragraph(
      "The cost of a checkpoint is the time from its begin until it was durable and verified. The "
        + "worker computes on meanwhile where it can, so not all of that was taken from the work.")
}
