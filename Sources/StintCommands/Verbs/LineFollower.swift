import StintCore
import StintRuntime

/// The lines of a batch that is being followed: their counts, and each line that fails.
struct LineFollower {
  /// Of more lines that have failed since the last look, the first are told.
  private static let mostNews = 10

  private let wantsJSON: Bool
  private var reader: LineTallyReader
  /// The counts that were told last, and the failures until then.
  private var told: ItemTally?
  private var failed = 0

  init(_ path: String, wantsJSON: Bool) {
    reader = LineTallyReader(path)
    self.wantsJSON = wantsJSON
  }

  /// Tells what is new.
  ///
  /// - Parameters:
  ///   - isRunning: Whether a process works on the batch.
  ///   - display: Where people look.
  ///   - writeJSON: Takes a line for programs.
  mutating func tell(
    isRunning: Bool, on display: ProgressDisplay, writeJSON: (String) -> Void
  ) {
    let most = wantsJSON ? Int.max : Self.mostNews
    guard var tally = reader.read(isRunning: isRunning, failures: .new(atMost: most))
    else { return }
    let news = tally.failures
    tally.failures = []
    if wantsJSON {
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
        live: { CellWidth.fitted(tally.counts, to: BatchFrame.room($0.columns)) },
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
