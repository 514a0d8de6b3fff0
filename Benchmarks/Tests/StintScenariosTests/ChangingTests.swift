import Testing

@testable import StintScenarios

/// Times that change over the trips or with the work.
@Suite("Scenarios that change over time")
struct ChangingTests {
  private static func seconds(_ work: Work, trip: Int, ordinal: Int = 0) -> Double {
    work.chunk(at: ordinal, trip: trip, ordinal: ordinal).seconds
  }

  @Test("a drift goes evenly to its factor and back, over and over")
  func drift() {
    let drift = Drift(factor: 3, overTrips: 4)
    #expect((0...9).map(drift.factor) == [1, 1.5, 2, 2.5, 3, 2.5, 2, 1.5, 1, 1.5])
    #expect(Drift(factor: 0.5, overTrips: 1).factor(trip: 1) == 0.5)
    #expect((0...5).map(Drift(factor: 1, overTrips: 3).factor) == [1, 1, 1, 1, 1, 1])
    var workload = Worlds.workload(chunk: 2, checkpoint: 1)
    workload.chunkDrift = drift
    var work = Work(workload, draws: Draws(seed: 1))
    #expect([0, 2, 4].map { Self.seconds(work, trip: $0) } == [2, 4, 6])
    #expect(work.checkpoint(trip: 4, ordinal: 0, holding: 0).seconds == 1)
    // With doublings both factors hold.
    workload.doublings = 1
    workload.checkpointDrift = Drift(factor: 0.5, overTrips: 2)
    work = Work(workload, draws: Draws(seed: 1))
    #expect(abs(Self.seconds(work, trip: 4, ordinal: 1) - 2 * workload.nominal(1) * 3) < 1e-6)
    #expect(work.checkpoint(trip: 2, ordinal: 0, holding: 0).seconds == 0.5)
  }

  @Test("a factor is one for all chunks of a trip, has the mean it should, and is never too small")
  func tripFactor() {
    var workload = Worlds.workload()
    workload.chunkTripFactor = Distribution(.uniform(from: 0, to: 4))
    workload.checkpointTripFactor = .constant(0)
    let work = Work(workload, draws: Draws(seed: 5))
    var sum = 0.0
    for trip in 0..<2_000 {
      let first = Self.seconds(work, trip: trip)
      #expect(Self.seconds(work, trip: trip, ordinal: 7) == first)
      #expect(first >= Workload.leastFactor)
      sum += first
    }
    #expect(abs(sum / 2_000 - 2) < 0.1)
    #expect(work.checkpoint(trip: 3, ordinal: 0, holding: 0).seconds == 0.5 * 0.01)
  }

  @Test("a checkpoint grows with the work that is in it")
  func growth() {
    var workload = Worlds.workload(checkpoint: 0.5)
    workload.checkpointGrowthPerHour = 720
    // 720 an hour are 0.2 a second: 10 s of work make 0.5 s to 1.5 s.
    #expect(workload.growth(holdingSeconds: 10) == 3)
    let account = Worlds.live(RuleWorker(ShareOfBudget(share: 0.5)), Worlds.trip(20), workload)
    #expect(account.saved.seconds == 10)
    #expect(account.checkpointTime.seconds == 1.5)
  }

  @Test("strategies meet the same changes")
  func commonNumbers() {
    var scenario = Worlds.scenario(
      workload: Workload(
        chunk: Distribution(.logNormal(mean: 1, sigma: 0.3)), checkpoint: .constant(0.1)))
    scenario.workload.chunkDrift = Drift(factor: 2, overTrips: 5)
    scenario.workload.chunkTripFactor = Distribution(.uniform(from: 0.5, to: 2))
    scenario.trace.moves = .init(
      share: 0.5, after: Distribution(.uniform(from: 0, to: 9)), by: .constant(2))
    scenario.strategies = [.p99, .expectation]
    var run = ScenarioRun(scenario, seed: 3, repeats: 1)
    run.sampleTrips = 20
    let lives = run.result().strategies.map(\.life)
    #expect(lives.count == 2)
    for (first, second) in zip(lives[0], lives[1]) {
      #expect(first.deadlineSeconds == second.deadlineSeconds)
      let chunks = [first, second].map { $0.chunks.filter(\.isComplete) }
      let lengths = chunks.map { $0.map { $0.endSeconds - $0.beginSeconds } }
      for (one, other) in zip(lengths[0], lengths[1]) { #expect(abs(one - other) < 1e-6) }
    }
  }

  @Test("there is no optimum where times change or ends move")
  func noOracle() {
    func hasOracle(_ change: (inout Scenario) -> Void) -> Bool {
      var scenario = Worlds.scenario()
      change(&scenario)
      return Oracle(scenario) != nil
    }
    #expect(hasOracle { _ in })
    #expect(hasOracle { $0.workload.restartSeconds = 1 })
    #expect(!hasOracle { $0.workload.chunkDrift = Drift(factor: 2, overTrips: 5) })
    #expect(!hasOracle { $0.workload.checkpointDrift = Drift(factor: 2, overTrips: 5) })
    #expect(!hasOracle { $0.workload.chunkTripFactor = .constant(2) })
    #expect(!hasOracle { $0.workload.checkpointTripFactor = .constant(2) })
    #expect(!hasOracle { $0.workload.checkpointGrowthPerHour = 1 })
    #expect(!hasOracle { $0.trace.moves = .init(share: 1, after: .constant(1), by: .constant(1)) })
  }
}
