/// Lets an optimum live the scenario that it was computed for, beside some that cheat, and says
/// whether each gets what it expects.
///
/// One that promises more than it gets was computed for an easier world. One that gets more than it
/// promises knows more than it says. Both would make every strategy look wrong by as much.
package struct OptimumCheck: Sendable {
  /// Who lives it.
  package enum Subject: String, CaseIterable, Hashable, Sendable {
    /// The oracle that ships.
    case oracle
    /// It expects a chunk that was given up to be drawn anew when it is begun again.
    case drawsAgain
    /// It looks at the draws.
    case peeks
  }

  /// Short chunks and some long ones, so that what is known of one that was given up is worth much;
  /// and uneven checkpoints, so that it is worth much to know the next one.
  package static let scenario: Scenario = {
    let short = Distribution(.logNormal(mean: 0.5, sigma: 0.2))
    let parts = [
      Distribution.Part(weight: 0.8, short), Distribution.Part(weight: 0.2, .constant(6)),
    ]
    var workload = Workload(
      chunk: Distribution(.mixture(parts)),
      checkpoint: Distribution(.logNormal(mean: 0.5, sigma: 0.5)))
    workload.closingSeconds = 0.001
    var scenario = Scenario(
      name: "selfcheck-optimum",
      title: "An optimum has to get what it expects: those that cheat have to be found",
      trace: Trace(grant: .drawn(.constant(20))), workload: workload)
    scenario.trips = 100
    scenario.strategies = [.oracle]
    return scenario
  }()

  /// How much wider than the interval of 95 % the one is that has to hold what is expected.
  ///
  /// It then covers 99.9 %: an honest optimum is to pass with any seed.
  private static let widening = 1.75

  package let seed: UInt64
  package var repeats = 30

  package init(seed: UInt64) {
    self.seed = seed
  }

  /// Lets everybody live the same trips, and says what has to hold.
  package func goals() -> [Goal] {
    let scenario = Self.scenario
    let run = ScenarioRun(scenario, seed: seed, repeats: repeats)
    let plans = (0..<repeats).map { number in
      let draws = run.draws(number)
      return (
        trips: scenario.trace.trips(scenario.trips, draws: draws),
        work: Work(scenario.workload, draws: draws)
      )
    }
    let honest = Oracle(scenario)
    return Subject.allCases.compactMap { subject in
      let oracle = subject == .drawsAgain ? Oracle(scenario, drawsAgain: true) : honest
      guard let oracle else { return nil }
      let shares = plans.map { trips, work in
        let tally =
          switch subject {
          case .oracle, .drawsAgain: run.live(trips, work) { RuleWorker(OracleRule(oracle)) }
          case .peeks: run.live(trips, work) { PeekingWorker() }
          }
        return tally.share(tally.saved)
      }
      return Estimate(shares).map { Self.judge(subject, expected: oracle.result, got: $0) }
    }
  }

  /// By how many points a share that is expected lies outside of what was got.
  ///
  /// It is above 0 if more is expected than got, and below if more is got.
  package static func miss(expected: OracleResult, got: Estimate) -> Double {
    let half = (got.high - got.low) / 2 * widening + expected.errorPoints / 100
    let difference = expected.expectedSavedShare - got.mean
    if difference > half { return (difference - half) * 100 }
    if difference < -half { return (difference + half) * 100 }
    return 0
  }

  /// What has to hold for one of them.
  package static func judge(
    _ subject: Subject, expected: OracleResult, got: Estimate
  ) -> Goal {
    let miss = miss(expected: expected, got: got)
    let name = scenario.name
    switch subject {
    case .oracle:
      return Goal(
        "optimumAgrees", "\(name): the honest oracle gets what it expects",
        measured: miss.magnitude, limit: 0, sense: .atMost)
    case .drawsAgain:
      return Goal(
        "cheatFound", "\(name): an optimum that draws again promises more than it gets",
        measured: miss > 0 ? 1 : 0, limit: 1, sense: .atLeast)
    case .peeks:
      return Goal(
        "cheatFound", "\(name): an optimum that peeks gets more than it promises",
        measured: miss < 0 ? 1 : 0, limit: 1, sense: .atLeast)
    }
  }
}

/// Looks at what the next chunk and checkpoint will take, and runs what fits.
struct PeekingWorker: ScenarioWorker {
  private(set) var claimedWork: Nanoseconds = 0

  private func advance(_ world: TripWorld) {
    guard !world.isOver, world.isIdle, let remaining = world.remaining else { return }
    let ordinal = world.complete.position - world.start.position
    let chunk = world.work.chunk(
      at: world.complete.position, trip: world.trip.number, ordinal: ordinal)
    let saving = world.work.checkpoint(
      trip: world.trip.number, ordinal: world.account.checkpoints, holding: world.complete.total)
    let closing = Nanoseconds(seconds: world.work.workload.closingSeconds)
    if chunk + saving + closing <= remaining {
      world.startChunk()
    } else if world.inHand > 0 {
      world.startCheckpoint()
    } else {
      world.end()
    }
  }

  mutating func began(_ world: TripWorld) { advance(world) }
  mutating func chunkEnded(_ world: TripWorld) { advance(world) }
  mutating func checkpointEnded(_ world: TripWorld) {
    claimedWork = world.durable.total
    world.end()
  }
}
