package import StintCore

/// What the journal says of a job, folded line by line.
package struct JournalSummary: Hashable, Sendable {
  /// A checkpoint that became durable.
  package struct Checkpoint: Hashable, Sendable {
    package var sequence: UInt64
    package var sizeBytes: Int
    package var workTime: Duration
    package var fraction: Double
    package var stamp: JournalRecord.Stamp
  }

  /// The result, once it is durable.
  package struct Finish: Hashable, Sendable {
    package var sizeBytes: Int
    package var checksum: String
    package var workTime: Duration
    package var stamp: JournalRecord.Stamp

    /// Whether the result is known here.
    ///
    /// It is not for commands and the lines of a batch, which have results of their own, nor if the
    /// reader of a stream has gone.
    package var hasResult: Bool { !checksum.isEmpty }
  }

  /// A result by its length and checksum.
  package struct Publishing: Hashable, Sendable {
    package var sizeBytes: Int
    /// XXH3-128, 32 hexadecimal digits as `xxhsum -H2` prints them.
    package var checksum: String

    package init(sizeBytes: Int, checksum: String) {
      self.sizeBytes = sizeBytes
      self.checksum = checksum
    }
  }

  /// How many stints began.
  package private(set) var stints = 0
  /// How many checkpoints became durable.
  package private(set) var checkpoints = 0
  /// How many checkpoints failed.
  package private(set) var failedCheckpoints = 0
  /// The highest generation that was ever named.
  package private(set) var lastSequence: UInt64 = 0
  /// The newest checkpoint since the job began or was finished.
  package private(set) var lastCheckpoint: Checkpoint?
  /// The last stint.
  package private(set) var lastStint: StintAccount?
  /// The job's own time that is kept.
  package private(set) var workTime: Duration = .zero
  /// The sum over all stints of the time from the first to the last line.
  package private(set) var elapsed: Duration = .zero
  /// The finish record, unless a stint began after it.
  package private(set) var finish: Finish?
  /// The last result that was about to get, or got, its final name.
  package private(set) var publishing: Publishing?
  /// Files that were set aside, oldest first.
  package private(set) var setAside: [String] = []
  /// Lines that were no records.
  package var garbageLines = 0
  /// The bytes at the beginning of a very long journal that were not read: what they told is
  /// missing in all counts.
  package var unreadBytes = 0
  /// How often a process took the job up: tried a restart, or began a stint.
  package private(set) var pickups = 0

  private struct LockWait: Hashable {
    var by: JournalRecord.Stamp
    var took: Duration
  }

  /// The newest checkpoints, oldest first: as many as a job can be set back by and know where it
  /// stands.
  private var newestCheckpoints: [Checkpoint] = []
  private static let rememberedCheckpoints = 8
  private var pastHistory = WorkHistory()
  private var closedStintsWithoutProgress = 0
  private var lastStintIsCounted = true
  /// What stood before the last stint began: its own process may have finished the job just then.
  private var finishBefore: Finish?
  private var triedSequence: UInt64?
  private var openTries = 0
  /// A restart was tried since the last stint began: in a container a new process may have the
  /// number of the one before.
  private var isLoading = false
  /// The last process whose time was up before its first stint began.
  private var cutWhileLoading: JournalRecord.Stamp?
  /// The last process that waited for the lock, and has begun no stint since.
  private var lockWait: LockWait?
  /// The process that began last to write the result where nothing can be taken back.
  private var streamedBy: JournalRecord.Stamp?
  private var stintsUntilFinish = 0
  /// What the last stint that measured it said that a step takes.
  private var leastBudget: Duration?

  package init() {}

  /// How the last stint's process was ended, once that was inferred.
  package var inferredCause: String? { lastStint?.inferredCause }

  /// How many stints in a row, up to the last one that is over, ended without a new durable
  /// checkpoint (W13).
  ///
  /// Only stints whose own time ran out count: those that ended for lack of time, and those that
  /// were told that their time was up and never said how they ended; so does a run whose time was
  /// up before its first stint began, once its process is gone. Those that were stopped, paused,
  /// denied or killed from outside neither count nor break the row, and neither do those that had
  /// too little time for a step because their process waited for the lock, or because an outside
  /// end was near. An error that was told to the user breaks it, so that the next run has its
  /// chances again.
  package var stintsWithoutProgress: Int { closedStintsWithoutProgress }

  /// How many stints began after the one that finished the work last; all, if none did.
  package var stintsSinceFinish: Int { stints - stintsUntilFinish }

  /// What a worker that starts now can learn from all of it.
  package var workHistory: WorkHistory {
    var history = pastHistory
    history.stints = stints
    history.ran = elapsed
    history.waited = lockWait?.took ?? .zero
    history.leastBudget = leastBudget
    return history
  }

  /// Whether a part of the result went out in the last stint, and not all of it.
  package var hasCutStream: Bool {
    guard let streamedBy, let lastStint, finish == nil else { return false }
    return streamedBy.isOfSameProcess(as: lastStint.began)
  }

  /// How often the restart from a generation was tried in a row without a word after it (C7).
  package func crashedTries(of sequence: UInt64) -> Int {
    sequence == triedSequence ? openTries : 0
  }

  /// Takes the last stint for over: its process is gone.
  package mutating func processIsGone() {
    closeLastStint()
    closeLoading()
  }

  /// Takes note that no checkpoint after this one is left: the job stands where that one does
  /// (W10).
  ///
  /// - Parameters:
  ///   - sequence: The newest that is there.
  ///   - workTime: The job's own time up to it, for one that is not remembered.
  ///   - stamp: When that was seen.
  package mutating func isSetBack(
    to sequence: UInt64, workTime: Duration? = nil, at stamp: JournalRecord.Stamp? = nil
  ) {
    guard let last = lastCheckpoint, sequence < last.sequence else { return }
    let known = newestCheckpoints.last { $0.sequence == sequence }
    let workTime = workTime ?? known?.workTime ?? .zero
    lastCheckpoint =
      known
      ?? Checkpoint(
        sequence: sequence, sizeBytes: 0, workTime: workTime, fraction: 0,
        stamp: stamp ?? last.stamp)
    self.workTime = workTime
  }

  /// Takes in the next record.
  package mutating func add(_ record: JournalRecord) {
    if case .event(.stintBegan) = record.content {
      closeLastStint()
      if let cut = cutWhileLoading, cut.isOfSameProcess(as: record.stamp) { cutWhileLoading = nil }
      closeLoading()
      isLoading = false
    } else {
      seen(record.stamp)
    }
    switch record.content {
    case .event(let event): add(event, at: record.stamp)
    case .restoreAttempted(let sequence): tried(sequence)
    case .publishing(let sizeBytes, let checksum):
      publishing = Publishing(sizeBytes: sizeBytes, checksum: checksum)
    case .lockAwaited(let took):
      // Who waits begins.
      closeLastStint()
      closeLoading()
      lockWait = LockWait(by: record.stamp, took: took)
    case .streaming: streamedBy = record.stamp
    case .unknown: break
    }
  }

  private mutating func add(_ event: JournalEvent, at stamp: JournalRecord.Stamp) {
    switch event {
    case .stintBegan(let budget, let end, let restoredSequence, let workTime):
      stints += 1
      pickups += 1
      finishBefore = finish
      finish = nil
      if let restoredSequence { isSetBack(to: restoredSequence, workTime: workTime, at: stamp) }
      self.workTime = workTime
      lastStint = StintAccount(
        began: stamp, budget: budget, end: end, restoredSequence: restoredSequence,
        workTime: workTime, waited: waited(stamp))
      lockWait = nil
      lastStintIsCounted = false
    case .deadlineMoved:
      lastStint?.add(event, at: stamp)
    case .restoreProved:
      openTries = 0
    case .expiryAnnounced(let reason, _, _):
      openTries = 0
      guard !isLoading, lastStint?.began.isOfSameProcess(as: stamp) ?? false else {
        closeLastStint()
        closeLoading()
        if reason == .timeElapsed, waited(stamp) == .zero { cutWhileLoading = stamp }
        break
      }
      lastStint?.add(event, at: stamp)
    case .checkpoint(let sequence, let sizeBytes, let took, let workTime, let fraction):
      openTries = 0
      pastHistory.add(WorkHistory.Checkpoint(took: took, bytes: sizeBytes))
      lastStint?.add(event, at: stamp)
      checkpoints += 1
      lastSequence = max(lastSequence, sequence)
      // On its way when the result became durable: it goes with the others and is not missed by the
      // next run.
      guard finish == nil else { break }
      let checkpoint = Checkpoint(
        sequence: sequence, sizeBytes: sizeBytes, workTime: workTime, fraction: fraction,
        stamp: stamp)
      lastCheckpoint = checkpoint
      newestCheckpoints = newestCheckpoints.suffix(Self.rememberedCheckpoints - 1) + [checkpoint]
      self.workTime = workTime
      progressed()
    case .progressKept:
      openTries = 0
      progressed()
    case .stepTooLong:
      if lastStint?.isDoubtful == false { pastHistory.doubtfulStints += 1 }
      lastStint?.add(event, at: stamp)
    case .checkpointFailed:
      openTries = 0
      failedCheckpoints += 1
    case .setAside(let file, _):
      setAside.append(file)
    case .stintEnded(let reason, _, let lost, let least, let measured):
      openTries = 0
      pastHistory.add(measured)
      if let least { leastBudget = least }
      lastStint?.add(event, at: stamp)
      if lost > .zero, lastStint?.madeProgress == false,
        reason == .didNotFit || reason == .expired
      {
        pastHistory.addUnfinished()
      }
      if reason == .finished { finishedBefore() }
      // Work that is kept without a checkpoint, as a command keeps its own.
      if let stint = lastStint, stint.madeProgress { workTime = max(workTime, stint.keptWorkTime) }
      closeLastStint()
    case .finished(let sizeBytes, let checksum, let workTime):
      openTries = 0
      lastStint?.add(event, at: stamp)
      self.workTime = workTime
      lastCheckpoint = nil
      stintsUntilFinish = stints
      publishing = Publishing(sizeBytes: sizeBytes, checksum: checksum)
      finish = Finish(sizeBytes: sizeBytes, checksum: checksum, workTime: workTime, stamp: stamp)
      progressed()
    case .terminationInferred, .workerEnded:
      lastStint?.add(event, at: stamp)
    case .notice:
      break
    }
  }

  /// The last stint only waited for a result whose delivery an earlier one of the same process had
  /// begun.
  private mutating func finishedBefore() {
    guard finish == nil, let stint = lastStint, let before = finishBefore,
      before.stamp.isOfSameProcess(as: stint.began)
    else { return }
    finish = before
    workTime = before.workTime
    lastCheckpoint = nil
    progressed()
  }

  private mutating func tried(_ sequence: UInt64) {
    isLoading = true
    pickups += 1
    openTries = sequence == triedSequence ? openTries + 1 : 1
    triedSequence = sequence
    lastSequence = max(lastSequence, sequence)
  }

  private mutating func progressed() {
    lastStint?.madeProgress = true
    closedStintsWithoutProgress = 0
  }

  /// Takes a line of the last stint's own process for a sign that it still ran.
  private mutating func seen(_ stamp: JournalRecord.Stamp) {
    guard let stint = lastStint, stint.began.isOfSameProcess(as: stamp),
      stamp.instant >= stint.lastSeen.instant, !lastStintIsCounted
    else { return }
    elapsed += stint.lastSeen.instant.duration(to: stamp.instant)
    lastStint?.lastSeen = stamp
  }

  /// How long the process that wrote a line waited for the lock, if it has begun no stint yet.
  private func waited(_ stamp: JournalRecord.Stamp) -> Duration {
    guard let lockWait, lockWait.by.isOfSameProcess(as: stamp) else { return .zero }
    return lockWait.took
  }

  private mutating func closeLoading() {
    if cutWhileLoading != nil { closedStintsWithoutProgress += 1 }
    cutWhileLoading = nil
  }

  private mutating func closeLastStint() {
    guard let stint = lastStint, !lastStintIsCounted else { return }
    lastStintIsCounted = true
    if stint.endedUnprepared { pastHistory.suddenEnds += 1 }
    if stint.madeProgress, !stint.isDoubtful { pastHistory.doubtfulStints = 0 }
    guard !stint.madeProgress else { return }
    let counted = stint.wasShort(leastBudget: leastBudget) ? 0 : 1
    switch stint.ended {
    case .didNotFit, .expired:
      closedStintsWithoutProgress += counted
    case nil:
      // Killed: by its own deadline only if that was announced.
      switch stint.announced?.reason {
      case .timeElapsed, .engineEndTime: closedStintsWithoutProgress += counted
      case .revoked, .denied, .stopRequested, .signal, .requirementLost, .leastProgress, nil: break
      }
    case .denied, .paused, .stopRequested, .extended:
      break
    case .finished, .failed:
      closedStintsWithoutProgress = 0
    }
  }
}
