import StintCore

/// Every member that a line can have.
struct JournalFields: Decodable {
  var event = ""
  var unixSeconds = 0.0
  var bootId = ""
  var bootSeconds = 0.0
  var pid: Int32 = 0

  var budgetSeconds: Double?
  var restoredSequence: UInt64?
  var workTimeSeconds: Double?
  var sequence: UInt64?
  var reason: String?
  var signal: Int32?
  var denial: String?
  var deadlineBootSeconds: Double?
  var openTasks: [String]?
  var sizeBytes: Int?
  var tookSeconds: Double?
  var fraction: Double?
  var message: String?
  var errno: Int32?
  var file: String?
  var why: String?
  var savedSeconds: Double?
  var lostSeconds: Double?
  var checksum: String?
  var cause: String?

  /// The label, to the millisecond: a number of this size with more digits would not come back exactly.
  var unixNanoseconds: Int64 {
    Int64(min(max((unixSeconds * 1000).rounded(), -9e12), 9e12)) * 1_000_000
  }

  /// What the members mean, or nil if one that the event needs is missing.
  var content: JournalRecord.Content? {
    switch event {
    case "restoreAttempted":
      sequence.map { .restoreAttempted(sequence: $0) }
    case "publishing":
      if let sizeBytes, let checksum {
        .publishing(sizeBytes: sizeBytes, checksum: checksum)
      } else {
        nil
      }
    case "stintBegan", "stintEnded", "finished", "restoreProved":
      stintEvent.map { .event($0) }
    case "checkpoint", "checkpointFailed", "setAside":
      checkpointEvent.map { .event($0) }
    case "progressKept":
      .event(.progressKept)
    case "expiryAnnounced", "terminationInferred", "workerEnded", "notice":
      noticeEvent.map { .event($0) }
    case _:
      .unknown(event)
    }
  }

  private var stintEvent: JournalEvent? {
    if event == "stintBegan", let workTimeSeconds {
      return .stintBegan(
        budget: budgetSeconds.map(Duration.init(clampingSeconds:)),
        restoredSequence: restoredSequence, workTime: Duration(clampingSeconds: workTimeSeconds))
    }
    if event == "stintEnded", let end = reason.flatMap(StintEnd.init(rawValue:)) {
      return .stintEnded(
        reason: end, saved: Duration(clampingSeconds: savedSeconds ?? 0),
        lost: Duration(clampingSeconds: lostSeconds ?? 0))
    }
    if event == "finished", let sizeBytes, let checksum, let workTimeSeconds {
      return .finished(
        sizeBytes: sizeBytes, checksum: checksum,
        workTime: Duration(clampingSeconds: workTimeSeconds))
    }
    if event == "restoreProved", let sequence { return .restoreProved(sequence: sequence) }
    return nil
  }

  private var checkpointEvent: JournalEvent? {
    if event == "checkpoint", let sequence, let sizeBytes, let workTimeSeconds {
      return .checkpoint(
        sequence: sequence, sizeBytes: sizeBytes,
        took: Duration(clampingSeconds: tookSeconds ?? 0),
        workTime: Duration(clampingSeconds: workTimeSeconds), fraction: fraction ?? 0)
    }
    if event == "checkpointFailed", let message {
      return .checkpointFailed(message: message, errno: errno ?? 0)
    }
    if event == "setAside", let file, let why { return .setAside(file: file, why: why) }
    return nil
  }

  private var noticeEvent: JournalEvent? {
    if event == "expiryAnnounced", let expiryReason, let deadlineBootSeconds {
      return .expiryAnnounced(
        reason: expiryReason,
        deadline: Instant(
          nanoseconds: Duration(clampingSeconds: deadlineBootSeconds).nanoseconds),
        openTasks: openTasks ?? [])
    }
    if event == "terminationInferred", let cause { return .terminationInferred(cause: cause) }
    if event == "workerEnded", let signal { return .workerEnded(signal: signal) }
    if event == "notice", let message { return .notice(message) }
    return nil
  }

  private var expiryReason: ExpiryReason? {
    switch reason {
    case "timeElapsed": .timeElapsed
    case "revoked": .revoked
    case "denied": .denied(.refused(denial ?? ""))
    case "stopRequested": .stopRequested
    case "signal": signal.map { .signal($0) }
    case "engineEndTime": .engineEndTime
    case _: nil
    }
  }
}
