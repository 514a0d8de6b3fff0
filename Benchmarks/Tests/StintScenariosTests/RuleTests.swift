import Testing

@testable import StintScenarios

/// Budget 10 s, warned at 8 s, chunks of 1 s, checkpoints of 0.5 s, unless a test says otherwise.
@Suite("Rules against cases by hand")
struct RuleTests {
  private func saved(_ account: TripAccount) -> Double { account.saved.seconds }

  private static func live(_ rule: some Rule) -> TripAccount {
    Worlds.live(RuleWorker(rule), Worlds.trip(10))
  }

  @Test("run until killed saves nothing, loses all and overruns")
  func untilKilled() {
    let account = Worlds.live(RuleWorker(UntilKilled()), Worlds.trip(10))
    #expect(saved(account) == 0)
    #expect(account.lost.seconds == 10)
    #expect(account.end == .killed)
    #expect(account.overrun == 0)
  }

  @Test("a checkpoint every 3 s: at 3, 6.5 and 10; the last is not durable at the deadline")
  func periodic() {
    let account = Worlds.live(RuleWorker(Periodic(every: 3)), Worlds.trip(10))
    #expect(saved(account) == 6)
    #expect(account.checkpoints == 2)
    #expect(account.lost.seconds == 3)
    #expect(account.checkpointTime.seconds == 1)
  }

  @Test("Young and Daly by their formulas")
  func formulas() {
    let knowledge = Worlds.knowledge(mean: 100)
    #expect(knowledge.youngSeconds == 10)
    // 10 (1 + 0.05/3 + 0.0025/9) - 0.5
    #expect(abs(knowledge.dalySeconds - 9.669_444) < 1e-5)
    #expect(Worlds.knowledge(Worlds.workload(checkpoint: 30), mean: 10).dalySeconds == 10)
  }

  @Test("stop at 80 %: 8 chunks, one checkpoint, 1.5 s unused")
  func share() {
    let account = Worlds.live(RuleWorker(ShareOfBudget(share: 0.8)), Worlds.trip(10))
    #expect(saved(account) == 8)
    #expect(account.unused.seconds == 1.5)
    #expect(account.end == .inOrder)
    #expect(account.overrun == nil)
  }

  @Test("stop at the signal: the chunk that runs at 7.5 s is completed")
  func signal() {
    let account = Worlds.live(RuleWorker(AtTheSignal()), Worlds.trip(10, lead: 2.5))
    #expect(saved(account) == 8)
    #expect(account.expiryToDurable?.seconds == 1)
  }

  @Test("Young and Daly save before an end that was told, and fear none where all are told")
  func toldEnd() {
    let knowledge = Knowledge(
      Worlds.scenario(), trips: [Worlds.trip(10), Worlds.trip(10)])
    #expect(knowledge.youngSeconds > 1e5)
    var sudden = Worlds.trip(10)
    sudden.announced = nil
    sudden.warned = nil
    let one = Knowledge(Worlds.scenario(), trips: [Worlds.trip(10), sudden])
    #expect(one.meanTimeBetweenFailures == 20)
    // One that is told 1 s before leaves no time for a chunk and a checkpoint of 1.5 s.
    sudden.warned = Worlds.seconds(9)
    #expect(
      Knowledge(Worlds.scenario(), trips: [Worlds.trip(10), sudden]).meanTimeBetweenFailures == 20)
    sudden.warned = Worlds.seconds(8)
    #expect(
      Knowledge(Worlds.scenario(), trips: [Worlds.trip(10), sudden]).meanTimeBetweenFailures > 1e9)
    for name in [StrategyName.young, .daly] {
      guard let rule = name.rule(knowledge) else { continue }
      let account = Self.live(rule)
      #expect(saved(account) == 9 && account.end == .inOrder, "\(name)")
    }
  }

  @Test("the signal that was asked for comes so long before a told end")
  func askedSignal() {
    // Twice a chunk and a checkpoint are 3 s: at 7 s it is there.
    let knowledge = Worlds.knowledge()
    #expect(knowledge.signalSeconds == 3)
    let rule = AtTheSignal(before: knowledge.signalSeconds)
    #expect(saved(Worlds.live(RuleWorker(rule), Worlds.trip(10, lead: 5))) == 7)
    var late = Worlds.trip(10, lead: 2.5)
    late.announced = nil
    #expect(saved(Worlds.live(RuleWorker(rule), late)) == 8)
  }

  @Test("the static count by hand, and one checkpoint only")
  func staticCount() {
    let rule = StaticCount(Worlds.knowledge())
    // 9 chunks of 1 s and 0.5 s fit 10 s; 10 do not.
    #expect(rule.count(within: 10, from: 0) == 9)
    #expect(rule.count(within: 0.2, from: 0) == 1)
    let account = Worlds.live(RuleWorker(rule), Worlds.trip(10))
    #expect(saved(account) == 9 && account.checkpoints == 1)
    // Checkpoints of 1 or 5 s: 9 chunks are saved every second time, 5 always.
    let wide = Workload(
      chunk: .constant(1), checkpoint: Distribution(.uniform(from: 1, to: 5)))
    let count = StaticCount(Worlds.knowledge(wide)).count(within: 10, from: 0)
    // n P(C <= 10 - n) = n (9 - n) / 4 for n from 5 to 9: 5 it is.
    #expect(count == 5)
    // With chunks that vary, fewer are begun than fit on average.
    let varied = Workload(
      chunk: Distribution(.logNormal(mean: 1, sigma: 0.5)), checkpoint: .constant(0.5))
    #expect((5...8).contains(StaticCount(Worlds.knowledge(varied)).count(within: 10, from: 0)))
    var untold = Worlds.trip(10, lead: 2.5)
    untold.announced = nil
    #expect(saved(Worlds.live(RuleWorker(rule), untold)) == 8)
  }

  @Test("a rule that saves once ends then, where the other goes on")
  func once() {
    let workload = Worlds.workload(checkpoint: 0.1)
    let knowledge = Worlds.knowledge(workload)
    let ends = Worlds.live(
      RuleWorker(Once(Periodic(every: 3, endingBy: knowledge))), Worlds.trip(10), workload)
    #expect(ends.checkpoints == 1 && saved(ends) == 3 && ends.end == .inOrder)
    let goesOn = Worlds.live(
      RuleWorker(Periodic(every: 3, endingBy: knowledge)), Worlds.trip(10), workload)
    #expect(goesOn.checkpoints == 3 && saved(goesOn) == 9)
  }

  @Test("without a signal, who waits for it is killed")
  func missedSignal() {
    var trip = Worlds.trip(10)
    trip.warned = nil
    let account = Worlds.live(RuleWorker(AtTheSignal()), trip)
    #expect(saved(account) == 0)
    #expect(account.end == .killed)
  }

  @Test("SCR halts after the checkpoint with which less than interval, flush and slack are left")
  func halt() {
    // Checkpoints end at 3.5 and 7; then 3 s are left, and 3 + 0.5 + 1 are needed.
    let account = Worlds.live(RuleWorker(HaltRule(Worlds.knowledge())), Worlds.trip(10))
    #expect(saved(account) == 6)
    #expect(account.end == .inOrder)
    #expect(account.endedAt.seconds == 7)
  }

  @Test("every rule goes by one name on both clocks, and only Stint and the oracle are none")
  func names() {
    let knowledge = Worlds.knowledge()
    let without = StrategyName.allCases.filter { $0.rule(knowledge) == nil }
    #expect(without == [.stint, .oracle])
  }

  @Test("a budget too short for SCR's interval is begun all the same, however late the first look")
  func haltTooShort() {
    var rule = HaltRule(Worlds.knowledge())
    func view(_ now: Double, inHand: Double) -> RuleView {
      RuleView(
        now: Worlds.seconds(now), toldDeadline: Worlds.seconds(4), inHand: Worlds.seconds(inHand),
        position: 0, nominal: 1)
    }
    rule.began(view(0.01, inHand: 0))
    #expect(rule.next(view(0.01, inHand: 0)) == .chunk(giveUpAt: nil))
    #expect(rule.next(view(1, inHand: 1)) == .chunk(giveUpAt: nil))
    #expect(rule.next(view(3.1, inHand: 3)) == .save)
    #expect(rule.next(view(3.2, inHand: 0)) == .end)
    rule.began(view(0, inHand: 0))
    #expect(rule.next(view(0, inHand: 0)) == .chunk(giveUpAt: nil))
  }

  @Test("the p99 fit test runs 9 chunks and saves at 9 s")
  func quantile() {
    let account = Worlds.live(RuleWorker(QuantileFit(Worlds.knowledge())), Worlds.trip(10))
    #expect(saved(account) == 9)
    #expect(account.endedAt.seconds == 9.5)
  }

  @Test("the expectation rule on two equally probable lengths, by hand")
  func expectation() {
    // Checkpoints are uniform from 1 to 3 s. With 4 s in hand and 3 s left: now 4 x 1; after a
    // chunk of 1 s: 5 x P(C <= 2) = 2.5.
    let workload = Workload(
      chunk: .constant(1), checkpoint: Distribution(.uniform(from: 1, to: 3)))
    var rule = ExpectationRule(Worlds.knowledge(workload))
    #expect(rule.now(3, 4) == 4)
    #expect(rule.afterOneMore(3, 4, 1) == 2.5)
    // With 0.5 s in hand going on is better: 1.5 / 2 against 0.5.
    #expect(rule.afterOneMore(3, 0.5, 1) == 0.75)
    let account = Worlds.live(RuleWorker(ExpectationRule(Worlds.knowledge())), Worlds.trip(10))
    #expect(saved(account) == 9)
    let world = TripWorld(
      trip: Worlds.trip(3), work: Work(workload, draws: Draws(seed: 1)), from: WorkState())
    #expect(rule.next(world.view) == .chunk(giveUpAt: nil))
  }

  @Test("Stint's own machines save 9 s of 10 from the first trip on")
  func stint() {
    let account = Worlds.live(
      StintWorker(Worlds.scenario(), stagger: 1), Worlds.trip(10),
      Worlds.workload(checkpoint: 0.1))
    #expect(saved(account) == 9)
    #expect(account.end == .inOrder)
  }
}
