import StintCore
import StintRuntime

/// The stints of a job, one by one, as its journal tells them.
struct StintHistory: Hashable, Sendable {
  /// One stint.
  struct PastStint: Hashable, Sendable {
    var began: JournalRecord.Stamp
    var lastSeen: JournalRecord.Stamp
    var budget: Duration?
    var restoredSequence: UInt64?
    var workTimeAtBegin: Duration = .zero
    var checkpoints = 0
    var ended: StintEnd?
    var saved: Duration = .zero
    var lost: Duration = .zero
    var announced: ExpiryReason?
    var isFinished = false
    /// How its process was ended, as a later run has inferred.
    var inferredCause: String?
    /// Every line from its begin to the next one's, whoever wrote it.
    var records: [JournalRecord] = []

    /// From its first line to its last.
    var elapsed: Duration { max(.zero, began.instant.duration(to: lastSeen.instant)) }
  }

  private(set) var stints: [PastStint] = []
  private(set) var garbageLines = 0
  /// Whether the last line was torn by the end of a process.
  private(set) var lastLineIsTorn = false

  /// Reads a journal.
  init(journal bytes: [UInt8]) {
    let (records, garbageLines) = Journal.parse(bytes)
    self.garbageLines = garbageLines
    lastLineIsTorn = bytes.last.map { $0 != UInt8(ascii: "\n") } ?? false
    for record in records { add(record) }
  }

  private mutating func add(_ record: JournalRecord) {
    if case .event(.stintBegan(let budget, let restoredSequence, let workTime)) = record.content {
      stints.append(
        PastStint(
          began: record.stamp, lastSeen: record.stamp, budget: budget,
          restoredSequence: restoredSequence, workTimeAtBegin: workTime))
      return
    }
    guard var stint = stints.popLast() else { return }
    defer { stints.append(stint) }
    stint.records.append(record)
    if record.stamp.pid == stint.began.pid, record.stamp.bootID == stint.began.bootID,
      stint.ended == nil
    {
      stint.lastSeen = record.stamp
    }
    guard case .event(let event) = record.content else { return }
    switch event {
    case .checkpoint:
      stint.checkpoints += 1
    case .expiryAnnounced(let reason, _, _):
      stint.announced = reason
    case .stintEnded(let reason, let saved, let lost):
      stint.ended = reason
      // A durable result keeps all of the work, whatever was a checkpoint.
      if stint.isFinished { break }
      stint.saved = saved
      stint.lost = lost
    case .finished(_, _, let workTime):
      stint.isFinished = true
      stint.saved = max(.zero, workTime - stint.workTimeAtBegin)
    case .terminationInferred(let cause):
      stint.inferredCause = cause
    case .stintBegan, .restoreProved, .progressKept, .checkpointFailed, .setAside, .workerEnded,
      .notice:
      break
    }
  }
}

extension StintHistory.PastStint {
  /// How it ended, in a few words.
  ///
  /// - Parameter isOpen: Whether its process still runs.
  /// - Returns: A clause for a table.
  func ending(isOpen: Bool) -> String {
    if let ended {
      if ended == .stopRequested, case .signal(let number) = announced {
        return "signal \(number) arrived"
      }
      return ended.words
    }
    if isFinished { return StintEnd.finished.words }
    if isOpen { return "it is running" }
    return inferredCause.map(LastTermination.words(for:)) ?? "it never said"
  }
}

extension StintEnd {
  /// Why a stint ended, as a clause for people.
  var words: String {
    switch self {
    case .didNotFit: "the next chunk did not fit"
    case .expired: "its time ran out"
    case .denied: "it was denied a task"
    case .paused: "paused"
    case .stopRequested: "a stop was requested"
    case .finished: "finished"
    case .failed: "an error ended it"
    }
  }
}
