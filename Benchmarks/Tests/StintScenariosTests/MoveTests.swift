import Testing

@testable import StintScenarios

@Suite("Deadlines that move")
struct MoveTests {
  private static func trace(later: Double, after: Double = 4, by: Double = 3) -> Trace {
    var trace = Trace(grant: .drawn(.constant(10)))
    trace.leadSeconds = 2
    trace.moves = .init(share: 1, after: .constant(after), by: .constant(by), laterShare: later)
    return trace
  }

  private static func trip(_ trace: Trace) -> Trip {
    trace.trips(1, draws: Draws(seed: 1))[0]
  }

  @Test("a deadline comes earlier or later, and the warning with it")
  func moved() {
    let later = Self.trip(Self.trace(later: 1))
    #expect(later.announced?.seconds == 10 && later.deadline.seconds == 13)
    #expect(later.warned == nil && later.move?.warned?.seconds == 11)
    #expect(later.usable.seconds == 13 && later.isForetold)
    let earlier = Self.trip(Self.trace(later: 0))
    #expect(earlier.deadline.seconds == 7 && earlier.enforced.seconds == 7)
    #expect(earlier.move?.warned?.seconds == 5)
    // So near that the warning is over: the move is the warning.
    let near = Self.trip(Self.trace(later: 0, after: 6))
    #expect(near.deadline.seconds == 8 && near.move?.warned == nil)
    #expect(near.move?.isWarning == true)
    // The lead is always left, if so much was; after the end nothing moves.
    #expect(Self.trip(Self.trace(later: 0, by: 60)).deadline.seconds == 6)
    #expect(Self.trip(Self.trace(later: 0, after: 9, by: 60)).deadline.seconds == 10)
    #expect(Self.trip(Self.trace(later: 0, after: 10)).move == nil)
  }

  @Test("a second warning comes if the end moves after the first")
  func twice() {
    let trip = Self.trip(Self.trace(later: 1, after: 9))
    #expect(trip.warned?.seconds == 8 && trip.move?.warned?.seconds == 11)
    let account = Worlds.live(RuleWorker(AtTheSignal()), trip)
    #expect(account.saved.seconds == 9)
    let fit = Worlds.live(RuleWorker(QuantileFit(Worlds.knowledge())), trip)
    #expect(fit.saved.seconds == 12)
  }

  @Test("what was taken back moves no more, and what has moved can be taken back")
  func revoked() {
    var trace = Self.trace(later: 1, after: 4)
    trace.revocation = .init(after: .constant(3), leadSeconds: 2)
    #expect(Self.trip(trace).deadline.seconds == 5 && Self.trip(trace).move == nil)
    trace.revocation = .init(after: .constant(12), leadSeconds: 0.5)
    let trip = Self.trip(trace)
    #expect(trip.move != nil && trip.isRevoked && trip.deadline.seconds == 12.5)
  }

  @Test("whoever looks at the remaining time keeps a deadline that moves, Stint too")
  func kept() {
    for later in [0.0, 1] {
      let trip = Self.trip(Self.trace(later: later))
      let whole = later == 1 ? 12.0 : 6
      let workers: [(String, TripAccount)] = [
        ("p99", Worlds.live(RuleWorker(QuantileFit(Worlds.knowledge())), trip)),
        (
          "stint",
          Worlds.live(
            StintWorker(Worlds.scenario(), stagger: 1), trip, Worlds.workload(checkpoint: 0.1))
        ),
        ("honest", Worlds.live(PlantedWorker(Worlds.scenario()), trip)),
      ]
      for (name, account) in workers {
        #expect(account.overrun == nil, "\(name) \(later)")
        #expect(account.end == .inOrder, "\(name) \(later)")
        #expect(account.saved.seconds >= whole - 3, "\(name) \(later)")
        #expect(account.saved.seconds <= whole, "\(name) \(later)")
        #expect(account.gap == 0)
      }
    }
  }

  @Test("the honest ones are clean where deadlines move and processes are started again")
  func honest() {
    for seed in UInt64(1)...10 {
      var scenario = SelfCheck.scenario
      scenario.trips = 30
      scenario.workload.restartSeconds = 1
      scenario.trace.moves = .init(
        share: 0.6, after: Distribution(.uniform(from: 0, to: 9)),
        by: Distribution(.exponential(mean: 3)))
      scenario.trace.revocation = .init(
        after: Distribution(.exponential(mean: 30)), leadSeconds: 1)
      let result = SelfCheck(scenario, seed: seed).result()
      for worker in result.strategies where ["honest", "stint"].contains(worker.name) {
        #expect(worker.findings?.isEmpty == true, "seed \(seed): \(worker.findings ?? [])")
      }
    }
  }

  @Test("so many trips move as their share says, in both directions")
  func share() {
    var trace = Self.trace(later: 0.25)
    trace.moves?.share = 0.4
    let trips = trace.trips(4_000, draws: Draws(seed: 9))
    let moved = trips.filter { $0.move != nil }
    let share = Double(moved.count) / 4_000
    #expect(abs(share - 0.4) < 0.03)
    let later = moved.count { $0.deadline > $0.grant }
    let laterShare = Double(later) / Double(moved.count)
    #expect(abs(laterShare - 0.25) < 0.04)
  }
}
