import Glibc
import StintCore
import StintRuntime

extension Verb {
  static let list = Verb(
    showing: VerbSpecification(
      "list", summary: "Show all jobs", usage: ["list [OPTIONS]"], operands: .none,
      options: [
        OptionTable.state, OptionTable.kind, OptionTable.since, OptionTable.json,
        OptionTable.jobsDirectory,
      ],
      examples: [
        .init(
          command: "stint list --state failed,damaged --since 1d",
          meaning: "the jobs that need somebody, of those with activity in the last day")
      ],
      exitStatuses: [.done, .usage, .io])
  ) { context in
    try ListCommand(
      context: context,
      terminal: .current(
        descriptor: STDOUT_FILENO, environment: context.surroundings.environment)
    ).run()
  }
}

/// `stint list`: all jobs, those with the latest activity first.
struct ListCommand {
  let context: VerbContext
  /// What the table has to fit into; without a terminal it is as wide as its texts.
  var terminal: TerminalState?

  func run() throws -> VerbResult {
    let all = try context.catalog.keys().map(context.view(of:))
      .filter { !$0.summary.isHalfMade || $0.state == .running }
    let filter = try ListFilter(context, present: all.map(ListFilter.kind(of:)))
    let views = all.filter { filter.admits($0, in: context) }
      .sorted { ($0.lastActivity ?? 0, $1.key) > ($1.lastActivity ?? 0, $0.key) }
    let now = JournalRecord.Stamp(context.identity)
    let requests = requests(filter)
    if context.wantsJSON {
      let objects =
        views.map {
          JobJSON.summary($0, tally: context.tally(of: $0, failures: 0), now: now).object
        } + requests.map(\.json.object)
      let list = objects.isEmpty ? "[]" : "[\n" + objects.joined(separator: ",\n") + "\n]"
      return VerbResult(output: list + "\n")
    }
    if !requests.isEmpty {
      let jobs = views.isEmpty ? "" : table(views, now: now) + "\n"
      return VerbResult(output: jobs + table(requests))
    }
    if views.isEmpty, !all.isEmpty {
      return VerbResult(messages: [
        "None of the jobs in \(context.catalog.jobsPath) matches these options; there "
          + (all.count == 1 ? "is 1." : "are \(all.count).")
      ])
    }
    if views.isEmpty {
      return VerbResult(messages: ["There are no jobs in \(context.catalog.jobsPath)."])
    }
    return VerbResult(output: table(views, now: now))
  }

  /// The requests in the queue of this machine; of those of chains only what is not over, because
  /// the chain's own row says how it ended.
  private func requests(_ filter: ListFilter) -> [RequestPage] {
    let reading = QueueReading(context.queue)
    return reading.entries.filter { entry in
      if case .chain = entry.request.terms.work, entry.request.standing.isOver { return false }
      return filter.admits(entry, in: context)
    }.map { RequestPage($0, reading, in: context) }
  }

  private func table(_ requests: [RequestPage]) -> String {
    var table = TextTable([("REQUEST", .right), ("STATE", .left), ("WHAT", .left), ("WHY", .left)])
    for request in requests {
      let entry = request.entry
      table.add([
        entry.id, entry.state,
        Shortening(.init(unicode: false)).end(what(of: entry.request), to: Self.mostOfWhat),
        request.sentence,
      ])
    }
    return table.render()
  }

  /// The name of a request and its work; of a chain its key, as its slices all run the same.
  private func what(of request: QueuedRequest) -> String {
    let name = request.terms.name.map { "\($0): " } ?? ""
    if case .chain(let key) = request.terms.work { return name + key }
    return name + request.what
  }

  private func table(_ views: [JobView], now: JournalRecord.Stamp) -> String {
    let short = JobName.shown(views.map { JobName($0.key, $0.summary.record) })
    var table = TextTable([
      ("JOB", .left), ("STATE", .left), ("DONE", .right), ("WORK", .right), ("ELAPSED", .right),
      ("STINTS", .right), ("LAST", .right), ("WHAT", .left),
    ])
    var shown: Set<String> = []
    for view in views {
      // The row of the array tells of its chains.
      if let array = view.summary.record?.parameters["chains"], short[array] != nil { continue }
      if let record = view.summary.record, record.shard != nil, view.kind.canBeCut,
        shown.insert(record.whole).inserted,
        let whole = WholeView(view.key, in: context, failures: 0)
      {
        table.add(row(of: whole))
      }
      let isReadable = ![.foreign, .damaged, .unreadable].contains(view.state)
      let share = view.fraction.map { ReportText.share($0) }
      let array = context.catalog.arrayOfChains(view.key)
      let counts =
        context.tally(of: view, failures: 0)?.shortCounts
        ?? array?.members.map { "\($0.ends[.finished] ?? 0)/\($0.count)" }
      let row = [
        short[view.key] ?? view.key, view.state.rawValue,
        counts ?? share ?? "-",
        isReadable && view.kind.countsWork ? view.workTime.compactText : "-",
        isReadable ? view.elapsed(now: now).compactText : "-",
        isReadable ? String(view.summary.journal.stints) : "-",
        view.lastActivity.map(context.age(unixNanoseconds:)) ?? "-",
        array.map { "\(view.what): \($0.sums)" } ?? view.what,
      ]
      table.add(row, path: view.summary.record?.outputPath?.text)
    }
    guard let terminal, terminal.isTerminal else { return table.render() }
    return table.render(
      TableFitting(
        columns: terminal.columns, shortening: Shortening(terminal.style),
        order: ["STINTS", "ELAPSED", "WORK", "LAST", "DONE"], leastOfLast: Self.leastOfWhat))
  }

  /// All shards of a whole in one row, before the first of them.
  private func row(of whole: WholeView) -> [String] {
    let done = whole.count.map {
      ReportText.share($0 == 0 ? 1 : Double(whole.done) / Double($0))
    }
    return [
      String(JobName(key: whole.key).hash.prefix(Self.wholeDigits)), "whole",
      done ?? "-", "-", "-", "-", "-", "\(whole.what), \(whole.sums); shards: \(whole.states)",
    ]
  }

  /// How many columns of a narrow terminal say what is computed.
  private static let leastOfWhat = 24
  /// How many columns say what a request runs.
  private static let mostOfWhat = 40
  /// How much of the key of a whole is shown.
  private static let wholeDigits = 8
}

/// Which jobs `stint list` shows: `--state`, `--kind`, `--since`.
private struct ListFilter {
  private let states: Set<String>?
  private let kinds: Set<String>?
  private let since: Duration?

  /// Reads the options.
  ///
  /// - Parameters:
  ///   - context: The command line.
  ///   - present: The kinds of the jobs that there are: an embedder's own are in no table.
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ context: VerbContext, present: [String]) throws {
    let parsed = context.parsed
    states = try parsed.words("state", among: JobState.allCases.map(\.rawValue))
    let names = context.kinds.names
    kinds = try parsed.words("kind", among: names + Set(present).subtracting(names).sorted())
    since = try parsed.duration("since")
  }

  /// Whether a job is shown.
  func admits(_ view: JobView, in context: VerbContext) -> Bool {
    if let states, !states.contains(view.state.rawValue) { return false }
    if let kinds, !kinds.contains(Self.kind(of: view)) { return false }
    guard let since, !view.summary.isRunning else { return true }
    guard let last = view.lastActivity else { return false }
    let now = context.surroundings.wallTime.nanosecondsSince1970
    let (age, overflow) = now.subtractingReportingOverflow(last)
    return !overflow && age <= since.nanoseconds
  }

  /// Whether a request is shown.
  func admits(_ entry: QueueMachine.Entry, in context: VerbContext) -> Bool {
    let standing = entry.request.standing
    if kinds != nil { return false }
    if let states {
      let same = [RequestStanding.State.done: "finished", .setAside: "failed"][standing.state]
      guard states.contains(same ?? entry.state) else { return false }
    }
    guard let since, standing.state != .running else { return true }
    let last =
      [entry.request.terms.submitted, standing.began, standing.ended].compactMap { $0 }
      .max() ?? entry.request.terms.submitted
    let now = WallInstant(nanoseconds: context.surroundings.wallTime.nanosecondsSince1970)
    return last.duration(to: now) <= since
  }

  /// The kind of a job; what cannot be read is known by its key.
  static func kind(of view: JobView) -> String {
    view.summary.record?.kind
      ?? String(view.key[..<(view.key.lastIndex(of: "-") ?? view.key.endIndex)])
  }
}
