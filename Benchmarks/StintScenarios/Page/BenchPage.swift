import StintCore
import StintReport

/// A run of the benchmark as a page.
package struct BenchPage {
  let report: ScenarioReport

  package init(_ report: ScenarioReport) {
    self.report = report
  }

  /// The file's contents.
  package var html: String {
    let scenarios = NumberText.count(report.scenarios.count, "scenario")
    let strategies = report.strategies.count
    let clock = report.mode == "virtual" ? "in virtual time" : "on the real clock"
    return Page(
      title: "What strategies save of a budget",
      subtitles: [
        "\(scenarios), \(strategies) strateg\(strategies == 1 ? "y" : "ies"), \(clock): "
          + "\(report.source), seed \(report.seed), \(NumberText.count(report.repeats, "repeat"))"
      ],
      figures: figures, problems: problems, sections: sections,
      footer: "Written by \(report.source). This file needs nothing else: no network, no script."
    ).html
  }

  private var own: [(scenario: ScenarioResult, strategy: StrategyResult)] {
    report.runs(of: StrategyName.stint.rawValue)
  }

  private var figures: [Page.Figure] {
    var figures: [Page.Figure] = []
    let shares = own.map(\.strategy.savedShare.mean)
    if let least = shares.min() {
      figures.append(
        Page.Figure(
          "Stint saved", NumberText.percent(shares.reduce(0, +) / Double(shares.count)),
          "mean of the scenarios; \(NumberText.percent(least)) in the worst"))
    }
    if let farthest = own.compactMap(\.strategy.behindOraclePoints?.mean).max() {
      figures.append(
        Page.Figure(
          "Behind the oracle", NumberText.fixed(farthest, decimals: 2) + " points",
          "at most, in any scenario"))
    }
    let trips = own.reduce(0) { $0 + $1.strategy.overruns.trips }
    let overruns = own.reduce(0) { $0 + $1.strategy.overruns.count }
    if trips > 0 {
      figures.append(
        Page.Figure(
          "Overruns of Stint", NumberText.grouped(overruns),
          "of \(NumberText.count(trips, "deadline"))"))
    }
    if !report.allGoals.isEmpty {
      figures.append(
        Page.Figure(
          "Goals kept", NumberText.grouped(report.allGoals.filter(\.isKept).count),
          "of \(NumberText.grouped(report.allGoals.count))"))
    }
    return figures
  }

  private var problems: [String] {
    let missed = report.allGoals.filter { !$0.isKept && $0.explanation == nil }.count
    let lies = report.strategies.compactMap { strategy -> String? in
      let count = report.runs(of: strategy.name).reduce(0) { $0 + $1.strategy.falseClaims }
      guard count > 0 else { return nil }
      return
        "\(strategy.title) said \(NumberText.count(count, "time")) that work was saved which was not."
    }
    return (missed > 0 ? ["\(NumberText.count(missed, "goal")) missed."] : []) + lies
  }

  private var sections: [Page.Section] {
    guard !report.scenarios.isEmpty else {
      return [Page.Section("shares", "Saved share", Page.paragraph("No scenario was run."))]
    }
    var sections = [Page.Section("shares", "Saved share", ShareSection(report: report).markup)]
    let oracle = OracleSection(report: report)
    if !oracle.isEmpty {
      sections.append(Page.Section("oracle", "Distance to the oracle", oracle.markup))
    }
    sections.append(Page.Section("overshoot", "Overshoot", OvershootSection(report: report).markup))
    sections.append(Page.Section("scenarios", "Scenario by scenario", scenarios))
    if !report.allGoals.isEmpty { sections.append(Page.Section("goals", "Goals", goals)) }
    sections.append(Page.Section("reading", "How to read this", reading))
    return sections
  }

  private var scenarios: Markup {
    Page.paragraph(
      "Each opens with its figures and with the first trips of one repeat, lived by "
        + (hasOracle ? "the oracle, by " : "")
        + "Stint and by the strategy that saved least. All live the same trips.")
      + Markup(
        report.scenarios.enumerated().map { index, scenario in
          ScenarioSection(scenario: scenario).markup(isOpen: index == 0)
        })
  }

  private var goals: Markup {
    var table = DataTable(
      "What had to hold, and what was measured",
      [
        .init("Scenario", .words), .init("Goal", .words), .init("Measured"), .init("Limit"),
        .init("Kept", .words),
      ])
    func add(_ goal: Goal, of scenario: String) {
      table.add(
        [
          scenario, goal.sentence, NumberText.significant(goal.measured),
          (goal.sense == .atMost ? "≤ " : "≥ ") + NumberText.significant(goal.limit),
          goal.isKept ? "yes" : "no" + (goal.explanation.map { ": " + $0 } ?? ""),
        ], isStrong: !goal.isKept && goal.explanation == nil)
    }
    for goal in report.goals { add(goal, of: "all") }
    for scenario in report.scenarios {
      for goal in scenario.goals { add(goal, of: scenario.title) }
    }
    return table.markup
  }

  private var hasOracle: Bool { !OracleSection(report: report).isEmpty }

  private var reading: Markup {
    Page.paragraph(
      "The saved share is the work that was durable before the deadline, over the time that was "
        + "granted. A line through a sign is its 95 % confidence interval over the repeats; where "
        + "none is seen, it is shorter than the sign.")
      + (hasOracle ? Self.aboutOracle : Markup())
      + Page.paragraph(
        "A point is one hundredth of the granted time. An overrun is a trip whose task was still open "
          + "when a deadline passed that had been told before; an end that came unannounced is none."
      )
  }

  private static let aboutOracle =
    Page.paragraph(
      "The oracle knows the distributions of chunks, checkpoints and budgets, not what the next one "
        + "will be, and does what is best on average. Nobody can plan on more; by luck a strategy may "
        + "still come out ahead of it, and then stands left of zero.")
}
