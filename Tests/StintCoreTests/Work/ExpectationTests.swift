import Testing

@testable import StintCore

@Suite("Where checkpoints are dear and vary")
struct ExpectationTests {
  private let single = Outlook.ChunkRange(smallest: 1, largest: 1)

  /// Checkpoints up to 2 s, the short ones closer together.
  private func spread() -> FitTest {
    var test = FitTest(policy: WorkPolicy())
    for index in 0..<120 {
      test.chunkTook(.milliseconds(100), cost: 1)
      let step = (index * 37) % 120 + 1
      test.checkpointTook(.microseconds(140 * step * step), bytes: 1_000)
    }
    return test
  }

  @Test("W2 with more in hand it is saved, with less one more chunk is tried")
  func verdicts() {
    let test = spread()
    let bytes = 1_000
    func chance(_ milliseconds: Int) -> Double {
      test.checkpoints.chance(
        cost: test.checkpointCost(bytes: bytes), within: .milliseconds(milliseconds))
    }
    let left = Duration.milliseconds(1_200) + test.policy.closing
    // With so much in hand the rule for one checkpoint alone would not care.
    let step = chance(1_200) - chance(1_100)
    #expect(step > 0)
    let even = 0.1 * chance(1_100) / step
    func verdict(_ inHand: Double) -> FitTest.Verdict {
      test.verdict(
        range: single, checkpointBytes: bytes,
        situation: .init(remaining: left, inHand: Duration(clampingSeconds: inHand)))
    }
    #expect(verdict(even * 1.1) == .doesNotFit)
    #expect(verdict(even * 0.5) == .run(cost: 1))
    #expect(verdict(0) == .run(cost: 1))
  }

  /// The optimum where chunks take 1 s and checkpoints as long as one of these, equally often; so
  /// many whole seconds and a half are left.
  private func optimum(_ checkpoints: [Int], left: Int, inHand: Int) -> (now: Double, best: Double)
  {
    guard left > 0 else { return (0, 0) }
    let now = checkpoints.reduce(0.0) { sum, checkpoint in
      guard checkpoint <= left else { return sum }
      let later = optimum(checkpoints, left: left - checkpoint, inHand: 0).best
      return sum + (Double(inHand) + later) / Double(checkpoints.count)
    }
    return (now, max(now, optimum(checkpoints, left: left - 1, inHand: inHand + 1).best))
  }

  @Test("W2 what is expected to be saved is close to the optimum, and never above it")
  func closeToTheOptimum() {
    for checkpoints in [[1], [1, 4], [1, 1, 2, 6], [2, 3, 5]] {
      // At these times no line between two points is needed.
      let savings = ExpectedSavings(
        chunks: [.init(seconds: 1, share: 1)],
        checkpoints: checkpoints.map {
          .init(seconds: Double($0), share: 1 / Double(checkpoints.count))
        }, longest: 16)
      for left in 1...7 {
        for inHand in 0...6 {
          let exact = optimum(checkpoints, left: left, inHand: inHand)
          let (time, work) = (Double(left) + 0.5, Double(inHand))
          let (now, best) = (
            savings.now(left: time, inHand: work), savings.best(left: time, inHand: work)
          )
          let place: Comment = "\(checkpoints), \(left) s left, \(inHand) s in hand"
          #expect(now <= exact.now + 1e-9 && now >= exact.now * 0.95, place)
          #expect(best <= exact.best + 1e-9 && best >= exact.best * 0.95, place)
        }
      }
    }
  }

  @Test("W2 what is saved yet, by hand")
  func savings() {
    func savings(
      _ chunk: Double, _ checkpoints: [Double], share: Double = 1
    ) -> ExpectedSavings {
      ExpectedSavings(
        chunks: [.init(seconds: chunk, share: 1)],
        checkpoints: checkpoints.map {
          .init(seconds: $0, share: share / Double(checkpoints.count))
        },
        longest: 12)
    }
    // Checkpoints of 1 s, chunks of 1 s. With 5 s left one begun now ends at 4; 3 chunks and a
    // second one fit, or a chunk fewer if that one must end before the deadline itself.
    let even = savings(1, [1])
    #expect(abs(even.now(left: 5.5, inHand: 10) - 13) < 0.3)
    #expect(abs(even.best(left: 5.5, inHand: 10) - 14) < 0.3)
    #expect(even.now(left: 0.5, inHand: 10) == 0)
    // Nothing of a chunk that does not fit is saved.
    #expect(savings(4, [1]).now(left: 5.5, inHand: 10) == 10)
    #expect(savings(4, [1]).best(left: 5.5, inHand: 10) == 14)
    // One of two takes longer than all that is left.
    #expect(abs(savings(4, [1, 20]).now(left: 5.5, inHand: 10) - 5) < 1e-9)
    #expect(ExpectedSavings(chunks: [], checkpoints: [], longest: 0).now(left: 1, inHand: 1) == 0)
  }

  @Test("W2 what was cut takes longer than it had, by hand")
  func cut() {
    var policy = WorkPolicy()
    policy.earlySamples = 2
    policy.meanWeight = 0
    policy.checkpointMeanWeight = 0
    var estimator = CostEstimator(policy: policy)
    for seconds in [1, 1, 2, 3] { estimator.measured(.seconds(seconds), cost: 1) }
    let unit = estimator.expected(cost: 1).inSeconds
    func chance(_ seconds: Double) -> Double {
      estimator.chance(cost: 1, within: Duration(clampingSeconds: seconds))
    }
    #expect(chance(0.9 * unit) < 1)
    let before = chance(2.5 * unit)
    estimator.cut(after: Duration(clampingSeconds: 2.6 * unit), cost: 1)
    #expect(chance(2.5 * unit) < before)
    // However long it had, more would have helped.
    #expect(chance(100) == 1)
    let lengths = estimator.lengths(cost: 1)
    #expect(abs(lengths.reduce(0) { $0 + $1.share } - 1) < 1e-9)
    // Three ratios to what was expected, and what is longer than all: none took just so long.
    #expect(lengths.count == 4)
    // That one takes longer than the shortest is no news, and without a cost it says nothing.
    let same = estimator
    estimator.cut(after: .milliseconds(1), cost: 1)
    estimator.cut(after: .seconds(1), cost: 0)
    #expect(estimator == same)
  }

  @Test("W4 a chunk is given up when the rule says, not at the quantile of a checkpoint")
  func reserve() throws {
    let test = spread()
    let situation = FitTest.Situation(remaining: .seconds(1), inHand: .milliseconds(20))
    let reserve = try #require(test.reserve(cost: 1, checkpointBytes: 1_000, situation: situation))
    #expect(reserve < .milliseconds(900))
    #expect(reserve < test.checkpointQuantile(bytes: 1_000))
    // Where both surely fit, the quantile decides.
    var cheap = FitTest(policy: WorkPolicy())
    for _ in 0..<60 {
      cheap.chunkTook(.milliseconds(100), cost: 1)
      cheap.checkpointTook(.milliseconds(10), bytes: 1_000)
    }
    #expect(cheap.reserve(cost: 1, checkpointBytes: 1_000, situation: situation) == nil)
  }

  @Test("W4 a chunk that the rule has begun is not given up at once")
  func notAtOnce() throws {
    var rig = VaryingCheckpoints.closingRig()
    let deadline = try #require(rig.deadline)
    var late = 0
    while rig.log.summary == nil {
      if rig.machine.phase == .working, rig.last.runsChunk {
        late += rig.now.duration(to: deadline) < .milliseconds(1_400) ? 1 : 0
        #expect(try #require(rig.wakeAsked) > rig.now)
        rig.finishChunk()
      } else if rig.last.contains(.save) {
        rig.finishSave(after: .milliseconds(50))
      } else {
        rig.wake(at: try #require(rig.wakeAsked))
      }
    }
    #expect(late > 0)
  }

  @Test("W4 after a last checkpoint that was fast the stint goes on, and ends in time")
  func goesOn() throws {
    var rig = VaryingCheckpoints.closingRig()
    let deadline = try #require(rig.deadline)
    try #require(rig.last.contains(.save) && !rig.last.runsChunk)
    rig.finishSave(after: .milliseconds(50))
    #expect(rig.last.runsChunk)
    #expect(rig.log.summary == nil)
    let durable = rig.machine.savedWorkTime
    // Whatever comes of the rest, what was durable stays so, and the task is ended before the
    // deadline.
    while rig.log.summary == nil {
      if rig.machine.phase == .working, rig.last.runsChunk {
        rig.finishChunk()
      } else if rig.last.contains(.save) {
        rig.finishSave(after: .milliseconds(50))
      } else {
        rig.wake(at: try #require(rig.wakeAsked))
      }
    }
    #expect(rig.machine.savedWorkTime >= durable)
    #expect(rig.log.contains(.endTask(WorkerRig.task)))
    #expect(rig.now < deadline)
  }

  @Test("W7 a pause or a stop that was asked for ends the stint all the same")
  func goesOnNot() {
    var paused = VaryingCheckpoints.closingRig()
    paused.event { $0.pauseRequested(at: $1) }
    paused.finishSave(after: .milliseconds(50))
    #expect(!paused.last.runsChunk)
    #expect(paused.machine.phase == .paused)
    var stopped = VaryingCheckpoints.closingRig()
    stopped.event { $0.stopRequested(.afterNextCheckpoint, reason: .stopRequested, at: $1) }
    stopped.finishSave(after: .milliseconds(50))
    #expect(!stopped.last.runsChunk)
    #expect(stopped.last.outcome != nil)
  }

  @Test("W2 a worker that starts knows what the job's checkpoints took")
  func history() {
    let rig = VaryingCheckpoints.rig()
    #expect(rig.machine.fitTest.checkpoints.samples == 120)
    #expect(rig.machine.fitTest.checkpointQuantile(bytes: 1_000) > .seconds(1))
    #expect(WorkerRig().machine.fitTest.checkpoints.samples == 0)
  }
}

extension CostEstimator {
  /// The probability that so much cost takes no longer than a time.
  func chance(cost: Double, within duration: Duration) -> Double {
    lengths(cost: cost).prefix { $0.seconds <= duration.inSeconds }.reduce(0) { $0 + $1.share }
  }
}
