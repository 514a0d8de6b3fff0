package import StintCore

/// The account of one stint: what it was granted, kept and lost, and how it ended.
///
/// ``JournalSummary`` folds it from the lines of a journal. Everything that tells of a stint takes
/// its figures from here.
package struct StintAccount: Hashable, Sendable {
  /// An expiry that was announced before the handlers were called.
  package struct Announcement: Hashable, Sendable {
    package var reason: ExpiryReason
    package var deadline: Instant
    package var openTasks: [String]
    package var stamp: JournalRecord.Stamp
  }

  /// When it began, in which boot, in which process.
  package let began: JournalRecord.Stamp
  /// The last line that its process wrote.
  package internal(set) var lastSeen: JournalRecord.Stamp
  /// The budget, or nil when it was unlimited; an end that moved has made it another one.
  package private(set) var budget: Duration?
  /// When its trip ended, and whose word that was, as far as is known.
  package private(set) var end: Deadline?
  /// The generation that it went on from.
  package let restoredSequence: UInt64?
  /// How many checkpoints became durable in it.
  package private(set) var checkpoints = 0
  /// Whether a checkpoint, the result or a part of it became durable in it.
  package internal(set) var madeProgress = false
  /// Whether its measurements showed a step that fits no budget (W2).
  package private(set) var isDoubtful = false
  /// The expiry that was announced in it.
  package private(set) var announced: Announcement?
  /// Why it ended, or nil if it never said.
  package private(set) var ended: StintEnd?
  /// The signal that ended its process, if a supervisor saw that.
  package private(set) var endedBySignal: Int32?
  /// How its process was ended, as a later run has inferred.
  package private(set) var inferredCause: String?
  /// Whether the result became durable in it.
  package private(set) var isFinished = false

  /// How long its process had waited for the lock before it began.
  let waited: Duration
  /// Whether its time was the same budget that every stint of its command line gets.
  let hasOwnBudget: Bool
  private let workTimeAtBegin: Duration
  /// Whether a checkpoint became durable after the expiry was announced.
  private var isSavedAfterNews = false
  private var toldSaved: Duration?
  private var toldLost: Duration?
  /// The job's own time up to the last that became durable.
  private var durableWorkTime: Duration?

  init(
    began: JournalRecord.Stamp, budget: Duration?, end: Deadline?, restoredSequence: UInt64?,
    workTime: Duration, waited: Duration
  ) {
    self.began = began
    self.waited = waited
    hasOwnBudget = budget != nil
    lastSeen = began
    self.budget = budget
    self.end = end
    self.restoredSequence = restoredSequence
    workTimeAtBegin = workTime
  }

  /// Whether its end found it unprepared, so that more checkpoints would have helped.
  ///
  /// It ended without a word, or with so little notice that work was lost and nothing could be made
  /// durable. What was begun after a checkpoint that followed the word is another matter: no
  /// checkpoint before it would have kept that.
  var endedUnprepared: Bool {
    guard let announced else { return ended == nil }
    if isSavedAfterNews { return false }
    if ended == nil { return true }
    switch announced.reason {
    case .revoked, .signal, .requirementLost, .leastProgress:
      return toldLost.map { $0 > .zero } ?? false
    case .timeElapsed, .denied, .stopRequested, .engineEndTime: return false
    }
  }

  /// From its first line to its last.
  package var elapsed: Duration { max(.zero, began.instant.duration(to: lastSeen.instant)) }

  /// The work time that became durable in it, as it said itself, else as its checkpoints show.
  ///
  /// A durable result keeps all of the work, whatever was a checkpoint. Where nothing became
  /// durable, nothing is saved, whatever the stint said. A chunk may have run since an earlier
  /// stint, or during a rest: this stint has saved no more than it ran.
  package var saved: Duration { max(.zero, min(elapsed, gained)) }

  /// The work time that it lost; nil if it was ended before it could say.
  ///
  /// What the stint called saved and nothing durable holds is lost as well.
  package var lost: Duration? {
    if isFinished { return .zero }
    guard let toldLost else { return nil }
    let unkept = madeProgress ? .zero : max(.zero, toldSaved ?? .zero)
    return max(.zero, min(elapsed - saved, toldLost + unkept))
  }

  /// The job's own time that is kept at its end.
  var keptWorkTime: Duration { workTimeAtBegin + saved }

  private var gained: Duration {
    guard madeProgress else { return .zero }
    if !isFinished, let toldSaved { return toldSaved }
    return durableWorkTime.map { $0 - workTimeAtBegin } ?? .zero
  }

  /// Whether it must not count: it had too little time for a step, as far as is known what that
  /// takes, and another one may have enough (W13).
  func wasShort(leastBudget least: Duration?) -> Bool {
    guard let end else { return false }
    return ShortTime.isShort(
      began.instant.duration(to: end.instant), leastBudget: least, waited: waited,
      repeats: hasOwnBudget)
  }

  /// Takes in an event that is told of this stint.
  mutating func add(_ event: JournalEvent, at stamp: JournalRecord.Stamp) {
    switch event {
    case .checkpoint(_, _, _, let workTime, _):
      checkpoints += 1
      if announced != nil { isSavedAfterNews = true }
      // One that was on its way when the result became durable goes with the others.
      if !isFinished { durableWorkTime = workTime }
    case .expiryAnnounced(let reason, let deadline, let openTasks):
      announced = Announcement(
        reason: reason, deadline: deadline, openTasks: openTasks, stamp: stamp)
    case .stintEnded(let reason, let saved, let lost, _, _):
      ended = reason
      toldSaved = saved
      toldLost = lost
    case .finished(_, _, let workTime):
      isFinished = true
      durableWorkTime = workTime
    case .terminationInferred(let cause):
      inferredCause = cause
    case .workerEnded(let signal):
      endedBySignal = signal
    case .stepTooLong:
      isDoubtful = true
    case .deadlineMoved(let end):
      self.end = end
      budget = end.map { began.instant.duration(to: $0.instant) }
      announced?.deadline = end?.instant ?? .distantFuture
    case .stintBegan, .restoreProved, .progressKept, .checkpointFailed, .setAside, .notice:
      break
    }
  }
}
