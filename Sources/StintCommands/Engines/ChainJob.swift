import StintCore
import StintRuntime

/// A chain as a job: its directory, which one process at a time holds, and what lies in it.
///
/// The submitting process holds it while it hands the chain to the engine, and each link while its
/// work runs: a link that begins meanwhile waits.
final class ChainJob {
  /// The kind of such jobs.
  static let kind = "chain"
  /// The script that the engine runs.
  static let script = "chain.sh"
  /// What the links print.
  static let log = "chain.log"
  /// The key of the job that does the work, once that is known.
  static let work = "work"

  let job: Job
  let path: String

  /// Takes hold of a chain, or of an array of chains.
  ///
  /// - Throws: ``StintError``: `busy`, `io`.
  init(
    kind: String = ChainJob.kind, parameters: JobParameters, jobsPath: String,
    patience: JobLock.Patience, report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    var options = Job.Options()
    options.jobsDirectory = jobsPath
    options.lockPatience = patience
    // A stop is meant for all links, until the chain is submitted anew.
    options.takesOlderStop = true
    job = try Job(
      kind: kind, parameters: parameters, stateVersion: 1, options: options,
      fileSystem: PosixFileSystem(), identity: .current(), report: report)
    path = job.path
  }

  /// Takes hold of one that was submitted.
  ///
  /// - Throws: ``StintError``: `busy`, `damaged`, `io`.
  convenience init(
    _ record: JobRecord, in catalog: JobCatalog, patience: JobLock.Patience,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    try self.init(
      kind: record.kind, parameters: JobParameters(record.parameters), jobsPath: catalog.jobsPath,
      patience: patience, report: report)
  }

  // MARK: What lies in it

  /// What is written down; nil if nothing is.
  ///
  /// - Throws: ``StintError``: `damaged`, `io`.
  func read() throws -> ChainRecord? { try Self.read(path) }

  fileprivate static func read(_ path: String) throws -> ChainRecord? {
    let file = "\(path)/\(ChainRecord.fileName)"
    guard let bytes = try ifPresent(JobFileContents.bytes(of: file, atMost: 1 << 20)) else {
      return nil
    }
    do {
      return try ChainRecord(contents: bytes)
    } catch {
      throw StintError(.damaged, "\(file): \(error); submit the work again")
    }
  }

  /// Writes the record down durably.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func write(_ record: ChainRecord) throws {
    try replace(ChainRecord.fileName, with: record.contents)
  }

  /// Writes down that it is over, and why.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func end(_ record: inout ChainRecord, _ ending: ChainMachine.Ending, _ why: String) throws {
    (record.state, record.ending, record.why) = (.ended, ending, why)
    record.isLinkOpen = false
    try write(record)
  }

  /// Puts a file into the directory, whole or not at all.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func replace(_ name: String, with bytes: [UInt8]) throws {
    try JobFileContents.put(bytes, at: "\(path)/\(name)")
  }
}

extension JobCatalog {
  func path(of key: String) -> String { "\(jobsPath)/\(key)" }

  /// What a job is; nil if that cannot be read.
  func knownRecord(of key: String) -> JobRecord? { (try? record(of: key)) ?? nil }

  /// What is written down of a chain or of an array of chains; nil if nothing is.
  ///
  /// - Throws: ``StintError``: `damaged`, `io`.
  func chain(_ key: String) throws -> ChainRecord? { try ChainJob.read(path(of: key)) }

  /// What is written down of an array of chains; nil for another job.
  func arrayOfChains(_ key: String) -> ChainRecord? {
    guard key.hasPrefix(ChainArray.kind + "-") else { return nil }
    return (try? chain(key)).flatMap { $0?.members == nil ? nil : $0 }
  }

  /// The key of the chain that a job is, or whose work it does; nil if there is none.
  func chainKey(of key: String) -> String? {
    let prefix = ChainJob.kind + "-"
    if key.hasPrefix(prefix) { return key }
    return (try? keys())?.first { $0.hasPrefix(prefix) && workKey(ofChain: $0) == key }
  }

  /// The key of the job that does the work of a chain, as it told the chain.
  func workKey(ofChain key: String) -> String? {
    let file = "\(path(of: key))/\(ChainJob.work)"
    guard let bytes = try? JobFileContents.bytes(of: file, atMost: 1 << 20) else { return nil }
    let key = String(decoding: bytes, as: UTF8.self)
    return JobKey.isKey(key) ? key : nil
  }

  /// Whether another slice of a chain is to come, as far as its record says.
  func goesOn(_ key: String, _ record: ChainRecord) -> Bool {
    record.state != .ended && !summary(of: key).markers.contains(.stop)
  }

  /// Writes down that a chain is over of which no slice runs; false if one runs, which does so.
  func concludeChain(_ key: String, why: String) -> Bool {
    guard !summary(of: key).isRunning, let description = knownRecord(of: key),
      let chain = try? ChainJob(
        description, in: self, patience: .init(duration: .milliseconds(500)))
    else { return false }
    guard var record = try? chain.read(), record.state != .ended else { return true }
    try? chain.end(&record, .stopped, why)
    return true
  }
}
