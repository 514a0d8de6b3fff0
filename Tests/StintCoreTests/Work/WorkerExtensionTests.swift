import StintCore
import Testing

@Suite("A worker whose time is extended")
struct WorkerExtensionTests {
  private let second = BackgroundTaskIdentifier(rawValue: 2)

  /// Warned in the background with 1 s left, a chunk running; the precaution has saved the one
  /// before.
  private func warned() -> WorkerRig {
    var rig = WorkerRig(budget: .seconds(10)).begun(inForeground: false)
    rig.finishChunk()
    rig.pass(.seconds(9))
    rig.event { $0.expired(.timeElapsed, at: $1) }
    rig.finishSave()
    return rig
  }

  private func extend(_ rig: inout WorkerRig) -> [WorkerMachine.Action] {
    rig.deadline = rig.now.advanced(by: .seconds(60))
    return rig.event { $0.deadlineExtended(at: $1) }
  }

  @Test("E1 warned, it registers anew, and its stint ends when it has the new task")
  func anew() throws {
    var rig = warned()
    #expect(extend(&rig).first == .beginTask)
    #expect(!rig.last.contains(.endTask(WorkerRig.task)), "without a task it would be suspended")
    rig.event { $0.taskGranted(second, at: $1) }
    let summary = try #require(rig.last.summary)
    #expect(summary.end == .extended)
    #expect(summary.lost == .zero)
    #expect(summary.checkpoints == 1)
    let ended = try #require(rig.last.position { $0 == .endTask(WorkerRig.task) })
    let began = try #require(rig.last.position { $0 == .stintBegan })
    #expect(ended < began)
    #expect(rig.machine.phase == .working)
    rig.finishChunk()
    #expect(rig.last.runsChunk)
    rig.event { $0.expired(.timeElapsed, at: $1) }
    #expect(rig.machine.phase == .working, "the new task is warned as any other")
  }

  @Test("E1 what the former stint has in hand is the next one's, and not lost")
  func handedOn() throws {
    var rig = warned()
    _ = extend(&rig)
    rig.finishChunk()
    #expect(rig.machine.completedWorkTime > rig.machine.savedWorkTime)
    rig.event { $0.taskGranted(second, at: $1) }
    #expect(try #require(rig.last.summary).lost == .zero)
  }

  @Test("E1 not warned, it keeps its task and its stint")
  func notWarned() {
    var rig = WorkerRig(budget: .seconds(10)).begun(inForeground: false)
    _ = extend(&rig)
    #expect(!rig.last.contains(.beginTask))
    rig.pass(.seconds(20))
    #expect(rig.finishChunk().runsChunk)
  }

  @Test("E1 about to end for lack of time, it goes on")
  func closing() {
    var rig = WorkerRig(budget: .milliseconds(300)).begun(inForeground: false)
    rig.finishChunk(after: .milliseconds(250))
    #expect(rig.machine.phase == .closing(.didNotFit))
    _ = extend(&rig)
    #expect(rig.machine.phase == .working)
    #expect(rig.last.runsChunk)
  }

  @Test("E1 denied the new task, it goes on under the one that it has")
  func denied() {
    var rig = warned()
    _ = extend(&rig)
    #expect(
      rig.event {
        $0.taskDenied(.tooLittleTime(remaining: .zero, least: .seconds(1)), at: $1)
      } == [])
    rig.event { $0.stopRequested(.now, reason: .stopRequested, at: $1) }
    rig.event { $0.chunkGaveUp(at: $1) }
    #expect(rig.last.contains(.endTask(WorkerRig.task)))
  }

  @Test("E1 W11 asked to stop, it is not kept by a later end")
  func stopping() {
    var rig = warned()
    rig.event { $0.stopRequested(.now, reason: .stopRequested, at: $1) }
    _ = extend(&rig)
    #expect(rig.machine.phase == .closing(.stopRequested))
    #expect(!rig.last.contains(.beginTask))
  }

  @Test("E1 asked to stop before the answer, it ends both tasks")
  func stoppedMeanwhile() {
    var rig = warned()
    _ = extend(&rig)
    rig.event { $0.stopRequested(.now, reason: .stopRequested, at: $1) }
    rig.event { $0.taskGranted(second, at: $1) }
    #expect(rig.last == [.endTask(WorkerRig.task)])
    rig.event { $0.chunkGaveUp(at: $1) }
    #expect(rig.last.contains(.endTask(second)))
    #expect(rig.last.outcome == .stopped(.stopRequested))
  }

  @Test("E1 its stint over while others hold the application, it begins another")
  func parked() {
    var rig = WorkerRig(budget: .milliseconds(300)).begun(inForeground: false)
    rig.finishChunk(after: .milliseconds(250))
    rig.finishSave()
    #expect(rig.machine.phase == .parked(.didNotFit))
    _ = extend(&rig)
    #expect(rig.last == [.beginTask])
    rig.event { $0.taskGranted(second, at: $1) }
    #expect(rig.last.first == .stintBegan)
  }

  @Test("E1 W1 denied its task in the background, it is not called by more time")
  func deniedBefore() {
    var rig = WorkerRig(budget: .seconds(10))
    rig.event { $0.started(isInForeground: false, at: $1) }
    rig.event { $0.taskDenied(.tooLittleTime(remaining: .zero, least: .seconds(1)), at: $1) }
    #expect(rig.machine.phase == .parked(.denied))
    #expect(extend(&rig) == [])
    #expect(rig.machine.phase == .parked(.denied))
    // The next activation is its next chance.
    #expect(rig.event { $0.becameActive(at: $1) } == [.beginTask])
  }
}
