import StintCore
import StintRuntime

extension StatusPage {
  /// The page for people.
  func text(_ context: VerbContext) -> String {
    var lines = [view.key]
    func add(_ name: String, _ text: String?) {
      guard let text else { return }
      let padding = String(repeating: " ", count: max(1, 13 - name.count))
      lines.append("  \(name)\(padding)\(CellWidth.fitted(text, to: .max))")
    }
    let summary = view.summary
    add("name", summary.record?.givenName)
    add("what", view.what)
    for (name, value) in (summary.record?.environment ?? [:]).sorted(by: { $0.key < $1.key }) {
      add("variable", "\(name)=\(value)")
    }
    if let shard = summary.record?.shard { add("part", "\(shard); all are below") }
    add("state", stateText)
    add("problem", summary.problem?.typed)
    add("output", view.kind.outputText(summary.record))
    add("directory", summary.path)
    guard view.state != .foreign else { return lines.joined(separator: "\n") + "\n" }
    add("progress", progressText)
    add("lines", tally?.counts)
    if let tally, !tally.running.isEmpty { add("running", tally.runningText) }
    let stints = "\(journal.stints) stint\(journal.stints == 1 ? "" : "s")"
    let kept = view.kind.countsWork ? "\(view.workTime.compactText) of work kept, " : ""
    add("time", kept + "\(view.elapsed(now: now).compactText) elapsed, \(stints)")
    func moment(_ nanoseconds: Int64) -> String {
      "\(TextTable.moment(nanoseconds)), \(context.age(unixNanoseconds: nanoseconds))"
    }
    let created = summary.record.map { Duration(clampingSeconds: $0.createdUnixSeconds) }
    add("created", created.map { moment($0.nanoseconds) })
    add("last seen", view.lastActivity.map(moment))
    add("held by", summary.holder?.text(seenBy: context.identity))
    if summary.isRunning, summary.markers.contains(.stop) {
      add("asked to", "stop after the next checkpoint")
    }
    if summary.markers.contains(.pause) { add("asked to", "pause, until stint resume") }
    addChain(add, context)
    if let finish = journal.finish, finish.hasResult {
      add("result", "\(ReportText.grouped(finish.sizeBytes)) bytes, XXH3-128 \(finish.checksum)")
    }
    addCheckpoints(add)
    if journal.stintsWithoutProgress > 0, view.kind.countsWork {
      add("warning", "\(journal.stintsWithoutProgress) times in a row, nothing new was saved")
    }
    if history.garbageLines > 0 {
      add("warning", "unreadable lines in the journal: \(history.garbageLines)")
    }
    // Those of a part are told with all others.
    let failures = whole == nil ? tally?.failureList(indent: 2) ?? "" : ""
    return lines.joined(separator: "\n") + "\n" + failures + stintTable
      + (whole.map { "\n" + $0.text } ?? "")
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
    var text = String(ReportText.percent(fraction).drop { $0 == " " })
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

  private func addChain(_ add: (String, String?) -> Void, _ context: VerbContext) {
    guard let chain else { return }
    let summary = view.key == chain.key ? view.summary : context.catalog.summary(of: chain.key)
    add(
      "slices",
      chain.text(
        isRunning: summary.isRunning, isStopped: summary.markers.contains(.stop),
        standing: standing, failure: failureBeforeSlices))
    if view.key == chain.key {
      // Work that ends at once leaves no job.
      let work = chain.work.map(context.view(of:))
      add("work", work.flatMap { $0.summary.record == nil ? nil : $0.oneLine })
    } else {
      add("chain", chain.key)
    }
    add("log", "\(chain.path)/\(ChainJob.log)")
  }

  private func addCheckpoints(_ add: (String, String?) -> Void) {
    for (index, facts) in generations.enumerated() {
      var text =
        "\(Generations.name(of: facts.sequence)), \(ReportText.grouped(facts.sizeBytes)) bytes"
      if let header = facts.header {
        let workTime = Duration.nanoseconds(Int64(clamping: header.workTimeNanoseconds))
        text += ", at \(workTime.compactText) of work"
      }
      if let fault = facts.fault { text += ", \(fault)" }
      add(index == 0 ? "checkpoints" : "", text)
    }
    for name in view.summary.setAside { add("set aside", name) }
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
