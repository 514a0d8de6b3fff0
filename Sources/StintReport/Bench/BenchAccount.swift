import StintCore

/// A report of `stint-bench run`, as far as a page shows it.
///
/// Its members are those of the file (`docs/formats/bench-report.md`), and others are skipped: a
/// file that another program has made has a page too.
package struct BenchAccount: Hashable, Sendable, Decodable {
  package static let format = "stint-bench-report/1"

  package var format = Self.format
  package var program: String
  package var version: String
  /// `virtual` or `real`.
  package var mode: String
  package var seed: Int
  package var repeats: Int
  package var scenarios: [Scenario]
  /// Those over all scenarios.
  package var goals: [Goal]

  /// The program and its version.
  var source: String { "\(program) \(version)" }

  /// A budget trace with a workload, and how each strategy did in it.
  package struct Scenario: Hashable, Sendable, Decodable {
    package var name: String
    package var title: String
    package var description: String
    package var trips: Int
    package var chunkMeanSeconds: Double
    package var checkpointMeanSeconds: Double
    package var budgetMeanSeconds: Double
    /// What is known of the optimum; nil where none can be computed.
    package var oracle: Oracle?
    package var strategies: [Strategy]
    package var goals: [Goal]
  }

  package struct Oracle: Hashable, Sendable, Decodable {
    package var expectedSavedShare: Double
    package var errorPoints: Double
    package var sentence: String

    var words: String {
      "\(sentence) It expects to save \(NumberText.percent(expectedSavedShare, decimals: 2)), to "
        + "within \(NumberText.fixed(errorPoints, decimals: 3)) points of its grid in time."
    }
  }

  /// One strategy in one scenario.
  package struct Strategy: Hashable, Sendable, Decodable {
    package var name: String
    package var title: String
    package var savedShare: Estimate
    package var behindOraclePoints: Estimate?
    package var lostShare: Estimate
    package var checkpointShare: Estimate
    package var checkpoints: Int
    package var overruns: Overruns
    package var tripsToFinish: Estimate?
    package var falseClaims: Int
    /// What was found to be wrong with it; nil where nobody looked.
    package var findings: [Finding]?
    /// The first trips of one repeat.
    package var life: Life
  }

  /// A mean with its 95 % confidence interval.
  package struct Estimate: Hashable, Sendable, Decodable {
    package var mean: Double
    package var low: Double
    package var high: Double
  }

  /// How trips went past their deadline.
  package struct Overruns: Hashable, Sendable, Decodable {
    /// Seconds past the deadline, of those that were past it.
    package struct Quantiles: Hashable, Sendable, Decodable {
      package var p50: Double
      package var p99: Double
      package var maximum: Double
    }

    /// Times past the deadline.
    package struct Bin: Hashable, Sendable, Decodable {
      package var fromSeconds: Double
      package var toSeconds: Double
      package var count: Int
    }

    package var count: Int
    package var trips: Int
    package var pastDeadlineSeconds: Quantiles?
    package var histogram: [Bin]
  }

  /// Something that a worker did wrong with its budget.
  package struct Finding: Hashable, Sendable, Decodable {
    package var fault: String
    package var trips: Int
    package var sentence: String
  }

  /// What had to hold, and whether it did.
  package struct Goal: Hashable, Sendable, Decodable {
    package enum Sense: String, Hashable, Sendable, Decodable {
      case atMost, atLeast
    }

    package var sentence: String
    package var measured: Double
    package var limit: Double
    package var sense: Sense
    package var isKept: Bool
    package var explanation: String?
  }
}

extension BenchAccount {
  /// The name of Stint's own strategy, which is set in bold.
  static let ownName = "stint"
  static let oracleName = "oracle"

  /// Every strategy of any scenario, by name and title, in the order in which they come first.
  var strategies: [(name: String, title: String)] {
    var seen: Set<String> = []
    return scenarios.flatMap(\.strategies).filter { seen.insert($0.name).inserted }
      .map { ($0.name, $0.title) }
  }

  /// What a strategy did, in each scenario that has it.
  func runs(of name: String) -> [(scenario: Scenario, strategy: Strategy)] {
    scenarios.flatMap { scenario in
      scenario.strategies.filter { $0.name == name }.map { (scenario, $0) }
    }
  }
}

extension BenchAccount {
  /// Says in words what was found to be wrong.
  package mutating func nameFaults(_ words: (String) -> String) {
    for scenario in scenarios.indices {
      for strategy in scenarios[scenario].strategies.indices {
        let findings = scenarios[scenario].strategies[strategy].findings
        scenarios[scenario].strategies[strategy].findings = findings?.map { finding in
          Finding(fault: words(finding.fault), trips: finding.trips, sentence: finding.sentence)
        }
      }
    }
  }
}

/// Chunk sizes in a few groups, so that each has a sign of its own.
package enum ChunkGroup: Int, Hashable, Sendable, CaseIterable {
  case fine, middle, coarse, long

  /// The group of a mean size in seconds.
  package init(seconds: Double) {
    switch seconds {
    case ...0.3: self = .fine
    case ...1.2: self = .middle
    case ...6: self = .coarse
    case _: self = .long
    }
  }

  /// For legends and tables.
  package var words: String {
    switch self {
    case .fine: "chunks up to 0.3 s"
    case .middle: "up to 1.2 s"
    case .coarse: "up to 6 s"
    case .long: "longer"
    }
  }
}
