import StintCore
import StintRuntime

extension Verb {
  static let status = Verb(
    showing: VerbSpecification(
      "status", summary: "Show one job: progress, checkpoints, how its stints ended",
      usage: ["status JOB [OPTIONS]"], operands: .one("JOB"),
      options: [OptionTable.json, OptionTable.jobsDirectory],
      exitStatuses: [.done, .usage, .damaged, .unavailable, .io])
  ) { try StatusCommand(context: $0).run() }
}

/// `stint status JOB`: everything that is known of one job.
struct StatusCommand {
  static let shownStints = 8

  let context: VerbContext

  func run() throws -> VerbResult {
    let key: String
    switch try context.target() {
    case .request(let id): return try RequestPage(id, in: context).result()
    case .job(let job): key = job
    case .whole(let whole):
      let whole = try context.whole(whole)
      return VerbResult(
        output: context.wantsJSON ? whole.json.line : whole.text, exitStatus: whole.exitStatus)
    }
    let most = context.wantsJSON ? Int.max : ChainArrayView.shown
    if let array = ChainArrayView(key, in: context, most: most)?.asking() {
      return VerbResult(output: context.wantsJSON ? array.json.line : array.text)
    }
    let view = context.view(of: key)
    let page = StatusPage(view, context)
    return VerbResult(
      output: context.wantsJSON ? page.json.line : page.text(context), exitStatus: view.exitStatus)
  }
}

/// The contents of `stint status`.
struct StatusPage {
  let view: JobView
  let history: StintHistory
  let generations: [GenerationReport]
  let lastTermination: LastTermination.Cause?
  let now: JournalRecord.Stamp
  /// The chain of slices that works on it.
  let chain: ChainView?
  /// How that stands in the queue of the engine; nil if nobody can say.
  let standing: EngineStanding?
  /// Why the engine's slices ended before they began, if they did.
  private(set) var failureBeforeSlices: String?
  /// The slices of a chain.
  private(set) var slices: SliceTable?
  /// How the lines of a batch stand.
  let tally: ItemTally?
  /// The parts of which it is one.
  let whole: WholeView?

  init(_ view: JobView, _ context: VerbContext) {
    let isReadable = view.state != .foreign
    self.view = view
    now = JournalRecord.Stamp(context.identity)
    history = context.history(of: isReadable ? view.key : nil)
    generations = isReadable ? (try? context.catalog.generations(of: view.key)) ?? [] : []
    lastTermination = view.lastTermination(now: now)
    chain = context.chain(of: view.key)
    standing = chain?.standing()
    tally = context.tally(of: view, failures: context.shownFailures)
    whole =
      view.summary.record?.shard == nil
      ? nil : WholeView(view.key, in: context, failures: context.shownFailures)
    guard let chain else { return }
    if let standing, !standing.isHeld, !view.summary.isRunning {
      failureBeforeSlices = chain.failureBeforeSlices()
    }
    if chain.key == view.key {
      slices = SliceTable(
        history, work: context.history(of: chain.work), isRunning: view.summary.isRunning,
        now: now.unixNanoseconds, engine: chain.engine)
    }
  }

  var journal: JournalSummary { view.summary.journal }

  /// How a stint ended, with what is inferred of the last one.
  func ending(of index: Int) -> String {
    let isLast = index == history.stints.count - 1
    let stint = history.stints[index]
    if isLast, stint.ended == nil, let lastTermination {
      return LastTermination.words(for: lastTermination.rawValue)
    }
    return stint.account.ending(isOpen: isLast && view.summary.isRunning)
  }
}

extension StatusPage {
  var json: JSONLine {
    var json = JobJSON.summary(view, tally: tally, now: now)
    guard view.state != .foreign else { return json }
    if let tally {
      json.add("runningLines", numbers: tally.running)
      json.add("failures", objects: tally.failures.map(\.json))
    }
    json.add("stintsWithoutProgress", journal.stintsWithoutProgress)
    json.add("failedCheckpoints", journal.failedCheckpoints)
    json.add("journalGarbageLines", history.garbageLines)
    json.add("lastTermination", lastTermination?.rawValue)
    json.add("generations", objects: generations.map(Self.object))
    json.add("setAside", view.summary.setAside)
    json.add("chain", object: chain?.json(standing: standing))
    json.add("wholeStatus", object: whole?.json)
    json.add("stintHistory", objects: history.stints.map(Self.object))
    if let slices { json.add("sliceHistory", objects: slices.json) }
    return json
  }

  private static func object(_ report: GenerationReport) -> JSONLine {
    var json = JSONLine()
    json.add("sequence", report.sequence)
    json.add("sizeBytes", report.sizeBytes)
    if let header = report.header {
      json.add("workTimeSeconds", seconds: report.workTime)
      json.add(
        "createdUnixSeconds", seconds: .nanoseconds(Int64(clamping: header.createdNanoseconds)),
        decimals: 3)
    }
    json.add("fault", report.fault ?? report.error.map { "\($0)" })
    return json
  }

  private static func object(_ stint: StintHistory.PastStint) -> JSONLine {
    var json = JSONLine()
    json.add(
      "beganUnixSeconds", seconds: .nanoseconds(stint.began.unixNanoseconds), decimals: 3)
    json.add("pid", stint.began.pid)
    json.add("bootId", stint.began.bootID)
    stint.account.addPlace(to: &json)
    json.add("budgetSeconds", seconds: stint.budget)
    json.add("restoredSequence", stint.restoredSequence)
    json.add("elapsedSeconds", seconds: stint.elapsed)
    json.add("checkpoints", stint.checkpoints)
    json.add("ended", stint.ended?.rawValue)
    json.add("savedSeconds", seconds: stint.saved)
    json.add("lostSeconds", seconds: stint.lost)
    json.add("inferredCause", stint.inferredCause)
    return json
  }
}

extension StatusPage {
  /// The page for people.
  func text(_ context: VerbContext) -> String {
    var lines = FactLines(view.key)
    let summary = view.summary
    lines.add("name", summary.record?.givenName)
    lines.add("what", view.what)
    for (name, value) in (summary.record?.environment ?? [:]).sorted(by: { $0.key < $1.key }) {
      lines.add("variable", "\(name)=\(value)")
    }
    if let shard = summary.record?.shard { lines.add("part", "\(shard); all are below") }
    lines.add("state", stateText)
    lines.add("problem", summary.problem?.typed)
    lines.add("output", view.kind.outputText(summary.record))
    lines.add("directory", summary.path)
    guard view.state != .foreign else { return lines.text }
    lines.add("progress", progressText)
    lines.add("lines", tally?.counts)
    if let tally, !tally.running.isEmpty { lines.add("running", tally.runningText) }
    let stints = ReportText.count(journal.stints, "stint")
    let kept = view.kind.countsWork ? "\(view.workTime.compactText) of work kept, " : ""
    lines.add("time", kept + "\(view.elapsed(now: now).compactText) elapsed, \(stints)")
    func moment(_ nanoseconds: Int64) -> String {
      "\(TextTable.moment(nanoseconds)), \(context.age(unixNanoseconds: nanoseconds))"
    }
    let created = summary.record.map { Duration(clampingSeconds: $0.createdUnixSeconds) }
    lines.add("created", created.map { moment($0.nanoseconds) })
    lines.add("last seen", view.lastActivity.map(moment))
    lines.add("held by", summary.holder?.text(seenBy: context.identity))
    if summary.isRunning, summary.markers.contains(.stop) {
      lines.add("asked to", "stop after the next checkpoint")
    }
    if summary.markers.contains(.pause) { lines.add("asked to", "pause, until stint resume") }
    addChain(to: &lines, context)
    if let finish = journal.finish, finish.hasResult {
      lines.add(
        "result", "\(ReportText.grouped(finish.sizeBytes)) bytes, XXH3-128 \(finish.checksum)")
    }
    addCheckpoints(to: &lines)
    if journal.stintsWithoutProgress > 0, view.kind.countsWork {
      lines.add("warning", "\(journal.stintsWithoutProgress) times in a row, nothing new was saved")
    }
    if history.garbageLines > 0 {
      lines.add("warning", "unreadable lines in the journal: \(history.garbageLines)")
    }
    // Those of a part are told with all others.
    let failures = whole == nil ? tally?.failureList(indent: 2) ?? "" : ""
    return lines.text + failures + stintTable + (whole.map { "\n" + $0.text } ?? "")
  }

  private var stateText: String {
    switch view.state {
    case .running: "running"
    case .paused: "paused; stint resume continues it"
    case .waiting where chain?.record.state == .active: "waiting for a slice, see below"
    case .waiting: "waiting; \(view.advice)"
    case .finished: "finished"
    case .failed: "failed; \(view.advice)"
    case .damaged: "damaged"
    case .unreadable: "it cannot be read now"
    case .foreign: "it belongs to another user"
    }
  }

  private var progressText: String? {
    guard let fraction = view.fraction else { return nil }
    var text = ReportText.share(fraction)
    guard let progress = view.progress else {
      let isOld = view.summary.isRunning && !view.summary.isFinished
      return isOld ? text + " at the last checkpoint" : text
    }
    let report = progress.report(now: now.instant)
    text += ", \(ReportText.activity(report, longest: 60))"
    if case .limited(let rest) = report.remaining {
      text += ", \(rest.secondsText(decimals: 1))s left"
    }
    if let estimate = report.estimateToFinish {
      text += ", done in about \(ReportText.seconds(estimate))"
    }
    return text
  }

  private func addChain(to lines: inout FactLines, _ context: VerbContext) {
    guard let chain else { return }
    lines.add("slices", chain.text(standing: standing, failure: failureBeforeSlices))
    if view.key == chain.key {
      // Work that ends at once leaves no job.
      let work = chain.work.map(context.view(of:))
      lines.add("work", work.flatMap { $0.summary.record == nil ? nil : $0.oneLine })
    } else {
      lines.add("chain", chain.key)
    }
    lines.add("log", chain.log)
  }

  private func addCheckpoints(to lines: inout FactLines) {
    for (index, facts) in generations.enumerated() {
      var text =
        "\(Generations.name(of: facts.sequence)), \(ReportText.grouped(facts.sizeBytes)) bytes"
      if let header = facts.header {
        let workTime = Duration.nanoseconds(Int64(clamping: header.workTimeNanoseconds))
        text += ", at \(workTime.compactText) of work"
      }
      if let fault = facts.fault { text += ", \(fault)" }
      lines.add(index == 0 ? "checkpoints" : "", text)
    }
    for name in view.summary.setAside { lines.add("set aside", name) }
  }

  private var stintTable: String {
    if let slices { return slices.text }
    guard !history.stints.isEmpty else { return "" }
    let first = max(0, history.stints.count - StatusCommand.shownStints)
    let shown = history.stints[first...]
    let hasPlaces = shown.contains { $0.began.engineJob != nil }
    var columns: [(heading: String, side: TextTable.Side)] = [
      ("BEGAN", .left), ("PROCESS", .right),
    ]
    if hasPlaces { columns += [("JOB", .left), ("NODE", .left), ("END", .left)] }
    columns += [
      ("BUDGET", .right), ("RAN", .right), ("SAVED", .right), ("LOST", .right),
      ("CHECKPOINTS", .right), ("HOW IT ENDED", .left),
    ]
    var table = TextTable(columns)
    for index in shown.indices {
      let stint = history.stints[index]
      var row = [TextTable.moment(stint.began.unixNanoseconds), String(stint.began.pid)]
      if hasPlaces {
        let place = stint.began.engineJob
        row += [place?.job ?? "-", place?.node ?? "-"]
        row.append(stint.account.endUnixNanoseconds.map(TextTable.moment) ?? "-")
      }
      row += [
        stint.budget?.compactText ?? "none", stint.elapsed.compactText,
        stint.ended == nil ? "-" : stint.saved.compactText,
        stint.lost?.compactText ?? "-", String(stint.checkpoints),
        ending(of: index),
      ]
      table.add(row)
    }
    let more =
      first > 0 ? ", the last \(history.stints.count - first) of \(history.stints.count)" : ""
    return "\n  Stints\(more):\n" + table.render(indent: 2)
  }
}
