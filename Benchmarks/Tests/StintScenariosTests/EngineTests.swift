import Testing

@testable import StintScenarios

/// Says that everything it ever computed is saved, and writes no checkpoint.
private struct Liar: ScenarioWorker {
  var claimedWork: Nanoseconds = 0

  mutating func began(_ world: TripWorld) { world.startChunk() }
  mutating func chunkEnded(_ world: TripWorld) {
    claimedWork = world.complete.total
    if world.now < world.trip.deadline / 2 { world.startChunk() } else { world.end() }
  }
}

/// Begins a checkpoint in the middle of a chunk.
private struct SavesInTheMiddle: ScenarioWorker {
  var claimedWork: Nanoseconds = 0

  mutating func began(_ world: TripWorld) { world.startChunk() }
  mutating func chunkEnded(_ world: TripWorld) {
    if world.complete.position == 1 {
      world.wake(at: world.now + Worlds.seconds(0.25))
      world.startChunk()
    } else {
      world.end()
    }
  }
  mutating func woken(_ world: TripWorld) { world.startCheckpoint() }
}

@Suite("The engine's account")
struct EngineTests {
  @Test("a strategy that claims unsaved work is saved is caught")
  func liar() throws {
    let run = ScenarioRun(Worlds.scenario(), seed: 1, repeats: 1)
    let trips = run.scenario.trace.trips(3, draws: run.draws(0))
    let tally = run.live(trips, Work(run.scenario.workload, draws: run.draws(0))) { Liar() }
    #expect(tally.falseClaims == 3)
    let honest = run.live(trips, Work(run.scenario.workload, draws: run.draws(0))) {
      RuleWorker(Periodic(every: 3))
    }
    #expect(honest.falseClaims == 0)
    let result = try #require(StrategyResult(name: "", title: "", [tally], best: nil))
    #expect(result.falseClaims == 3)
    #expect(result.savedShare.mean == 0)
  }

  @Test(
    "a chunk stands still while a checkpoint is written, and the state before it is what is saved")
  func middle() {
    let account = Worlds.live(SavesInTheMiddle(), Worlds.trip(10))
    #expect(account.life?.chunks.map(\.endSeconds) == [1, 2.5])
    #expect(account.life?.checkpoints.map(\.beginSeconds) == [1.25])
    #expect(account.saved.seconds == 1)
    #expect(account.lost.seconds == 1)
    #expect(account.gap == 0)
  }

  @Test("what becomes durable after the deadline is kept, and does not count")
  func late() {
    var trip = Worlds.trip(10)
    trip.enforced = Worlds.seconds(12)
    trip.warned = Worlds.seconds(9.2)
    let account = Worlds.live(RuleWorker(AtTheSignal()), trip)
    #expect(account.saved == 0)
    #expect(account.savedLate.seconds == 10)
    #expect(account.overrun?.seconds == 0.5)
  }

  @Test("an end that nobody told is no overrun")
  func sudden() {
    var trip = Worlds.trip(10)
    trip.isRevoked = true
    trip.deadline = Worlds.seconds(4.5)
    trip.enforced = trip.deadline
    trip.warned = nil
    let account = Worlds.live(RuleWorker(Periodic(every: 3)), trip)
    #expect(account.end == .gone)
    #expect(account.overrun == nil)
    #expect(account.saved.seconds == 3)
  }

  @Test("a standstill takes from the time that counts, or moves the deadline")
  func standstill() {
    var trip = Worlds.trip(10)
    trip.standstill = .init(at: Worlds.seconds(2.5), length: Worlds.seconds(3), counts: true)
    #expect(trip.usable.seconds == 7)
    var account = Worlds.live(RuleWorker(QuantileFit(Worlds.knowledge())), trip)
    #expect(account.saved.seconds == 6)
    trip.standstill?.counts = false
    #expect(trip.usable.seconds == 10)
    account = Worlds.live(RuleWorker(QuantileFit(Worlds.knowledge())), trip)
    #expect(account.saved.seconds == 9)
  }

  @Test("continued past its end a process is gone before it runs again, and that is no overrun")
  func continuedTooLate() {
    var trip = Worlds.trip(10)
    trip.standstill = .init(at: Worlds.seconds(4.5), length: Worlds.seconds(30), counts: true)
    for account in [
      Worlds.live(RuleWorker(Periodic(every: 2)), trip),
      Worlds.live(StintWorker(Worlds.scenario(), stagger: 1), trip),
    ] {
      #expect(account.overrun == nil)
      #expect(account.end != .inOrder)
    }
  }

  @Test("a denied trip grants nothing and is done with at once")
  func denied() {
    var trip = Worlds.trip(10)
    trip.isDenied = true
    for account in [
      Worlds.live(RuleWorker(UntilKilled()), trip),
      Worlds.live(StintWorker(Worlds.scenario(), stagger: 1), trip),
    ] {
      #expect(account.end == .denied)
      #expect(account.saved == 0)
    }
    #expect(trip.usable == 0)
  }

  @Test("strategies meet the same trips and the same chunks")
  func commonNumbers() {
    let workload = Workload(
      chunk: Distribution(.logNormal(mean: 1, sigma: 0.3)), checkpoint: .constant(0.1))
    var first = RuleWorker(UntilKilled())
    var second = RuleWorker(QuantileFit(Worlds.knowledge(workload)))
    let work = Work(workload, draws: Draws(seed: 7))
    let lives = [0, 1].map { index -> [TripLife.Chunk] in
      let world = TripWorld(trip: Worlds.trip(10), work: work, from: WorkState(), isRecording: true)
      if index == 0 { world.run(&first) } else { world.run(&second) }
      return world.account.life?.chunks.filter(\.isComplete) ?? []
    }
    #expect(lives[1].count >= 5)
    #expect(Array(lives[0].prefix(lives[1].count)) == lives[1])
  }
}
