/// The optimum of a scenario: it knows all distributions, but not the draws.
package final class Oracle: Sendable {
  let table: OracleTable
  /// The length of a trip whose end nobody tells; nil where the end is told in time.
  let unknownEnd: Double?
  package let result: OracleResult

  /// Solves a scenario; `drawsAgain` plants a fault (``OracleProblem/drawsAgain``).
  ///
  /// It is nil where the optimum is no such table: standstills, times that change from trip to trip
  /// or with the work, deadlines that move or are not what was announced, and ends that differ from
  /// trip to trip while others come unannounced.
  package convenience init?(_ scenario: Scenario, drawsAgain: Bool = false) {
    guard var setup = Self.setup(scenario) else { return nil }
    setup.problem.drawsAgain = drawsAgain
    let step = Self.step(setup.problem)
    self.init(scenario, setup.problem, unknownEnd: setup.unknownEnd, step: step)
  }

  /// Solves with a step, and with twice that for the error.
  init(_ scenario: Scenario, _ problem: OracleProblem, unknownEnd: Double?, step: Double) {
    table = Self.solved(problem, step: step)
    self.unknownEnd = unknownEnd
    let deadlines = Self.deadlines(scenario)
    let share = Self.share(table, deadlines)
    let coarse = Self.share(Self.solved(table.problem, step: step * 2), deadlines)
    result = OracleResult(
      expectedSavedShare: share, gridSeconds: step, errorPoints: abs(share - coarse) * 100,
      sentence:
        "It knows every distribution and no draw; it may begin a checkpoint that will not be "
        + "durable in time, "
        + (problem.workload.restartSeconds > 0
          ? "and ends then before it is killed." : "and is killed then."))
  }

  /// Solves a table, and finds the price of an end that nobody told.
  ///
  /// In the long run each trip begins with the process there, or with a start of it that takes R
  /// out of B. The values of the two states differ by V(B) - V'(B), where V'(B) = s V(B - R) - (1 -
  /// s) P, s is the share that outlives R, and P is that difference itself, because one that is
  /// gone before it has loaded pays it again. So P = V(B) / s - V(B - R), and V depends on P in
  /// turn. The dependence is weak, so a few rounds find the fixed point.
  ///
  /// Trips are independent of each other, so V(B) is also what a trip saves in the long run. Where
  /// grants are drawn, no end comes unannounced in the table, and nothing is paid.
  private static func solved(_ problem: OracleProblem, step: Double) -> OracleTable {
    var problem = problem
    var table = OracleTable(problem, step: step)
    let restart = problem.workload.restartSeconds
    guard restart > 0, let survival = problem.survival else { return table }
    let left = problem.horizon - restart
    let outlived = max(1e-3, survival(max(0, left)))
    for _ in 0..<12 {
      let whole = table.value(problem.horizon, 0, phase: 0)
      let price = whole / outlived - table.value(left, 0, phase: 0)
      let isFound = abs(price - problem.priceOfEnd) <= 1e-4 * max(whole, 1e-9)
      if isFound { break }
      problem.priceOfEnd = max(0, price)
      table = OracleTable(problem, step: step)
    }
    return table
  }

  private static func setup(
    _ scenario: Scenario
  ) -> (problem: OracleProblem, unknownEnd: Double?)? {
    let trace = scenario.trace
    let workload = scenario.workload
    guard trace.standstill == nil, trace.moves == nil, workload.isSteady else { return nil }
    let chunk = workload.chunk.quantile(0.9999) * workload.largestNominal
    let saving = workload.checkpoint.quantile(0.99999)
    let most = deadlines(scenario).max() ?? 1
    if let revocation = trace.revocation, revocation.leadSeconds < saving + chunk {
      guard revocation.leadSeconds == 0, trace.isAnnouncedAsGranted,
        case .drawn(let grant) = trace.grant, case .constant = grant.shape
      else { return nil }
      let end = trace.meanGrantSeconds
      var problem = OracleProblem(
        workload: workload, horizon: end,
        mostInHand: mostInHand(workload, revocation.after.mean, end)
      )
      let after = revocation.after
      problem.survival = { 1 - after.share(upTo: end - $0) }
      return (problem, nil)
    }
    guard trace.isAnnouncedAsGranted || !trace.isAnnouncedAnywhere else { return nil }
    if !trace.isAnnouncedAnywhere {
      guard case .listed(_, let trips) = trace.grant else { return nil }
      let least = trips.map { $0.warningSeconds ?? trace.lead(ofGrant: $0.grantSeconds) }.min() ?? 0
      if least < saving + chunk {
        guard trips.allSatisfy({ $0.warningSeconds == 0 }) else { return nil }
        let ends = trips.map(\.grantSeconds).sorted()
        let end = (ends.last ?? 1) + 1e-6
        let mean = ends.reduce(0, +) / Double(ends.count)
        var problem = OracleProblem(
          workload: workload, horizon: end, mostInHand: mostInHand(workload, mean, end))
        problem.survival = { remaining in Self.share(of: ends, above: end - remaining) }
        return (problem, end)
      }
    }
    // Further from the end than this nothing is decided: running on is best.
    let horizon = min(most, 8 * chunk + 8 * saving)
    return (OracleProblem(workload: workload, horizon: horizon, mostInHand: most), nil)
  }

  /// The share of ends after an instant, by a line between every fifth of them: who knows the
  /// distribution does not know the list.
  ///
  /// With fewer knots the few longest lives would look alike probable up to the longest of all, and
  /// the optimum would be for another world than the one that it lives in.
  private static func share(of ends: [Double], above instant: Double) -> Double {
    let knots = max(1, min(200, ends.count / 5))
    func knot(_ index: Int) -> Double {
      index == 0 ? 0 : ends[min(ends.count - 1, index * ends.count / knots)]
    }
    for index in 0..<knots where instant < knot(index + 1) {
      let width = knot(index + 1) - knot(index)
      let part = width > 0 ? max(0, instant - knot(index)) / width : 0
      return 1 - (Double(index) + part) / Double(knots)
    }
    return 0
  }

  private static func mostInHand(_ workload: Workload, _ mean: Double, _ end: Double) -> Double {
    let young = (2 * workload.checkpoint.mean * mean).squareRoot()
    return min(end, 12 * young + 12 * workload.chunk.mean)
  }

  /// As fine as the chunks ask for, and as coarse as the table's size allows.
  private static func step(_ problem: OracleProblem) -> Double {
    let chunk = problem.workload.chunk.leastPartMean
    return max(min(problem.workload.nominal(0) * chunk / 4, chunk / 25), problem.horizon / 6_000)
  }

  /// Deadlines that stand for all: those of equally probable grants, or, where something else
  /// decides them too, a sample that is the same for every seed.
  private static func deadlines(_ scenario: Scenario) -> [Double] {
    let most = 300
    if scenario.trace.revocation == nil {
      switch scenario.trace.grant {
      case .policy: break
      case .drawn(let distribution): return distribution.points(most)
      case .listed(_, let trips):
        let sorted = trips.map(\.grantSeconds).sorted()
        let count = min(most, sorted.count)
        return (0..<count).map { sorted[(2 * $0 + 1) * sorted.count / (2 * count)] }
      }
    }
    return scenario.trace.trips(most, draws: Draws(seed: 0x0DD5))
      .filter { !$0.isDenied }.map(\.deadline.seconds)
  }

  /// The share that the optimum is expected to save.
  private static func share(_ table: OracleTable, _ deadlines: [Double]) -> Double {
    if table.problem.survival != nil {
      let end = table.problem.horizon
      let mean = table.meanLife
      return mean > 0 ? table.value(end, 0, phase: 0) / mean : 0
    }
    var known: [Double: Double] = [:]
    var saved = 0.0
    for deadline in deadlines {
      let value = known[deadline] ?? table.fromAfar(deadline)
      known[deadline] = value
      saved += value
    }
    return saved / max(1e-9, deadlines.reduce(0, +))
  }
}

extension OracleTable {
  /// The expectation of a trip's length where its end may come unannounced.
  var meanLife: Double {
    guard let survival = problem.survival else { return problem.horizon }
    // The integral of the survival, by the midpoint rule.
    let steps = 20_000
    let width = problem.horizon / Double(steps)
    return (0..<steps).reduce(0) { $0 + survival((Double($1) + 0.5) * width) * width }
  }

  /// What is expected from a trip's beginning: far from the end every chunk is run, so all that has
  /// passed is in hand.
  func fromAfar(_ length: Double) -> Double {
    guard length > problem.horizon else { return value(length, 0, phase: 0) }
    let phases = problem.workload.doublings + 1
    let steps = Int((length / step).rounded(.up))
    let first = Int(problem.horizon / step)
    // Times left are counted back from the beginning, so that it is one of them.
    func remaining(_ index: Int) -> Double { length - Double(steps - index) * step }
    var line = Array(repeating: Array(repeating: 0.0, count: steps + 1), count: phases)
    for index in 0...steps {
      let left = remaining(index)
      for phase in 0..<phases {
        if index <= first {
          line[phase][index] = value(left, length - left, phase: phase)
          continue
        }
        var sum = 0.0
        for (steps, mass) in zip(chunks[phase].steps, chunks[phase].masses) where steps <= index {
          sum += mass * line[(phase + 1) % phases][index - steps]
        }
        line[phase][index] = sum
      }
    }
    return line[0][steps]
  }
}
