import StintCore

/// What a run of the benchmark for budget handling found, as far as a page shows it
/// (`docs/formats/bench-report.md`).
package struct BenchAccount: Hashable, Sendable {
  /// A mean with its 95 % confidence interval.
  package struct Estimate: Hashable, Sendable {
    package var mean: Double
    package var low: Double
    package var high: Double

    package init(mean: Double, low: Double, high: Double) {
      self.mean = mean
      self.low = low
      self.high = high
    }
  }

  /// How trips went past their deadline.
  package struct Overruns: Hashable, Sendable {
    /// Times past the deadline.
    package struct Bin: Hashable, Sendable {
      package var from: Double
      package var to: Double
      package var count: Int

      package init(from: Double, to: Double, count: Int) {
        self.from = from
        self.to = to
        self.count = count
      }
    }

    package var count: Int
    package var trips: Int
    /// Seconds past the deadline, of those that were past it.
    package var p50: Double?
    package var p99: Double?
    package var maximum: Double?
    package var bins: [Bin]

    package init(
      count: Int, trips: Int, p50: Double? = nil, p99: Double? = nil, maximum: Double? = nil,
      bins: [Bin] = []
    ) {
      self.count = count
      self.trips = trips
      self.p50 = p50
      self.p99 = p99
      self.maximum = maximum
      self.bins = bins
    }
  }

  /// One strategy in one scenario.
  package struct Strategy: Hashable, Sendable {
    package var name: String
    package var title: String
    package var savedShare: Estimate
    package var behindOraclePoints: Estimate?
    package var lostShare: Estimate
    package var checkpointShare: Estimate
    package var overruns: Overruns
    package var checkpoints: Int
    package var falseClaims: Int
    package var tripsToFinish: Estimate?
    /// What was found to be wrong with it.
    package var findings: [Finding] = []
    /// The first trips of one repeat.
    package var life: Life

    package init(
      name: String, title: String, savedShare: Estimate, behindOraclePoints: Estimate?,
      lostShare: Estimate, checkpointShare: Estimate, overruns: Overruns, checkpoints: Int,
      falseClaims: Int, tripsToFinish: Estimate?, life: Life
    ) {
      self.name = name
      self.title = title
      self.savedShare = savedShare
      self.behindOraclePoints = behindOraclePoints
      self.lostShare = lostShare
      self.checkpointShare = checkpointShare
      self.overruns = overruns
      self.checkpoints = checkpoints
      self.falseClaims = falseClaims
      self.tripsToFinish = tripsToFinish
      self.life = life
    }
  }

  /// Something that a worker did wrong with its budget.
  package struct Finding: Hashable, Sendable {
    package var fault: String
    package var trips: Int
    package var sentence: String

    package init(fault: String, trips: Int, sentence: String) {
      self.fault = fault
      self.trips = trips
      self.sentence = sentence
    }
  }

  /// What had to hold, and whether it did.
  package struct Goal: Hashable, Sendable {
    package var sentence: String
    package var measured: Double
    package var limit: Double
    package var isAtMost: Bool
    package var isKept: Bool
    package var explanation: String?

    package init(
      sentence: String, measured: Double, limit: Double, isAtMost: Bool, isKept: Bool,
      explanation: String?
    ) {
      self.sentence = sentence
      self.measured = measured
      self.limit = limit
      self.isAtMost = isAtMost
      self.isKept = isKept
      self.explanation = explanation
    }
  }

  /// A budget trace with a workload, and how each strategy did in it.
  package struct Scenario: Hashable, Sendable {
    package var name: String
    package var title: String
    package var description: String
    package var trips: Int
    package var chunkMean: Double
    package var checkpointMean: Double
    package var budgetMean: Double
    /// What is known of the optimum, a sentence; nil where none can be computed.
    package var oracle: String?
    package var strategies: [Strategy]
    package var goals: [Goal]

    package init(
      name: String, title: String, description: String, trips: Int, chunkMean: Double,
      checkpointMean: Double, budgetMean: Double, oracle: String?, strategies: [Strategy],
      goals: [Goal]
    ) {
      self.name = name
      self.title = title
      self.description = description
      self.trips = trips
      self.chunkMean = chunkMean
      self.checkpointMean = checkpointMean
      self.budgetMean = budgetMean
      self.oracle = oracle
      self.strategies = strategies
      self.goals = goals
    }
  }

  /// The program and its version.
  package var program: String
  /// `virtual` or `real`.
  package var mode: String
  package var seed: Int
  package var repeats: Int
  package var scenarios: [Scenario]
  /// Those over all scenarios.
  package var goals: [Goal]

  package init(
    program: String, mode: String, seed: Int, repeats: Int, scenarios: [Scenario], goals: [Goal]
  ) {
    self.program = program
    self.mode = mode
    self.seed = seed
    self.repeats = repeats
    self.scenarios = scenarios
    self.goals = goals
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
