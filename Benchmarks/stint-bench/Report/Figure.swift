/// One row of a report: what was measured, and what it had to be.
struct Figure: Encodable {
  /// What a figure is counted in.
  enum Unit: String, Encodable {
    case nanoseconds, milliseconds, percent, ratio, mebibytes, count, exponent
  }

  /// Which side of a limit is good.
  enum Sense: String, Encodable {
    case atMost, atLeast
  }

  /// What came of the comparison.
  enum Verdict: String, Encodable {
    case reachedGoal, withinGate, missed, notJudged
  }

  /// How the measurements are spread, in the figure's unit.
  struct Spread: Encodable {
    var samples: Int
    var minimum: Double
    var median: Double
    var p99: Double
    var maximum: Double
  }

  /// The name for programs; it ends with the unit.
  var name: String
  /// The name for people.
  var what: String
  var unit: Unit
  var measured: Double
  var gate: Double?
  var goal: Double?
  var sense: Sense
  var verdict: Verdict
  var spread: Spread?
  var interval: Interval?
  /// What one should know to read the figure.
  var note: String?

  /// Creates a figure and judges it; one without a gate is not judged.
  init(
    _ name: String, _ what: String, _ unit: Unit, _ measured: Double, gate: Double? = nil,
    goal: Double? = nil, sense: Sense = .atMost, of sample: Sample? = nil,
    interval: Interval? = nil, note: String? = nil
  ) {
    self.name = name
    self.what = what
    self.unit = unit
    self.measured = measured
    self.gate = gate
    self.goal = goal
    self.sense = sense
    self.interval = interval
    self.note = note
    spread = sample.map {
      Spread(
        samples: $0.count, minimum: $0.minimum, median: $0.median, p99: $0.p99,
        maximum: $0.maximum)
    }
    func keeps(_ limit: Double) -> Bool {
      switch sense {
      case .atMost: measured <= limit
      case .atLeast: measured >= limit
      }
    }
    if let gate {
      verdict = !keeps(gate) ? .missed : keeps(goal ?? gate) ? .reachedGoal : .withinGate
    } else {
      verdict = .notJudged
    }
  }

  /// The same figure without a verdict.
  func notJudged() -> Figure {
    var figure = self
    figure.verdict = .notJudged
    return figure
  }
}

extension Figure {
  /// The median of the times of one over the median of another's, from as many rounds of each.
  static func timeRatio(
    _ name: String, _ what: String, _ own: [Double], over others: [Double], gate: Double,
    goal: Double? = nil
  ) -> Figure {
    func ofMedians(_ rounds: [Int]) -> Double {
      Sample(rounds.map { own[$0] }).median / Sample(rounds.map { others[$0] }).median
    }
    let interval = Sample.interval(resampling: own.count, ofMedians)
    return Figure(
      name, what, .ratio, ofMedians(Array(own.indices)), gate: gate, goal: goal,
      of: Sample(zip(own, others).map { $0 / $1 }),
      interval: Interval(low: interval.lowerBound, high: interval.upperBound),
      note: "the spread is of the ratios within the rounds")
  }
}
