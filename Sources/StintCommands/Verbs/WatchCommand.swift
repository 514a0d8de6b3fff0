import Glibc
import StintCore
import StintRuntime

extension Verb {
  static let watch = Verb(
    showing: VerbSpecification(
      "watch", summary: "Follow a running job until it ends",
      usage: ["watch JOB [OPTIONS]"], operands: .one("JOB"),
      options: [OptionTable.tick, OptionTable.json, OptionTable.jobsDirectory],
      exitStatuses: [.done, .usage, .unavailable, .io])
  ) { try WatchCommand(context: $0, output: StandardOutput()).run() }
}

/// `stint watch JOB`: follows the process that works on a job until it ends.
struct WatchCommand {
  /// A loop that runs the command again gets so long to do it.
  private static let patience = Duration.seconds(2)

  let context: VerbContext
  let output: StandardOutput

  /// Writes until the job ends.
  ///
  /// - Throws: ``StintError``: `unavailable` if nobody works on the job; `io`.
  func run() throws -> VerbResult {
    let tick = try context.parsed.duration("tick", least: TimeOptions.Defaults.leastTick)
    let key: String
    switch try context.target() {
    case .job(let job): key = try context.workKey(of: job)
    case .whole(let whole): return try watch(whole, every: tick ?? TimeOptions.Defaults.tick)
    }
    let view = context.view(of: key)
    if view.state == .finished { return VerbResult(output: end(of: view)) }
    guard view.summary.isRunning else {
      throw StintError(
        .unavailable,
        view.summary.problem.map { "\(key) cannot be watched: \($0.typed)." }
          ?? "\(key) is not running; \(view.advice).")
    }
    let read = try? context.catalog.journalBytes(of: key)
    let environment = context.surroundings.environment
    var follower = Follower(
      context: context, key: key, tick: tick ?? TimeOptions.Defaults.tick, output: output,
      display: ProgressDisplay(
        quiet: false, terminal: { .current(descriptor: STDOUT_FILENO, environment: environment) },
        write: output.writeOrEnd),
      tail: JournalTail(offset: read.map { $0.unread + $0.bytes.count } ?? 0),
      lines: view.summary.record?.kind == Kind.batch.name
        ? LineFollower(view.summary.path, wantsJSON: context.wantsJSON) : nil)
    follower.follow(patience: Self.patience)
    return VerbResult(output: end(of: context.view(of: key)))
  }

  /// Writes how a whole stands, each time that it has changed, until no part of it is worked on.
  private func watch(_ key: String, every tick: Duration) throws -> VerbResult {
    var last = ""
    while true {
      let whole = try context.whole(key, failures: context.wantsJSON ? .max : 0)
      let text =
        context.wantsJSON ? whole.json.line : "\(whole.sums); shards: \(whole.states)\n"
      if text != last { output.writeOrEnd(text) }
      if whole.isAtRest { return VerbResult() }
      last = text
      poll(nil, 0, Int32(clamping: tick.nanoseconds / 1_000_000))
    }
  }

  /// The last line.
  private func end(of view: JobView) -> String {
    let tally = context.tally(of: view, failures: 0)
    if context.wantsJSON {
      return JobJSON.summary(view, tally: tally, now: JournalRecord.Stamp(context.identity)).line
    }
    if let tally, [.finished, .failed, .waiting].contains(view.state) {
      let stints = view.summary.journal.stints
      let start = [JobState.finished: "Finished", .failed: "Failed"][view.state]
      return "\(start ?? "Not running now"): \(tally.counts); "
        + "\(stints) stint\(stints == 1 ? "" : "s").\n"
    }
    let percent = ReportText.percent(view.fraction ?? 0).drop { $0 == " " }
    let stints = view.summary.journal.stints
    let account =
      "\(view.workTime.compactText) of work in \(stints) stint\(stints == 1 ? "" : "s")"
    switch view.state {
    case .finished:
      let size = view.summary.journal.finish.flatMap {
        $0.hasResult ? ", \(ReportText.grouped($0.sizeBytes)) bytes" : nil
      }
      let path =
        view.summary.record?.outputPath?.text.showingControlCharacters ?? "to the standard output"
      return "Finished: \(path)\(size ?? ""); \(account).\n"
    case .failed:
      return "Failed: \(percent) is done and saved, \(account).\n"
    case .running, .paused, .waiting:
      return "\(percent) is done and saved, \(account); it is not running now.\n"
    case .damaged, .unreadable, .foreign:
      return (view.summary.problem?.typed ?? "The job cannot be read any more.") + "\n"
    }
  }
}

/// One job that is being followed.
private struct Follower {
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
    lines?.tell(isRunning: false, on: display, writeJSON: output.writeOrEnd)
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
      lines?.tell(isRunning: true, on: display, writeJSON: output.writeOrEnd)
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
