import Glibc
import StintCore
import StintRuntime

/// The directory of a batch among the jobs: locked while a batch works in it, with the log of its lines.
///
/// It is a job's directory (``JobDirectory``) of the kind `batch`, so that `stint list`, `status`, `stop` and `clean` know it.
/// Its key is made of the file's path and the directory in which the batch is run, never of the lines: they may be
/// added, removed and reordered between two runs (R11).
final class BatchDirectory: Sendable {
  /// The kind of a batch's record.
  static let kind = "batch"

  let log: BatchLog
  private let directory: JobDirectory
  private let opened: JobDirectory.Opened
  private let fileSystem: any FileSystem
  private let identity: StoreIdentity

  var key: String { directory.key.description }
  var path: String { directory.path }

  /// Opens and locks the directory; makes it if there is none.
  ///
  /// - Parameters:
  ///   - parameters: What tells this batch from others.
  ///   - jobsPath: Where all jobs live.
  ///   - startsOver: Whether to forget what was done.
  ///   - patience: How long a batch that is dying because it was killed is waited for.
  ///   - fileSystem: Where that is.
  ///   - identity: Who works in it.
  ///   - report: Told once when the journal cannot be written.
  /// - Throws: ``StintError``: `busy` with the holder's name, `damaged`, `io`.
  init(
    parameters: JobParameters, jobsPath: String, startsOver: Bool, patience: Duration = .zero,
    fileSystem: any FileSystem = PosixFileSystem(), identity: StoreIdentity = .current(),
    report: @escaping @Sendable (String) -> Void
  ) throws(StintError) {
    self.fileSystem = fileSystem
    self.identity = identity
    directory = JobDirectory(
      jobsPath: jobsPath,
      record: JobRecord(
        kind: Self.kind, parameters: parameters, outputPath: nil, identity: identity),
      stateVersion: 1, fileSystem: fileSystem, identity: identity, report: report)
    try directory.openIfPresent(startsOver: startsOver, patience: .init(duration: patience))
    opened = try directory.materialize()
    log = try BatchLog(in: opened.root, fileSystem: fileSystem)
    // What is waited for later is the log's bytes; a file whose name is lost is lost with them.
    try fileSystem.synchronize(opened.root)
    let jobs = try fileSystem.openDirectory(at: jobsPath)
    defer { fileSystem.close(jobs) }
    try fileSystem.synchronize(jobs)
  }

  /// Appends an event to the batch's journal.
  func record(_ event: JournalEvent) {
    directory.append(
      JournalRecord(stamp: JournalRecord.Stamp(identity), content: .event(event)), durably: false)
  }

  /// Whether somebody wants the batch to stop.
  var mustStop: Bool { JobMarker.stop.isSet(in: opened.root, fileSystem: fileSystem) }

  /// Takes the wish to stop away.
  func forgetStop() { try? JobMarker.stop.clear(in: opened.root, fileSystem: fileSystem) }

  /// Where a line's standard output and standard error are kept until they are passed on.
  func outputPath(of key: String) -> String { opened.partial.path + "/" + key + ".out" }
  func errorPath(of key: String) -> String { opened.partial.path + "/" + key + ".err" }

  /// Removes a file of a line's output.
  func remove(_ path: String) { unlink(path) }

  /// The names of the lines whose output was not passed on.
  func keysWithOutput() -> Set<String> {
    let names = (try? fileSystem.list(opened.partial)) ?? []
    return Set(
      names.filter { $0.hasSuffix(".out") || $0.hasSuffix(".err") }.map {
        String($0.dropLast(4))
      })
  }
}
