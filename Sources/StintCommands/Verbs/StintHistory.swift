import StintCore
import StintRuntime

/// The stints of a job, one by one, as its journal tells them.
struct StintHistory: Hashable, Sendable {
  @dynamicMemberLookup
  struct PastStint: Hashable, Sendable {
    var account: StintAccount
    /// Every line after its first up to the next one's, whoever wrote it.
    var records: [JournalRecord] = []

    subscript<Value>(dynamicMember path: KeyPath<StintAccount, Value>) -> Value {
      account[keyPath: path]
    }
  }

  private(set) var stints: [PastStint] = []
  private(set) var garbageLines = 0
  /// Whether the last line was torn by the end of a process.
  private(set) var lastLineIsTorn = false

  init(journal bytes: [UInt8]) {
    let (records, garbageLines) = Journal.parse(bytes)
    self.garbageLines = garbageLines
    lastLineIsTorn = bytes.last.map { $0 != UInt8(ascii: "\n") } ?? false
    var summary = JournalSummary()
    for record in records {
      summary.add(record)
      guard let account = summary.lastStint else { continue }
      if case .event(.stintBegan) = record.content {
        stints.append(PastStint(account: account))
      } else {
        stints[stints.count - 1].account = account
        stints[stints.count - 1].records.append(record)
      }
    }
  }
}

extension StintAccount {
  /// When its trip ended, in nanoseconds since 1970; nil without an end.
  var endUnixNanoseconds: Int64? {
    end.map { end in
      let distance = began.instant.duration(to: end.instant).nanoseconds
      return began.unixNanoseconds.addingReportingOverflow(distance).partialValue
    }
  }

  /// Adds where an engine ran it, and when and by whose word its trip ended.
  func addPlace(to json: inout JSONLine) {
    began.engineJob?.add(to: &json)
    json.add("endSource", end?.source)
    json.add(
      "endUnixSeconds", seconds: endUnixNanoseconds.map(Duration.nanoseconds), decimals: 3)
  }

  /// How it ended, as a clause for a table; one that is open if its process still runs.
  func ending(isOpen: Bool) -> String {
    // An engine knows better than the process that it told to end.
    if let end = inferredCause.flatMap({ SliceEnd(rawValue: $0) }) {
      return end.words + (ended == .expired ? ", saved" : "")
    }
    if let ended {
      if ended == .stopRequested, case .signal(let number) = announced?.reason {
        return "signal \(number) arrived"
      }
      return ended.words
    }
    if isFinished { return StintEnd.finished.words }
    if isOpen { return "it is running" }
    return inferredCause.map(LastTermination.words(for:)) ?? "unknown"
  }
}

extension StintEnd {
  /// Why a stint ended, as a clause for people.
  var words: String {
    switch self {
    case .didNotFit: "the next chunk did not fit"
    case .extended: "it was given more time"
    case .expired: "its time ran out"
    case .denied: "it was denied time"
    case .paused: "paused"
    case .stopRequested: "a stop was requested"
    case .finished: "finished"
    case .failed: "an error ended it"
    }
  }
}
