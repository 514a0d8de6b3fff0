import Testing

@testable import StintCore

@Suite("Chunks that may not fit")
struct TrialChunkTests {
  private let single = Outlook.ChunkRange(smallest: 1, largest: 1)

  /// A fit test that saw chunks of which this share took 100 ms and the others 900 ms, and quick
  /// checkpoints.
  private func learnt(shortEvery: Int, shortFirst: Bool = true) -> FitTest {
    var test = FitTest(policy: WorkPolicy())
    for index in 0..<60 {
      let isShort = (index % shortEvery == 0) == shortFirst
      test.chunkTook(.milliseconds(isShort ? 100 : 900), cost: 1)
      test.checkpointTook(.milliseconds(10), bytes: 1_000)
    }
    return test
  }

  @Test("W2 a chunk that may not fit is tried while it can be complete in time")
  func worthTrying() {
    func verdict(_ test: FitTest, left: Int) -> FitTest.Verdict {
      test.verdict(
        range: single, checkpointBytes: 1_000, situation: .init(remaining: .milliseconds(left)))
    }
    // Half of them are complete within 350 ms, or one of ten, and none within 60.
    #expect(verdict(learnt(shortEvery: 2), left: 350) == .run(cost: 1))
    #expect(verdict(learnt(shortEvery: 2), left: 60) == .doesNotFit)
    #expect(verdict(learnt(shortEvery: 10), left: 350) == .run(cost: 1))
  }

  @Test("W2 before enough is learnt only what fits is begun")
  func notLearnt() {
    var test = FitTest(policy: WorkPolicy())
    for _ in 0..<5 { test.chunkTook(.milliseconds(100), cost: 1) }
    let verdict = test.verdict(
      range: single, checkpointBytes: 1_000, situation: .init(remaining: .milliseconds(110)))
    #expect(verdict == .doesNotFit)
  }

  @Test("W4 a trial that fails is given up in time to save what is in hand, and nothing is lost")
  func failedTrial() throws {
    var rig = WorkerRig(chunks: 1_000, budget: .milliseconds(24_600)).begun(inForeground: false)
    let deadline = try #require(rig.deadline)
    var isShort = false
    while rig.now.duration(to: deadline) > .milliseconds(900) {
      isShort.toggle()
      rig.finishChunk(after: .milliseconds(isShort ? 100 : 900))
      if rig.last.contains(.save) { rig.finishSave() }
    }
    try #require(rig.machine.phase == .working && rig.isChunkRunning)
    let work = rig.machine.completedWorkTime
    // The chunk that runs now is one of the long ones.
    while rig.machine.phase == .working {
      let wake = try #require(rig.wakeAsked)
      try #require(wake > rig.now)
      try #require(wake < deadline)
      rig.wake(at: wake)
      if rig.last.contains(.save), rig.machine.phase == .working { rig.finishSave() }
    }
    #expect(rig.log.contains(.raiseStopFlag))
    let kept = fitReserve(rig)
    #expect(rig.now.duration(to: deadline) >= kept)
    if !rig.machine.work.isDurable { rig.finishSave(after: .milliseconds(15)) }
    rig.event { $0.chunkGaveUp(at: $1) }
    #expect(rig.log.summary?.lost == .zero)
    #expect(rig.machine.savedWorkTime == work)
    #expect(rig.log.contains(.endTask(WorkerRig.task)))
    #expect(rig.now < deadline)
  }

  /// What a likely checkpoint takes.
  private func fitReserve(_ rig: WorkerRig) -> Duration {
    rig.machine.fitTest.expectedCheckpoint(bytes: 1_000)
  }
}
