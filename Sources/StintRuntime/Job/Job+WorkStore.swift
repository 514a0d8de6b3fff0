public import StintCore

extension Job {
  /// Where partial output goes: the job's `partial/` folder.
  public var workspace: any Workspace { files }

  /// How many stints in a row, up to the last one that is over, ended without a new durable
  /// checkpoint (W13).
  public var stintsWithoutProgress: Int { summary.stintsWithoutProgress }

  /// What the journal says of the job's checkpoints, and of stints that never said why they ended.
  ///
  /// Without the checkpoints if the job has partial files: the journal knows the size of the state
  /// alone, and most of the time went into what was synchronized before it.
  public var workHistory: WorkHistory {
    let history = summary.workHistory
    guard let opened = directory.opened,
      (try? directory.fileSystem.list(opened.partial).isEmpty) ?? false
    else {
      var short = WorkHistory(ran: history.ran, suddenEnds: history.suddenEnds)
      short.stints = history.stints
      return short
    }
    return history
  }

  /// A number from 0 to 1 that is made from the job's key, and so from its kind, parameters and
  /// output.
  public var stagger: Double { directory.key.stagger }

  /// Finds the newest whole checkpoint and makes a state of it.
  ///
  /// What is set aside on the way is recorded in the journal.
  ///
  /// - Parameter decode: Makes a state from a verified payload.
  /// - Returns: The state and where it came from, or nil if there is nothing to go on from.
  /// - Throws: ``StintError``: `damaged`, `mismatch` or `io`.
  public func restore<State>(
    _ decode: (UnsafeRawBufferPointer) throws -> State
  ) throws -> RestoredWork<State>? {
    try directory.checkIsNotClosed()
    guard let opened = directory.opened else { return nil }
    let before = summary
    let hooks = CheckpointStore.RestoreHooks(
      crashedTooOften: { before.crashedTries(of: $0) >= self.restoreAttempts },
      willTry: { self.directory.record(.restoreAttempted(sequence: $0), durably: false) },
      didFail: { self.record(.restoreProved(sequence: $0), durably: false) },
      didSetAside: { file, why in
        self.record(.setAside(file: file, why: why), durably: true)
        self.report(
          "the checkpoint \(file) \(why); it was set aside, and the one before is used if there is one"
        )
      },
      notice: {
        self.record(.notice($0), durably: false)
        self.report($0)
      })
    let found = try opened.checkpoints.generations()
    let restored = try opened.checkpoints.restore(hooks: hooks, decode)
    guard let newest = before.lastCheckpoint else { return restored }
    guard let restored else {
      throw StintError(
        .damaged,
        "the journal of \(path) records checkpoint \(newest.sequence), but no checkpoint is left",
        remedies: ["put it back", .startOver])
    }
    if found.misses(newest.sequence) {
      let again = max(.zero, newest.workTime - restored.workTime)
      hooks.notice(
        "the checkpoint \(Generations.name(of: newest.sequence)), of which the journal tells, is gone; "
          + "\(again.compactText) of work since checkpoint \(restored.sequence) is done again")
    }
    return restored
  }

  /// Makes a state durable: partial output first, then the checkpoint, then a line of the journal.
  ///
  /// - Parameters:
  ///   - payload: The encoded state.
  ///   - workTime: The job's own time up to this state, over all stints.
  ///   - progress: For the journal.
  /// - Returns: The generation that now stands.
  /// - Throws: ``StintError``; the generation before is untouched (C4). The failure is in the
  ///   journal too.
  public func commit(
    _ payload: CheckpointPayload, workTime: Duration, progress: WorkProgress
  ) throws -> CommittedCheckpoint {
    let began = identity.bootClock()
    do {
      let opened = try directory.materialize()
      try files.synchronize()
      try directory.makeNamesDurable(opened)
      let committed = try opened.checkpoints.commit(payload, workTime: workTime) {
        () throws(StintError) in try directory.keepLock(opened)
      }
      record(
        .checkpoint(
          sequence: committed.sequence, sizeBytes: committed.sizeBytes,
          took: began.duration(to: identity.bootClock()), workTime: workTime,
          fraction: progress.fraction),
        durably: false)
      return committed
    } catch {
      record(.checkpointFailed(message: "\(error)", errno: error.errno), durably: false)
      throw error
    }
  }

  /// Writes down durably that the result is where it belongs; a job that never had to save gets its
  /// directory for that.
  ///
  /// - Parameter workTime: The job's own time, over all stints.
  public func recordFinish(workTime: Duration) {
    do {
      try directory.makeNamesDurable(try directory.materialize())
    } catch {
      report("the end of the job is not recorded, so it would be run again: \(error)")
    }
    record(.finished(sizeBytes: 0, checksum: "", workTime: workTime), durably: true)
  }

  /// Appends an event to the journal, or keeps it in memory until the directory exists.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - durably: Whether to wait until the event is on disk.
  public func record(_ event: JournalEvent, durably: Bool) {
    directory.record(.event(event.byTheClock(of: identity)), durably: durably)
  }
}

extension JournalEvent {
  /// The event with its instant by the clock of the machine, as all stamps are.
  fileprivate func byTheClock(of identity: StoreIdentity) -> JournalEvent {
    func moved(_ instant: Instant) -> Instant {
      instant == .distantFuture ? instant : instant.advanced(by: .zero - identity.clockOffset)
    }
    func moved(_ end: Deadline?) -> Deadline? {
      end.map { Deadline(source: $0.source, instant: moved($0.instant)) }
    }
    guard identity.clockOffset != .zero else { return self }
    switch self {
    case .expiryAnnounced(let reason, let deadline, let openTasks):
      return .expiryAnnounced(reason: reason, deadline: moved(deadline), openTasks: openTasks)
    case .stintBegan(let budget, let end, let restored, let workTime):
      return .stintBegan(
        budget: budget, end: moved(end), restoredSequence: restored, workTime: workTime)
    case .deadlineMoved(let end):
      return .deadlineMoved(to: moved(end))
    case .restoreProved, .checkpoint, .progressKept, .stepTooLong, .checkpointFailed, .setAside,
      .stintEnded, .finished, .terminationInferred, .workerEnded, .notice:
      return self
    }
  }
}
