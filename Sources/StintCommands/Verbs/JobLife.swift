import StintCore
import StintReport
import StintRuntime

/// The life of a job as its journal tells it.
enum JobLife {
  /// Maps the stints of a journal to a life, whose clock is at zero when the first of them began.
  ///
  /// While a process works on the job, the last stint is not over: it has run until now, or until
  /// its last line. What is inferred of the last stint is told if no run has told it yet.
  static func life(
    of history: StintHistory, isRunning: Bool, lastTermination: LastTermination.Cause? = nil,
    now: JournalRecord.Stamp? = nil
  ) -> Life {
    var life = Life()
    var (zero, end) = (Int64(0), Duration.zero)
    for (index, past) in history.stints.enumerated() {
      if index == 0 { zero = past.began.unixNanoseconds }
      let isOpen = isRunning && index == history.stints.count - 1
      // Wall clocks are set back at times; a stint never begins before the one before it ended.
      let (told, overflow) = past.began.unixNanoseconds.subtractingReportingOverflow(zero)
      var stint = stint(
        past, isOpen: isOpen, began: max(end, overflow ? .zero : .nanoseconds(told)))
      if stint.ending == .open, let now, now.bootID == past.began.bootID {
        stint.elapsed = max(stint.elapsed, past.began.instant.duration(to: now.instant))
      }
      if index == history.stints.count - 1, stint.ending == .killed, let lastTermination {
        stint.words = LastTermination.words(for: lastTermination.rawValue)
      }
      end = stint.began + stint.elapsed
      life.stints.append(stint)
    }
    return life
  }

  private static func stint(
    _ past: StintHistory.PastStint, isOpen: Bool, began: Duration
  ) -> LifeStint {
    let ending = ending(of: past, isOpen: isOpen)
    var stint = LifeStint(
      began: began, moment: TextTable.moment(past.began.unixNanoseconds),
      process: Int(past.began.pid), budget: past.budget, elapsed: past.elapsed, saved: past.saved,
      lost: past.lost, ending: ending, words: past.account.ending(isOpen: isOpen))
    for record in past.records { add(record, of: past, to: &stint) }
    return stint
  }

  private static func add(
    _ record: JournalRecord, of past: StintHistory.PastStint, to stint: inout LifeStint
  ) {
    guard case .event(let event) = record.content else { return }
    let isItsOwn =
      record.stamp.pid == past.began.pid && record.stamp.bootID == past.began.bootID
    // What the next process said before its own stint began is told of the end of this one.
    let at =
      isItsOwn
      ? min(max(.zero, past.began.instant.duration(to: record.stamp.instant)), past.elapsed)
      : past.elapsed
    func remark(_ kind: LifeStint.Remark.Kind, _ text: String) {
      stint.remarks.append(.init(at: at, kind: kind, text: text))
    }
    switch event {
    case .checkpoint(_, let sizeBytes, let took, let workTime, _):
      // A command makes its checkpoints itself, and nobody knows what they cost.
      let cost = took > .zero ? took : nil
      stint.checkpoints.append(
        .init(at: at, took: cost, sizeBytes: sizeBytes, workTime: workTime))
    case .expiryAnnounced(let reason, let deadline, _):
      stint.expiries.append(
        .init(
          at: at, reason: reason.description,
          deadline: isItsOwn && deadline != .distantFuture
            ? max(.zero, past.began.instant.duration(to: deadline)) : nil))
    case .checkpointFailed(let message, _): remark(.checkpointFailed, message)
    case .setAside(let file, let why): remark(.setAside, "\(file) was set aside: it \(why)")
    case .terminationInferred(let cause):
      remark(.termination, LastTermination.words(for: cause))
    case .workerEnded(let signal):
      remark(.termination, "signal \(signal) ended the worker's process")
    case .notice(let message): remark(.notice, message)
    case .stintBegan, .deadlineMoved, .restoreProved, .progressKept, .stepTooLong, .stintEnded,
      .finished:
      break
    }
  }

  private static func ending(of past: StintHistory.PastStint, isOpen: Bool) -> LifeStint.Ending {
    if past.isFinished { return .finished }
    switch past.ended {
    case .finished: return .finished
    case .didNotFit, .expired, .extended: return .timeUp
    case .denied: return .denied
    case .paused, .stopRequested: return .asked
    case .failed: return .failed
    case nil: return isOpen ? .open : .killed
    }
  }
}
