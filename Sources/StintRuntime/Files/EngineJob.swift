package import StintCore

/// Where an engine, such as Slurm, runs this process: a label for people and for reports.
package struct EngineJob: Hashable, Sendable {
  /// The name of the engine.
  package var engine: String
  /// The job as the engine's own commands take it, such as `120_4`.
  package var job: String
  /// The node, by the name that the engine gives it; empty if it gives none.
  package var node: String

  package init(engine: String, job: String, node: String) {
    self.engine = engine
    self.job = job
    self.node = node
  }

  /// The job and its node, as a sentence names them.
  package var text: String {
    let place = node.isEmpty ? "" : " on \(node)"
    switch engine {
    case Self.slurm: return "Slurm job \(job)\(place)"
    case Self.local: return "run \(job) of the local queue\(place)"
    case _: return "\(engine) job \(job)\(place)"
    }
  }

  /// Whether two jobs are different tasks of one array.
  func isOtherTask(of other: EngineJob?) -> Bool {
    guard let other, let array else { return false }
    return array == other.array && job != other.job
  }

  /// The number of the array of which it is a task; nil if it is of none.
  private var array: Substring? {
    engine == Self.slurm && job.contains("_") ? job.prefix { $0 != "_" } : nil
  }

  package static let slurm = "slurm"
  /// The queue of one machine.
  package static let local = "local"
  /// A longer name, or one with other characters, is not one that Slurm gave.
  private static let longest = 256

  /// The job whose allocation this process runs in, by its environment; nil outside of any.
  ///
  /// A queue that is served in an allocation of another engine is the one that counts.
  package init?(variable: (String) -> String?) {
    guard let job = QueueSlice(variable)?.job ?? Self.ofSlurm(variable) else { return nil }
    self = job
  }

  /// The job of Slurm whose allocation this process runs in.
  package static func ofSlurm(_ variable: (String) -> String?) -> EngineJob? {
    guard let id = variable("SLURM_JOB_ID"), isNumber(id) else { return nil }
    var job = id
    if let array = variable("SLURM_ARRAY_JOB_ID"), let task = variable("SLURM_ARRAY_TASK_ID"),
      isNumber(array), isNumber(task)
    {
      job = "\(array)_\(task)"
    }
    let node = variable("SLURMD_NODENAME") ?? ""
    let isName = node.utf8.count <= longest && node.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    return EngineJob(engine: slurm, job: job, node: isName ? node : "")
  }

  private static func isNumber(_ text: String) -> Bool {
    (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
  }
}

extension EngineJob {
  /// Adds what is known to a line of JSON.
  package func add(to json: inout JSONLine) {
    json.add("engine", engine)
    json.add("engineJob", job)
    json.add("engineNode", node.isEmpty ? nil : node)
  }

  /// Reads what ``add(to:)`` wrote; nil if nothing is there.
  init?(_ object: JSONObject) throws(JSONFault) {
    guard let engine = try object.optionalText("engine") else { return nil }
    self.init(
      engine: engine, job: try object.optionalText("engineJob") ?? "",
      node: try object.optionalText("engineNode") ?? "")
  }
}
