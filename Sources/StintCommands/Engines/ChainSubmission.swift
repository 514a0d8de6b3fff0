import StintCore
import StintRuntime

/// Hands chains to Slurm.
struct ChainSubmission: Sendable {
  /// The absolute path of this program, which the slices run.
  let program: String
  let jobsPath: String
  let queue: Slurm

  /// Begins a submission of a chain that this process holds, and hands it over.
  ///
  /// - Parameters:
  ///   - record: What the chain is to do; afterwards with its number, as it is written down.
  ///   - chain: The chain.
  ///   - input: The list that its work takes its items from; nil leaves what is there.
  /// - Throws: ``StintError``: `unavailable` if Slurm does not take it, which is written down;
  ///   `io`.
  func submit(
    _ record: inout ChainRecord, _ chain: ChainJob, input: [UInt8]? = nil
  ) throws {
    let before = try? chain.read()
    record.submission = (before?.submission ?? 0) + 1
    // An earlier array that can never begin would stay in the queue.
    if let before, before.state != .ended, let array = before.array {
      _ = queue.cancelPending(array)
    }
    try chain.job.materialize()
    try chain.job.clear(.stop)
    // A file that changes later changes nothing.
    if let input { try chain.replace(ChainTie.inputName, with: input) }
    do {
      try handOver(&record, chain)
    } catch let error as StintError where error.code == .unavailable && !Slurm.mayHaveTaken(error) {
      record.state = .ended
      record.ending = .failed
      record.why = "It was not submitted: \(error.message)."
      try chain.write(record)
      throw error
    }
  }

  /// Hands over the submission that a record describes.
  ///
  /// - Throws: ``StintError``: `unavailable` if Slurm does not take it, `io`.
  func handOver(_ record: inout ChainRecord, _ chain: ChainJob) throws {
    (record.state, record.array) = (.submitting, nil)
    let script = ChainScript(
      record: record, program: program, jobsPath: jobsPath, key: chain.job.key)
    try chain.replace(ChainJob.script, with: Array(script.text.utf8))
    // Before it is handed over: a link that begins when this process is gone finds its record.
    try chain.write(record)
    record.array = try queue.submit(script.command(in: chain.path))
    record.state = .active
    try chain.write(record)
  }

  /// The number of the array of a chain that still waits or runs; nil if the work can be submitted.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if nobody can say.
  func queued(_ chain: ChainJob) throws -> String? {
    guard chain.job.isMaterialized, let record = try? chain.read(), record.state != .ended,
      !chain.job.isSet(.stop)
    else { return nil }
    let found =
      if let array = record.array {
        queue.standing(of: array).map { $0.isQueued ? array : nil }
      } else {
        // It was lost on the way; its name in Slurm is the user's to choose.
        queue.array(running: "\(chain.path)/\(ChainJob.script)")
      }
    switch found {
    case .success(let array): return array
    case .failure(let failure):
      throw StintError(
        .unavailable,
        "\(chain.job.key) was submitted before, and Slurm cannot say whether it is still queued: "
          + "\(failure.why).")
    }
  }
}
