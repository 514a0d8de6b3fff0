import StintCore
import StintRuntime

/// What an engine is given of a chain.
struct ChainHandOver: Hashable, Sendable {
  /// The verb that a slice runs.
  static let verb = "link"

  let record: ChainRecord
  let key: String
  /// The absolute path of this program.
  let program: String
  let jobsPath: String

  /// The folder of the chain.
  var path: String { "\(jobsPath)/\(key)" }

  /// The command of a slice.
  var link: [String] {
    [program, Self.verb, "--jobs-dir", jobsPath, key, String(record.submission)]
  }
}

/// Hands chains to an engine.
struct ChainSubmission: Sendable {
  /// The absolute path of this program, which the slices run.
  let program: String
  let jobsPath: String
  let engine: any Engine
  let engines: EngineTable

  func handOver(of record: ChainRecord, as key: String) -> ChainHandOver {
    ChainHandOver(record: record, key: key, program: program, jobsPath: jobsPath)
  }

  /// Begins a submission of a chain that this process holds, and hands it over.
  ///
  /// - Parameters:
  ///   - record: What the chain is to do; afterwards with its number, as it is written down.
  ///   - chain: The chain.
  ///   - input: The list that its work takes its items from; nil leaves what is there.
  /// - Throws: ``StintError``: `unavailable` if the engine does not take it, which is written down;
  ///   `io`.
  func submit(
    _ record: inout ChainRecord, _ chain: ChainJob, input: [UInt8]? = nil
  ) throws {
    let before = try? chain.read()
    record.submission = (before?.submission ?? 0) + 1
    record.engine = engine.name
    // An earlier array that can never begin would stay in the queue.
    if let before, before.state != .ended, let array = before.array {
      _ = engines.engine(of: before).cancelPending([array])
    }
    try chain.job.materialize()
    try chain.job.clear(.stop)
    // A file that changes later changes nothing.
    if let input { try chain.replace(ChainTie.inputName, with: input) }
    do {
      try handOver(&record, chain)
    } catch let error as StintError where error.code == .unavailable && !error.mayHaveBeenTaken {
      try chain.end(&record, .failed, "It was not submitted: \(error.message).")
      throw error
    }
  }

  /// Hands over the submission that a record describes.
  ///
  /// - Throws: ``StintError``: `unavailable` if the engine does not take it, `io`.
  func handOver(_ record: inout ChainRecord, _ chain: ChainJob) throws {
    (record.state, record.array) = (.submitting, nil)
    let given = handOver(of: record, as: chain.job.key)
    if let script = engine.script(of: given) {
      try chain.replace(ChainJob.script, with: Array(script.utf8))
    }
    // Before it is handed over: a link that begins when this process is gone finds its record.
    try chain.write(record)
    record.array = try engine.submit(given)
    record.state = .active
    try chain.write(record)
  }

  /// The array of a chain that still waits or runs, in sentences; nil if the work can be submitted.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if nobody can say.
  func queued(_ chain: ChainJob) throws -> String? {
    guard chain.job.isMaterialized, let record = try? chain.read(), record.state != .ended,
      !chain.job.isSet(.stop)
    else { return nil }
    let engine = engines.engine(of: record)
    let found =
      if let array = record.array {
        engine.standing(of: array, within: EnginePatience.usual).map { $0.isQueued ? array : nil }
      } else {
        // It was lost on the way; its name in the queue is the user's to choose.
        engine.array(ofChainIn: chain.path)
      }
    switch found {
    case .success(let array): return array.map(engine.title(ofJob:))
    case .failure(let failure):
      throw StintError(
        .unavailable,
        "\(chain.job.key) was submitted before, and \(engine.title) cannot say whether it is still "
          + "queued: \(failure.why).")
    }
  }
}
