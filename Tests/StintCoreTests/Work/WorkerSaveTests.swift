import Testing

@testable import StintCore

@Suite("The worker machine: chunks, checkpoints and the result")
struct WorkerSaveTests {
  @Test("W2 every chunk is preceded by the fit test, and the stint ends by it")
  func endsByFitTest() throws {
    var rig = WorkerRig(budget: .seconds(3), lead: .milliseconds(300)).begun(inForeground: false)
    while rig.machine.phase == .working {
      rig.finishChunk()
      if let deadline = rig.deadline { #expect(rig.now < deadline) }
    }
    rig.finishSave()
    let summary = try #require(rig.last.summary)
    #expect(summary.end == .didNotFit)
    #expect(summary.chunks >= 27, "at most a chunk, a checkpoint and a margin are left over")
    #expect(summary.lost == .zero)
  }

  @Test("W3 what a tick reports: progress, next checkpoint, its age, estimate and speed")
  func tickFigures() throws {
    var rig = WorkerRig(policy: changed(WorkPolicy()) { $0.checkpointEvery = .seconds(2) }).begun()
    #expect(rig.machine.estimateToFinish == nil)
    rig.finishChunk(after: .seconds(1))
    #expect(rig.machine.progress.fraction == 0.01)
    #expect(rig.machine.estimateToFinish == .seconds(99))
    let speed = try #require(rig.machine.speed)
    #expect(abs(speed - 0.01) < 1e-9)
    let next = try #require(rig.machine.nextCheckpointInstant)
    #expect(rig.now.duration(to: next) == .seconds(1))
    let saved = try #require(rig.machine.work.savedAt)
    #expect(saved.duration(to: rig.now) == .seconds(1))
  }

  @Test("W4 no periodic checkpoint begins so late that the last one would have to wait for it")
  func lastSaveIsFree() throws {
    let (chunk, save) = (Duration.milliseconds(100), Duration.milliseconds(50))
    var periodic = 0
    for every in stride(from: 90, through: 900, by: 9) {
      var policy = WorkPolicy()
      policy.checkpointEvery = .milliseconds(every)
      policy.wakeProbes = 0
      var rig = WorkerRig(budget: .seconds(3), lead: .milliseconds(300), policy: policy)
      var ends: (chunk: Instant?, save: Instant?)
      func note(_ rig: WorkerRig) {
        if rig.last.runsChunk { ends.chunk = rig.now.advanced(by: chunk) }
        if rig.last.contains(.save) {
          ends.save = rig.now.advanced(by: save)
          if rig.machine.phase == .working { periodic += 1 }
        }
      }
      rig.begin(inForeground: false)
      note(rig)
      while rig.last.summary == nil, rig.now < Instant(nanoseconds: 5_000_000_000) {
        rig.pass(.milliseconds(1))
        if ends.save == rig.now {
          ends.save = nil
          rig.event { $0.saved(took: save, at: $1) }
        } else if ends.chunk == rig.now {
          ends.chunk = nil
          rig.finishChunk(after: .zero, took: chunk)
        } else {
          rig.event { $0.timePassed(at: $1) }
        }
        note(rig)
      }
      let summary = try #require(rig.log.summary, "every \(every) ms")
      #expect(summary.lost == .zero, "every \(every) ms")
    }
    #expect(periodic > 300, "\(periodic) checkpoints began while there was time")
  }

  @Test("W2 what a checkpoint made durable is not counted for the next one of the same state")
  func durableOutput() {
    var rig = WorkerRig(policy: changed(WorkPolicy()) { $0.checkpointEvery = .milliseconds(100) })
      .begun()
    rig.finishChunk()
    rig.event { $0.saved(took: .milliseconds(5), checkpointBytes: 10, at: $1) }
    #expect(rig.machine.work.outlook.checkpointBytes == 10)
    // A newer state says itself what its checkpoint takes.
    rig.pass(.milliseconds(100))
    rig.finishChunk()
    #expect(rig.last.contains(.save))
    rig.finishChunk()
    rig.event { $0.saved(took: .milliseconds(5), checkpointBytes: 20, at: $1) }
    #expect(rig.machine.work.outlook.checkpointBytes == 1_000)
  }

  @Test("W8 what is saved is the newest complete state, whatever the order of ends")
  func savedIsNewest() {
    var rig = WorkerRig(policy: changed(WorkPolicy()) { $0.checkpointEvery = .milliseconds(100) })
      .begun()
    rig.finishChunk()
    #expect(rig.last.contains(.save))
    // Two more chunks end while the first one's checkpoint is being written.
    rig.finishChunk()
    rig.finishChunk()
    #expect(!rig.last.contains(.save))
    rig.finishSave()
    #expect(rig.machine.savedWorkTime == .milliseconds(100))
    #expect(rig.machine.completedWorkTime == .milliseconds(300))
    rig.event { $0.pauseRequested(at: $1) }
    #expect(rig.log.last != .stintBegan)
    rig.event { $0.chunkGaveUp(at: $1) }
    rig.finishSave()
    #expect(rig.machine.savedWorkTime == .milliseconds(300))
    #expect(rig.log.summary?.saved == .milliseconds(300))
  }

  @Test("W9 the job is finished only after the result was delivered")
  func deliversBeforeFinishing() {
    var rig = WorkerRig(chunks: 1, budget: .seconds(10)).begun(inForeground: false)
    rig.finishChunk()
    #expect(rig.last.contains(.save), "under a deadline the last state is made durable first")
    #expect(!rig.last.contains(.deliver))
    rig.finishSave()
    #expect(rig.last.contains(.deliver))
    #expect(rig.log.outcome == nil)
    rig.event { $0.delivered(at: $1) }
    #expect(rig.last.outcome == .finished)
  }

  @Test("W9 a delivery that a deadline overtakes has the state under it saved")
  func overtakenDelivery() {
    var rig = WorkerRig(chunks: 1).begun()
    rig.finishChunk()
    #expect(rig.last.contains(.deliver))
    #expect(!rig.log.contains(.save), "without a deadline the result itself is what is kept")
    rig.enterBackground(.seconds(5))
    #expect(rig.last.contains(.save))
  }

  @Test("W9 a delivery that the deadline cuts leaves the job unfinished")
  func cutDelivery() throws {
    var rig = WorkerRig(chunks: 1, budget: .seconds(1)).begun(inForeground: false)
    rig.finishChunk()
    rig.finishSave()
    rig.wake(at: try #require(rig.deadline).advanced(by: .milliseconds(-5)))
    #expect(rig.last.summary?.end == .expired)
    #expect(rig.machine.phase == .parked(.expired))
    #expect(rig.log.outcome == nil)
  }

  @Test(
    "W9 a result that is durable ends the task in time, whatever a checkpoint beside it still takes"
  )
  func deliveredBesideSave() throws {
    var rig = WorkerRig(chunks: 1, budget: .seconds(2))
    rig.deadline = nil
    rig.begin(inForeground: true)
    rig.finishChunk()
    #expect(rig.last.contains(.deliver))
    rig.enterBackground(.seconds(1))
    #expect(rig.last.contains(.save))
    rig.event { $0.delivered(at: $1) }
    let limit = try #require(rig.deadline).advanced(by: .milliseconds(-10))
    #expect(rig.last == [.wake(limit)])
    rig.wake(at: limit)
    #expect(rig.last.contains(.endTask(WorkerRig.task)))
    #expect(rig.last.outcome == .finished)
    rig.event { $0.saved(took: .seconds(1), at: $1) }
    #expect(rig.last.isEmpty)
  }

  @Test("W10 work that was not made durable counts as lost, never as saved")
  func lossIsSaid() throws {
    var rig = WorkerRig(budget: .seconds(1), lead: .milliseconds(100)).begun(inForeground: false)
    rig.finishChunk(after: .milliseconds(998))
    let summary = try #require(rig.log.summary)
    #expect(summary.saved == .zero)
    #expect(summary.lost == .milliseconds(998))
    #expect(rig.machine.savedWorkTime == .zero)
  }

  @Test("W10 a trial of the machine's speed is no work")
  func trial() {
    var rig = WorkerRig(budget: .seconds(1), lead: .milliseconds(100), restored: .seconds(40))
    rig.begin(inForeground: false)
    rig.finishTrial()
    #expect(rig.machine.completedWorkTime == .seconds(40))
    rig.finishChunk()
    #expect(rig.machine.completedWorkTime == .seconds(40) + .milliseconds(100))
    #expect(rig.machine.savedWorkTime == .seconds(40))
  }

  @Test("W10 work time goes on from the restored work time; elapsed time does not")
  func workTimeIsApart() throws {
    var rig = WorkerRig(budget: .seconds(1), lead: .milliseconds(100), restored: .seconds(40))
    rig.begin(inForeground: false)
    while rig.machine.phase == .working { rig.finishChunk() }
    rig.finishSave()
    let summary = try #require(rig.last.summary)
    #expect(rig.machine.savedWorkTime == .seconds(40) + summary.saved)
    #expect(summary.saved <= summary.elapsed)
    #expect(summary.elapsed < .seconds(1))
  }

  @Test(
    "W12 the lead is judged where time ran out, and not where a stop gave a grace of its own",
    arguments: [(ExpiryReason.timeElapsed, true), (.signal(15), false), (.stopRequested, false)])
  func nearMissOfAStop(reason: ExpiryReason, isTold: Bool) {
    var rig = WorkerRig(budget: .seconds(2), lead: .seconds(1)).begun(inForeground: false)
    rig.pass(.milliseconds(1_700))
    rig.event { $0.expired(reason, at: $1) }
    rig.finishChunk(after: .milliseconds(230))
    if rig.machine.isSaving { rig.finishSave(after: .milliseconds(20)) }
    #expect(rig.log.summary != nil)
    let told = rig.log.notices.contains { if case .nearMiss = $0 { true } else { false } }
    #expect(told == isTold)
  }

  @Test(
    "W12 a stint that ends as it was planned is no near miss, however long the lead",
    arguments: [Duration.milliseconds(50), .milliseconds(150), .seconds(1), .seconds(5)])
  func plannedEnd(lead: Duration) {
    let policy = WorkPolicy().fitted(to: lead)
    #expect(policy.closing < lead)
    #expect(policy.closing.inSeconds > (1 - policy.nearMissShare) * lead.inSeconds * 1.5)
    #expect(policy.nearMissShare >= WorkPolicy().nearMissShare)
    #expect(policy.fitted(to: lead) == policy)
    #expect(!WorkerNotice.nearMiss(left: .zero, lead: lead).description.contains("--"))
  }

  @Test("W12 near misses: late end, slow checkpoint, never saved")
  func nearMisses() throws {
    var rig = WorkerRig(budget: .seconds(2), lead: .seconds(1)).begun(inForeground: false)
    rig.pass(.seconds(1))
    rig.event { $0.expired(.timeElapsed, at: $1) }
    rig.finishChunk(after: .milliseconds(930))
    if rig.machine.isSaving { rig.finishSave(after: .milliseconds(20)) }
    let notices = rig.log.notices
    #expect(notices.contains { if case .nearMiss = $0 { true } else { false } })

    var policy = WorkPolicy()
    policy.checkpointEvery = .milliseconds(50)
    var slow = WorkerRig(policy: policy).begun()
    for _ in 0..<policy.earlySamples + 1 {
      slow.finishChunk()
      slow.finishSave()
    }
    #expect(slow.log.notices.isEmpty)
    slow.finishChunk()
    slow.finishSave(after: .seconds(1))
    #expect(slow.log.notices.count == 1)

    var never = WorkerRig(budget: .seconds(1), lead: .milliseconds(100)).begun(inForeground: false)
    never.finishChunk(after: .milliseconds(998))
    #expect(never.log.notices.contains(.neverSaved))
  }

  @Test("W13 three fruitless stints in a row end the job with the least budget")
  func fruitlessStints() throws {
    var rig = WorkerRig(budget: .seconds(1), lead: .milliseconds(100), fruitlessStints: 1)
    rig.begin(inForeground: false)
    cutChunk(&rig)
    #expect(rig.machine.phase == .parked(.expired))
    rig.becomeActive()
    rig.enterBackground(.seconds(1))
    rig.event { $0.taskGranted(BackgroundTaskIdentifier(rawValue: 2), at: $1) }
    cutChunk(&rig)
    let error = try #require(rig.log.outcome?.error)
    #expect(error.code == .noProgress)
    #expect(error.message.contains("budget of at least about 2s"))
  }

  @Test("W13 a durable checkpoint starts the count again")
  func fruitfulStint() {
    var rig = WorkerRig(budget: .seconds(1), lead: .milliseconds(100), fruitlessStints: 2)
    rig.begin(inForeground: false)
    for _ in 0..<40 where rig.machine.phase != .parked(.didNotFit) {
      if rig.machine.isSaving { rig.finishSave() } else { rig.finishChunk() }
    }
    #expect(rig.machine.phase == .parked(.didNotFit))
    #expect(rig.machine.savedWorkTime > .zero)
    rig.becomeActive()
    rig.deadline = rig.now.advanced(by: .seconds(1))
    rig.event { $0.taskGranted(BackgroundTaskIdentifier(rawValue: 2), at: $1) }
    cutChunk(&rig)
    #expect(rig.machine.phase == .parked(.expired), "one fruitless stint, not a third one")
  }

  @Test("W13 a part of the result that a chunk made durable by itself starts the count again")
  func keptProgress() {
    var rig = WorkerRig(budget: .seconds(1), lead: .milliseconds(100), fruitlessStints: 2)
    rig.begin(inForeground: false)
    let calls = (rig.machine.progressKept(), rig.machine.progressKept())
    #expect(calls == (true, false), "once a stint")
    cutChunk(&rig)
    #expect(rig.machine.phase == .parked(.expired), "no fruitless stint at all")
    for _ in 0..<2 {
      rig.becomeActive()
      rig.enterBackground(.seconds(1))
      rig.event { $0.taskGranted(BackgroundTaskIdentifier(rawValue: 2), at: $1) }
      cutChunk(&rig)
      #expect(rig.machine.phase == .parked(.expired))
    }
  }

  @Test("W14 an expiry saves the state that a running chunk started from, while it runs")
  func savesDuringChunk() throws {
    var rig = WorkerRig(budget: .seconds(2), lead: .seconds(1)).begun(inForeground: false)
    rig.finishChunk()
    rig.pass(.milliseconds(900))
    rig.event { $0.expired(.timeElapsed, at: $1) }
    #expect(rig.last.contains(.save))
    #expect(!rig.last.contains(.raiseStopFlag), "the chunk may still end in time")
    rig.finishSave()
    #expect(rig.machine.savedWorkTime == .milliseconds(100))
    // The chunk overruns: it is given up, and the stint ends without it.
    rig.wake(at: try #require(rig.deadline).advanced(by: .milliseconds(-10)))
    #expect(rig.last.contains(.raiseStopFlag))
    let summary = try #require(rig.last.summary)
    #expect(summary.end == .expired)
    #expect(summary.saved == .milliseconds(100))
    #expect(rig.last.contains(.endTask(WorkerRig.task)))
  }

  @Test("W14 a chunk that overruns without any warning is given up in time for a checkpoint")
  func givesUpWithoutWarning() throws {
    var rig = WorkerRig(
      budget: .seconds(2), lead: .milliseconds(50),
      policy: changed(WorkPolicy()) { $0.wakeProbes = 0 })
    rig.begin(inForeground: false)
    rig.finishChunk()
    guard case .wake(let instant?) = try #require(rig.last.last) else {
      Issue.record("no wake for the end of the chunk's time")
      return
    }
    rig.wake(at: instant)
    #expect(rig.last.contains(.save))
    rig.finishSave()
    #expect(
      rig.last.contains(.wake(try #require(rig.deadline).advanced(by: .milliseconds(-10))))
        || rig.last.summary != nil)
    rig.wake(at: try #require(rig.deadline).advanced(by: .milliseconds(-10)))
    #expect(rig.log.summary?.saved == .milliseconds(100))
  }

  private func cutChunk(_ rig: inout WorkerRig) {
    rig.pass(.milliseconds(995))
    rig.event { $0.timePassed(at: $1) }
    rig.event { $0.chunkGaveUp(at: $1) }
  }
}
