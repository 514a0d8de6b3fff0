import Glibc
import StintCore
import StintRuntime

/// One job that is being followed.
struct JobFollower {
  let context: VerbContext
  let key: String
  let tick: Duration
  let output: StandardOutput
  let display: ProgressDisplay
  var tail: JournalTail
  /// What follows the lines of a batch.
  var lines: LineFollower?

  /// Returns when nobody has held the job for a while, or it is finished.
  mutating func follow(patience: Duration) {
    var freeSince: Instant?
    while true {
      let holder: LockHolder?? = try? context.catalog.holder(of: key)
      tellNews()
      if case .some(let holder) = holder {
        freeSince = nil
        let process = holder.flatMap { HolderProcess($0, seenBy: context.identity) }
        tellProgress()
        wait(for: process)
      } else {
        let since = freeSince ?? BootClock.now
        freeSince = since
        if tail.sawFinish || since.duration(to: BootClock.now) >= patience { break }
        wait(for: nil)
      }
    }
    lines?.tell(isRunning: false)
    display.end()
  }

  private func wait(for process: HolderProcess?) {
    let milliseconds = Int32(clamping: tick.nanoseconds / 1_000_000)
    if let process {
      // Its end is seen at once.
      _ = process.hasEnded(within: milliseconds)
    } else {
      poll(nil, 0, min(milliseconds, 200))
    }
  }

  private mutating func tellProgress() {
    if lines != nil {
      lines?.tell(isRunning: true)
      return
    }
    guard let progress = context.view(of: key).progress else { return }
    if context.wantsJSON {
      guard let bytes = context.catalog.progressBytes(of: key) else { return }
      if tail.isNew(bytes) { output.writeOrEnd(String(decoding: bytes, as: UTF8.self)) }
    } else {
      display.show(progress.report(now: context.identity.bootClock()), at: BootClock.now)
    }
  }

  private mutating func tellNews() {
    guard let bytes = try? context.catalog.journalBytes(of: key, from: tail.offset).bytes
    else { return }
    for line in tail.take(bytes) {
      if context.wantsJSON {
        output.writeOrEnd(String(decoding: line, as: UTF8.self) + "\n")
      } else if let text = JournalRecord(line: line[...]).flatMap(EventText.sentence(for:)) {
        display.say(text)
      }
    }
  }
}

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
      "checkpoint \(sequence) at \(ReportText.share(fraction)), "
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

/// The lines of a batch that is being followed: their counts, and each line that fails.
struct LineFollower {
  /// Of more lines that have failed since the last look, the first are told.
  private static let mostNews = 10

  private let display: ProgressDisplay
  /// Takes a line for programs; nil for people, who look at the display.
  private let writeJSON: ((String) -> Void)?
  private var reader: LineTallyReader
  /// The counts that were told last, and the failures until then.
  private var told: ItemTally?
  private var failed = 0

  init(_ path: String, on display: ProgressDisplay, writeJSON: ((String) -> Void)?) {
    reader = LineTallyReader(path)
    (self.display, self.writeJSON) = (display, writeJSON)
  }

  /// Tells what is new.
  mutating func tell(isRunning: Bool) {
    let most = writeJSON == nil ? Self.mostNews : Int.max
    guard var tally = reader.read(isRunning: isRunning, failures: .new(atMost: most))
    else { return }
    let news = tally.failures
    tally.failures = []
    if let writeJSON {
      news.forEach { writeJSON(Self.json(of: $0)) }
      if tally != told { writeJSON(Self.json(of: tally)) }
      told = tally
    } else {
      news.forEach { display.say(Self.words(for: $0)) }
      let more = tally.failed - failed - news.count
      if !news.isEmpty, more > 0 { display.say("... and \(more) more failed") }
      let isNew = tally != told
      let isShown = display.show(
        at: BootClock.now, isLong: isNew,
        live: { [CellWidth.fitted(tally.counts, to: BatchFrame.room($0.columns))] },
        plain: { tally.counts })
      if isShown { told = tally }
    }
    failed = tally.failed
  }

  private static func words(for failure: ItemTally.Failure) -> String {
    let places = failure.places.map { "; " + $0 }.joined()
    return CellWidth.fitted("Line \(failure.number) failed: \(failure.text)\(places)", to: .max)
  }

  private static func json(of failure: ItemTally.Failure) -> String {
    var json = JSONLine()
    json.add("event", "lineFailed")
    failure.add(to: &json)
    return json.line
  }

  private static func json(of tally: ItemTally) -> String {
    var json = JSONLine()
    json.add("event", "lines")
    tally.addCounts(to: &json)
    return json.line
  }
}
