import StintCore
import StintRuntime

/// How far a journal was read, and what came after that.
struct JournalTail: Hashable, Sendable {
  /// Where the next look begins: after the last whole line.
  private(set) var offset: Int
  /// Whether the result became durable meanwhile.
  private(set) var sawFinish = false
  private var lastSeen: [UInt8] = []

  init(offset: Int) {
    self.offset = offset
  }

  /// Takes in the bytes from ``offset`` on.
  ///
  /// - Parameter bytes: What is there now; the beginning of a line stays for the next time.
  /// - Returns: The whole lines, without their newlines.
  mutating func take(_ bytes: [UInt8]) -> [[UInt8]] {
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    offset += end + 1
    let lines = bytes[..<end].split(separator: UInt8(ascii: "\n")).map { Array($0) }
    for line in lines {
      if case .event(.finished) = JournalRecord(line: line[...])?.content { sawFinish = true }
    }
    return lines
  }

  /// Whether these bytes differ from those of the last call.
  mutating func isNew(_ bytes: [UInt8]) -> Bool {
    defer { lastSeen = bytes }
    return bytes != lastSeen
  }
}

/// What is told of an event to those who watch.
enum EventText {
  static func sentence(for record: JournalRecord) -> String? {
    let time = TextTable.moment(record.stamp.unixNanoseconds).dropFirst(11).dropLast()
    guard case .event(let event) = record.content,
      let text = text(of: event, at: record.stamp.instant)
    else { return nil }
    return "\(time) \(text.showingControlCharacters)"
  }

  private static func text(of event: JournalEvent, at now: Instant) -> String? {
    switch event {
    case .stintBegan(let budget, _, let restored, _):
      "a stint began" + (budget.map { " with \($0.compactText)" } ?? "")
        + (restored.map { ", from checkpoint \($0)" } ?? "")
    case .deadlineMoved(let end?):
      "the deadline moved: \(now.duration(to: end.instant).compactText) left (\(end.source))"
    case .deadlineMoved(nil): "the deadline moved: there is no time limit any more"
    case .checkpoint(let sequence, let sizeBytes, let took, _, let fraction):
      "checkpoint \(sequence) at \(ReportText.percent(fraction).drop { $0 == " " }), "
        + "\(ReportText.grouped(sizeBytes)) bytes in \(took.compactText)"
    case .checkpointFailed(let message, _): message
    case .setAside(let file, let why): "\(file) was set aside: it \(why)"
    case .expiryAnnounced(let reason, _, _): "the handlers are called: \(reason)"
    case .stintEnded(let reason, let saved, _, _, _):
      "the stint ended: \(reason.words)"
        + (reason == .finished ? "" : ", \(saved.compactText) saved")
    case .finished(_, "", _): "finished"
    case .finished(let sizeBytes, _, _): "finished, \(ReportText.grouped(sizeBytes)) bytes"
    case .terminationInferred(let cause):
      "the stint before did not end normally: \(LastTermination.words(for: cause))"
    case .workerEnded(let signal): "signal \(signal) ended the worker's process"
    case .notice(let message): message
    // A step that is too long is told by a notice too.
    case .restoreProved, .progressKept, .stepTooLong: nil
    }
  }
}
