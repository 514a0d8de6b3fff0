import Glibc
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
  private let fileSystem = PosixFileSystem()

  /// What tells the chain of a command line from others.
  static func parameters(words: [String], directory: String) -> JobParameters {
    ["command": words.map(ShellWord.quoted).joined(separator: " "), "directory": directory]
  }

  /// The same for a chain of an array of chains, which has this key.
  static func parameters(
    words: [String], directory: String, inArray array: String
  ) -> JobParameters {
    JobParameters(
      parameters(words: words, directory: directory).values.merging(["chains": array]) { $1 })
  }

  /// Takes hold of a chain, or of an array of chains.
  ///
  /// - Throws: ``StintError``: `busy`, `io`.
  init(
    kind: String = ChainJob.kind, parameters: JobParameters, jobsPath: String,
    patience: JobLock.Patience, report: @escaping @Sendable (String) -> Void
  ) throws {
    var options = Job.Options()
    options.jobsDirectory = jobsPath
    options.lockPatience = patience
    // A stop is meant for all links, until the chain is submitted anew.
    options.takesOlderStop = true
    job = try Job(
      kind: kind, parameters: parameters, stateVersion: 1, options: options,
      fileSystem: fileSystem, identity: .current(), report: report)
    path = job.path
  }

  // MARK: What lies in it

  /// What is written down; nil if nothing is.
  ///
  /// - Throws: ``StintError``: `damaged`, `io`.
  func read() throws -> ChainRecord? { try Self.read(path) }

  static func read(_ path: String) throws -> ChainRecord? {
    guard let bytes = try bytes(of: ChainRecord.fileName, in: path) else { return nil }
    do {
      return try ChainRecord(contents: bytes)
    } catch {
      throw StintError(.damaged, "\(path)/\(ChainRecord.fileName): \(error); submit the work again")
    }
  }

  /// Writes the record down durably.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func write(_ record: ChainRecord) throws {
    try replace(ChainRecord.fileName, with: record.contents)
  }

  /// Writes down that a chain is over of which no slice runs; false if one runs, which does so.
  static func conclude(_ key: String, in catalog: JobCatalog, why: String) -> Bool {
    guard !catalog.summary(of: key).isRunning else { return false }
    guard let description = (try? catalog.record(of: key)) ?? nil,
      let chain = try? ChainJob(
        parameters: JobParameters(description.parameters), jobsPath: catalog.jobsPath,
        patience: .init(duration: .milliseconds(500)), report: { _ in })
    else { return false }
    guard var record = try? chain.read(), record.state != .ended else { return true }
    (record.state, record.ending, record.why) = (.ended, .stopped, why)
    record.isLinkOpen = false
    try? chain.write(record)
    return true
  }

  /// Puts a file into the directory, whole or not at all.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func replace(_ name: String, with bytes: [UInt8]) throws {
    let root = try fileSystem.openDirectory(at: path)
    defer { fileSystem.close(root) }
    try fileSystem.replace(name, in: root, with: bytes)
    try fileSystem.synchronize(root)
  }

  /// The key of the job that does the work, as it told the chain.
  static func workKey(of path: String) -> String? {
    guard let bytes = try? bytes(of: work, in: path) else { return nil }
    let key = String(decoding: bytes, as: UTF8.self)
    return JobKey.isKey(key) ? key : nil
  }

  /// The bytes of a file in a directory; nil if one of the two is not there.
  static func bytes(
    of name: String, in path: String, atMost most: Int = 1 << 20
  ) throws -> [UInt8]? {
    let fileSystem = PosixFileSystem()
    do {
      let root = try fileSystem.openDirectory(at: path)
      defer { fileSystem.close(root) }
      let file = try fileSystem.openFile(name, in: root, .read)
      defer { fileSystem.close(file) }
      return try fileSystem.readBytes(file, atMost: most)
    } catch  where error.errno == ENOENT {
      return nil
    }
  }
}
