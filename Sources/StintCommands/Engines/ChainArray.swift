import StintCore
import StintRuntime

/// An array of chains: hands them to an engine, as many as may be there at once (E8).
///
/// The array is a job whose record counts its chains. Whoever submits it, and each slice that ends
/// a chain of it, holds it for a moment, takes note of what has ended, and hands over what follows.
/// So no process lives as long as the array.
struct ChainArray {
  /// The kind of such jobs.
  static let kind = "chains"
  /// How long another process may hold an array, which may wait for the engine several times.
  static let patience = JobLock.Patience(duration: .seconds(180), waitsForLiving: true)

  let submission: ChainSubmission
  let catalog: JobCatalog
  let job: ChainJob
  let lines: ChainLines
  var record: ChainRecord
  /// Takes sentences for the user.
  let say: (String) -> Void

  /// What tells the array of a file from others.
  static func parameters(file: String, directory: String) -> JobParameters {
    ["file": file, "directory": directory]
  }

  /// Takes hold of an array that was submitted.
  ///
  /// - Throws: ``StintError``: `usage` if there is none, `busy`, `damaged`, `io`.
  init(
    _ key: String, in catalog: JobCatalog, _ submission: ChainSubmission,
    patience: JobLock.Patience = patience, say: @escaping (String) -> Void
  ) throws {
    guard let description = try catalog.record(of: key), description.kind == Self.kind else {
      throw StintError(.usage, "\(key) is not an array of chains.")
    }
    let job = try ChainJob(description, in: catalog, patience: patience)
    guard let record = try job.read(), record.members != nil else {
      throw StintError(.damaged, "\(key) has no \(ChainRecord.fileName); submit the file again.")
    }
    self.init(job, record, try Self.lines(in: job.path, of: key), catalog, submission, say: say)
  }

  /// An array that this process holds.
  init(
    _ job: ChainJob, _ record: ChainRecord, _ lines: ChainLines, _ catalog: JobCatalog,
    _ submission: ChainSubmission, say: @escaping (String) -> Void
  ) {
    (self.job, self.record, self.lines) = (job, record, lines)
    (self.catalog, self.submission, self.say) = (catalog, submission, say)
  }

  /// The lines as they were when the file was submitted.
  static func lines(in path: String, of key: String) throws -> ChainLines {
    let file = "\(path)/\(ChainTie.inputName)"
    let bytes = try ifPresent(JobFileContents.bytes(of: file, atMost: ChainLines.mostBytes))
    guard let bytes else {
      throw StintError(.damaged, "\(key) has lost its lines; submit the file again.")
    }
    return try ChainLines(bytes, of: file)
  }

  /// The chain at a place, before it is submitted.
  func chain(at place: Int) throws -> ChainRecord {
    try lines.chain(at: place, of: record, in: job.job.key)
  }

  // MARK: What follows

  /// Takes note that the chain of a line has ended.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  mutating func settle(_ place: Int, _ ending: ChainMachine.Ending) throws {
    note(place, ending)
    try job.write(record)
  }

  private mutating func note(_ place: Int, _ ending: ChainMachine.Ending) {
    guard record.members?.active.contains(place) ?? false else { return }
    record.members?.lineEnded(place, ending)
    if ending != .finished { record.unfinished.append(place) }
  }

  /// Hands over chains until as many are in the engine's hands as may be, or none is left; where
  /// all have ended, submits what is to follow.
  ///
  /// - Parameter takesUp: Whether active chains that the engine has no more, as after `scancel`,
  ///   are handed over again; else they have ended.
  /// - Returns: Why the engine took no more; nil if nothing is left to try again.
  /// - Throws: ``StintError`` with the code `io` or `damaged`.
  mutating func feed(takesUp: Bool = false) throws -> StintError? {
    if record.state == .ended {
      guard let ending = record.ending else { return nil }
      return try record.submitFollowers(at: ending, to: submission.engine, in: job, say: say)
    }
    guard let members = record.members else { return nil }
    if job.job.isSet(.stop), !members.isStopped {
      record.members?.stop()
      try job.write(record)
    }
    if let refusal = try review(takesUp: takesUp) { return refusal }
    var (hasTaken, refusedInARow) = (!(record.members?.active.isEmpty ?? true), 0)
    while let members = record.members {
      switch members.next {
      case .wait: return nil
      case .ended(let ending): return try conclude(ending)
      case .handOver(let place):
        record.members?.began()
        try job.write(record)
        guard let refusal = try hand(over: place) else {
          (hasTaken, refusedInARow) = (true, 0)
          continue
        }
        refusedInARow += 1
        // If none of several lines is taken, the fault is not in each of them.
        let isOfLine =
          submission.engine.refusal(refusal) == .permanent
          && (hasTaken || refusedInARow < Self.mostRefused)
        guard isOfLine else { return refusal }
        say("\(name(of: place)) was not submitted: \(refusal.message)")
        if record.members?.active.contains(place) != true { record.members?.began() }
        try settle(place, .failed)
      }
    }
    return nil
  }

  /// How many lines in a row may be refused, before any was taken.
  private static let mostRefused = 5

  private func name(of place: Int) -> String { "Line \(lines.lines[place - 1].number)" }

  /// Whether the engine has another chain of the array, whose end tries again.
  func isInHands() throws -> Bool {
    try (record.members?.active ?? []).contains { place in
      try catalog.chain(chain(at: place).key())?.state == .active
    }
  }

  /// Ends the array because the engine takes nothing.
  mutating func giveUp(_ refusal: StintError) throws {
    guard record.state != .ended else { return try record.note(refusal, in: job) }
    try job.end(
      &record, .failed,
      "\(submission.engine.title) took none of the chains that are left: \(refusal.message); submit "
        + "the file again.")
    _ = try record.submitFollowers(at: .failed, to: submission.engine, in: job, say: say)
  }

  /// Hands over the chain of an active line; why the engine did not take it, or nil.
  private mutating func hand(over place: Int) throws -> StintError? {
    var outcome = ChainArrayMachine.HandOver.taken
    var refusal: StintError?
    do {
      outcome = try take(place)
    } catch let error as StintError where error.code == .unavailable {
      (outcome, refusal) = (.refused, error)
    } catch let error as StintError where error.code == .usage {
      // It was read when the array was submitted, perhaps by another version.
      say(error.typed)
      try settle(place, .failed)
      return nil
    }
    let before = record.members
    record.members?.ended(handingOver: place, outcome)
    if record.members != before { try job.write(record) }
    return refusal
  }

  private func take(_ place: Int) throws -> ChainArrayMachine.HandOver {
    var chain = try chain(at: place)
    let held: ChainJob
    do {
      held = try ChainJob(
        parameters: chain.parameters(), jobsPath: catalog.jobsPath,
        patience: JobLock.Patience(duration: .seconds(2)))
    } catch let error as StintError where error.code == .busy {
      // A slice of it runs.
      guard catalog.summary(of: chain.key()).markers.contains(.stop) else { return .taken }
      throw StintError(
        .unavailable,
        "\(name(of: place)) is still being stopped; submit the file again when its slice has ended")
    }
    if let before = try? held.read(), before.ending == .finished { return .wasFinished }
    if try submission.queued(held) == nil { try submission.submit(&chain, held) }
    return .taken
  }

  /// Looks whether the active chains are still the engine's or are over, as after a crash, or
  /// after somebody cancelled one with the engine's own commands.
  private mutating func review(takesUp: Bool) throws -> StintError? {
    var known: [String: EngineStanding]?
    for place in record.members?.active ?? [] {
      let key = try chain(at: place).key()
      // A slice that runs says itself how its chain ended.
      if catalog.summary(of: key).isRunning { continue }
      let seen = try catalog.chain(key)
      if let seen, seen.state == .ended, !seen.isUntaken {
        try settle(place, seen.ending ?? .failed)
        continue
      }
      guard let array = seen?.array else {
        if let refusal = try hand(over: place) { return refusal }
        continue
      }
      if known == nil {
        let asked = submission.engine.standings(within: EnginePatience.usual)
        guard case .success(let all) = asked else { return nil }
        known = all
      }
      guard let known, known[array] == nil else { continue }
      guard takesUp else {
        _ = catalog.concludeChain(key, why: "It was cancelled in \(submission.engine.title).")
        try settle(place, .stopped)
        continue
      }
      if let refusal = try hand(over: place) { return refusal }
    }
    return nil
  }

  /// All chains have ended; why the engine did not take what is to follow, or nil.
  private mutating func conclude(_ ending: ChainMachine.Ending) throws -> StintError? {
    let (count, done) = (record.members?.count ?? 0, record.members?.ends[.finished] ?? 0)
    try job.end(
      &record, ending,
      ending == .finished
        ? "All \(count) chains are finished."
        : "\(done) of \(count) chains are finished"
          + (ending == .stopped ? "; it was stopped." : "."))
    if ending == .finished {
      job.job.record(.finished(sizeBytes: 0, checksum: "", workTime: .zero), durably: true)
    }
    return try record.submitFollowers(at: ending, to: submission.engine, in: job, say: say)
  }
}
