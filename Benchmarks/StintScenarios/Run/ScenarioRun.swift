/// Runs a scenario: every strategy on the same trips and the same work, again with other draws in
/// each repeat.
package struct ScenarioRun: Sendable {
  package let scenario: Scenario
  package let seed: UInt64
  package let repeats: Int
  /// So many trips of the first repeat are kept as a sample.
  package var sampleTrips = 6

  package init(_ scenario: Scenario, seed: UInt64, repeats: Int) {
    self.scenario = scenario
    self.seed = seed
    self.repeats = repeats
  }

  package func draws(_ number: Int) -> Draws {
    Draws(seed: seed).repetition(number)
  }

  /// Runs all strategies in all repeats.
  package func result() -> ScenarioResult {
    let plans = (0..<repeats).map { number in
      let draws = draws(number)
      return (draws: draws, trips: scenario.trace.trips(scenario.trips, draws: draws))
    }
    let knowledge = Knowledge(scenario, trips: plans.flatMap(\.trips))
    let oracle = scenario.strategies.contains(.oracle) ? Oracle(scenario) : nil
    var tallies: [StrategyName: [StrategyTally]] = [:]
    for (number, plan) in plans.enumerated() {
      let work = Work(scenario.workload, draws: plan.draws)
      for name in scenario.strategies where name != .oracle || oracle != nil {
        tallies[name, default: []].append(
          tally(
            name, plan.trips, work, knowledge: knowledge, oracle: oracle,
            samples: number == 0 ? sampleTrips : 0, stagger: plan.draws.unit(.stagger, 0)))
      }
    }
    var result = summary(plans.flatMap(\.trips), tallies, oracle: oracle?.result)
    if knowledge.meanTimeBetweenFailures < Knowledge.never {
      result.meanTimeBetweenFailuresSeconds = knowledge.meanTimeBetweenFailures
    }
    return result
  }

  private func tally(
    _ name: StrategyName, _ trips: [Trip], _ work: Work, knowledge: Knowledge, oracle: Oracle?,
    samples: Int, stagger: Double
  ) -> StrategyTally {
    if let rule = name.rule(knowledge) { return live(trips, work, samples, rule: rule) }
    if name == .stint {
      return live(trips, work, samples) { StintWorker(scenario, stagger: stagger) }
    }
    return oracle.map { live(trips, work, samples, rule: OracleRule($0)) } ?? StrategyTally()
  }

  private func live(
    _ trips: [Trip], _ work: Work, _ samples: Int, rule: some Rule
  ) -> StrategyTally {
    live(trips, work, samples) { RuleWorker(rule) }
  }

  /// Lives all trips with one worker; what is durable at the end of one is where the next goes on.
  package func live<Worker: ScenarioWorker>(
    _ trips: [Trip], _ work: Work, _ samples: Int = 0, _ make: () -> Worker
  ) -> StrategyTally {
    var worker = make()
    return live(trips, work, samples, with: &worker)
  }

  /// The same with a worker that can be asked afterwards.
  package func live(
    _ trips: [Trip], _ work: Work, _ samples: Int = 0, with worker: inout some ScenarioWorker
  ) -> StrategyTally {
    var tally = StrategyTally()
    var state = WorkState()
    let goal = Nanoseconds(seconds: scenario.workSeconds)
    var isGone = false
    for (number, trip) in trips.enumerated() {
      let world = TripWorld(
        trip: trip, work: work, from: state,
        restart: isGone ? Nanoseconds(seconds: work.workload.restartSeconds) : 0, goal: goal,
        isRecording: number < samples)
      world.run(&worker)
      state = world.durable
      switch world.account.end {
      case .killed, .gone: isGone = true
      case .inOrder: isGone = false
      // Nobody was there to be started or killed.
      case .denied: break
      }
      tally.add(world, number: number, claimed: worker.claimedWork, goal: goal)
    }
    return tally
  }

  private func summary(
    _ trips: [Trip], _ tallies: [StrategyName: [StrategyTally]], oracle: OracleResult?
  ) -> ScenarioResult {
    let best = tallies[.oracle]?.map { $0.share($0.saved) }
    let strategies = StrategyName.allCases.compactMap { name -> StrategyResult? in
      guard let tallies = tallies[name] else { return nil }
      var result = StrategyResult(name: name.rawValue, title: name.title, tallies, best: best)
      result?.waste = StrategyResult.Waste(tallies, workSeconds: scenario.workSeconds)
      return result
    }
    var result = ScenarioResult(scenario, trips, strategies: strategies)
    result.oracle = oracle
    return result
  }
}

extension StrategyResult.Waste {
  /// Sums up the repeats; nil without any.
  init?(_ tallies: [StrategyTally], workSeconds: Double) {
    func estimate(_ time: (StrategyTally) -> Nanoseconds) -> Estimate? {
      Estimate(tallies.map { $0.share(time($0)) })
    }
    guard let idle = estimate(\.idle), let restart = estimate(\.restart),
      let late = estimate(\.savedLate), let past = estimate(\.past)
    else { return nil }
    idleShare = idle
    restartShare = restart
    lateShare = late
    pastShare = past
    makespanOverIdeal = Estimate(
      tallies.compactMap(\.makespan).map { $0.seconds / workSeconds })
  }
}

extension StrategyResult {
  /// Sums up the repeats; `best` are the oracle's saved shares, by repeat.
  init?(name: String, title: String, _ tallies: [StrategyTally], best: [Double]?) {
    let shares = tallies.map { $0.share($0.saved) }
    guard let saved = Estimate(shares), let lost = Estimate(tallies.map { $0.share($0.lost) }),
      let writing = Estimate(tallies.map { $0.share($0.checkpointTime) })
    else { return nil }
    self.name = name
    self.title = title
    savedShare = saved
    behindOraclePoints = best.flatMap { best in
      Estimate(zip(best, shares).map { ($0 - $1) * 100 })
    }
    lostShare = lost
    checkpointShare = writing
    lostSeconds = tallies.reduce(0) { $0 + $1.lost }.seconds
    doneAgainSeconds = tallies.reduce(0) { $0 + $1.doneAgain }.seconds
    unusedSeconds = tallies.reduce(0) { $0 + $1.unused }.seconds
    checkpoints = tallies.reduce(0) { $0 + $1.checkpoints }
    checkpointSeconds = tallies.reduce(0) { $0 + $1.checkpointTime }.seconds
    let late = tallies.flatMap(\.overruns).map(\.seconds)
    overruns = Overruns(
      count: late.count, trips: tallies.reduce(0) { $0 + $1.foretold },
      pastDeadlineSeconds: Quantiles(late), histogram: HistogramBar.bars(late))
    expiryToDurableSeconds = Quantiles(tallies.flatMap(\.expiryToDurable).map(\.seconds))
    tripsToFinish = Estimate(tallies.compactMap { $0.tripsToFinish.map(Double.init) })
    unfinishedRepeats = tallies.count { $0.tripsToFinish == nil }
    falseClaims = tallies.reduce(0) { $0 + $1.falseClaims }
    perRepeat = tallies.map {
      Counts(
        overruns: $0.overruns.count, checkpoints: $0.checkpoints, tripsToFinish: $0.tripsToFinish,
        doneAgainSeconds: $0.doneAgain.seconds, checkpointSeconds: $0.checkpointTime.seconds,
        pastDeadlineSeconds: Quantiles($0.overruns.map(\.seconds)),
        expiryToDurableSeconds: Quantiles($0.expiryToDurable.map(\.seconds)))
    }
    life = tallies.first?.life ?? []
  }
}
