import StintCore
import StintRuntime

/// Reads from the journal how the process before this one was ended (L8).
enum LastTermination {
  /// What is inferred: a name for the journal.
  ///
  /// The inference is the core's; of its causes, those that a journal alone can tell apart.
  enum Cause: String, Hashable, Sendable, CaseIterable {
    case killed, overrun, killedWhileSuspended, crash, machineRestarted
  }

  /// A sentence about the last run if it did not end in order, once; nil otherwise.
  static func explain(_ job: Job, identity: StoreIdentity = .current()) -> String? {
    let history = job.history
    // It was reported before: another run said it, and was ended before its own stint began.
    guard history.inferredCause == nil,
      let cause = infer(history, bootID: identity.bootID, now: identity.bootClock())
    else { return nil }
    job.record(.terminationInferred(cause: cause.rawValue), durably: false)
    let left = job.progressBytes().flatMap(ProgressReading.init(json:))
    return sentence(cause, stint: history.lastStint) + redone(history, left)
  }

  /// What became of the last stint of a job that nobody works on; nil if it ended in order.
  static func infer(_ history: JournalSummary, bootID: String, now: Instant) -> Cause? {
    guard let stint = history.lastStint, stint.ended == nil, history.finish == nil else {
      return nil
    }
    let isLimited = stint.budget != nil || stint.announced != nil
    var ledger = ExitLedger(
      bootID: stint.began.bootID, lifeState: isLimited ? .background : .active)
    ledger.announcement = stint.announced.map {
      ExitLedger.Announcement(deadline: $0.deadline, openTasks: $0.openTasks)
    }
    ledger.waitStatus = stint.endedBySignal.map { .signaled($0) }
    switch ledger.inference(bootID: bootID, now: now) {
    case .inOrder: return nil
    case .machineRestarted: return .machineRestarted
    case .terminated(let cause): return Self.cause(cause)
    }
  }

  private static func cause(_ cause: TerminationCause) -> Cause {
    switch cause {
    case .overrun, .leakedTask, .neverCompleted, .handlersOverran, .enterBackgroundOverran: .overrun
    case .killedWhileSuspended: .killedWhileSuspended
    case .crash: .crash
    case .signal: .killed
    }
  }

  private static func sentence(_ cause: Cause, stint: StintAccount?) -> String {
    let who = stint.map { " (process \($0.began.pid))" } ?? ""
    let signal = cause == .crash ? stint?.endedBySignal.map { " (signal \($0))" } ?? "" : ""
    return "The last stint\(who) did not end normally: \(words(for: cause.rawValue))\(signal). "
      + "Nothing that was saved is lost."
  }

  /// How much is done again: at least the time for which the dead process was seen alive after its
  /// last checkpoint.
  private static func redone(_ history: JournalSummary, _ left: ProgressReading?) -> String {
    guard let stint = history.lastStint else { return "" }
    var seen = stint.lastSeen.instant
    if let left, left.stamp.isOfSameProcess(as: stint.began) {
      seen = max(seen, left.stamp.instant)
    }
    var since = stint.began.instant
    if let kept = history.lastCheckpoint?.stamp, kept.isOfSameProcess(as: stint.began) {
      since = max(since, kept.instant)
    }
    let milliseconds = since.duration(to: seen).nanoseconds / 1_000_000
    guard milliseconds > 0 else {
      return " What it computed since its last checkpoint is done again."
    }
    let shown = Duration.milliseconds(milliseconds).compactText
    return " At least \(shown) since the last checkpoint is done again."
  }

  /// A cause in the journal as a sentence part; an unknown one, from a newer version, stays as it
  /// is.
  static func words(for cause: String) -> String {
    switch Cause(rawValue: cause) {
    case .killed: "it was killed, or it crashed"
    case .overrun: "it was still running at its deadline and was killed"
    case .killedWhileSuspended: "it was killed while suspended"
    case .crash: "it crashed"
    case .machineRestarted: "the machine was restarted"
    case nil: SliceEnd(rawValue: cause)?.words ?? cause
    }
  }
}

/// How an engine ended a job, where its own exit status does not say it.
enum SliceEnd: String, Hashable, Sendable, CaseIterable {
  case preempted, cancelled, nodeLost, timedOut, outOfMemory
  /// Nobody knows more: it was killed, or the machine went down.
  case vanished

  /// Whether that is not the fault of the work.
  var isExcused: Bool { [.preempted, .cancelled, .nodeLost, .vanished].contains(self) }

  /// For a table.
  var words: String {
    switch self {
    case .preempted: "preempted"
    case .cancelled: "cancelled"
    case .nodeLost: "its node was lost"
    case .timedOut: "Slurm ended it at its time limit"
    case .outOfMemory: "it was out of memory"
    case .vanished: "it was killed, or the machine went down"
    }
  }
}
