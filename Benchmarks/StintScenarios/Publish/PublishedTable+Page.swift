import StintCore
import StintReport

extension PublishedTable {
  /// The table as a page that needs nothing else.
  package var html: String {
    Page(
      title: "What strategies make of time that ends",
      subtitles: [
        "\(NumberText.count(sections.count, "trace")), \(NumberText.count(TableWorkload.all.count, "workload")) on each, "
          + "\(strategies.count) strategies: \(source)"
      ],
      figures: figures, sections: [summarySection] + all.map(Self.section) + [meaning],
      footer:
        "Written by stint-bench \(version). This file needs nothing else: no network, no script."
    ).html
  }

  private var figures: [Page.Figure] {
    let stint = StrategyName.stint.rawValue
    let results = sections.flatMap(\.results)
    let behind = results.compactMap { $0[.stint]?.behindOraclePoints?.mean }
    let overruns = sections.map { $0.overruns(stint) }
    var figures: [Page.Figure] = []
    if !behind.isEmpty {
      figures.append(
        Page.Figure(
          "Stint behind the optimum",
          NumberText.fixed(behind.reduce(0, +) / Double(behind.count), decimals: 2) + " points",
          "mean of \(behind.count) of \(results.count) worlds, those with an optimum; "
            + "\(NumberText.fixed(behind.max() ?? 0, decimals: 1)) in the worst"))
    }
    if let worst = sections.compactMap({ $0.worstBehind(stint) }).max() {
      figures.append(
        Page.Figure(
          "Stint behind the best rule", NumberText.fixed(worst, decimals: 1) + " points",
          "where that is most"))
    }
    figures.append(
      Page.Figure(
        "Overruns of Stint", NumberText.grouped(overruns.reduce(0) { $0 + $1.count }),
        "of \(NumberText.count(overruns.reduce(0) { $0 + $1.deadlines }, "told deadline"))"))
    return figures
  }

  private var summarySection: Page.Section {
    var table = DataTable(
      "Useful share of the granted time in per cent, mean of the workloads",
      [.init("Strategy", .words)] + summaryHeadings.map { .init($0) }
        + [.init("Most points behind the best rule"), .init("Overruns in 1,000 deadlines")])
    for row in summary { table.add([row.title] + row.cells, isStrong: row.isStint) }
    return Page.Section(
      "summary", "Summary",
      Page.paragraph(
        "The rules of the literature are given the true distributions, and Stint has to learn them. "
          + "An empty field has no value: no optimum is known there.") + table.markup)
  }

  private static func section(_ section: Section) -> Page.Section {
    var markup = Page.paragraph(section.description)
    for (number, result) in section.results.enumerated() {
      var table = DataTable(
        "Mean of the repeats; ± is half of the 95 % interval",
        [.init("Strategy", .words)] + headings.map { .init($0) })
      for strategy in result.strategies {
        table.add(
          [strategy.title] + cells(strategy, of: result),
          isStrong: strategy.name == StrategyName.stint.rawValue)
      }
      markup += .element(
        "details", ["open": number == 0 ? "" : nil],
        .element("summary", [:], Markup(facts(result))), table.markup)
    }
    return Page.Section(section.name, section.title, markup)
  }

  /// What each number means, and what it does not.
  private var meaning: Page.Section {
    let table = DataTable(
      "The numbers",
      [.init("Number", .words), .init("What it means", .words), .init("What it does not", .words)],
      rows: Self.meanings.map { [$0.name, $0.means, $0.not] })
    return Page.Section("meaning", "What each number means", table.markup)
  }

  /// The numbers of the table, in words.
  package static let meanings: [(name: String, means: String, not: String)] = [
    (
      "C", "the mean time of a checkpoint, in which the work stands still",
      "a size: no byte is written here"
    ),
    (
      "C/MTBF",
      "C over the granted time between two ends that nobody told in time; none if all were told",
      "how often machines break: an end that was told is no failure here"
    ),
    (
      "chunk/budget", "the mean time of a chunk over the mean time that was really had",
      "the share of budgets in which a chunk fits, because both vary"
    ),
    (
      "restart",
      "the time in which nothing runs after a process was killed: it starts and loads its state",
      "a cost of ending in order: who ends its task stays ready"
    ),
    (
      "Useful", "work that was durable at the deadline, over the granted time",
      "the speed of the work, or what it is worth"
    ),
    (
      "±", "half of the 95 % interval of the mean over the repeats, by Student's t",
      "how well the trace stands for another machine or another year"
    ),
    (
      "Beside Stint",
      "the 95 % interval of the points (hundredths of the granted time) by which a strategy is ahead of Stint, paired by repeat: both lived the same budgets",
      "a difference, where it holds zero"
    ),
    (
      "Checkpoints", "time in which checkpoints were written, also those that were cut",
      "waste that could be avoided: with none, a kill takes all"
    ),
    (
      "Lost", "time of work that was begun and not durable when its process ended",
      "work that cannot be done again: it is done again, and counts once more"
    ),
    (
      "Idle", "granted time in which nothing was done, also after the task was ended",
      "time that somebody else could not have used"
    ),
    (
      "Restart", "granted time in which a process started again after a kill",
      "the first start of all, and starts after an end in order"
    ),
    (
      "Makespan",
      "granted time until a job of ten mean budgets was durable, over the time of its work alone; the first job of each repeat, so learning is in it",
      "time by the calendar: what passes between two budgets is not in it"
    ),
    (
      "Overruns", "told deadlines at which a task was still open, of all that were told",
      "ends that came untold: nobody can keep those"
    ),
  ]
}
