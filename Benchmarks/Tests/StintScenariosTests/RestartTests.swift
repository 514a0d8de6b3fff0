import Testing

@testable import StintScenarios

@Suite("A process that has to be started again")
struct RestartTests {
  private static func scenario(restart: Double, grant: Double = 10) -> Scenario {
    var workload = Worlds.workload(chunk: 1, checkpoint: 0.5)
    workload.restartSeconds = restart
    return Worlds.scenario(grant: grant, workload: workload)
  }

  private static func live(_ restart: Double, _ trip: Trip, _ rule: some Rule) -> TripAccount {
    var worker = RuleWorker(rule)
    let work = Work(Worlds.workload(), draws: Draws(seed: 1))
    let world = TripWorld(
      trip: trip, work: work, from: WorkState(), restart: Worlds.seconds(restart),
      isRecording: true)
    world.run(&worker)
    return world.account
  }

  @Test("nothing runs while it starts, and the account adds up")
  func account() {
    let account = Self.live(3, Worlds.trip(10), QuantileFit(Worlds.knowledge()))
    #expect(account.restartTime.seconds == 3)
    #expect(account.saved.seconds == 6)
    #expect(account.idle == 0)
    #expect(account.endedAt.seconds == 9.5)
    #expect(account.life?.chunks.first?.beginSeconds == 3)
  }

  @Test("a trip that ends while it starts is lost, and nobody is blamed")
  func tooShort() {
    for restart in [10.0, 12] {
      let account = Self.live(restart, Worlds.trip(10), UntilKilled())
      #expect(account.end == .gone)
      #expect(account.restartTime.seconds == 10 && account.idle == 0 && account.gap == 0)
      #expect(account.overrun == nil)
    }
  }

  @Test("a machine that stands still meanwhile starts it later")
  func standstill() {
    var trip = Worlds.trip(10)
    trip.standstill = .init(at: Worlds.seconds(1), length: Worlds.seconds(2), counts: true)
    let account = Self.live(3, trip, QuantileFit(Worlds.knowledge()))
    #expect(account.restartTime.seconds == 3 && account.standstillTime.seconds == 2)
    #expect(account.saved.seconds == 4)
    trip.standstill = .init(at: Worlds.seconds(1), length: Worlds.seconds(20), counts: true)
    let gone = Self.live(3, trip, QuantileFit(Worlds.knowledge()))
    #expect(gone.end == .gone && gone.idle == 0 && gone.restartTime.seconds == 1)
  }

  @Test("a warning that comes meanwhile is heard as soon as it runs")
  func warned() {
    let account = Self.live(8.5, Worlds.trip(10), AtTheSignal())
    #expect(account.end == .inOrder)
    // The chunk that it had begun is completed at 9.5 s, and durable at 10 s.
    #expect(account.saved.seconds == 1)
  }

  @Test("a process that starts late knows of an end that was taken back or moved meanwhile")
  func knows() {
    var revoked = Worlds.trip(10)
    revoked.isRevoked = true
    revoked.notice = Worlds.seconds(2)
    revoked.deadline = Worlds.seconds(6)
    revoked.enforced = revoked.deadline
    revoked.warned = nil
    var moved = Worlds.trip(10)
    moved.move = .init(at: Worlds.seconds(2), by: -Worlds.seconds(4), warned: Worlds.seconds(4))
    moved.warned = nil
    moved.deadline = Worlds.seconds(6)
    moved.enforced = moved.deadline
    for trip in [revoked, moved] {
      let fit = Self.live(3, trip, QuantileFit(Worlds.knowledge()))
      #expect(fit.saved.seconds == 2 && fit.end == .inOrder)
      var worker = StintWorker(Worlds.scenario(), stagger: 1)
      let world = TripWorld(
        trip: trip, work: Work(Worlds.workload(checkpoint: 0.1), draws: Draws(seed: 1)),
        from: WorkState(), restart: Worlds.seconds(3))
      world.run(&worker)
      #expect(world.account.end == .inOrder && world.account.overrun == nil)
    }
  }

  @Test("only a trip after a kill begins with it, and a denied trip puts it off")
  func after() {
    // Run until killed: each trip but the first is 3 s shorter.
    let run = ScenarioRun(Self.scenario(restart: 3), seed: 1, repeats: 1)
    let work = Work(run.scenario.workload, draws: run.draws(0))
    var trips = run.scenario.trace.trips(3, draws: run.draws(0))
    func lost(_ trips: [Trip]) -> Double {
      run.live(trips, work) { RuleWorker(UntilKilled()) }.lost.seconds
    }
    #expect(lost(trips) == 10 + 7 + 7)
    trips[1].isDenied = true
    #expect(lost(trips) == 10 + 7)
    let fit = run.live(run.scenario.trace.trips(3, draws: run.draws(0)), work) {
      RuleWorker(QuantileFit(Worlds.knowledge()))
    }
    #expect(fit.saved.seconds == 27)
  }

  @Test("the optimum never pays for an end that it is told of")
  func toldEnds() throws {
    let scenario = Self.scenario(restart: 3, grant: 10.2)
    let oracle = try #require(Oracle(scenario))
    let without = try #require(Oracle(Self.scenario(restart: 0, grant: 10.2)))
    #expect(oracle.result.expectedSavedShare == without.result.expectedSavedShare)
    var uneven = scenario
    uneven.workload.checkpoint = Distribution(.uniform(from: 0.1, to: 2))
    uneven.strategies = [.oracle]
    let result = ScenarioRun(uneven, seed: 1, repeats: 4).result()
    #expect(result[.oracle]?.overruns.count == 0)
  }

  @Test("where ends come unannounced the optimum pays for each, and gets what it expects")
  func sudden() throws {
    func scenario(restart: Double) -> Scenario {
      var scenario = Self.scenario(restart: restart, grant: 30)
      scenario.workload.checkpoint = .constant(0.3)
      scenario.trace.revocation = .init(after: Distribution(.exponential(mean: 30)), leadSeconds: 0)
      scenario.trips = 200
      scenario.strategies = [.oracle]
      return scenario
    }
    var shares: [Double] = []
    for restart in [0.0, 2, 8] {
      let result = ScenarioRun(scenario(restart: restart), seed: 5, repeats: 20).result()
      shares.append(try Worlds.expectAgreement(result, "restart \(restart)").expectedSavedShare)
    }
    #expect(shares[0] > shares[1] + 0.01 && shares[1] > shares[2] + 0.05)
  }
}
