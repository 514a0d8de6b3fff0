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
    let tick =
      try context.parsed.duration("tick", least: TimeOptions.Defaults.leastTick)
      ?? TimeOptions.Defaults.tick
    let key: String
    switch try context.target() {
    case .job(let job):
      if context.catalog.arrayOfChains(job) != nil {
        return watch(array: job, every: tick)
      }
      if let chain = context.chain(of: job), chain.key == job || chain.goesOn {
        return try watch(chain, every: tick)
      }
      key = job
    case .whole(let whole): return try watch(whole, every: tick)
    case .request(let id):
      throw StintError(
        .usage,
        "Request \(id) has no progress that could be watched; stint log -f \(id) follows what it prints."
      )
    }
    let view = context.view(of: key)
    if view.state == .finished { return VerbResult(output: end(of: view)) }
    guard view.summary.isRunning else {
      throw StintError(
        .unavailable,
        view.summary.problem.map { "\(key) cannot be watched: \($0.typed)." }
          ?? "\(key) is not running; \(view.advice).")
    }
    follow(key, from: view, every: tick)
    return VerbResult(output: end(of: context.view(of: key)))
  }

  /// Follows the process that works on a job until nobody has held the job for a while.
  private func follow(_ key: String, from view: JobView, every tick: Duration) {
    let read = try? context.catalog.journalBytes(of: key)
    let environment = context.surroundings.environment
    let display = ProgressDisplay(
      quiet: false, terminal: { .current(descriptor: STDOUT_FILENO, environment: environment) },
      write: output.writeOrEnd)
    let writeJSON: ((String) -> Void)? = context.wantsJSON ? { output.writeOrEnd($0) } : nil
    let lines =
      view.summary.record?.kind == Kind.batch.name
      ? LineFollower(view.summary.path, on: display, writeJSON: writeJSON) : nil
    var follower = JobFollower(
      context: context, key: key, tick: tick, output: output, display: display,
      tail: JournalTail(offset: read.map { $0.unread + $0.bytes.count } ?? 0),
      lines: lines)
    follower.follow(patience: Self.patience)
  }

  /// Follows a chain slice after slice, and waits where none runs, until it ends or the engine has
  /// it no more.
  private func watch(_ first: ChainView, every tick: Duration) throws -> VerbResult {
    var (said, asked): (String?, Instant?) = (nil, nil)
    while let chain = context.chain(of: first.key) {
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
      let now = BootClock.now
      if asked.map({ $0.duration(to: now) >= Self.question }) ?? true {
        asked = now
        let standing = chain.standing()
        let failure = chain.isRunning ? nil : chain.failureBeforeSlices()
        let text = chain.text(standing: standing, failure: failure)
        let isOver = !(standing?.isQueued ?? true) && !chain.isRunning
        if text != said, !context.wantsJSON || isOver { writeToStandardError("stint: \(text)\n") }
        said = text
        if isOver || chain.isStopped && !chain.isRunning {
          return VerbResult(output: work.map(end(of:)) ?? "", exitStatus: ExitStatus.unavailable)
        }
      }
      Self.rest(min(tick, .seconds(1)))
    }
    throw StintError(.unavailable, "\(first.key) is gone.")
  }

  /// The time between two questions to the engine.
  private static let question = Duration.seconds(10)

  /// Writes how an array of chains stands, each time that it has changed, until it has ended or the
  /// engine has none of its chains any more.
  private func watch(array key: String, every tick: Duration) -> VerbResult {
    var (last, asked, held): (String, Instant?, Int) = ("", nil, 0)
    while true {
      let now = BootClock.now
      let asks = asked.map { $0.duration(to: now) >= Self.question } ?? true
      let most = asks || context.wantsJSON ? Int.max : 0
      guard var array = ChainArrayView(key, in: context, most: most) else { break }
      if asks {
        (array, asked) = (array.asking(), now)
        held = array.active.count { $0.standing?.isHeld ?? false }
      }
      let text = array.record.sums + (held > 0 ? ", \(held) of them held" : "")
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
      Self.rest(max(tick, .seconds(1)))
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
      Self.rest(tick)
    }
  }

  private static func rest(_ duration: Duration) {
    poll(nil, 0, Int32(clamping: duration.nanoseconds / 1_000_000))
  }

  /// The last line.
  private func end(of view: JobView) -> String {
    let tally = context.tally(of: view, failures: 0)
    if context.wantsJSON {
      return JobJSON.summary(view, tally: tally, now: JournalRecord.Stamp(context.identity)).line
    }
    let stints = ReportText.count(view.summary.journal.stints, "stint")
    if let tally, [.finished, .failed, .waiting].contains(view.state) {
      let start = [JobState.finished: "Finished", .failed: "Failed"][view.state]
      return "\(start ?? "Not running now"): \(tally.counts); \(stints).\n"
    }
    let percent = ReportText.share(view.fraction ?? 0)
    let account = "\(view.workTime.compactText) of work in \(stints)"
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
