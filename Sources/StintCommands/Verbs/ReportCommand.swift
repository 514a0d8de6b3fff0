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
      if let array = ChainArrayView(job, in: context, most: most) {
        return try report(array)
      }
      key = try context.workKey(of: job)
    case .whole(let whole): return try report(whole)
    case .request: key = try context.key()
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
    result.exitStatus = view.exitStatus
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
    var account = JobAccount(
      name: view.key, what: view.what, state: Self.words(for: view.state),
      life: JobLife.life(
        of: history, isRunning: summary.isRunning,
        lastTermination: view.lastTermination(now: now), now: now),
      written: TextTable.moment(now.unixNanoseconds))
    account.output = view.kind.countsWork ? view.kind.outputText(summary.record) : nil
    account.directory = summary.path
    if let chain = context.chain(of: view.key) {
      account.log = "\(chain.path)/\(ChainJob.log)"
    }
    account.workTime = view.workTime
    account.fraction = view.fraction
    account.isFinished = view.state == .finished
    account.rest = view.progress?.report.estimateToFinish
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

extension ReportCommand {
  /// The report of all shards of a whole: the sums, and each shard in a row, a track or an object.
  ///
  /// - Throws: ``StintError``: `usage` for a page, which is of one job.
  func report(_ key: String) throws -> VerbResult {
    let whole = try context.whole(key)
    if context.parsed.has("html") {
      throw StintError(
        .usage, "--html makes the page of one job; name one of the shards of \(key).")
    }
    var result = VerbResult(exitStatus: whole.exitStatus)
    var reports: [(shard: Shard, view: JobView, account: JobAccount)] = []
    for part in whole.parts {
      guard let view = part.work, view.state != .foreign else { continue }
      reports.append((part.shard, view, account(of: view, warnings: &result.messages)))
    }
    let sums = WholeFigures(reports.map(\.account))
    if let trace = context.parsed.text("trace") {
      if trace == "-", context.wantsJSON {
        throw StintError(.usage, "Only one document fits on the standard output; name files.")
      }
      let tracks = reports.map {
        TraceFile.Track(name: "\($0.shard) (\($0.view.key))", life: $0.account.life)
      }
      try Document(TraceFile(tracks).json).write(to: trace)
    }
    if context.wantsJSON {
      var json = whole.json
      sums.add(to: &json)
      json.add(
        "reports",
        objects: reports.map { ReportJSONDocument(account: $0.account, view: $0.view).json })
      result.output += json.line
    } else if !context.parsed.has("trace") {
      var table = TextTable([
        ("SHARD", .right), ("STINTS", .right), ("ELAPSED", .right), ("WORK", .right),
        ("LOST", .right), ("CHECKPOINTS", .right),
      ])
      for report in reports {
        table.add([report.shard.text] + WholeFigures([report.account]).cells)
      }
      table.add(["all"] + sums.cells)
      result.output += whole.text + "\n" + table.render(indent: 2)
    }
    return result
  }
}

extension ReportCommand {
  /// The report of an array of chains: the sums of the work of all chains that have begun.
  ///
  /// - Throws: ``StintError``: `usage` for a page or a trace, which are of one job.
  func report(_ array: ChainArrayView) throws -> VerbResult {
    guard !context.parsed.has("html"), !context.parsed.has("trace") else {
      throw StintError(
        .usage, "--html and --trace are of one job; name the work of one chain of \(array.key).")
    }
    var result = VerbResult()
    var sums = WholeFigures([])
    var (slices, begun) = (0, 0)
    let lines = try ChainArray.lines(in: array.path, of: array.key)
    for place in 1...max(1, array.record.members?.handedOver ?? 1) {
      guard let chain = try? lines.chain(at: place, of: array.record, in: array.key),
        let view = context.chain(of: chain.key())
      else { continue }
      begun += 1
      slices += context.history(of: view.key).stints.count
      // Work that failed at once leaves no job.
      guard let work = view.work.map(context.view(of:)), work.state != .foreign,
        work.summary.record != nil
      else { continue }
      sums.add(account(of: work, warnings: &result.messages))
    }
    if context.wantsJSON {
      var json = array.json
      json.add("begun", begun)
      json.add("slices", slices)
      sums.add(to: &json)
      result.output = json.line
    } else {
      var table = TextTable([
        ("CHAINS", .right), ("SLICES", .right), ("STINTS", .right), ("ELAPSED", .right),
        ("WORK", .right), ("LOST", .right), ("CHECKPOINTS", .right),
      ])
      table.add([String(begun), String(slices)] + sums.cells)
      result.output = array.text + "\n" + table.render(indent: 2)
    }
    return result
  }
}

/// The figures of several jobs together.
private struct WholeFigures {
  /// Whether one of them tells of work.
  var countsWork = false
  var stints = 0
  var elapsed = Duration.zero
  var workTime = Duration.zero
  var lost = Duration.zero
  var checkpoints = 0

  init(_ accounts: [JobAccount]) { accounts.forEach { add($0) } }

  mutating func add(_ account: JobAccount) {
    let figures = account.figures
    countsWork = countsWork || figures.countsWork
    stints += figures.stints
    elapsed += figures.elapsed
    workTime += account.workTime
    lost += figures.lost
    checkpoints += figures.checkpoints
  }

  var cells: [String] {
    [
      String(stints), elapsed.compactText, countsWork ? workTime.compactText : "-",
      countsWork ? lost.compactText : "-", countsWork ? String(checkpoints) : "-",
    ]
  }

  func add(to json: inout JSONLine) {
    json.add("stints", stints)
    json.add("elapsedSeconds", seconds: elapsed)
    json.add("workTimeSeconds", seconds: workTime)
    json.add("lostSeconds", seconds: lost)
    json.add("checkpoints", checkpoints)
  }
}
