package import StintReport

extension ScenarioReport {
  var source: String { "\(program) \(version)" }

  /// Every strategy of any scenario, by name and title, in the order in which they come first.
  var strategies: [(name: String, title: String)] {
    var seen: Set<String> = []
    return scenarios.flatMap(\.strategies).filter { seen.insert($0.name).inserted }
      .map { ($0.name, $0.title) }
  }

  /// What a strategy did, in each scenario that has it.
  func runs(of name: String) -> [(scenario: ScenarioResult, strategy: StrategyResult)] {
    scenarios.flatMap { scenario in
      scenario.strategies.filter { $0.name == name }.map { (scenario, $0) }
    }
  }

  /// All sample lives, as a trace has them.
  package var tracks: [TraceFile.Track] {
    scenarios.flatMap { scenario in
      scenario.strategies.filter { !$0.life.isEmpty }.map { strategy in
        TraceFile.Track(name: "\(scenario.title): \(strategy.title)", life: Life(strategy.life))
      }
    }
  }
}

/// Chunk sizes in a few groups, so that each has a sign of its own.
enum ChunkGroup: Int, Hashable, Sendable, CaseIterable {
  case fine, middle, coarse, long

  /// The group of a mean size in seconds.
  init(seconds: Double) {
    switch seconds {
    case ...0.3: self = .fine
    case ...1.2: self = .middle
    case ...6: self = .coarse
    case _: self = .long
    }
  }

  /// For legends and tables.
  var words: String {
    switch self {
    case .fine: "chunks up to 0.3 s"
    case .middle: "up to 1.2 s"
    case .coarse: "up to 6 s"
    case .long: "longer"
    }
  }
}
