import StintCore

extension JournalRecord {
  /// Reads a line without its newline; nil if it is not a whole record.
  ///
  /// An event of a name that this version does not know is not an error.
  package init?(line: some Collection<UInt8>) {
    guard let object = try? JSONObject(Array(line)), let stamp = try? Stamp(object),
      let content = try? Content(object)
    else { return nil }
    self.init(stamp: stamp, content: content)
  }
}

extension JournalRecord.Stamp {
  package init(_ object: JSONObject) throws(JSONFault) {
    // To the millisecond: a number of this size with more digits would not come back exactly.
    let milliseconds = (try object.number("unixSeconds") * 1000).rounded()
    self.init(
      unixNanoseconds: Int64(min(max(milliseconds, -9e12), 9e12)) * 1_000_000,
      bootID: try object.text("bootId"), instant: try object.instant("bootSeconds"),
      pid: try object.integer("pid"))
    engineJob = try EngineJob(object)
  }
}

extension JournalRecord.Content {
  fileprivate init(_ object: JSONObject) throws(JSONFault) {
    let event = try object.text("event")
    switch event {
    case "restoreAttempted":
      self = .restoreAttempted(sequence: try object.integer("sequence"))
    case "publishing":
      self = .publishing(
        sizeBytes: try object.integer("sizeBytes"), checksum: try object.text("checksum"))
    case "lockAwaited":
      self = .lockAwaited(took: try object.seconds("tookSeconds"))
    case "streaming":
      self = .streaming
    case _:
      self = try JournalEvent(event, object).map { .event($0) } ?? .unknown(event)
    }
  }
}

extension JournalEvent {
  /// Reads an event; nil if its name is unknown.
  fileprivate init?(_ name: String, _ object: JSONObject) throws(JSONFault) {
    switch name {
    case "stintBegan":
      self = .stintBegan(
        budget: try object.optionalSeconds("budgetSeconds"), end: try object.tripEnd(),
        restoredSequence: try object.optionalInteger("restoredSequence"),
        workTime: try object.seconds("workTimeSeconds"))
    case "deadlineMoved":
      self = .deadlineMoved(to: try object.tripEnd())
    case "stintEnded":
      self = .stintEnded(
        reason: try object.choice("reason"),
        saved: try object.optionalSeconds("savedSeconds") ?? .zero,
        lost: try object.optionalSeconds("lostSeconds") ?? .zero,
        leastBudget: try object.optionalSeconds("leastBudgetSeconds"),
        measured: try object.objects("chunks").map {
          (chunk) throws(JSONFault) in try WorkHistory.MeasuredChunk(chunk)
        })
    case "finished":
      self = .finished(
        sizeBytes: try object.integer("sizeBytes"), checksum: try object.text("checksum"),
        workTime: try object.seconds("workTimeSeconds"))
    case "restoreProved":
      self = .restoreProved(sequence: try object.integer("sequence"))
    case "checkpoint":
      self = .checkpoint(
        sequence: try object.integer("sequence"), sizeBytes: try object.integer("sizeBytes"),
        took: try object.optionalSeconds("tookSeconds") ?? .zero,
        workTime: try object.seconds("workTimeSeconds"),
        fraction: try object.optionalNumber("fraction") ?? 0)
    case "progressKept":
      self = .progressKept
    case "stepTooLong":
      self = .stepTooLong(expected: try object.seconds("expectedSeconds"))
    case "checkpointFailed":
      self = .checkpointFailed(
        message: try object.text("message"), errno: try object.optionalInteger("errno") ?? 0)
    case "setAside":
      self = .setAside(file: try object.text("file"), why: try object.text("why"))
    case "expiryAnnounced":
      self = .expiryAnnounced(
        reason: try ExpiryReason(object), deadline: try object.instant("deadlineBootSeconds"),
        openTasks: try object.optionalTexts("openTasks") ?? [])
    case "terminationInferred":
      self = .terminationInferred(cause: try object.text("cause"))
    case "workerEnded":
      self = .workerEnded(signal: try object.integer("signal"))
    case "notice":
      self = .notice(try object.text("message"))
    case _:
      return nil
    }
  }
}

extension WorkHistory.MeasuredChunk {
  fileprivate init(_ object: JSONObject) throws(JSONFault) {
    self.init(
      took: try object.seconds("tookSeconds"), cost: try object.number("cost"),
      isCut: try object.optional("isCut", "true or false") { $0.truth } ?? false)
  }
}

extension ExpiryReason {
  fileprivate init(_ object: JSONObject) throws(JSONFault) {
    switch try object.text("reason") {
    case "timeElapsed": self = .timeElapsed
    case "revoked": self = .revoked
    case "denied": self = .denied(.refused(try object.optionalText("denial") ?? ""))
    case "stopRequested": self = .stopRequested
    case "signal": self = .signal(try object.integer("signal"))
    case "engineEndTime": self = .engineEndTime
    case "requirementLost":
      let name = try object.text("requirement")
      guard let requirement = TaskRequirement(rawValue: name) else {
        throw JSONFault("the requirement \"\(name)\" is unknown")
      }
      self = .requirementLost(requirement)
    case "leastProgress": self = .leastProgress
    case let reason: throw JSONFault("the reason \"\(reason)\" is unknown")
    }
  }
}

extension JSONObject {
  fileprivate func tripEnd() throws(JSONFault) -> Deadline? {
    guard let source = try optionalText("endSource") else { return nil }
    return Deadline(source: source, instant: try instant("endBootSeconds"))
  }

  fileprivate func instant(_ name: String) throws(JSONFault) -> Instant {
    Instant(nanoseconds: try seconds(name).nanoseconds)
  }
}
