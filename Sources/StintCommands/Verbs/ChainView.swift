import StintCore
import StintRuntime

/// A chain as the verbs see it, from its own key or from that of the job that does its work.
struct ChainView: Sendable {
  let key: String
  let path: String
  let record: ChainRecord
  /// The job that does the work, once that is known.
  let work: String?
  /// Whether a slice holds it.
  let isRunning: Bool
  /// Whether somebody stopped it.
  let isStopped: Bool
  private let context: VerbContext
  let engine: any Engine
  private var title: String { engine.title }

  /// The chain of a job; nil if it has none.
  init?(of key: String, in context: VerbContext) {
    guard let key = context.catalog.chainKey(of: key),
      let record = (try? context.catalog.chain(key)) ?? nil
    else { return nil }
    (self.key, self.record, self.context) = (key, record, context)
    engine = context.engines.engine(of: record)
    path = context.catalog.path(of: key)
    work = context.catalog.workKey(ofChain: key)
    let summary = context.catalog.summary(of: key)
    (isRunning, isStopped) = (summary.isRunning, summary.markers.contains(.stop))
  }

  /// What its slices print.
  var log: String { engine.log(of: record.array, in: path) }

  /// Whether another slice is to come, as far as its record says.
  var goesOn: Bool { record.state != .ended && !isStopped }

  /// The number of its array, which the engine is asked for if it was lost on the way; nil if it
  /// has none.
  func number() -> String? {
    if let array = record.array { return array }
    guard record.state == .submitting else { return nil }
    return (try? lostNumber().get()) ?? nil
  }

  private func lostNumber() -> Result<String?, EngineFailure> {
    engine.array(ofChainIn: path)
  }

  /// How it stands in the engine's queue; nil if that is over or if the engine cannot say.
  func standing() -> EngineStanding? {
    guard record.state != .ended, record.members == nil else { return nil }
    let found = record.array.map { .success($0) } ?? lostNumber()
    return try? found.flatMap { array in
      array.map { engine.standing(of: $0, within: EnginePatience.ofPerson) }
        ?? .success(EngineStanding())
    }.get()
  }

  /// Where it stands, as a clause.
  ///
  /// - Parameters:
  ///   - standing: How it stands in the engine's queue, if that is known.
  ///   - failure: Why slices ended before they began, if they did.
  /// - Returns: The clause.
  func text(standing: EngineStanding?, failure: String?) -> String {
    if record.state == .ended {
      let next = record.ending.flatMap { record.followers.text(at: $0) }
      return "ended: \(record.why ?? "nobody knows why")" + (next.map { " (\($0))" } ?? "")
    }
    let array = engine.title(ofArray: record.array ?? "of an unknown number")
    if isStopped { return "\(array), stopped" }
    if isRunning { return "\(array), slice \(record.link) of at most \(record.links) is running" }
    let past =
      record.link == 0 ? "no slice has run yet" : "\(record.link) of \(record.links) slices ran"
    guard let standing else {
      return "\(array), \(past); \(title) does not say whether it is queued"
    }
    if standing.isHeld { return "\(array), \(past); \(heldText(standing))" }
    if standing.canNeverBegin {
      return "\(array) can never begin: it depends on a job that did not end as it should "
        + "(\(standing.reason ?? "")); stint stop \(key), and submit it without that dependency"
    }
    if let failure, !standing.isRunning || record.link == 0 {
      return "\(array)\(standing.isQueued ? ", queued" : ""): \(failure)"
    }
    guard standing.isQueued else {
      let queue = engine.titleOfQueue
      return "\(array) is not in \(queue) any more, \(past); submit it again to continue"
    }
    let why = standing.isRunning ? "" : standing.reason.map { $0 == "None" ? "" : " (\($0))" } ?? ""
    return "\(array), queued\(why); \(past)"
  }

  /// Why nothing begins, and what lets it begin.
  func heldText(_ standing: EngineStanding) -> String {
    let why = standing.comment.map { ": \($0)" } ?? " (\(standing.reason ?? ""))"
    let isOfSetup = standing.comment?.holds("--setup") ?? false
    return "it is held\(why); when that is mended, stint resume \(key) goes on"
      + (isOfSetup
        ? " with the same lines; for other lines stint stop \(key), and submit it again" : "")
  }

  /// Why tasks ended without a slice, as a clause; nil if the engine remembers no such task.
  ///
  /// Slurm opens the log before it runs the script, so a node that does not see the folder of the
  /// chain ends one task after another.
  func failureBeforeSlices() -> String? {
    guard record.state != .ended, let array = record.array else { return nil }
    let began = Set(context.history(of: key).stints.compactMap { $0.began.engineJob?.job })
    let failed = engine.failures(of: array).filter { !began.contains($0.job) }
    guard let first = failed.first else { return nil }
    let nodes = Set(failed.map(\.node)).sorted().prefix(4).joined(separator: ", ")
    let count = failed.count == 1 ? "a slice" : "\(failed.count) slices"
    let why =
      first.lacksOutput
      ? "\(title) could not open \(path)/\(ChainJob.log) there"
      : "the script ended with \(first.exitCode) there"
    let advice =
      first.lacksOutput
      ? Self.adviceOnReach : "look at the lines of --setup and at the log, and submit it again"
    return "\(count) on \(nodes) did not begin: \(why); \(advice)"
  }

  private static let adviceOnReach =
    "all nodes must see the jobs folder under that name (stint doctor --nodes 2 tries it); mend that, or "
    + "leave nodes out with --sbatch --exclude=NODES, and submit it again"

  func json(standing: EngineStanding?) -> JSONLine {
    var json = JSONLine()
    json.add("job", key)
    json.add("engine", engine.name)
    json.add("array", record.array)
    json.add("state", record.state.rawValue)
    if record.state == .ended {
      json.add("queued", isTrue: false)
    } else if let standing {
      json.add("queued", isTrue: standing.isQueued)
      json.add("reason", standing.reason)
      json.add("held", isTrue: standing.isHeld)
      json.add("comment", standing.comment)
    }
    json.add("ending", record.ending?.rawValue)
    json.add("why", record.why)
    json.add("slice", record.link)
    json.add("slices", record.links)
    json.add("work", work)
    json.add("log", log)
    return json
  }
}
