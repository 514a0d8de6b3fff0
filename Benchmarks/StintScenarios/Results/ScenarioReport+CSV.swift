extension ScenarioReport {
  private static let columns = [
    "scenario", "strategy", "repeat", "seed", "savedShare", "lostShare", "checkpointShare",
    "overruns", "checkpoints", "tripsToFinish", "doneAgainSeconds", "checkpointSeconds",
  ]
  /// Each stands for its median, its 99th percentile and its maximum.
  private static let quantiles = [
    "pastDeadline", "expiryToDurable", "tickLateness", "remainingError",
  ]

  /// One line for each scenario, strategy and repeat.
  package var csv: String {
    let head =
      Self.columns
      + Self.quantiles.flatMap { name in ["P50", "P99", "Maximum"].map { name + $0 + "Seconds" } }
    var lines = [head.joined(separator: ",")]
    for scenario in scenarios {
      for strategy in scenario.strategies {
        for number in strategy.perRepeat.indices {
          let fields = [scenario.name, strategy.name, String(number), String(seed)]
          lines.append((fields + strategy.fields(number)).joined(separator: ","))
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension StrategyResult {
  /// The figures of one repeat.
  fileprivate func fields(_ number: Int) -> [String] {
    let counts = perRepeat[number]
    let shares = [savedShare, lostShare, checkpointShare].map { String($0.repeats[number]) }
    let sums = [counts.doneAgainSeconds, counts.checkpointSeconds].map { $0.map { String($0) } }
    let quantiles = [
      counts.pastDeadlineSeconds, counts.expiryToDurableSeconds, counts.tickLatenessSeconds,
      counts.remainingErrorSeconds,
    ].flatMap { [$0?.p50, $0?.p99, $0?.maximum] }.map { $0.map { String($0) } }
    let numbers = [String(counts.overruns), String(counts.checkpoints)]
    let optional = [counts.tripsToFinish.map { String($0) }] + sums + quantiles
    return shares + numbers + optional.map { $0 ?? "" }
  }
}
