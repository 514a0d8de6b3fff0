import StintCore

extension JournalRecord {
  /// The record as a line of `journal.jsonl`; `docs/formats/journal.md` has the schema.
  package var line: String {
    var json = JSONLine()
    json.add("event", content.name)
    json.add("time", wallClockText(stamp.unixNanoseconds))
    json.add("unixSeconds", seconds: .nanoseconds(stamp.unixNanoseconds), decimals: 3)
    json.add("bootId", stamp.bootID)
    json.add("bootSeconds", seconds: .nanoseconds(stamp.instant.nanoseconds))
    json.add("pid", stamp.pid)
    switch content {
    case .event(let event): Self.add(event, at: stamp, to: &json)
    case .restoreAttempted(let sequence): json.add("sequence", sequence)
    case .publishing(let sizeBytes, let checksum):
      json.add("sizeBytes", sizeBytes)
      json.add("checksum", checksum)
    case .lockAwaited(let took): json.add("tookSeconds", seconds: took)
    case .streaming, .unknown: break
    }
    return json.line
  }

  private static func add(_ event: JournalEvent, at stamp: Stamp, to json: inout JSONLine) {
    switch event {
    case .stintBegan(let budget, let end, let restoredSequence, let workTime):
      stamp.engineJob?.add(to: &json)
      json.add("budgetSeconds", seconds: budget)
      add(end, at: stamp, to: &json)
      json.add("restoredSequence", restoredSequence)
      json.add("workTimeSeconds", seconds: workTime)
    case .deadlineMoved(let end):
      add(end, at: stamp, to: &json)
    case .restoreProved(let sequence):
      json.add("sequence", sequence)
    case .expiryAnnounced(let reason, let deadline, let openTasks):
      json.add("reason", reason.name)
      if case .signal(let number) = reason { json.add("signal", number) }
      if case .denied(let denial) = reason { json.add("denial", denial.description) }
      if case .requirementLost(let requirement) = reason {
        json.add("requirement", requirement.rawValue)
      }
      json.add("deadlineBootSeconds", seconds: .nanoseconds(deadline.nanoseconds))
      json.add("openTasks", openTasks)
    case .checkpoint(let sequence, let sizeBytes, let took, let workTime, let fraction):
      json.add("sequence", sequence)
      json.add("sizeBytes", sizeBytes)
      json.add("tookSeconds", seconds: took)
      json.add("workTimeSeconds", seconds: workTime)
      json.add("fraction", fraction)
    case .progressKept:
      break
    case .stepTooLong(let expected):
      json.add("expectedSeconds", seconds: expected)
    case .checkpointFailed(let message, let errno):
      json.add("message", message)
      json.add("errno", errno)
    case .setAside(let file, let why):
      json.add("file", file)
      json.add("why", why)
    case .stintEnded(let reason, let saved, let lost, let leastBudget, let measured):
      json.add("reason", reason.rawValue)
      json.add("savedSeconds", seconds: saved)
      json.add("lostSeconds", seconds: lost)
      json.add("leastBudgetSeconds", seconds: leastBudget)
      if !measured.isEmpty {
        json.add(
          "chunks",
          objects: measured.map { chunk in
            var object = JSONLine()
            object.add("tookSeconds", seconds: chunk.took)
            object.add("cost", chunk.cost)
            if chunk.isCut { object.add("isCut", isTrue: true) }
            return object
          })
      }
    case .finished(let sizeBytes, let checksum, let workTime):
      json.add("sizeBytes", sizeBytes)
      json.add("checksum", checksum)
      json.add("workTimeSeconds", seconds: workTime)
    case .terminationInferred(let cause):
      json.add("cause", cause)
    case .workerEnded(let signal):
      json.add("signal", signal)
    case .notice(let message):
      json.add("message", message)
    }
  }
}

extension JournalRecord {
  /// The end by the clock of this boot, and by the wall clock of now: a label.
  private static func add(_ end: Deadline?, at stamp: Stamp, to json: inout JSONLine) {
    guard let end else { return }
    json.add("endSource", end.source)
    json.add("endBootSeconds", seconds: .nanoseconds(end.instant.nanoseconds))
    let distance = stamp.instant.duration(to: end.instant)
    json.add(
      "endUnixSeconds", seconds: .nanoseconds(stamp.unixNanoseconds) + distance, decimals: 3)
  }
}

extension JournalRecord.Content {
  /// The name of the event in the file.
  var name: String {
    switch self {
    case .restoreAttempted: "restoreAttempted"
    case .publishing: "publishing"
    case .lockAwaited: "lockAwaited"
    case .streaming: "streaming"
    case .unknown(let name): name
    case .event(let event):
      switch event {
      case .stintBegan: "stintBegan"
      case .deadlineMoved: "deadlineMoved"
      case .restoreProved: "restoreProved"
      case .expiryAnnounced: "expiryAnnounced"
      case .checkpoint: "checkpoint"
      case .progressKept: "progressKept"
      case .stepTooLong: "stepTooLong"
      case .checkpointFailed: "checkpointFailed"
      case .setAside: "setAside"
      case .stintEnded: "stintEnded"
      case .finished: "finished"
      case .terminationInferred: "terminationInferred"
      case .workerEnded: "workerEnded"
      case .notice: "notice"
      }
    }
  }
}

extension ExpiryReason {
  /// The name of the reason in the file.
  var name: String {
    switch self {
    case .timeElapsed: "timeElapsed"
    case .revoked: "revoked"
    case .denied: "denied"
    case .stopRequested: "stopRequested"
    case .signal: "signal"
    case .engineEndTime: "engineEndTime"
    case .requirementLost: "requirementLost"
    case .leastProgress: "leastProgress"
    }
  }
}
