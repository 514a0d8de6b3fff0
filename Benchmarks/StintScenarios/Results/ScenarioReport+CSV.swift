extension ScenarioReport {
  /// One line for each scenario, strategy and repeat.
  package var csv: String {
    var lines = [
      "scenario,strategy,repeat,seed,savedShare,lostShare,checkpointShare,overruns,checkpoints,tripsToFinish"
    ]
    for scenario in scenarios {
      for strategy in scenario.strategies {
        for number in 0..<repeats {
          let numbers = [strategy.savedShare, strategy.lostShare, strategy.checkpointShare].map {
            String($0.repeats[number])
          }
          let counts = strategy.perRepeat[number]
          let finish = counts.tripsToFinish.map(String.init) ?? ""
          lines.append(
            ([scenario.name, strategy.name, String(number), String(seed)] + numbers
              + [String(counts.overruns), String(counts.checkpoints), finish])
              .joined(separator: ","))
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
