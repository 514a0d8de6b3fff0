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
    case .job(let job): key = job
    case .whole(let whole):
      let whole = try context.whole(whole)
      return VerbResult(
        output: context.wantsJSON ? whole.json.line : whole.text, exitStatus: whole.exitStatus)
    }
    let most = context.wantsJSON ? Int.max : ChainArrayView.shown
    if let array = ChainArrayView(key, in: context.catalog, most: most) {
      let asked = array.asking(Slurm(environment: context.surroundings.environment))
      return VerbResult(output: context.wantsJSON ? asked.json.line : asked.text)
    }
    let view = context.view(of: key)
    let now = JournalRecord.Stamp(context.identity)
    let isReadable = view.state != .foreign
    let history = StintHistory(
      journal: isReadable ? (try? context.catalog.journalBytes(of: key).bytes) ?? [] : [])
    let generations = isReadable ? (try? context.catalog.generations(of: key)) ?? [] : []
    let cause =
      view.summary.isRunning || view.summary.journal.inferredCause != nil
      ? nil
      : LastTermination.infer(view.summary.journal, bootID: now.bootID, now: now.instant)
    let chain = ChainView(of: key, in: context.catalog)
    let queue = Slurm(environment: context.surroundings.environment)
    let standing = chain?.standing(queue)
    var page = StatusPage(
      view: view, history: history, generations: generations, lastTermination: cause, now: now,
      chain: chain, standing: standing,
      tally: context.tally(of: view, failures: context.shownFailures),
      whole: view.summary.record?.shard == nil
        ? nil : WholeView(key, in: context, failures: context.shownFailures))
    if let chain {
      if let standing, !standing.isHeld, !view.summary.isRunning {
        page.failureBeforeSlices = chain.failureBeforeSlices(queue, in: context.catalog)
      }
      if chain.key == key {
        page.slices = SliceTable(
          history, work: context.history(of: chain.work), isRunning: view.summary.isRunning,
          now: now.unixNanoseconds, queue: queue)
      }
    }
    var result = VerbResult()
    result.output = context.wantsJSON ? page.json.line : page.text(context)
    if view.state == .damaged { result.exitStatus = ExitStatus.damaged }
    if view.state == .unreadable { result.exitStatus = ExitStatus.io }
    if view.state == .foreign { result.exitStatus = ExitStatus.unavailable }
    return result
  }
}

/// The contents of `stint status`.
struct StatusPage {
  var view: JobView
  var history: StintHistory
  var generations: [GenerationFacts]
  /// What a run would infer of the last stint, if none has yet.
  var lastTermination: LastTermination.Cause?
  var now: JournalRecord.Stamp
  /// The chain of slices that works on it.
  var chain: ChainView?
  /// How that stands in the queue of the engine; nil if nobody can say.
  var standing: SlurmStanding?
  /// Why the engine's slices ended before they began, if they did.
  var failureBeforeSlices: String?
  /// The slices of a chain.
  var slices: SliceTable?
  /// How the lines of a batch stand.
  var tally: ItemTally?
  /// The parts of which it is one.
  var whole: WholeView?

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

  private static func object(_ facts: GenerationFacts) -> JSONLine {
    var json = JSONLine()
    json.add("sequence", facts.sequence)
    json.add("sizeBytes", facts.sizeBytes)
    if let header = facts.header {
      json.add(
        "workTimeSeconds", seconds: .nanoseconds(Int64(clamping: header.workTimeNanoseconds)))
      json.add(
        "createdUnixSeconds", seconds: .nanoseconds(Int64(clamping: header.createdNanoseconds)),
        decimals: 3)
    }
    json.add("fault", facts.fault)
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
