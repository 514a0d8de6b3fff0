import Foundation
import StintCore
import Testing

@testable import StintScenarios

@Suite("Workers with planted faults")
struct PlantedTests {
  private static func check(_ change: (inout Scenario) -> Void = { _ in }, seed: UInt64 = 1)
    -> ScenarioResult
  {
    var scenario = SelfCheck.scenario
    scenario.trips = 6
    change(&scenario)
    return SelfCheck(scenario, seed: seed).result()
  }

  @Test("each planted fault is found and named, and nothing else", arguments: WorkerFault.allCases)
  func planted(fault: WorkerFault) throws {
    let result = Self.check()
    let worker = try #require(result.strategies.first { $0.name == fault.rawValue })
    #expect(worker.findings?.map(\.fault) == [fault])
    let finding = try #require(worker.findings?.first)
    #expect(finding.trips >= 1)
    #expect(finding.sentence.hasPrefix("trip \(finding.firstTrip): "))
    #expect(SelfCheck.render(result).contains(fault.title + ", in "))
  }

  @Test("an honest worker is clean, and so is Stint's own choice, whatever the seed")
  func honest() throws {
    for seed in UInt64(1)...20 {
      let result = Self.check(seed: seed)
      for name in ["honest", "stint"] {
        let worker = try #require(result.strategies.first { $0.name == name })
        #expect(worker.findings?.isEmpty == true, "seed \(seed): \(worker.findings ?? [])")
        #expect(worker.savedShare.mean > 0.5, "seed \(seed): \(name) works")
      }
      #expect(!Goal.judgeAll(result), "seed \(seed)")
    }
  }

  @Test("the same where the process is ended as soon as its handlers have returned")
  func handlersReturn() {
    var policy = SystemPolicy.iOS13
    policy.grant = .seconds(10)
    policy.lead = .seconds(2)
    let result = Self.check { $0.trace.grant = .policy(policy) }
    #expect(!Goal.judgeAll(result), "\(result.goals.filter { !$0.isKept })")
  }

  @Test("the honest ones are clean where time is revoked, denied, stands still or ends unannounced")
  func disturbed() throws {
    for seed in UInt64(1)...10 {
      let result = Self.check(
        {
          $0.trips = 30
          $0.trace.deniedShare = 0.1
          $0.trace.revocation = .init(after: Distribution(.exponential(mean: 20)), leadSeconds: 1)
          $0.trace.standstill = .init(share: 0.2, length: Distribution(.exponential(mean: 3)))
          $0.trace.enforcedLate = .constant(0.5)
        }, seed: seed)
      for name in ["honest", "stint"] {
        let worker = try #require(result.strategies.first { $0.name == name })
        #expect(worker.findings?.isEmpty == true, "seed \(seed): \(worker.findings ?? [])")
      }
    }
  }

  @Test("a fault that is not found, and one that is found where none is, fail the check")
  func missed() throws {
    var result = Self.check()
    #expect(!Goal.judgeAll(result))
    let found = try #require(result.strategies.last?.findings)
    let last = result.strategies.count - 1
    result.strategies[last].findings = []
    #expect(Goal.judgeAll(result))
    result.strategies[last].findings = found
    result.strategies[0].findings = found
    #expect(Goal.judgeAll(result))
  }

  @Test("findings are in the JSON by their documented names")
  func json() throws {
    var report = ScenarioReport(version: "test", seed: 1, repeats: 1)
    report.scenarios = [Self.check()]
    let json = try ScenarioFile.json(report)
    #expect(json.contains("\"lyingCheckpoint\""))
    let again = try ScenarioFile.decode(ScenarioReport.self, Data(json.utf8))
    #expect(
      again.scenarios[0].strategies.map(\.findings)
        == report.scenarios[0].strategies.map(\.findings))
  }
}

extension Goal {
  /// Whether the self-check fails.
  fileprivate static func judgeAll(_ result: ScenarioResult) -> Bool {
    SelfCheck.judge(result).contains { !$0.isKept }
  }
}

@Suite("What an inspector makes of what it sees")
struct InspectorTests {
  private static func seen(
    _ events: [(Double, Sighting.Event)], end: TripEnd = .inOrder, durable: Double = 0
  ) -> [WorkerFault] {
    var seen = Observation(trip: 3, deadline: Worlds.seconds(10), durableAtStart: 0)
    for (at, event) in events { seen.note(event, at: Worlds.seconds(at)) }
    seen.end = end
    seen.endedAt = Worlds.seconds(end == .killed ? 10 : events.last?.0 ?? 0)
    seen.durableAtEnd = durable
    return Inspector.findings(seen).map(\.fault)
  }

  private static let begin: (Double, Sighting.Event) = (0, .taskBegan("work"))
  private static let warned: (Double, Sighting.Event) = (8, .warned)

  @Test("a worker that was still saving when it was killed is late, and no liar")
  func slow() {
    #expect(
      Self.seen(
        [Self.begin, (7, .reported(7)), Self.warned, (8.5, .savingBegan)], end: .killed) == [])
  }

  @Test("what was done after a checkpoint had begun is not in it, and need not be")
  func behind() {
    let events: [(Double, Sighting.Event)] = [
      Self.begin, (4, .reported(4)), (4.1, .savingBegan), (5, .reported(5)), (6, .durable(4)),
    ]
    #expect(Self.seen(events, end: .killed, durable: 4) == [])
    #expect(
      Self.seen(events + [(7, .durable(4.5))], end: .killed, durable: 4.5) == [.lyingProgress])
  }

  @Test(
    "an end that nobody told is nobody's fault; what was said to be saved must be there all the same"
  )
  func sudden() {
    #expect(Self.seen([Self.begin, (4, .reported(4))], end: .gone) == [])
    #expect(
      Self.seen([Self.begin, (4, .saidSaved(4))], end: .gone, durable: 3) == [.lyingCheckpoint])
  }

  @Test(
    "a task that is open a moment after the last save is late; one that is open long after is leaked"
  )
  func leak() {
    let events: [(Double, Sighting.Event)] = [Self.begin, Self.warned, (8.1, .savingBegan)]
    #expect(Self.seen(events + [(9.9, .durable(7))], end: .killed, durable: 7) == [])
    #expect(Self.seen(events + [(8.5, .durable(7))], end: .killed, durable: 7) == [.leakedTask])
  }

  @Test("who saves after the warning and then goes on has not heeded it")
  func goesOn() {
    let events: [(Double, Sighting.Event)] = [
      Self.begin, Self.warned, (8.1, .savingBegan), (8.5, .durable(8)), (9, .reported(8.4)),
    ]
    #expect(Self.seen(events, end: .killed, durable: 8) == [.ignoredWarning])
  }

  @Test("a save that was under way when the warning came is no answer to it, however late it ends")
  func underWay() {
    let events: [(Double, Sighting.Event)] = [
      Self.begin, (7.9, .reported(7)), (7.9, .savingBegan), Self.warned, (8.5, .durable(7)),
      (8.5, .saidSaved(7)),
    ]
    #expect(Self.seen(events, end: .killed, durable: 7) == [.ignoredWarning])
    // One that ended a task has answered.
    #expect(
      Self.seen(
        [(0, .taskBegan("prefetch"))] + events + [(8.6, .taskEnded("work"))], end: .killed,
        durable: 7) == [.leakedTask])
  }

  @Test("saying that work is saved is no answer to the warning if it is not")
  func emptyWord() {
    let events: [(Double, Sighting.Event)] = [Self.begin, Self.warned, (8.5, .saidSaved(7))]
    #expect(Self.seen(events, end: .killed) == [.ignoredWarning, .lyingCheckpoint])
    let saved = [Self.begin, Self.warned, (8.4, .durable(7)), (8.5, .saidSaved(7))]
    #expect(Self.seen(saved, end: .killed, durable: 7) == [.leakedTask])
  }

  @Test("who has nothing left to save may end at once, whatever it calls that")
  func nothingInHand() {
    let events: [(Double, Sighting.Event)] = [
      Self.begin, Self.warned, (8.1, .savingBegan), (8.2, .durable(8)), (8.3, .reported(8)),
      (8.4, .savingBegan), (8.5, .taskEnded("work")),
    ]
    #expect(Self.seen(events, durable: 8) == [])
    var unsaved = events
    unsaved[4].1 = .reported(8.2)
    #expect(Self.seen(unsaved, durable: 8) == [.earlyReturn])
  }

  @Test(
    "who lets go of an unfinished save at the deadline was too slow; who does so long before it has not waited"
  )
  func letsGo() {
    let events: [(Double, Sighting.Event)] = [Self.begin, Self.warned, (8.1, .savingBegan)]
    #expect(Self.seen(events + [(9.9, .taskEnded("work"))]) == [])
    #expect(Self.seen(events + [(9, .taskEnded("work"))]) == [.earlyReturn])
  }

  @Test("a save that ends after the task says so in its sentence")
  func lateSave() {
    var seen = Observation(trip: 0, deadline: Worlds.seconds(10), durableAtStart: 0)
    for (at, event): (Double, Sighting.Event) in [
      Self.begin, Self.warned, (8.1, .savingBegan), (8.2, .taskEnded("work")), (9, .durable(8)),
    ] { seen.note(event, at: Worlds.seconds(at)) }
    seen.durableAtEnd = 8
    let findings = Inspector.findings(seen)
    #expect(findings.map(\.fault) == [.earlyReturn])
    #expect(findings.first?.sentence.contains("durable only at 9.000 s") == true)
  }
}

@Suite("An optimum that cheats")
struct OptimumTests {
  @Test(
    "the honest oracle passes, and each that cheats is found, whatever the seed",
    arguments: ProcessInfo.processInfo.environment["STINT_FULL"] == nil ? [1] : [1, 2, 3, 4])
  func found(seed: UInt64) {
    var check = OptimumCheck(seed: seed)
    check.repeats = 20
    let goals = check.goals()
    #expect(goals.map(\.name) == ["optimumAgrees", "cheatFound", "cheatFound"])
    for goal in goals { #expect(goal.isKept, "seed \(seed): \(goal)") }
  }

  @Test("what is expected has to lie in the interval, widened by the error of the grid")
  func misses() throws {
    let got = try #require(Estimate([0.9, 0.92]))
    let half = (got.high - got.low) / 2 * 1.75
    func miss(_ expected: Double, error: Double = 1) -> Double {
      OptimumCheck.miss(
        expected: OracleResult(
          expectedSavedShare: expected, gridSeconds: 1, errorPoints: error, sentence: ""),
        got: got)
    }
    #expect(miss(0.91 + half + 0.009) == 0)
    #expect(miss(0.91 - half - 0.009) == 0)
    #expect(abs(miss(0.91 + half + 0.02) - 1) < 1e-9)
    #expect(abs(miss(0.91 - half - 0.02) + 1) < 1e-9)
    #expect(miss(0.91 + half + 0.009, error: 0) > 0)
  }

  @Test("an honest oracle that fails, and a cheat that passes, fail the check")
  func judged() throws {
    let got = try #require(Estimate([0.9, 0.9, 0.9]))
    func isKept(_ subject: OptimumCheck.Subject, _ expected: Double) -> Bool {
      let expected = OracleResult(
        expectedSavedShare: expected, gridSeconds: 1, errorPoints: 0.1, sentence: "")
      return OptimumCheck.judge(subject, expected: expected, got: got).isKept
    }
    #expect(isKept(.oracle, 0.9) && !isKept(.oracle, 0.91) && !isKept(.oracle, 0.89))
    #expect(isKept(.drawsAgain, 0.91) && !isKept(.drawsAgain, 0.9) && !isKept(.drawsAgain, 0.89))
    #expect(isKept(.peeks, 0.89) && !isKept(.peeks, 0.9) && !isKept(.peeks, 0.91))
  }
}
