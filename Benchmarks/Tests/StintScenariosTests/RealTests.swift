import Foundation
import StintCore
import Testing

@testable import StintScenarios

@Suite("Trips on the real clock")
struct RealTests {
  private static let boot = 1_000.0

  private static func trip(
    _ lines: [String] = [], generations: [(Double, Double)] = [], end: TripEnd = .inOrder,
    endedAt: Double = 9, number: Int = 0, before: Double = 0
  ) -> RealTrip {
    var plan = Worlds.trip(10)
    plan.number = number
    var trip = RealTrip(
      plan: plan, beganAt: Worlds.seconds(boot), durableBefore: Worlds.seconds(before),
      tick: Worlds.seconds(0.5), end: end, endedAt: Worlds.seconds(endedAt))
    trip.lines = EventLine.lines(of: Data(lines.joined(separator: "\n").utf8))
    trip.generations = generations.enumerated().map { index, generation in
      RealTrip.Generation(
        sequence: UInt64(index + 1), work: Worlds.seconds(generation.0),
        namedAt: Worlds.seconds(generation.1))
    }
    trip.ledger = [
      Sighting(at: 0, .taskBegan("work")), Sighting(at: Worlds.seconds(8), .warned),
    ]
    if end == .inOrder {
      trip.ledger.append(Sighting(at: Worlds.seconds(endedAt), .taskEnded("work")))
    }
    return trip
  }

  private static func tick(
    at instant: Double, fraction: Double = 0, remaining: Double? = nil, state: String = "running"
  ) -> String {
    let rest = remaining.map { ",\"remainingSeconds\":\($0)" } ?? ""
    return "{\"event\":\"tick\",\"bootSeconds\":\(boot + instant),\"state\":\"\(state)\","
      + "\"fraction\":\(fraction)\(rest)}"
  }

  private static func checkpoint(at instant: Double, work: Double, took: Double = 0.1) -> String {
    "{\"event\":\"checkpoint\",\"bootSeconds\":\(boot + instant),\"tookSeconds\":\(took),"
      + "\"workTimeSeconds\":\(work),\"fraction\":0.1,\"somethingNew\":[1]}"
  }

  private static func chunk(_ index: Int, from begin: Double, to end: Double, done: Double)
    -> String
  {
    "{\"event\":\"chunk\",\"index\":\(index),\"beganBootSeconds\":\(boot + begin),"
      + "\"bootSeconds\":\(boot + end),\"doneSeconds\":\(done)}"
  }

  /// What a record of trips adds up to.
  private static func result(
    _ trips: [RealTrip], name: String = "", workSeconds: Double? = nil, samples: Int = 0
  ) throws -> StrategyResult {
    var record = RealRecord(workSeconds: workSeconds, samples: samples)
    for trip in trips { record.add(trip) }
    return try #require(RealRecord.result(name: name, title: name, [record]))
  }

  @Test("what is saved is what is on the disk, whatever the worker says")
  func disk() {
    let lines = [Self.checkpoint(at: 8.4, work: 8)]
    let honest = Self.trip(lines, generations: [(4, 5), (8, 8.4)]).figures(furthest: 0)
    #expect(honest.saved == Worlds.seconds(8))
    #expect(honest.expiryToDurable == Worlds.seconds(8.4) - Worlds.seconds(8))
    #expect(!honest.isFalseClaim)
    let liar = Self.trip(lines, generations: [(4, 5)])
    #expect(liar.figures(furthest: 0).saved == Worlds.seconds(4))
    #expect(liar.figures(furthest: 0).isFalseClaim)
    #expect(Inspector.findings(liar.observation).map(\.fault) == [.lyingCheckpoint])
  }

  @Test(
    "a kill at the deadline is an overrun, how late it was is told, and lines that are cut are passed over"
  )
  func killed() {
    let lines = [
      Self.chunk(0, from: 0, to: 4, done: 4), Self.checkpoint(at: 5, work: 4, took: 1),
      Self.chunk(1, from: 5, to: 9, done: 8), "{\"event\":\"tick\",\"bootSec",
    ]
    let trip = Self.trip(lines, generations: [(4, 5)], end: .killed, endedAt: 10.002)
    let figures = trip.figures(furthest: 0)
    #expect(figures.overrun == Worlds.seconds(10.002) - Worlds.seconds(10))
    #expect(figures.lost == Worlds.seconds(4))
    #expect(figures.checkpoints == 1)
    #expect(figures.checkpointTime == Worlds.seconds(1))
    #expect(figures.furthest == 2)
    #expect(Inspector.findings(trip.observation).map(\.fault) == [.ignoredWarning])
    let life = trip.life(beganAt: 0)
    #expect(life.chunks.map(\.endSeconds) == [4, 9])
    #expect(life.checkpoints.map(\.beginSeconds) == [4])
    #expect(life.end == .killed)
  }

  @Test("where the end is late, what became durable after the deadline is not saved in time")
  func late() {
    var trip = Self.trip(
      generations: [(4, 5), (9, 10.5)], end: .killed, endedAt: 12.001, before: 1)
    #expect(trip.figures(furthest: 0).saved == Worlds.seconds(8))
    trip.plan.enforced = Worlds.seconds(12)
    trip.durableInTime = Worlds.seconds(4)
    let figures = trip.figures(furthest: 0)
    #expect(figures.saved == Worlds.seconds(3))
    #expect(figures.durable == Worlds.seconds(9))
    #expect(figures.overrun == Worlds.seconds(12.001) - Worlds.seconds(10))
    #expect(trip.life(beganAt: 0).savedSeconds == 3)
    // Nothing was saved in this trip until its deadline.
    trip.durableInTime = Worlds.seconds(1)
    #expect(trip.figures(furthest: 0).saved == 0)
  }

  @Test("a chunk that an earlier trip had reached is done again")
  func again() {
    let lines = [
      Self.chunk(1, from: 0, to: 3, done: 7), Self.chunk(2, from: 3, to: 5, done: 9),
    ]
    let figures = Self.trip(lines, generations: [(9, 6)], number: 1, before: 4).figures(furthest: 2)
    #expect(figures.doneAgain == Worlds.seconds(3))
    #expect(figures.saved == Worlds.seconds(5))
    #expect(figures.lost == 0)
  }

  @Test("late ticks are those that came later than a tick; changes between them are none")
  func ticks() {
    let trip = Self.trip([
      Self.tick(at: 1, remaining: 9), Self.tick(at: 1.1, remaining: 8.875),
      Self.tick(at: 1.75, remaining: 8.25), Self.tick(at: 2.25),
    ])
    let figures = trip.figures(furthest: 0)
    #expect(figures.tickLateness.map { ($0.seconds * 1e6).rounded() / 1e6 } == [0.15, 0])
    #expect(figures.remainingError.map { ($0.seconds * 1e6).rounded() / 1e6 } == [0, 0.025, 0])
  }

  @Test("shares of a known work are compared with the disk; work time is taken as it is")
  func reports() {
    var trip = Self.trip(
      [Self.tick(at: 3, fraction: 0.5), Self.checkpoint(at: 8.4, work: 4)], generations: [(4, 8.4)])
    trip.totalWork = Worlds.seconds(20)
    #expect(Inspector.findings(trip.observation).map(\.fault) == [.lyingProgress])
    trip.totalWork = Worlds.seconds(8)
    #expect(Inspector.findings(trip.observation).map(\.fault) == [.lyingProgress])
    trip.totalWork = Worlds.seconds(6)
    #expect(Inspector.findings(trip.observation) == [])
    trip.totalWork = nil
    #expect(Inspector.findings(trip.observation) == [])
  }

  @Test("reports that come by no clock have no lateness, and a stopped machine makes no tick late")
  func noTicks() {
    var trip = Self.trip([
      Self.tick(at: 1, remaining: 9), Self.tick(at: 1.75, remaining: 8.25), Self.tick(at: 3.5),
      Self.tick(at: 4.25),
    ])
    #expect(trip.figures(furthest: 0).tickLateness.count == 3)
    trip.plan.standstill = .init(at: Worlds.seconds(2), length: Worlds.seconds(1), counts: true)
    let late = trip.figures(furthest: 0).tickLateness
    #expect(late.map { ($0.seconds * 1e6).rounded() / 1e6 } == [0.25, 0.25])
    trip.tick = 0
    #expect(trip.figures(furthest: 0).tickLateness == [])
    #expect(trip.figures(furthest: 0).remainingError.count == 2)
  }

  @Test("what a job that is finished did not need of its budget is not counted against it")
  func finished() throws {
    var trip = Self.trip(generations: [(0.01, 0.02)], endedAt: 0.05)
    #expect(trip.figures(furthest: 0).usable == Worlds.seconds(10))
    trip.isFinished = true
    // The journal says that the result is durable, with all of the work.
    trip.finishedWork = Worlds.seconds(0.04)
    let figures = trip.figures(furthest: 0)
    #expect(figures.usable == Worlds.seconds(0.05))
    #expect(figures.saved == Worlds.seconds(0.04))
    #expect(figures.unused == 0)
    let result = try Self.result([trip])
    #expect(abs(result.savedShare.mean - 0.8) < 1e-9)
    #expect(result.tripsToFinish?.mean == 1)
    #expect(try Self.result([Self.trip(generations: [(9, 9)])]).tripsToFinish == nil)
  }

  @Test(
    "who does nothing after one warning of three was late; who does so after most has not listened")
  func silent() throws {
    func findings(_ killed: Int) throws -> [WorkerFault] {
      let trips = (0..<3).map { number in
        number < killed
          ? Self.trip([Self.tick(at: 7)], end: .killed, endedAt: 10, number: number)
          : Self.trip(generations: [(8, 8.4)], number: number)
      }
      let result = try Self.result(trips, workSeconds: 12)
      #expect(result.overruns.count == killed)
      return try #require(result.findings).map(\.fault)
    }
    #expect(try findings(1) == [])
    #expect(try findings(2) == [.ignoredWarning])
    #expect(try findings(3) == [.ignoredWarning])
  }

  @Test("who sleeps through the warning with the machine has ignored nothing")
  func asleep() {
    var trip = Self.trip([Self.tick(at: 7, fraction: 0)], end: .killed, endedAt: 10)
    #expect(Inspector.findings(trip.observation).map(\.fault) == [.ignoredWarning])
    trip.plan.standstill = .init(at: Worlds.seconds(7.5), length: Worlds.seconds(2), counts: true)
    #expect(Inspector.findings(trip.observation) == [])
    trip.plan.standstill = .init(at: Worlds.seconds(2), length: Worlds.seconds(3), counts: true)
    #expect(Inspector.findings(trip.observation).map(\.fault) == [.ignoredWarning])
    #expect(trip.life(beganAt: 0).standstills.map(\.endSeconds) == [5])
  }

  /// A program that says in its folder what it has saved.
  private static func spoken(
    _ lines: [String] = [], holds: (work: Double, at: Double)?, before: Double = 0,
    end: TripEnd = .inOrder, number: Int = 0
  ) -> RealTrip {
    var trip = Self.trip(lines, end: end, endedAt: 9, number: number, before: before)
    trip.saysItsWork = true
    trip.changes = 3
    trip.generations = [
      RealTrip.Generation(
        sequence: 1, work: Worlds.seconds(holds?.work ?? 0),
        namedAt: holds.map { Worlds.seconds($0.at) } ?? -1)
    ]
    return trip
  }

  @Test("what a program says that it holds is bounded by the time that there was")
  func spokenBounds() {
    let honest = Self.spoken(holds: (8, 8.5))
    #expect(Inspector.findings(honest.observation) == [])
    #expect(honest.figures(furthest: 0).saved == Worlds.seconds(8))
    #expect(honest.figures(furthest: 0).checkpoints == 3)
    let liar = Self.spoken(holds: (20, 8.5))
    #expect(Inspector.findings(liar.observation).map(\.fault) == [.lyingProgress])
    // All of the job's work may be in it, that of earlier budgets too.
    #expect(Inspector.findings(Self.spoken(holds: (20, 8.5), before: 13).observation) == [])
  }

  @Test("a claim that the folder does not bear out is a lie, and what was told and is gone is lost")
  func spokenClaims() {
    let claims = [
      "{\"event\":\"checkpoint\",\"bootSeconds\":\(Self.boot + 5),\"workTimeSeconds\":4}",
      "{\"event\":\"tick\",\"bootSeconds\":\(Self.boot + 7),\"workTimeSeconds\":6}",
    ]
    let torn = Self.spoken(claims, holds: nil, before: 3)
    #expect(Inspector.findings(torn.observation).map(\.fault) == [.lyingCheckpoint])
    let figures = torn.figures(furthest: 0)
    #expect(figures.saved == 0)
    #expect(figures.durable == 0)
    #expect(figures.lost == Worlds.seconds(6))
    #expect(figures.isFalseClaim)
  }

  @Test("work that was destroyed and is made again counts once")
  func spokenAgain() throws {
    var record = RealRecord(workSeconds: nil, samples: 0)
    for (number, holds) in [(6.0, 8.0), nil, (5.0, 8.0), (11.0, 8.0)].enumerated() {
      var trip = Self.spoken(holds: holds, before: record.durable.seconds, number: number)
      trip.creditedBefore = record.credited
      record.add(trip)
    }
    #expect(record.durable == Worlds.seconds(11))
    let result = try #require(RealRecord.result(name: "mine", title: "mine", [record]))
    #expect(abs(result.savedShare.mean - 11.0 / 40) < 1e-9)
  }

  @Test("of a real run Stint's own worker is judged, by its overruns and what is found")
  func goals() throws {
    func goals(_ end: TripEnd, name: String = "stint") throws -> [Goal] {
      let trip = Self.trip(
        [Self.tick(at: 7)], generations: [(4, 5)], end: end, endedAt: 10.001)
      let result = try Self.result([trip], name: name, workSeconds: 12)
      let plan = try RealPlan(
        Worlds.scenario(), seed: 1, repeats: 1, grants: 1, workers: 1, scale: nil)
      return RealGoals.judge(plan.result([result]))
    }
    let missed = try goals(.killed)
    #expect(missed.map(\.name) == ["noOverrun", "noFinding"])
    #expect(missed.map(\.isKept) == [false, false])
    #expect(try goals(.killed, name: "young") == [])
  }

  @Test("several workers stand in one table, a line each")
  func comparison() throws {
    let good = try Self.result([Self.spoken(holds: (8, 8.5))], name: "good")
    let bad = try Self.result(
      [Self.spoken([Self.tick(at: 8.9)], holds: nil, end: .killed)], name: "bad")
    let plan = try RealPlan(
      Worlds.scenario(), seed: 1, repeats: 1, grants: 1, workers: 2, scale: nil)
    let lines = RealTable.render(plan.result([good, bad])).split(separator: "\n").map(String.init)
    #expect(lines[1].hasSuffix("found"))
    #expect(lines[2].contains("good") && lines[2].contains("80.00 %"))
    #expect(lines[2].hasSuffix("nothing"))
    #expect(lines[3].contains("bad") && lines[3].hasSuffix("ignored warning"))
    #expect(!RealTable.render(plan.result([good])).contains("to durable, p99"))
  }

  @Test("a record adds trips up to the same figures as virtual time has")
  func record() throws {
    var record = RealRecord(workSeconds: 12, samples: 1)
    record.add(Self.trip([Self.checkpoint(at: 8.4, work: 8)], generations: [(8, 8.4)]))
    record.add(
      Self.trip(
        [Self.checkpoint(at: 8.4, work: 14)], generations: [(8, -1.6), (14, 8.4)], number: 1,
        before: 8))
    var denied = Worlds.trip(10)
    denied.isDenied = true
    denied.number = 2
    record.add(.denied(denied, durableBefore: record.durable))
    let result = try #require(RealRecord.result(name: "stint", title: "Stint", [record]))
    #expect(result.savedShare.mean == 0.7)
    #expect(result.tripsToFinish?.mean == 2)
    #expect(result.checkpoints == 2)
    #expect(result.overruns.count == 0)
    #expect(result.overruns.trips == 2)
    #expect(result.findings == [])
    #expect(result.life.count == 1)
    #expect(record.durable == Worlds.seconds(14))
    let table = RealTable.render(
      try RealPlan(Worlds.scenario(), seed: 1, repeats: 1, grants: 3, workers: 1, scale: nil)
        .result([result]))
    #expect(table.contains("saved, read from disk     70.00 %"))
  }

  @Test("a plan says how long it takes; what is too long is refused with the scale that would do")
  func plan() throws {
    let short = try RealPlan(
      Worlds.scenario(), seed: 1, repeats: 2, grants: 3, workers: 1, scale: nil)
    #expect(abs(short.expectedSeconds - 60.6) < 1e-6)
    #expect(short.announcement.contains("6 budgets on the real clock, at most 60.6 s"))
    let error = #expect(throws: StintError.self) {
      try RealPlan(Worlds.scenario(), seed: 1, repeats: 1, grants: 600, workers: 1, scale: nil)
    }
    #expect(error?.message.contains("--scale 0.099") == true)
    let asked = try RealPlan(
      Worlds.scenario(), seed: 1, repeats: 1, grants: 600, workers: 1, scale: 1)
    #expect(asked.expectedSeconds > RealPlan.mostSeconds)
    var standing = Worlds.scenario()
    standing.trace.standstill = .init(share: 1, length: .constant(1))
    let stops = try RealPlan(standing, seed: 1, repeats: 1, grants: 1, workers: 1, scale: 0.1)
    #expect(stops.trips(0).first?.standstill?.length == Worlds.seconds(0.1))
    #expect(stops.knowledge.meanTimeBetweenFailures >= 1)
    var late = Worlds.scenario()
    late.trace.enforcedLate = .constant(5)
    let waits = try RealPlan(late, seed: 1, repeats: 1, grants: 1, workers: 1, scale: 0.1)
    #expect(abs(waits.expectedSeconds - 1.6) < 1e-6)
    standing.trace.standstill?.counts = false
    #expect(throws: StintError.self) {
      try RealPlan(standing, seed: 1, repeats: 1, grants: 1, workers: 1, scale: nil)
    }
  }

  @Test("a scaled scenario has the same shape: every time of every trip is multiplied")
  func scale() throws {
    var scenario = Worlds.scenario(
      workload: Workload(
        chunk: Distribution(.logNormal(mean: 1, sigma: 0.3)), checkpoint: .constant(0.5)))
    scenario.trace.revocation = .init(after: Distribution(.exponential(mean: 8)), leadSeconds: 1)
    let scaled = scenario.scaled(by: 0.1)
    let draws = Draws(seed: 3)
    let pairs = zip(scenario.trace.trips(20, draws: draws), scaled.trace.trips(20, draws: draws))
    for (trip, small) in pairs {
      #expect(abs(trip.deadline.seconds - 10 * small.deadline.seconds) < 1e-6)
      #expect(trip.isRevoked == small.isRevoked)
    }
    #expect(abs(scaled.workload.chunk.mean - 0.1) < 1e-9)
    #expect(abs(scaled.workSeconds - scenario.workSeconds / 10) < 1e-9)
    #expect(scenario.scaled(by: 1) == scenario)
  }
}
