import StintCore

@testable import StintReport

/// A small run of the benchmark for the tests.
enum SampleBench {
  static let names = ["untilKilled", "p99", "stint", "oracle"]

  static func estimate(_ mean: Double) -> BenchAccount.Estimate {
    .init(mean: mean, low: mean - 0.01, high: mean + 0.01)
  }

  /// Two scenarios, one of fine and one of coarse chunks, under some name.
  static func account(name: String = "fixed", falseClaims: Int = 0) -> BenchAccount {
    BenchAccount(
      program: "stint-bench", version: "1", mode: "virtual", seed: 7, repeats: 5,
      scenarios: [scenario(name + " fine", chunk: 0.25), scenario(name + " coarse", chunk: 2)]
        .map { scenario in
          var scenario = scenario
          scenario.strategies[1].falseClaims = falseClaims
          return scenario
        },
      goals: [
        .init(
          sentence: "no overrun", measured: 0, limit: 0, sense: .atMost, isKept: true,
          explanation: nil),
        .init(
          sentence: "98 % at 0.25 s", measured: 0.93, limit: 0.98, sense: .atLeast, isKept: false,
          explanation: nil),
      ])
  }

  private static func scenario(_ name: String, chunk: Double) -> BenchAccount.Scenario {
    let shares = ["untilKilled": 0.125, "p99": 0.9, "stint": 0.955, "oracle": 0.9625]
    return BenchAccount.Scenario(
      name: name, title: name, description: "A scenario.", trips: 100, chunkMeanSeconds: chunk,
      checkpointMeanSeconds: 0.1, budgetMeanSeconds: 30,
      oracle: .init(expectedSavedShare: 0.9625, errorPoints: 0.001, sentence: "It knows."),
      strategies: names.map { strategy in
        let share = shares[strategy] ?? 0
        let isLate = strategy == "untilKilled"
        return BenchAccount.Strategy(
          name: strategy, title: "\(name) \(strategy)", savedShare: estimate(share),
          behindOraclePoints: estimate((0.9625 - share) * 100), lostShare: estimate(0.02),
          checkpointShare: estimate(0.01), checkpoints: 5,
          overruns: .init(
            count: isLate ? 90 : 0, trips: 100,
            pastDeadlineSeconds: isLate ? .init(p50: 0.4, p99: 25, maximum: 30) : nil,
            histogram: isLate
              ? [
                .init(fromSeconds: 0.1, toSeconds: 1, count: 80),
                .init(fromSeconds: 20, toSeconds: 50, count: 10),
              ] : []),
          tripsToFinish: isLate ? nil : estimate(12), falseClaims: 0,
          life: isLate ? SampleLives.cut : SampleLives.long(3))
      }, goals: [])
  }
}
