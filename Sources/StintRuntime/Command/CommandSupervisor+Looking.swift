import Dispatch
import StintCore

// Looks at the command's files, and what follows from them.

extension CommandSupervisor {
  func scheduleTick() {
    // Without files and without a watcher there is nothing to look at.
    guard setup.isWatched || !setup.files.isEmpty else { return }
    loop.schedule(at: BootClock.now.advanced(by: setup.tick)) { [weak self] in
      guard let self else { return }
      if !setup.files.isEmpty { lookElsewhere() }
      hooks.ticked(report())
      scheduleTick()
    }
  }

  /// How long a start waits for a file server that is to say how the files stand.
  private static let firstLookMayTake = Duration.seconds(1)
  /// How long the judgement of an end waits for that.
  private static let lastLookMayTake = Duration.seconds(5)

  /// Looks at the files on a thread of its own: they may be a file server's, and a kill does not
  /// wait for that.
  private func lookElsewhere() {
    if state.withLock({ exchange(&$0.isLooking, with: true) }) { return }
    look { [weak self] look in
      self?.loop.post { [weak self] in
        self?.state.withLock { $0.isLooking = false }
        self?.looked(look)
      }
    }
  }

  /// Looks at the files before the command is started; one that does not answer in time is seen at
  /// the next tick.
  func lookBeforeStart() {
    guard !setup.files.isEmpty else { return }
    let before = state.withLock { $0.lastLook.take()?.news }
    let answered = DispatchSemaphore(value: 0)
    look { [state] look in
      state.withLock { state in
        state.lastLook = state.lastLook ?? look
      }
      answered.signal()
    }
    _ = answered.wait(timeout: .now() + .nanoseconds(Int(Self.firstLookMayTake.nanoseconds)))
    // What the last stint has left behind may have saved after its end.
    if let before, let now = state.withLock({ $0.lastLook?.news }), now > before {
      handle { $0.checkpointChanged(now: $1) }
    }
  }

  /// Looks a last time after the command has ended, and goes on; without an answer after a while.
  func afterLastLook(_ next: @escaping @Sendable () -> Void) {
    guard !setup.files.isEmpty else { return next() }
    let isOver = Protected(false)
    let finish: @Sendable (CommandFiles.Look?) -> Void = { [weak self] found in
      guard !isOver.withLock({ exchange(&$0, with: true) }), let self else { return }
      if let found { looked(found) }
      state.withLock { $0.isUnseen = found == nil }
      next()
    }
    loop.schedule(at: BootClock.now.advanced(by: Self.lastLookMayTake)) { finish(nil) }
    look(isLast: true) { [loop] found in loop.post { finish(found) } }
  }

  private func look(
    isLast: Bool = false, _ answer: @escaping @Sendable (CommandFiles.Look) -> Void
  ) {
    let thread = looking.withLock { thread in
      let found = thread ?? SerialThread(name: "stint-look")
      thread = found
      return found
    }
    thread.enqueue { [watch] in answer(watch.withLock { $0.look(isLast: isLast) }) }
  }

  /// Takes note of what a look has found.
  private func looked(_ look: CommandFiles.Look) {
    let now = BootClock.now
    let found = state.withLock { state -> (sizeBytes: Int, work: Duration)? in
      // A look that was on its way when the stint ended has been overtaken by the last one.
      guard state.process != nil else { return nil }
      guard let before = exchange(&state.lastLook, with: look) else { return nil }
      // A file that is written anew says nothing for a moment.
      if look.progress == nil, look.unreadable == nil { state.lastLook?.progress = before.progress }
      guard look.news > before.news else { return nil }
      let work = state.unsavedSince.duration(to: now)
      state.unsavedSince = now
      state.lastCheckpoint = now
      return (look.checkpointBytes, work)
    }
    if let words = look.unreadable { hooks.unreadableProgress(words) }
    if look.isCutOff { hooks.checkpointIsCutOff() }
    if let found {
      handle { $0.checkpointChanged(now: $1) }
      hooks.checkpoint(found.sizeBytes, found.work)
    }
    lookForStall(after: look, hasNews: found != nil, now: now)
  }

  /// Ends the time of a command whose files stand still for too long (X6).
  ///
  /// Only time between two looks counts, and of that no more than two ticks: what passes while the
  /// machine sleeps, or a file server does not answer, says nothing of the command.
  private func lookForStall(after look: CommandFiles.Look, hasNews: Bool, now: Instant) {
    guard let limit = setup.rules.stallAfter else { return }
    let standsStill = standsStill
    let isOver = state.withLock { state in
      let passed = state.lastLookedAt.map { $0.duration(to: now) } ?? .zero
      state.lastLookedAt = now
      let moves = hasNews || look.progressMark != state.stallMark
      state.stallMark = look.progressMark
      let counted = standsStill ? .zero : min(passed, setup.tick * 2)
      state.stalledFor = moves ? .zero : state.stalledFor + counted
      return state.stalledFor >= limit && state.machine.isInItsOwnTime
    }
    guard isOver else { return }
    state.withLock { $0.mustLeaveNothing = true }
    hooks.expiryAnnounced(.revoked, now.advanced(by: setup.policy.lead), [])
    handle { $0.stalled(lead: self.setup.policy.lead, now: $1) }
  }

  /// What is known of the command when it has ended, besides how.
  var evidence: CommandEvidence {
    state.withLock { state in
      CommandEvidence(
        isDone: state.lastLook?.isDone ?? false,
        hasOldDoneFile: state.lastLook?.hasOldDoneFile ?? false,
        progress: state.lastLook?.progress?.fraction,
        ignoredSignal: state.wasTold && !state.heard, isUnseen: state.isUnseen)
    }
  }
}
