import Testing

@testable import StintScenarios

@Suite("Lifetimes from a file")
struct ListedTests {
  private static let lines = (1...50).map { Trace.ListedTrip(grantSeconds: Double($0)) }

  @Test("each trip of each repeat is a line by itself, with replacement")
  func bootstrap() {
    let trace = Trace(grant: .listed(name: "x.csv", Self.lines))
    var counts: [Nanoseconds: Int] = [:]
    var inOrder = 0
    for number in 0..<40 {
      let trips = trace.trips(50, draws: Draws(seed: 1).repetition(number))
      for trip in trips { counts[trip.grant, default: 0] += 1 }
      inOrder += zip(trips, trips.dropFirst()).count { $1.grant - $0.grant == 1_000_000_000 }
      // Without replacement there would be all 50.
      let different = Set(trips.map(\.grant)).count
      #expect(different > 20 && different < 42)
    }
    #expect(counts.count == 50)
    #expect(counts.values.allSatisfy { $0 > 15 && $0 < 70 })
    // One after the other would be nearly all of 1,960.
    #expect(inOrder < 100)
    let one = Trace(grant: .listed(name: "x.csv", [.init(grantSeconds: 7)]))
    #expect(one.trips(3, draws: Draws(seed: 1)).allSatisfy { $0.grant.seconds == 7 })
  }

  @Test("an end that is not the announced one is foretold only by its warning")
  func announced() {
    func trip(_ line: Trace.ListedTrip, isAnnounced: Bool = true) -> Trip {
      var trace = Trace(grant: .listed(name: "x.csv", [line]))
      trace.isAnnounced = isAnnounced
      return trace.trips(1, draws: Draws(seed: 1))[0]
    }
    let early = trip(.init(grantSeconds: 6, warningSeconds: 0, announcement: .seconds(10)))
    #expect(early.announced?.seconds == 10 && early.deadline.seconds == 6)
    #expect(!early.isForetold && early.usable.seconds == 6)
    let account = Worlds.live(RuleWorker(QuantileFit(Worlds.knowledge())), early)
    #expect(account.end == .gone && account.saved == 0 && account.overrun == nil)

    let warned = trip(.init(grantSeconds: 6, warningSeconds: 2, announcement: .seconds(10)))
    #expect(warned.isForetold && warned.noticeLead?.seconds == 2)
    for account in [
      Worlds.live(RuleWorker(QuantileFit(Worlds.knowledge())), warned),
      Worlds.live(
        StintWorker(Worlds.scenario(), stagger: 1), warned, Worlds.workload(checkpoint: 0.1)),
    ] {
      #expect(account.end == .inOrder && account.overrun == nil)
      #expect(account.saved.seconds >= 4)
    }

    // Whoever keeps the earlier end that was announced keeps the true one.
    let late = trip(.init(grantSeconds: 12, warningSeconds: 0, announcement: .seconds(10)))
    #expect(late.isForetold)
    let kept = Worlds.live(RuleWorker(QuantileFit(Worlds.knowledge())), late)
    #expect(kept.saved.seconds == 9 && kept.unused.seconds == 2.5)

    let untold = trip(.init(grantSeconds: 12, warningSeconds: 3, announcement: .none))
    #expect(untold.announced == nil && untold.isForetold)
    #expect(trip(.init(grantSeconds: 12, announcement: .seconds(12))).announced?.seconds == 12)
    #expect(
      trip(.init(grantSeconds: 6, announcement: .seconds(10)), isAnnounced: false).announced == nil)
  }

  @Test("no rule beats the optimum of lifetimes that nobody announces, and it gets what it expects")
  func lifetimes() throws {
    let lifetime = Distribution(.exponential(mean: 30))
    var scenario = Worlds.scenario(
      workload: Worlds.workload(chunk: 1, checkpoint: 0.3), trips: 100)
    scenario.trace.grant = .listed(
      name: "x.csv",
      (0..<100).map {
        .init(grantSeconds: lifetime.quantile((Double($0) + 0.5) / 100), warningSeconds: 0)
      })
    scenario.trace.isAnnounced = false
    scenario.strategies = [.young, .daly, .oracle]
    let result = ScenarioRun(scenario, seed: 2, repeats: 20).result()
    // A line between lifetimes is not quite their list.
    try Worlds.expectAgreement(result, orBy: 0.004)
    for name in [StrategyName.young, .daly] {
      let behind = try #require(result[name]?.behindOraclePoints)
      #expect(behind.high >= 0, "\(name): \(behind)")
    }
  }

  @Test("there is an optimum for a file only if what it announces is the truth or nothing")
  func oracle() {
    func scenario(_ announcements: [Trace.Announcement]) -> Scenario {
      var scenario = Worlds.scenario()
      scenario.trace.grant = .listed(
        name: "x.csv",
        announcements.enumerated().map {
          .init(grantSeconds: 10 + Double($0), warningSeconds: 4, announcement: $1)
        })
      return scenario
    }
    #expect(Oracle(scenario([.asGranted, .seconds(11)])) != nil)
    #expect(Oracle(scenario([.none, .none])) != nil)
    #expect(Oracle(scenario([.none, .asGranted])) == nil)
    #expect(Oracle(scenario([.asGranted, .seconds(12)])) == nil)
  }
}
