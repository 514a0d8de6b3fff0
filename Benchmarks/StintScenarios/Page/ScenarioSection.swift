import StintCore
import StintReport

/// One scenario with its figures and sample lives, to be opened by those who want it.
struct ScenarioSection {
  /// So many trips of each life are drawn.
  static let shownTrips = 10

  let scenario: ScenarioResult

  func markup(isOpen: Bool) -> Markup {
    .element(
      "details", ["open": isOpen ? "" : nil],
      .element("summary", [:], Markup(scenario.title)), contents)
  }

  private var contents: Markup {
    var markup = Page.paragraph(scenario.description)
    markup += .element("p", ["class": "quiet"], Markup(facts))
    if let oracle = scenario.oracle {
      markup += .element("p", ["class": "quiet"], Markup(words(of: oracle)))
    }
    markup += figures + findings
    guard !shown.isEmpty else { return markup }
    markup += TimelinePlot.legend
    // One axis for all: the same deadline stands at the same place.
    let span = shown.map { TimelinePlot(first($0.life), label: "").longest }.max()
    for strategy in shown {
      let plot = TimelinePlot(
        first(strategy.life), label: "First trips of \(strategy.title) in \(scenario.title)",
        span: span)
      markup += .element("h3", [:], Markup(strategy.title))
      markup += .element("figure", [:], plot.markup)
    }
    return markup + trips
  }

  private func words(of oracle: OracleResult) -> String {
    "\(oracle.sentence) It expects to save \(NumberText.percent(oracle.expectedSavedShare, decimals: 2)), to "
      + "within \(NumberText.fixed(oracle.errorPoints, decimals: 3)) points of its grid in time."
  }

  private var facts: String {
    func text(_ seconds: Double) -> String { Duration(clampingSeconds: seconds).compactText }
    return
      "\(NumberText.count(scenario.trips, "trip")) a repeat; on average a budget of \(text(scenario.budgetMeanSeconds)), chunks of "
      + "\(text(scenario.chunkMeanSeconds)), checkpoints that cost \(text(scenario.checkpointMeanSeconds))."
  }

  private var figures: Markup {
    let hasOracle = scenario.strategies.contains { $0.behindOraclePoints != nil }
    var table = DataTable(
      "The strategies in this scenario; ± is half of the 95 % interval",
      [.init("Strategy", .words), .init("Saved"), .init("±")]
        + (hasOracle ? [.init("Behind the oracle")] : [])
        + [
          .init("Lost"), .init("Checkpoints' cost"), .init("Overruns"), .init("Trips to finish"),
        ])
    for strategy in scenario.strategies {
      let saved = strategy.savedShare
      table.add(
        [
          strategy.title, NumberText.percent(saved.mean, decimals: 2),
          NumberText.fixed((saved.high - saved.low) * 50, decimals: 2),
        ]
          + (hasOracle
            ? [strategy.behindOraclePoints.map { NumberText.fixed($0.mean, decimals: 2) } ?? ""]
            : [])
          + [
            NumberText.percent(strategy.lostShare.mean, decimals: 2),
            NumberText.percent(strategy.checkpointShare.mean, decimals: 2),
            NumberText.grouped(strategy.overruns.count),
            strategy.tripsToFinish.map { NumberText.fixed($0.mean, decimals: 1) } ?? "",
          ], isStrong: strategy.name == StrategyName.stint.rawValue)
    }
    return table.markup
  }

  private var findings: Markup {
    let found = scenario.strategies.filter { $0.findings?.isEmpty == false }
    guard !found.isEmpty else { return Markup() }
    return DataTable(
      "What was found to be wrong, from outside",
      [.init("Strategy", .words), .init("Fault", .words), .init("Trips"), .init("Seen", .words)],
      rows: found.flatMap { strategy in
        (strategy.findings ?? []).map {
          [strategy.title, $0.fault.title, NumberText.grouped($0.trips), $0.sentence]
        }
      }
    ).markup
  }

  /// The oracle, Stint and who saved least, of those whose life is known.
  private var shown: [StrategyResult] {
    let known = scenario.strategies.filter { !$0.life.isEmpty }
    let worst = known.min { $0.savedShare.mean < $1.savedShare.mean }
    // The strategy that saved least may be one of the other two.
    return [StrategyName.oracle.rawValue, StrategyName.stint.rawValue, worst?.name]
      .reduce(into: []) { shown, name in
        guard !shown.contains(where: { $0.name == name }) else { return }
        shown += known.filter { $0.name == name }
      }
  }

  private func first(_ trips: [TripLife]) -> Life { Life(trips.prefix(Self.shownTrips)) }

  private var trips: Markup {
    let lives = shown.map { (title: $0.title, life: first($0.life)) }
    var table = DataTable(
      "The same trips: what each saved and lost, and its durable checkpoints",
      [.init("Trip"), .init("Granted")]
        + lives.flatMap { [.init("\($0.title): saved"), .init("lost"), .init("checkpoints")] })
    for index in 0..<(lives.map(\.life.stints.count).max() ?? 0) {
      let stints = lives.map {
        $0.life.stints.indices.contains(index) ? $0.life.stints[index] : nil
      }
      table.add(
        [
          String(index + 1),
          stints.compactMap { $0 }.first.map { stint in
            stint.ending == .denied ? "denied" : stint.budget?.compactText ?? "none"
          } ?? "",
        ]
          + stints.flatMap { stint in
            guard let stint else { return ["", "", ""] }
            return [
              stint.saved.compactText, stint.lost?.compactText ?? "?",
              NumberText.grouped(stint.checkpoints.count),
            ]
          })
    }
    return table.markup
  }
}
