import StintCore
import Testing

@Suite("The worker machine: tasks, pauses and stops")
struct WorkerStintTests {
  typealias Action = WorkerMachine.Action

  @Test("W1 the task is asked for before the first chunk")
  func registersFirst() {
    var rig = WorkerRig()
    #expect(rig.event { $0.started(isInForeground: true, at: $1) } == [.beginTask])
    #expect(rig.machine.phase == .registering)
    let actions = rig.event { $0.taskGranted(WorkerRig.task, at: $1) }
    #expect(actions.first == .stintBegan)
    #expect(actions.runsChunk)
  }

  @Test("W1 denied in the background it stops with the reason and runs nothing")
  func deniedInBackground() {
    var rig = WorkerRig(budget: .seconds(10))
    rig.event { $0.started(isInForeground: false, at: $1) }
    rig.event { $0.taskDenied(.suspended, at: $1) }
    #expect(rig.machine.phase == .parked(.denied))
    #expect(rig.log.notices == [.denied(.suspended)])
    #expect(!rig.log.runsChunk)
  }

  @Test("W1 denied in the foreground it goes on and says that it is unprotected")
  func deniedInForeground() {
    var rig = WorkerRig()
    rig.event { $0.started(isInForeground: true, at: $1) }
    rig.event { $0.taskDenied(.tooManyTasks(maximum: 3), at: $1) }
    #expect(rig.last.notices == [.unprotected(.tooManyTasks(maximum: 3))])
    #expect(rig.last.runsChunk)
  }

  @Test("W1 unprotected work asks again in the background, and is saved and stops if it is denied")
  func unprotectedInBackground() throws {
    var rig = WorkerRig(budget: .seconds(2))
    rig.event { $0.started(isInForeground: true, at: $1) }
    rig.event { $0.taskDenied(.tooManyTasks(maximum: 3), at: $1) }
    rig.finishChunk()
    rig.event { $0.enteredBackground(at: $1) }
    #expect(rig.last.filter { $0 == .beginTask }.count == 1)
    rig.event { $0.enteredBackground(at: $1) }
    #expect(!rig.last.contains(.beginTask), "the answer is on its way")
    rig.event { $0.taskDenied(.tooManyTasks(maximum: 3), at: $1) }
    #expect(rig.last.contains(.save))
    #expect(rig.machine.phase == .closing(.denied))
    rig.finishSave()
    rig.event { $0.chunkGaveUp(at: $1) }
    #expect(rig.machine.phase == .parked(.denied))
    #expect(rig.log.summary?.saved == .milliseconds(100))
  }

  @Test("L5 W1 a suspension ends the stint of a worker without a task as it stands")
  func suspendedWithoutTask() throws {
    var rig = WorkerRig(budget: .seconds(2))
    rig.event { $0.started(isInForeground: true, at: $1) }
    rig.event { $0.taskDenied(.tooManyTasks(maximum: 3), at: $1) }
    rig.finishChunk()
    rig.event { $0.suspended(at: $1) }
    #expect(rig.last.isEmpty, "news that crossed the way to the foreground")
    rig.event { $0.enteredBackground(at: $1) }
    rig.event { $0.suspended(at: $1) }
    #expect(rig.last.contains(.raiseStopFlag))
    #expect(rig.machine.phase == .parked(.expired))
    let summary = try #require(rig.last.summary)
    #expect(summary.saved + summary.lost == .milliseconds(100))
  }

  @Test("W4 at expiry the state is durable before the task is ended")
  func savesBeforeEnding() throws {
    var rig = WorkerRig(budget: .seconds(2)).begun(inForeground: false)
    rig.finishChunk()
    rig.pass(.milliseconds(900))
    rig.event { $0.expired(.timeElapsed, at: $1) }
    #expect(rig.last.contains(.save))
    rig.finishSave()
    while rig.machine.phase == .working { rig.finishChunk() }
    #expect(rig.machine.phase == .closing(.didNotFit))
    #expect(!rig.log.contains(.endTask(WorkerRig.task)), "a save is still running")
    rig.finishSave()
    let ended = try #require(rig.last.position { $0 == .endTask(WorkerRig.task) })
    let written = try #require(
      rig.last.position { if case .stintEnded = $0 { true } else { false } })
    #expect(written < ended)
    #expect(rig.last.summary?.lost == .zero)
    #expect(try rig.now < #require(rig.deadline))
  }

  @Test(
    "W4 where a checkpoint costs the time of a chunk, none is written because a told end is near")
  func noPrecaution() throws {
    let policy = changed(WorkPolicy()) { $0.worksWhileSaving = false }
    for reason in [ExpiryReason.timeElapsed, .revoked] {
      var rig = WorkerRig(budget: .seconds(2), policy: policy).begun(inForeground: false)
      rig.finishChunk()
      rig.pass(.milliseconds(900))
      rig.event { $0.expired(reason, at: $1) }
      // What may end sooner than it says is another matter.
      #expect(rig.last.contains(.save) == (reason == .revoked))
      if reason == .revoked { rig.finishSave() }
      while rig.machine.phase == .working { rig.finishChunk() }
      #expect(rig.machine.phase == .closing(.didNotFit))
      rig.finishSave()
      #expect(rig.last.summary?.lost == .zero)
      #expect(try rig.now < #require(rig.deadline))
    }
  }

  @Test(
    "W4 where a checkpoint costs the time of a chunk, one that is nearly done is waited for when the end comes as news",
    arguments: [(left: 1_000, saves: false), (left: 90, saves: true)])
  func waitsForChunk(left: Int, saves: Bool) throws {
    var rig = WorkerRig(
      budget: .seconds(30), policy: changed(WorkPolicy()) { $0.worksWhileSaving = false }
    ).begun(inForeground: false)
    for _ in 0..<20 { rig.finishChunk() }
    rig.pass(.milliseconds(5))
    rig.deadline = rig.now.advanced(by: .milliseconds(left))
    rig.event { $0.expired(.revoked, at: $1) }
    #expect(rig.last.contains(.save) == saves)
    if saves { return }
    while rig.machine.phase == .working {
      rig.finishChunk(after: .milliseconds(95), took: .milliseconds(100))
    }
    rig.finishSave()
    #expect(rig.last.summary?.lost == .zero)
  }

  @Test("W4 a checkpoint that does not end in time is left behind, and its work counts as lost")
  func slowSave() throws {
    var rig = WorkerRig(budget: .seconds(1), lead: .milliseconds(100)).begun(inForeground: false)
    while rig.machine.phase == .working { rig.finishChunk() }
    #expect(rig.machine.phase == .closing(.didNotFit))
    #expect(rig.machine.isSaving)
    rig.wake(at: try #require(rig.deadline).advanced(by: .milliseconds(-9)))
    #expect(rig.last.contains(.endTask(WorkerRig.task)))
    let summary = try #require(rig.last.summary)
    #expect(summary.saved == .zero)
    #expect(summary.lost > .milliseconds(500))
    #expect(
      rig.machine.progress.fraction == 0, "W10 what is shown after a loss is the durable point")
    // It may still end well.
    rig.finishSave()
    #expect(rig.machine.savedWorkTime == summary.lost)
    #expect(!rig.last.contains { if case .endTask = $0 { true } else { false } })
  }

  @Test("W4 no chunk that does not fit is started after the expiry")
  func startsNothingThatDoesNotFit() {
    var rig = WorkerRig(budget: .milliseconds(500), lead: .milliseconds(400))
    rig.begin(inForeground: false)
    rig.finishChunk(after: .milliseconds(100))
    rig.event { $0.expired(.timeElapsed, at: $1) }
    rig.finishChunk(after: .milliseconds(300))
    #expect(!rig.last.runsChunk)
    #expect(rig.machine.phase == .closing(.didNotFit))
  }

  @Test("W4 a stop closes at once and does not use what is left")
  func signalCloses() {
    var rig = WorkerRig().begun()
    rig.finishChunk()
    rig.deadline = rig.now.advanced(by: .seconds(5))
    rig.event { $0.expired(.signal(15), at: $1) }
    #expect(rig.last.contains(.raiseStopFlag))
    #expect(rig.last.contains(.save))
    rig.event { $0.chunkGaveUp(at: $1) }
    rig.finishSave()
    #expect(rig.last.outcome == .stopped(.signal(15)))
  }

  @Test("R7 W5 becoming active registers again, once, and ends the spent task first")
  func registersAgain() {
    var rig = WorkerRig(budget: .seconds(10)).begun(inForeground: false)
    rig.event { $0.expired(.timeElapsed, at: $1) }
    rig.deadline = nil
    let first = rig.event { $0.becameActive(at: $1) }.filter { $0 == .beginTask || isEnd($0) }
    #expect(first == [.endTask(WorkerRig.task), .beginTask])
    rig.event { $0.becameActive(at: $1) }
    #expect(!rig.last.contains(.beginTask))
    rig.event { $0.taskGranted(BackgroundTaskIdentifier(rawValue: 2), at: $1) }
    rig.event { $0.becameActive(at: $1) }
    #expect(!rig.last.contains(.beginTask))
    #expect(rig.log.count { $0 == .beginTask } == 2)
  }

  @Test(
    "R5 W5 a task that expired before its grant was heard is spent, and replaced when active again")
  func expiredBeforeGrant() {
    var rig = WorkerRig(budget: .seconds(10))
    rig.event { $0.started(isInForeground: false, at: $1) }
    rig.event { $0.expired(.timeElapsed, at: $1) }
    rig.event { $0.taskGranted(WorkerRig.task, at: $1) }
    rig.becomeActive()
    #expect(rig.last.starts(with: [.endTask(WorkerRig.task), .beginTask]))
  }

  @Test("W5 a parked worker registers again when the application is active again")
  func registersAfterParking() {
    var rig = WorkerRig(budget: .seconds(1), lead: .milliseconds(100)).begun(inForeground: false)
    while rig.machine.phase == .working { rig.finishChunk() }
    rig.finishSave()
    #expect(rig.machine.phase == .parked(.didNotFit))
    rig.becomeActive()
    #expect(rig.last == [.beginTask])
    rig.event { $0.becameActive(at: $1) }
    #expect(rig.last == [])
    rig.event { $0.taskGranted(BackgroundTaskIdentifier(rawValue: 2), at: $1) }
    #expect(rig.last.first == .stintBegan)
    #expect(rig.last.runsChunk)
  }

  @Test(
    "W5 expiry, foreground and start in every order register exactly once a loss",
    arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func everyOrder(order: [Int]) {
    var rig = WorkerRig(budget: .seconds(10))
    rig.event { $0.started(isInForeground: false, at: $1) }
    var granted = false
    for step in order {
      switch step {
      case 0:
        if rig.log.count(where: { $0 == .beginTask }) > 0 {
          granted = true
          rig.event { $0.taskGranted(WorkerRig.task, at: $1) }
        }
      case 1: rig.event { $0.expired(.timeElapsed, at: $1) }
      default:
        rig.becomeActive()
      }
    }
    #expect(granted)
    // The task is spent and the application active, whichever was heard first.
    rig.event { $0.becameActive(at: $1) }
    #expect(rig.log.count { $0 == .beginTask } == 2, "order \(order)")
  }

  @Test("W6 nothing of it runs after its end")
  func silentAfterEnd() {
    var rig = WorkerRig(chunks: 1).begun()
    rig.finishChunk()
    #expect(rig.last.contains(.deliver))
    rig.event { $0.delivered(at: $1) }
    #expect(rig.last.outcome == .finished)
    #expect(rig.last.contains(.endTask(WorkerRig.task)))
    let events: [(inout WorkerMachine, Moment) -> [Action]] = [
      { $0.expired(.timeElapsed, at: $1) }, { $0.becameActive(at: $1) },
      { $0.enteredBackground(at: $1) }, { $0.pauseRequested(at: $1) },
      { $0.resumeRequested(at: $1) }, { $0.timePassed(at: $1) },
      { $0.stopRequested(.now, reason: .stopRequested, at: $1) },
    ]
    for body in events { #expect(rig.event(body) == []) }
  }

  @Test("W7 a pause saves, ends the task, and goes on from where it stood")
  func pauseAndResume() {
    var rig = WorkerRig().begun()
    rig.finishChunk()
    rig.event { $0.pauseRequested(at: $1) }
    #expect(rig.last.contains(.raiseStopFlag))
    rig.event { $0.chunkGaveUp(at: $1) }
    rig.finishSave()
    #expect(rig.machine.phase == .paused)
    #expect(rig.last.summary?.end == .paused)
    #expect(rig.last.contains(.endTask(WorkerRig.task)))
    rig.event { $0.becameActive(at: $1) }
    #expect(rig.last == [], "only a resume ends a pause")
    rig.event { $0.resumeRequested(at: $1) }
    #expect(rig.last == [.beginTask])
    rig.event { $0.taskGranted(BackgroundTaskIdentifier(rawValue: 2), at: $1) }
    #expect(rig.last.runsChunk)
    #expect(rig.machine.progress.fraction == 0.01)
  }

  @Test("W11 a requested stop is not revoked by becoming active")
  func stopStands() {
    var rig = WorkerRig(budget: .seconds(10)).begun(inForeground: false)
    rig.finishChunk()
    rig.event { $0.stopRequested(.now, reason: .stopRequested, at: $1) }
    rig.becomeActive()
    #expect(rig.last == [], "neither a new task nor a new chunk")
    rig.event { $0.chunkGaveUp(at: $1) }
    rig.finishSave()
    #expect(rig.last.outcome == .stopped(.stopRequested))
  }

  @Test("W11 stop after the next checkpoint lets the running chunk end and saves it")
  func stopAfterCheckpoint() {
    var rig = WorkerRig().begun()
    rig.finishChunk()
    rig.event { $0.stopRequested(.afterNextCheckpoint, reason: .stopRequested, at: $1) }
    #expect(!rig.last.contains(.raiseStopFlag))
    rig.finishChunk()
    #expect(rig.last.contains(.save))
    rig.finishSave()
    #expect(rig.last.outcome == .stopped(.stopRequested))
    #expect(rig.log.summary?.lost == .zero)
    #expect(rig.log.summary?.chunks == 2)
  }

  @Test("W11 a stop during registration takes effect with the answer")
  func stopDuringRegistration() {
    var rig = WorkerRig()
    rig.event { $0.started(isInForeground: true, at: $1) }
    rig.event { $0.stopRequested(.now, reason: .signal(1), at: $1) }
    rig.event { $0.taskGranted(WorkerRig.task, at: $1) }
    #expect(rig.last == [.endTask(WorkerRig.task), .ended(.stopped(.signal(1)))])
  }

  private func isEnd(_ action: Action) -> Bool {
    if case .endTask = action { true } else { false }
  }

  @Test("W6 a chunk that fails behind the end of its worker starts nothing and ends nothing again")
  func failsBehindTheEnd() {
    var rig = WorkerRig(policy: changed(WorkPolicy()) { $0.waitsForGivenUpChunk = false }).begun()
    rig.finishChunk()
    rig.event { $0.stopRequested(.now, reason: .stopRequested, at: $1) }
    rig.finishSave()
    #expect(rig.machine.phase == .ended(.stopped(.stopRequested)))
    let error = StintError(.io, "The input is gone.")
    #expect(rig.event { $0.chunkFailed(error, at: $1) } == [])
    #expect(rig.machine.phase == .ended(.stopped(.stopRequested)))
  }
}
