import Glibc
import Testing

@testable import StintCore

@Suite("The fit test and what it learns")
struct FitTestTests {
  private let range = Outlook.ChunkRange(smallest: 1, largest: 1_000)

  @Test("W2 before anything is learnt a small calibration chunk is run")
  func calibrates() {
    let test = FitTest(policy: WorkPolicy())
    let verdict = test.verdict(
      range: range, checkpointBytes: 0, situation: .init(remaining: .seconds(1)))
    #expect(verdict == .run(cost: 1))
  }

  @Test("W2 a chunk is sized to the target, and smaller when less is left")
  func sizesChunks() {
    var test = FitTest(policy: WorkPolicy())
    for _ in 0..<50 { test.chunkTook(.milliseconds(10), cost: 1) }
    for _ in 0..<50 { test.checkpointTook(.milliseconds(10), bytes: 1_000) }
    guard
      case .run(let full) = test.verdict(
        range: range, checkpointBytes: 1_000, situation: .init(remaining: nil)),
      case .run(let part) = test.verdict(
        range: range, checkpointBytes: 1_000, situation: .init(remaining: .milliseconds(100)))
    else {
      Issue.record("a chunk fits")
      return
    }
    #expect(abs(full - 25) < 1e-6)
    #expect(part < 8 && part > 7)
    // A chunk, a checkpoint and the closing take 10 ms each.
    #expect(
      test.verdict(
        range: range, checkpointBytes: 1_000, situation: .init(remaining: .milliseconds(29)))
        == .doesNotFit)
  }

  @Test("W2 a chunk is small enough that what it writes can be made durable after it")
  func countsOutput() throws {
    var test = FitTest(policy: WorkPolicy())
    for _ in 0..<50 { test.chunkTook(.milliseconds(10), cost: 1) }
    for _ in 0..<50 { test.checkpointTook(.milliseconds(50), bytes: 50_000_000) }
    func cost(outputPerCost: Double, _ remaining: Duration) throws -> Double {
      let range = Outlook.ChunkRange(smallest: 0.1, largest: 1_000, outputPerCost: outputPerCost)
      let verdict = test.verdict(
        range: range, checkpointBytes: 0, situation: .init(remaining: remaining))
      guard case .run(let cost) = verdict else { return 0 }
      return cost
    }
    // Ten million bytes take as long as a unit, so there is time for half as much.
    let alone = try cost(outputPerCost: 0, .milliseconds(200))
    let both = try cost(outputPerCost: 1e7, .milliseconds(200))
    #expect(alone > 10 && abs(both / alone - 0.5) < 0.05)
    #expect(try cost(outputPerCost: 1e12, .milliseconds(200)) == 0)
    // Without an end in sight it makes no difference.
    #expect(try cost(outputPerCost: 1e7, .seconds(100)) == cost(outputPerCost: 0, .seconds(100)))
  }

  @Test(
    "W2 the quantile covers 99 of 100 chunks whose times vary", arguments: [1, 2, 3] as [UInt64])
  func coversTheQuantile(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var estimator = CostEstimator(policy: WorkPolicy())
    var over = 0
    let rounds = 4_000
    for round in 0..<rounds {
      let cost = Double.random(in: 1...20, using: &random)
      let stray = exp(Double.random(in: -0.4...0.4, using: &random))
      let took = Duration(clampingSeconds: 0.01 * cost * stray)
      if round >= 50, took > estimator.quantile(cost: cost) { over += 1 }
      estimator.measured(took, cost: cost)
    }
    #expect(over <= rounds / 50, "seed \(seed): \(over) of \(rounds) above the quantile")
  }

  @Test("W2 costs that no number divides by leave the estimate", arguments: [0, 128])
  func extremeMeasurements(window: Int) {
    var estimator = CostEstimator(policy: changed(WorkPolicy()) { $0.residualWindow = window })
    for cost in [Double.leastNonzeroMagnitude, 0, -1, .nan, .infinity] {
      estimator.measured(.seconds(1), cost: cost)
    }
    #expect(!estimator.canPredict)
    for _ in 1...3 { estimator.measured(.seconds(2), cost: 1) }
    estimator.measured(.seconds(1), cost: .leastNonzeroMagnitude)
    #expect(estimator.expected(cost: 1) == .seconds(2))
  }

  @Test("W2 until 20 samples the factor is at least 1.25")
  func earlyFactor() {
    var estimator = CostEstimator(policy: WorkPolicy())
    for _ in 0..<19 { estimator.measured(.milliseconds(10), cost: 1) }
    #expect(estimator.factor == 1.25)
    estimator.measured(.milliseconds(10), cost: 1)
    #expect(estimator.factor == 1.02)
  }

  @Test("W2 short chunks calibrate, and what they cost beside their work spoils nothing")
  func shortChunks() {
    var estimator = CostEstimator(policy: WorkPolicy(), leastSample: .milliseconds(5))
    for _ in 0..<10 { estimator.measured(.microseconds(50), cost: 1) }
    #expect(estimator.samples == 0)
    #expect(estimator.expected(cost: 1) == .microseconds(50))
    estimator.measured(.milliseconds(100), cost: 100_000)
    #expect(estimator.expected(cost: 100_000) == .milliseconds(100))
    for _ in 0..<10 { estimator.measured(.microseconds(50), cost: 1) }
    let later = estimator.expected(cost: 100_000)
    #expect(later >= .milliseconds(100) && later < .milliseconds(101))
    #expect(estimator.factor == WorkPolicy().earlyFactor)
  }

  @Test("W2 short chunks that are interrupted teach the fixed time, and make no other look longer")
  func interruptedChunks() {
    var estimator = CostEstimator(policy: WorkPolicy(), leastSample: .milliseconds(5))
    estimator.measured(.milliseconds(100), cost: 100_000)
    for _ in 0..<30 { estimator.measured(.milliseconds(100), cost: 100_000) }
    for index in 0..<200 {
      // One in ten meets another process.
      let took = Duration.microseconds(index % 10 == 0 ? 6_010 : 10)
      estimator.measured(took, cost: 10)
    }
    #expect(estimator.samples == 30)
    #expect(estimator.expected(cost: 100_000) < .milliseconds(130))
    #expect(estimator.factor < 1.1)
    #expect(estimator.fixedTime <= .microseconds(10))
  }

  @Test("W2 an estimate that is far too long recovers within a few chunks", arguments: [10, 1_000])
  func recovers(times: Double) {
    var estimator = CostEstimator(policy: WorkPolicy(), leastSample: .milliseconds(5))
    for _ in 0..<20 { estimator.measured(.milliseconds(100), cost: 1_000) }
    // So slow was one chunk.
    estimator.measured(.milliseconds(100) * times, cost: 1_000)
    #expect(estimator.expected(cost: 1_000) > .milliseconds(200))
    var chunks = 0
    while estimator.expected(cost: 1_000) > .milliseconds(120), chunks < 100 {
      // Chunks are as long as is expected to take a quarter of a second.
      let cost = estimator.expectedCost(within: .milliseconds(250))
      estimator.measured(.microseconds(100) * cost, cost: cost)
      chunks += 1
    }
    #expect(chunks < 40)
  }

  @Test("W2 what a chunk takes beside its work is learnt, and a part of what is predicted")
  func fixedTime() {
    var estimator = CostEstimator(policy: WorkPolicy(), leastSample: .milliseconds(5))
    func took(_ cost: Double) -> Duration { .milliseconds(20) + .microseconds(100) * cost }
    for _ in 0..<10 { estimator.measured(took(10_000), cost: 10_000) }
    for _ in 0..<40 { estimator.measured(took(1), cost: 1) }
    for cost in [1.0, 100, 10_000] {
      let ratio = estimator.expected(cost: cost) / took(cost)
      #expect(abs(ratio - 1) < 0.1, "\(cost): \(ratio)")
    }
    #expect(abs(estimator.fixedTime / .milliseconds(20) - 1) < 0.1)
  }

  @Test("W2 where the work can be cut finely, no chunk far below a millisecond is asked for")
  func leastChunk() {
    var test = FitTest(policy: WorkPolicy())
    for _ in 0..<40 { test.chunkTook(.milliseconds(250), cost: 25_000_000) }
    for _ in 0..<40 { test.checkpointTook(.milliseconds(5), bytes: 8) }
    let fine = Outlook.ChunkRange(smallest: 1_000, largest: 1e12)
    for milliseconds in 1...400 {
      let verdict = test.verdict(
        range: fine, checkpointBytes: 8,
        situation: .init(remaining: .milliseconds(milliseconds), inHand: .seconds(1)))
      if case .run(let cost) = verdict { #expect(cost >= 99_000, "\(milliseconds) ms") }
    }
    // What is left of the work may be less.
    let last = Outlook.ChunkRange(smallest: 10, largest: 10)
    #expect(
      test.verdict(
        range: last, checkpointBytes: 8, situation: .init(remaining: .milliseconds(400)))
        == .run(cost: 10))
  }

  @Test(
    "W2 with most of a stint left, what does not seem to fit is measured again before that counts")
  func measuresAgain() {
    var test = FitTest(policy: WorkPolicy())
    // The first chunk was interrupted for half a second.
    test.chunkTook(.milliseconds(500), cost: 1)
    let range = Outlook.ChunkRange(smallest: 100, largest: 1_000)
    var situation = FitTest.Situation(remaining: .seconds(29), inHand: .milliseconds(500))
    #expect(test.verdict(range: range, checkpointBytes: 8, situation: situation) == .doesNotFit)
    situation.isEarly = true
    #expect(
      test.verdict(range: range, checkpointBytes: 8, situation: situation) == .run(cost: 100))
    // Three chunks that agree are believed.
    for _ in 0..<4 { test.chunkTook(.milliseconds(500), cost: 1) }
    #expect(test.verdict(range: range, checkpointBytes: 8, situation: situation) == .doesNotFit)
  }

  @Test("W2 with nothing in hand a first chunk may start on its expected time")
  func firstOfStint() {
    var test = FitTest(policy: WorkPolicy())
    test.chunkTook(.milliseconds(90), cost: 1)
    let single = Outlook.ChunkRange(smallest: 1, largest: 1)
    var situation = FitTest.Situation(remaining: .milliseconds(100))
    #expect(test.verdict(range: single, checkpointBytes: 0, situation: situation) == .doesNotFit)
    situation.isFirstOfStint = true
    #expect(test.verdict(range: single, checkpointBytes: 0, situation: situation) == .run(cost: 1))
  }

  @Test("W13 after each fruitless stint half as much is dared at once")
  func fruitless() {
    var test = FitTest(policy: WorkPolicy())
    for _ in 0..<60 { test.chunkTook(.milliseconds(100), cost: 100) }
    func cost(fruitless: Int) -> Double? {
      let situation = FitTest.Situation(
        remaining: .seconds(1), isFirstOfStint: true, fruitlessStints: fruitless)
      let range = Outlook.ChunkRange(smallest: 10, largest: 10_000, efficient: 10_000)
      guard
        case .run(let cost) = test.verdict(
          range: range, checkpointBytes: 0, situation: situation)
      else { return nil }
      return cost
    }
    let first = cost(fruitless: 0) ?? 0
    #expect(first > 800)
    #expect(cost(fruitless: 1) == first / 2)
    #expect(cost(fruitless: 2) == first / 4)
    // The smallest chunk is tried as long as it can fit at all.
    #expect(cost(fruitless: 60) == 10)
  }

  @Test("W2 a dear way is taken only where a whole budget could not hold a cheaper one")
  func ways() {
    var test = FitTest(policy: WorkPolicy())
    for _ in 0..<60 { test.chunkTook(.milliseconds(100), cost: 100) }
    for _ in 0..<60 { test.checkpointTook(.milliseconds(10), bytes: 1_000) }
    func verdict(_ ways: Double..., isFirst: Bool = false, budget: Duration?) -> FitTest.Verdict {
      test.verdict(
        range: Outlook.ChunkRange(
          smallest: 10, largest: 10_000, efficient: ways[0],
          ways: ways.map { Outlook.Way(operations: [$0]) }),
        checkpointBytes: 1_000,
        situation: .init(remaining: .milliseconds(500), budget: budget, isFirstOfStint: isFirst))
    }
    func isPiece(_ verdict: FitTest.Verdict) -> Bool {
      guard case .run(let cost) = verdict else { return false }
      return cost >= 10 && cost < 500
    }
    #expect(verdict(400, budget: .seconds(2)) == .run(cost: 400))
    #expect(verdict(1_500, budget: .seconds(2)) == .doesNotFit)
    #expect(isPiece(verdict(1_500, isFirst: true, budget: .seconds(2))))
    #expect(isPiece(verdict(2_500, budget: .seconds(2))))
    #expect(isPiece(verdict(1_500, budget: nil)))
    // Of two ways the first that a whole budget holds counts.
    #expect(verdict(2_500, 1_500, budget: .seconds(2)) == .doesNotFit)
    #expect(verdict(2_500, 1_500, budget: .seconds(5)) == .doesNotFit)
    #expect(isPiece(verdict(2_500, 400, budget: .seconds(2))))
    #expect(verdict(1_500, 400, budget: .seconds(2)) == .doesNotFit)
  }

  @Test("W2 of what no budget holds as a whole an operation takes at most its share of a budget")
  func shareOfOperations() {
    var test = FitTest(policy: WorkPolicy())
    for _ in 0..<60 { test.chunkTook(.milliseconds(100), cost: 100) }
    for _ in 0..<60 { test.checkpointTook(.milliseconds(10), bytes: 1_000) }
    func verdict(
      _ operations: [Double], isBegun: Bool = false, left: Duration, isFirst: Bool = false,
      budget: Duration?
    ) -> FitTest.Verdict {
      test.verdict(
        range: Outlook.ChunkRange(
          smallest: 10, largest: 10_000, efficient: operations[0],
          ways: [Outlook.Way(operations: operations, isBegun: isBegun)]),
        checkpointBytes: 1_000,
        situation: .init(remaining: left, budget: budget, isFirstOfStint: isFirst))
    }
    func isPiece(_ verdict: FitTest.Verdict, below cost: Double) -> Bool {
      guard case .run(let offered) = verdict else { return false }
      return offered >= 10 && offered < cost
    }
    let four = [Double](repeating: 600, count: 4)
    // 2.4 s at once in 3 s; 0.6 s at a time in 2 s; and more than 0.4 of 1.4 s each.
    for (budget, isPieces) in [(3.0, false), (2, false), (1.6, false), (1.4, true)] {
      for isFirst in [false, true] {
        let verdict = verdict(
          four, left: .seconds(1.3), isFirst: isFirst, budget: .seconds(budget))
        #expect(isPiece(verdict, below: 600) == isPieces, "\(budget) s")
        #expect((verdict == .run(cost: 600)) == !isPieces, "\(budget) s")
      }
    }
    // What is begun goes on as long as a whole budget has room for each of its operations.
    #expect(
      verdict([600, 600], isBegun: true, left: .seconds(0.9), budget: .seconds(1))
        == .run(cost: 600))
    #expect(
      verdict([600, 600], isBegun: true, left: .seconds(0.5), budget: .seconds(1)) == .doesNotFit)
    #expect(
      isPiece(
        verdict([600, 600], isBegun: true, left: .seconds(0.5), budget: .seconds(0.55)),
        below: 600))
    // One operation is no different from a product that cannot be cut; the hardest one counts, and
    // the next has to fit.
    #expect(verdict([600], left: .seconds(1.3), budget: .seconds(1.4)) == .run(cost: 600))
    #expect(
      isPiece(verdict([300, 900, 300], left: .seconds(1.3), budget: .seconds(1.4)), below: 300))
    #expect(verdict([300, 900, 300], left: .seconds(1), budget: .seconds(3)) == .run(cost: 300))
    #expect(verdict(four, left: .milliseconds(500), budget: .seconds(2)) == .doesNotFit)
    #expect(
      isPiece(
        verdict(four, left: .milliseconds(500), isFirst: true, budget: .seconds(2)), below: 600))
    #expect(verdict(four, left: .seconds(1), budget: nil) == .run(cost: 600))
  }

  @Test(
    "W2 dear and varying checkpoints: the expectation rule goes on with little in hand, stops with much"
  )
  func expectationRule() {
    var test = FitTest(policy: WorkPolicy())
    for _ in 0..<60 { test.chunkTook(.milliseconds(100), cost: 1) }
    // Nine of ten checkpoints take 100 ms, one takes 1.5 s.
    for index in 0..<60 {
      test.checkpointTook(index % 10 == 0 ? .milliseconds(1500) : .milliseconds(100), bytes: 0)
    }
    let single = Outlook.ChunkRange(smallest: 1, largest: 1)
    let left = Duration.milliseconds(200)
    let little = FitTest.Situation(remaining: left, inHand: .milliseconds(50))
    let much = FitTest.Situation(remaining: left, inHand: .seconds(50))
    #expect(test.verdict(range: single, checkpointBytes: 0, situation: little) == .run(cost: 1))
    #expect(test.verdict(range: single, checkpointBytes: 0, situation: much) == .doesNotFit)
  }

  @Test(
    "W2 the quantile is that of the last residuals, in whatever order they came",
    arguments: [4, 5] as [UInt64])
  func quantileOfTheWindow(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var policy = WorkPolicy()
    policy.residualWindow = 40
    policy.earlyFactor = 0
    policy.leastFactor = 0
    // The mean must stand still, so that the residuals are known: the weight of every sample after
    // the first is nothing.
    policy.meanWeight = 0
    var estimator = CostEstimator(policy: policy, expectedSecondsPerUnit: 1)
    var ratios: [Double] = []
    for _ in 0..<500 {
      let before = estimator.expected(cost: 1).inSeconds
      let seconds = Double(Int.random(in: 500...2_000, using: &random)) / 1_000
      estimator.measured(Duration(clampingSeconds: seconds), cost: 1)
      if estimator.samples > 1 { ratios.append(seconds / before) }
      let window = ratios.suffix(40).sorted()
      guard !window.isEmpty else { continue }
      let rank = Int((0.99 * Double(window.count)).rounded(.up))
      #expect(abs(estimator.factor - window[rank - 1]) < 1e-6, "seed \(seed)")
    }
  }
}
