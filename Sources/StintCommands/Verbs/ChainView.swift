import StintCore
import StintRuntime

/// A chain as the verbs see it, from its own key or from that of the job that does its work.
struct ChainView: Sendable {
  let key: String
  let path: String
  let record: ChainRecord
  /// The job that does the work, once that is known.
  let work: String?

  /// The chain of a job; nil if it has none.
  init?(of key: String, in catalog: JobCatalog) {
    guard let chain = Self.chain(of: key, in: catalog) else { return nil }
    self.key = chain
    path = catalog.jobsPath + "/" + chain
    guard let record = try? ChainJob.read(path) else { return nil }
    self.record = record
    work = ChainJob.workKey(of: path)
  }

  private static func chain(of key: String, in catalog: JobCatalog) -> String? {
    let prefix = ChainJob.kind + "-"
    if key.hasPrefix(prefix) { return key }
    return (try? catalog.keys())?.filter { $0.hasPrefix(prefix) }.first {
      ChainJob.workKey(of: catalog.jobsPath + "/" + $0) == key
    }
  }

  /// Whether another slice is to come, as far as its record says.
  func goesOn(in catalog: JobCatalog) -> Bool {
    record.state != .ended && !catalog.summary(of: key).markers.contains(.stop)
  }

  /// The number of its array, which Slurm is asked for if it was lost on the way; nil if it has
  /// none.
  func number(_ queue: Slurm) -> String? {
    if let array = record.array { return array }
    guard record.state == .submitting,
      case .success(let array) = queue.array(running: "\(path)/\(ChainJob.script)")
    else { return nil }
    return array
  }

  /// How it stands in Slurm's queue; nil if that is over or if Slurm cannot say.
  func standing(_ queue: Slurm) -> SlurmStanding? {
    guard record.state != .ended, record.members == nil else { return nil }
    let asked =
      if let array = record.array {
        queue.standing(of: array, within: Self.patience)
      } else {
        queue.array(running: "\(path)/\(ChainJob.script)").flatMap { array in
          array.map { queue.standing(of: $0, within: Self.patience) } ?? .success(SlurmStanding(""))
        }
      }
    guard case .success(let standing) = asked else { return nil }
    return standing
  }

  /// A person waits for the answer.
  private static let patience = Duration.seconds(3)

  /// Where it stands, as a clause.
  ///
  /// - Parameters:
  ///   - isRunning: Whether a slice holds the chain.
  ///   - isStopped: Whether somebody stopped it.
  ///   - standing: How it stands in Slurm's queue, if that is known.
  ///   - failure: Why Slurm's slices ended before they began, if they did.
  /// - Returns: The clause.
  func text(
    isRunning: Bool, isStopped: Bool, standing: SlurmStanding?, failure: String? = nil
  ) -> String {
    if record.state == .ended {
      let next = record.ending.flatMap { record.followers.text(at: $0) }
      return "ended: \(record.why ?? "nobody knows why")" + (next.map { " (\($0))" } ?? "")
    }
    let array = record.array.map { "Slurm array \($0)" } ?? "Slurm array of an unknown number"
    if isStopped { return "\(array), stopped" }
    if isRunning { return "\(array), slice \(record.link) of at most \(record.links) is running" }
    let past =
      record.link == 0 ? "no slice has run yet" : "\(record.link) of \(record.links) slices ran"
    guard let standing else {
      return "\(array), \(past); Slurm does not say whether it is queued"
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
      return "\(array) is not in Slurm's queue any more, \(past); submit it again to continue"
    }
    let why = standing.isRunning ? "" : standing.reason.map { $0 == "None" ? "" : " (\($0))" } ?? ""
    return "\(array), queued\(why); \(past)"
  }

  /// Why nothing begins, and what lets it begin.
  func heldText(_ standing: SlurmStanding) -> String {
    let why = standing.comment.map { ": \($0)" } ?? " (\(standing.reason ?? ""))"
    let isOfSetup = standing.comment?.holds("--setup") ?? false
    return "it is held\(why); when that is mended, stint resume \(key) goes on"
      + (isOfSetup
        ? " with the same lines; for other lines stint stop \(key), and submit it again" : "")
  }

  /// Why Slurm's tasks ended without a slice, as a clause; nil if it remembers no such task.
  ///
  /// Slurm opens the log before it runs the script, so a node that does not see the folder of the
  /// chain ends one task after another.
  func failureBeforeSlices(_ queue: Slurm, in catalog: JobCatalog) -> String? {
    guard record.state != .ended, let array = record.array else { return nil }
    let journal = (try? catalog.journalBytes(of: key).bytes) ?? []
    let began = Set(StintHistory(journal: journal).stints.compactMap { $0.began.engineJob?.job })
    let failed = queue.jobs(array, within: Self.patience).filter { job in
      job.state == "FAILED" && job.task.map { !began.contains($0) } ?? false
    }
    guard let first = failed.first else { return nil }
    let nodes = Set(failed.map(\.node)).sorted().prefix(4).joined(separator: ", ")
    let count = failed.count == 1 ? "a slice" : "\(failed.count) slices"
    let why =
      first.lacksOutput
      ? "Slurm could not open \(path)/\(ChainJob.log) there"
      : "the script ended with \(first.exitCode) there"
    let advice =
      first.lacksOutput
      ? Self.adviceOnReach : "look at the lines of --setup and at the log, and submit it again"
    return "\(count) on \(nodes) did not begin: \(why); \(advice)"
  }

  private static let adviceOnReach =
    "all nodes must see the jobs folder under that name (stint doctor --nodes 2 tries it); mend that, or "
    + "leave nodes out with --sbatch --exclude=NODES, and submit it again"

  func json(standing: SlurmStanding?) -> JSONLine {
    var json = JSONLine()
    json.add("job", key)
    json.add("engine", EngineJob.slurm)
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
    json.add("log", "\(path)/\(ChainJob.log)")
    return json
  }
}
