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

  @Test("W2 a checkpoint that was fast leaves time to go on, so it is begun earlier")
  func restCounts() {
    let test = spread()
    let bytes = 1_000
    func chance(_ milliseconds: Int) -> Double {
      test.probability(ofSaving: bytes, within: .milliseconds(milliseconds))
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
    #expect(verdict(even * 0.8) == .doesNotFit)
    #expect(verdict(even * 0.02) == .run(cost: 1))
  }

  @Test("W2 what may follow a checkpoint, by hand")
  func rest() {
    // All take 1 s. With 5 s left the first ends at 4, work goes on for 3 more, and the second
    // fits.
    let rest = RestOfBudget(checkpoints: [1, 1, 1], longest: 10)
    #expect(abs(rest.saved(after: .seconds(5)) - 3) < 1e-9)
    #expect(rest.saved(after: .milliseconds(500)) == 0)
    // One of two takes as long as all that is left.
    let half = RestOfBudget(checkpoints: [1, 10], longest: 10)
    #expect(abs(half.saved(after: .seconds(5)) - 3 * 0.5 * 0.5) < 1e-9)
    #expect(RestOfBudget(checkpoints: [], longest: 0).saved(after: .seconds(1)) == 0)
  }

  @Test("W4 a chunk is given up when the rule says, not at the quantile of a checkpoint")
  func reserve() throws {
    let test = spread()
    let situation = FitTest.Situation(remaining: .seconds(1), inHand: .milliseconds(20))
    let reserve = try #require(test.reserve(cost: 1, checkpointBytes: 1_000, situation: situation))
    #expect(reserve < .milliseconds(900))
    #expect(reserve < test.checkpointQuantile(bytes: 1_000))
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
        rig.now = try #require(rig.wakeAsked)
        rig.event { $0.timePassed(at: $1) }
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
        rig.now = try #require(rig.wakeAsked)
        rig.event { $0.timePassed(at: $1) }
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

  @Test("W12 a checkpoint that had hardly any time teaches nothing")
  func hurried() {
    let test = spread()
    #expect(test.isHurried(bytes: 1_000, remaining: .milliseconds(100)))
    #expect(!test.isHurried(bytes: 1_000, remaining: .seconds(3)))
    #expect(!test.isHurried(bytes: 1_000, remaining: nil))
    for (milliseconds, isLearnt) in [(9_700, false), (1_000, true)] {
      var rig = VaryingCheckpoints.rig()
      let before = rig.machine.fitTest.checkpoints.samples
      rig.finishChunk(after: .milliseconds(milliseconds), took: .milliseconds(100))
      if isLearnt { rig.event { $0.expired(.timeElapsed, at: $1) } }
      while !rig.last.contains(.save), rig.last.runsChunk { rig.finishChunk() }
      rig.finishSave(after: .milliseconds(50))
      #expect((rig.machine.fitTest.checkpoints.samples > before) == isLearnt)
    }
  }

  @Test("W2 a worker that starts knows what the job's checkpoints took")
  func history() {
    let rig = VaryingCheckpoints.rig()
    #expect(rig.machine.fitTest.checkpoints.samples == 120)
    #expect(rig.machine.fitTest.checkpointQuantile(bytes: 1_000) > .seconds(1))
    #expect(WorkerRig().machine.fitTest.checkpoints.samples == 0)
  }
}
