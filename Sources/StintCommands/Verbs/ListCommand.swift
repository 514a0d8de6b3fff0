import StintCore
import StintRuntime

extension Verb {
  static let list = Verb(
    showing: VerbSpecification(
      "list", summary: "Show all jobs", usage: ["list [OPTIONS]"], operands: .none,
      options: [OptionTable.json, OptionTable.jobsDirectory], exitStatuses: [.done, .usage, .io])
  ) { try ListCommand(context: $0).run() }
}

/// `stint list`: all jobs, those with the latest activity first.
struct ListCommand {
  let context: VerbContext

  func run() throws -> VerbResult {
    let views = try context.catalog.keys().map(context.view(of:))
      .filter { !$0.summary.isHalfMade || $0.state == .running }
      .sorted { ($0.lastActivity ?? 0, $1.key) > ($1.lastActivity ?? 0, $0.key) }
    let now = JournalRecord.Stamp(context.identity)
    if context.wantsJSON {
      let objects = views.map { JobJSON.summary($0, now: now).object }
      let list = objects.isEmpty ? "[]" : "[\n" + objects.joined(separator: ",\n") + "\n]"
      return VerbResult(output: list + "\n")
    }
    if views.isEmpty {
      return VerbResult(messages: ["There are no jobs in \(context.catalog.jobsPath)."])
    }
    return VerbResult(output: table(views, now: now))
  }

  private func table(_ views: [JobView], now: JournalRecord.Stamp) -> String {
    let short = JobName.short(views.map(\.key))
    var table = TextTable([
      ("JOB", .left), ("STATE", .left), ("DONE", .right), ("WORK", .right), ("ELAPSED", .right),
      ("STINTS", .right), ("LAST", .right), ("WHAT", .left),
    ])
    var shown: Set<String> = []
    for view in views {
      if let record = view.summary.record, record.shard != nil, view.kind.canBeCut,
        shown.insert(record.whole).inserted, let whole = WholeView(view.key, in: context)
      {
        table.add(row(of: whole))
      }
      let isReadable = ![.foreign, .damaged, .unreadable].contains(view.state)
      let output = view.summary.record?.outputPath.map { " > \($0)" } ?? ""
      table.add([
        short[view.key] ?? view.key, view.state.rawValue,
        view.fraction.map { String(ReportText.percent($0).drop { $0 == " " }) } ?? "-",
        isReadable && view.kind.countsWork ? view.workTime.compactText : "-",
        isReadable ? view.elapsed(now: now).compactText : "-",
        isReadable ? String(view.summary.journal.stints) : "-",
        view.lastActivity.map(context.age(unixNanoseconds:)) ?? "-", view.what + output,
      ])
    }
    return table.render()
  }

  /// All shards of a whole in one row, before the first of them.
  private func row(of whole: WholeView) -> [String] {
    let done = whole.count.map { count in
      ReportText.percent(count == 0 ? 1 : Double(whole.done) / Double(count)).drop { $0 == " " }
    }
    return [
      String(JobName(key: whole.key).hash.prefix(Self.wholeDigits)), "whole",
      done.map { String($0) } ?? "-", "-", "-",
      "-", "-", "\(whole.what), \(whole.sums); shards: \(whole.states)",
    ]
  }

  /// How much of the key of a whole is shown.
  private static let wholeDigits = 8
}
