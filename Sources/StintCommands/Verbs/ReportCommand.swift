import StintCore
import StintReport
import StintRuntime

extension Verb {
  static let report = Verb(
    showing: VerbSpecification(
      "report",
      summary: "Show a job's whole history: what was saved, what it cost, what was lost",
      usage: ["report JOB [OPTIONS]"], operands: .one("JOB"),
      options: [OptionTable.html, OptionTable.trace, OptionTable.json, OptionTable.jobsDirectory],
      examples: [
        .init(
          command: "stint report JOB --html report.html",
          meaning: "one page with plots, for any browser; it needs nothing else"),
        .init(
          command: "stint report JOB --trace trace.json",
          meaning: "every stint and checkpoint, for ui.perfetto.dev"),
      ],
      exitStatuses: [.done, .usage, .damaged, .unavailable, .cannotCreate, .io])
  ) { try ReportCommand(context: $0).run() }
}

/// `stint report JOB`: the whole life of a job, as text, page, trace or JSON.
struct ReportCommand {
  let context: VerbContext

  func run() throws -> VerbResult {
    let key: String
    switch try context.target() {
    case .job(let job):
      let most = context.wantsJSON ? Int.max : ChainArrayView.shown
      if let array = ChainArrayView(job, in: context.catalog, most: most) {
        return try report(array)
      }
      key = try context.workKey(of: job)
    case .whole(let whole): return try report(whole)
    }
    let view = context.view(of: key)
    guard view.state != .foreign else {
      throw StintError(.unavailable, "\(key) belongs to another user and cannot be read.")
    }
    var result = VerbResult()
    let html = context.parsed.text("html")
    let tally = context.tally(
      of: view, failures: html == nil ? context.shownFailures : .max)
    var account = account(of: view, warnings: &result.messages)
    account.take(tally)
    let trace = context.parsed.text("trace")
    if let html, let trace, FilePath(html) == FilePath(trace) {
      throw StintError(
        .usage, "--html and --trace both name \(html); give each a file of its own.")
    }
    if [html, trace].contains("-"), context.wantsJSON || html != nil && trace != nil {
      throw StintError(.usage, "Standard output can take only one document; name a file for each.")
    }
    if let html { try Document(JobPage(account).html).write(to: html) }
    if let trace {
      let track = TraceFile.Track(name: "\(account.what) (\(key))", life: account.life)
      try Document(TraceFile([track]).json).write(to: trace)
    }
    if context.wantsJSON {
      result.output += ReportJSONDocument(account: account, view: view, tally: tally).json.line
    } else if html == nil && trace == nil {
      result.output += JobAccountText(account: account, tally: tally).text
    }
    if view.state == .damaged { result.exitStatus = ExitStatus.damaged }
    if view.state == .unreadable { result.exitStatus = ExitStatus.io }
    return result
  }

  /// Everything that the job's files tell; what is wrong with them goes to the warnings.
  func account(of view: JobView, warnings: inout [String]) -> JobAccount {
    var bytes: [UInt8] = []
    do {
      let read = try context.catalog.journalBytes(of: view.key)
      bytes = read.bytes
      if read.unread > 0 {
        warnings.append(
          "The journal of \(view.key) is too long to be read as a whole; its first \(read.unread) bytes are left out here."
        )
      }
    } catch {
      warnings.append(error.typed)
    }
    let history = StintHistory(journal: bytes)
    let now = JournalRecord.Stamp(context.identity)
    let summary = view.summary
    let cause =
      summary.isRunning || summary.journal.inferredCause != nil
      ? nil : LastTermination.infer(summary.journal, bootID: now.bootID, now: now.instant)
    var account = JobAccount(
      name: view.key, what: view.what, state: Self.words(for: view.state),
      life: JobLife.life(
        of: history, isRunning: summary.isRunning, lastTermination: cause, now: now),
      written: TextTable.moment(now.unixNanoseconds))
    account.output = view.kind.countsWork ? view.kind.outputText(summary.record) : nil
    account.directory = summary.path
    if let chain = ChainView(of: view.key, in: context.catalog) {
      account.log = "\(chain.path)/\(ChainJob.log)"
    }
    account.workTime = view.workTime
    account.fraction = view.fraction
    account.isFinished = view.state == .finished
    account.rest = view.progress?.estimateSeconds.map(Duration.init(clampingSeconds:))
    if let finish = summary.journal.finish, finish.hasResult {
      account.result =
        "\(ReportText.grouped(finish.sizeBytes)) bytes, XXH3-128 \(finish.checksum)"
    }
    if let problem = summary.problem { account.problems.append(problem.typed) }
    if history.garbageLines > 0 {
      account.problems.append(
        "\(NumberText.count(history.garbageLines, "line")) of the journal cannot be read and "
          + "are left out here")
    }
    if history.lastLineIsTorn {
      account.problems.append("the journal's last line is incomplete, because its process ended")
    }
    if let why = view.kind.noAccount {
      account.life.countsWork = false
      account.notes.append(why)
    }
    return account
  }

  private static func words(for state: JobState) -> String {
    switch state {
    case .running: "running"
    case .paused: "paused"
    case .waiting: "unfinished; run again to continue"
    case .finished: "finished"
    case .failed: "failed; run again to retry"
    case .damaged: "damaged"
    case .unreadable: "cannot be read now"
    case .foreign: "another user's"
    }
  }
}

extension JobAccount {
  /// Takes in how the lines of a batch stand.
  fileprivate mutating func take(_ tally: ItemTally?) {
    guard let tally else { return }
    counts = tally.counts
    failedItems = tally.failed
    failures = tally.failures.map {
      FailedItem(number: $0.number, text: $0.text, places: $0.places.joined(separator: ", "))
    }
  }
}
