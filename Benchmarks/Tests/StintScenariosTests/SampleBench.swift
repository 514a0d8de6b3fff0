import StintCore
import StintReport
import Testing

@testable import StintScenarios

/// A small run of the benchmark for the tests.
enum SampleBench {
  static let names = ["untilKilled", "p99", "stint", "oracle"]

  static func estimate(_ mean: Double) -> Estimate? {
    var estimate = Estimate([mean])
    estimate?.low = mean - 0.01
    estimate?.high = mean + 0.01
    return estimate
  }

  /// Two scenarios, one of fine and one of coarse chunks, under some name.
  static func report(name: String = "fixed", falseClaims: Int = 0) throws -> ScenarioReport {
    var report = ScenarioReport(version: "1", seed: 7, repeats: 5)
    report.scenarios = try [
      scenario(name + " fine", chunk: 0.25), scenario(name + " coarse", chunk: 2),
    ]
    for index in report.scenarios.indices {
      report.scenarios[index].strategies[1].falseClaims = falseClaims
    }
    report.goals = [
      Goal("none", "no overrun", measured: 0, limit: 0, sense: .atMost),
      Goal("fine", "98 % at 0.25 s", measured: 0.93, limit: 0.98, sense: .atLeast),
    ]
    return report
  }

  private static func scenario(_ name: String, chunk: Double) throws -> ScenarioResult {
    let shares = ["untilKilled": 0.125, "p99": 0.9, "stint": 0.955, "oracle": 0.9625]
    let definition = Scenario(
      name: name, title: name, trace: Trace(grant: .drawn(.constant(30))),
      workload: Workload(chunk: .constant(chunk), checkpoint: .constant(0.1)))
    return ScenarioResult(
      name: name, title: name, description: "A scenario.", definition: definition, trips: 100,
      grantedSeconds: 3_000, chunkMeanSeconds: chunk, checkpointMeanSeconds: 0.1,
      budgetMeanSeconds: 30,
      oracle: OracleResult(
        expectedSavedShare: 0.9625, gridSeconds: 0.01, errorPoints: 0.001, sentence: "It knows."),
      strategies: try names.map { try strategy($0, of: name, share: shares[$0] ?? 0) })
  }

  private static func strategy(_ strategy: String, of name: String, share: Double) throws
    -> StrategyResult
  {
    let isLate = strategy == "untilKilled"
    let bars = [
      HistogramBar(fromSeconds: 0.1, toSeconds: 1, count: 80),
      HistogramBar(fromSeconds: 20, toSeconds: 50, count: 10),
    ]
    func estimate(_ mean: Double) throws -> Estimate { try #require(Self.estimate(mean)) }
    return StrategyResult(
      name: strategy, title: "\(name) \(strategy)", savedShare: try estimate(share),
      behindOraclePoints: Self.estimate((0.9625 - share) * 100), lostShare: try estimate(0.02),
      checkpointShare: try estimate(0.01), lostSeconds: 60, doneAgainSeconds: 0, unusedSeconds: 0,
      checkpoints: 5, checkpointSeconds: 0.5,
      overruns: StrategyResult.Overruns(
        count: isLate ? 90 : 0, trips: 100,
        pastDeadlineSeconds: isLate ? Quantiles([0.4, 0.4, 25]) : nil,
        histogram: isLate ? bars : []),
      tripsToFinish: isLate ? nil : Self.estimate(12), unfinishedRepeats: 0, falseClaims: 0,
      perRepeat: [], life: (0..<3).map { trip($0, isLate: isLate) })
  }

  private static func trip(_ number: Int, isLate: Bool) -> TripLife {
    var life = TripLife(trip: Trip(grant: Nanoseconds(seconds: 10), lead: Nanoseconds(seconds: 2)))
    life.number = number
    life.beganSeconds = Double(number) * 12
    life.endSeconds = isLate ? 10.5 : 9.8
    life.end = isLate ? .killed : .inOrder
    life.savedSeconds = isLate ? 6 : 9
    life.lostSeconds = isLate ? 3 : 0
    life.add(
      checkpointFrom: Nanoseconds(seconds: 9), to: Nanoseconds(seconds: 9.4), isDurable: !isLate,
      work: Nanoseconds(seconds: 9))
    return life
  }
}
