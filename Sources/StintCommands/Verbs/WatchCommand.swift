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
    case .job(let job):
      if ChainArrayView(job, in: context.catalog, most: 0) != nil {
        return watch(array: job, every: tick ?? TimeOptions.Defaults.tick)
      }
      if let chain = ChainView(of: job, in: context.catalog),
        chain.key == job || chain.goesOn(in: context.catalog)
      {
        return try watch(chain, every: tick ?? TimeOptions.Defaults.tick)
      }
      key = job
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
    follow(key, from: view, every: tick ?? TimeOptions.Defaults.tick)
    return VerbResult(output: end(of: context.view(of: key)))
  }

  /// Follows the process that works on a job until nobody has held the job for a while.
  private func follow(_ key: String, from view: JobView, every tick: Duration) {
    let read = try? context.catalog.journalBytes(of: key)
    let environment = context.surroundings.environment
    var follower = Follower(
      context: context, key: key, tick: tick, output: output,
      display: ProgressDisplay(
        quiet: false, terminal: { .current(descriptor: STDOUT_FILENO, environment: environment) },
        write: output.writeOrEnd),
      tail: JournalTail(offset: read.map { $0.unread + $0.bytes.count } ?? 0),
      lines: view.summary.record?.kind == Kind.batch.name
        ? LineFollower(view.summary.path, wantsJSON: context.wantsJSON) : nil)
    follower.follow(patience: Self.patience)
  }

  /// Follows a chain slice after slice, and waits where none runs, until it ends or Slurm has it no
  /// more.
  private func watch(_ first: ChainView, every tick: Duration) throws -> VerbResult {
    let queue = Slurm(environment: context.surroundings.environment)
    var (said, asked): (String?, Instant?) = (nil, nil)
    while let chain = ChainView(of: first.key, in: context.catalog) {
      let work = chain.work.map(context.view(of:))
      if let work, work.summary.isRunning {
        follow(work.key, from: work, every: tick)
        (said, asked) = (nil, nil)
        continue
      }
      if chain.record.state == .ended {
        let why = chain.record.why.map { "\(chain.key) has ended: \($0)\n" } ?? ""
        return VerbResult(output: (work.map(end(of:)) ?? "") + (context.wantsJSON ? "" : why))
      }
      let summary = context.catalog.summary(of: chain.key)
      let isStopped = summary.markers.contains(.stop)
      let now = BootClock.now
      if asked.map({ $0.duration(to: now) >= Self.question }) ?? true {
        asked = now
        let standing = chain.standing(queue)
        let failure =
          summary.isRunning ? nil : chain.failureBeforeSlices(queue, in: context.catalog)
        let text = chain.text(
          isRunning: summary.isRunning, isStopped: isStopped, standing: standing, failure: failure)
        let isOver = !(standing?.isQueued ?? true) && !summary.isRunning
        if text != said, !context.wantsJSON || isOver { writeToStandardError("stint: \(text)\n") }
        said = text
        if isOver || isStopped && !summary.isRunning {
          return VerbResult(output: work.map(end(of:)) ?? "", exitStatus: ExitStatus.unavailable)
        }
      }
      poll(nil, 0, Int32(clamping: min(tick, .seconds(1)).nanoseconds / 1_000_000))
    }
    throw StintError(.unavailable, "\(first.key) is gone.")
  }

  /// The time between two questions to Slurm.
  private static let question = Duration.seconds(10)

  /// Writes how an array of chains stands, each time that it has changed.
  ///
  /// It returns when the array has ended, or when Slurm has none of its chains any more.
  private func watch(array key: String, every tick: Duration) -> VerbResult {
    let queue = Slurm(environment: context.surroundings.environment)
    var (last, asked, held): (String, Instant?, Int) = ("", nil, 0)
    while true {
      let now = BootClock.now
      let asks = asked.map { $0.duration(to: now) >= Self.question } ?? true
      let most = asks || context.wantsJSON ? Int.max : 0
      guard var array = ChainArrayView(key, in: context.catalog, most: most) else { break }
      if asks {
        (array, asked) = (array.asking(queue), now)
        held = array.active.count { $0.standing?.isHeld ?? false }
      }
      let text = ChainArrayView.sums(array.record) + (held > 0 ? ", \(held) of them held" : "")
      if text != last { output.writeOrEnd(context.wantsJSON ? array.json.line : text + "\n") }
      let isOver =
        array.record.state == .ended
        || array.isStopped && (array.record.members?.active.isEmpty ?? true)
      if isOver || array.isLost {
        return VerbResult(
          output: context.wantsJSON ? "" : "\(key): \(array.stateText)\n",
          exitStatus: isOver ? ExitStatus.finished : ExitStatus.unavailable)
      }
      last = text
      poll(nil, 0, Int32(clamping: max(tick, .seconds(1)).nanoseconds / 1_000_000))
    }
    return VerbResult()
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
