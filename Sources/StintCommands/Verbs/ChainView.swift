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

  /// Whether it waits or runs in Slurm's queue; nil if Slurm cannot say.
  func isQueued(_ queue: Slurm) -> Bool? {
    guard record.state != .ended else { return false }
    switch queue.arrays(named: key, within: Self.patience) {
    case .success(let arrays): return record.array.map(arrays.contains) ?? !arrays.isEmpty
    case .failure: return nil
    }
  }

  /// A person waits for the answer.
  private static let patience = Duration.seconds(3)

  /// Where it stands, as a clause.
  func text(isRunning: Bool, isStopped: Bool, isQueued: Bool?) -> String {
    if record.state == .ended { return "ended: \(record.why ?? "nobody knows why")" }
    let array = record.array.map { "Slurm array \($0)" } ?? "Slurm array of an unknown number"
    if isStopped { return "\(array), stopped" }
    if isRunning { return "\(array), slice \(record.link) of at most \(record.links) is running" }
    let past =
      record.link == 0 ? "no slice has run yet" : "\(record.link) of \(record.links) slices ran"
    switch isQueued {
    case true: return "\(array), queued; \(past)"
    case nil: return "\(array), \(past); Slurm does not say whether it is queued"
    case false:
      return "\(array) is not in Slurm's queue any more, \(past); submit it again to continue"
    }
  }

  func json(isQueued: Bool?) -> JSONLine {
    var json = JSONLine()
    json.add("job", key)
    json.add("engine", EngineJob.slurm)
    json.add("array", record.array)
    json.add("state", record.state.rawValue)
    if let isQueued { json.add("queued", isTrue: isQueued) }
    json.add("ending", record.ending?.rawValue)
    json.add("why", record.why)
    json.add("slice", record.link)
    json.add("slices", record.links)
    json.add("work", work)
    json.add("log", "\(path)/\(ChainJob.log)")
    return json
  }
}
