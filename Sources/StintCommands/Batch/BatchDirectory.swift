import Glibc
import StintCore
import StintRuntime

/// The directory of a batch among the jobs: locked while a batch works in it, with the log of its
/// lines.
///
/// It is a job's directory (``JobDirectory``) of the kind `batch`, so that `stint list`, `status`,
/// `stop` and `clean` know it. Its key is made of the file's path and the directory in which the
/// batch is run, never of the lines: they may be added, removed and reordered between two runs
/// (R11).
final class BatchDirectory: Sendable {
  /// How the name of a file ends that keeps a line's standard output.
  static let outputEnding = ".out"
  /// The same for its standard error.
  static let errorEnding = ".err"
  /// What stands before that ending once the output of a line that failed was passed on: it stays
  /// for people until the line is started again.
  private static let passedOn = ".failed"

  let log: BatchLog
  private let directory: JobDirectory
  private let opened: JobDirectory.Opened
  private let fileSystem: any FileSystem
  /// The outputs of lines that were held before all of it was removed, by the lines' keys.
  private let removed: [String: BatchOutputLock]

  var key: String { directory.key.description }
  var path: String { directory.path }

  /// Opens and locks the directory; makes it if there is none.
  ///
  /// Another process that works on the batch is waited for with patience; a journal that cannot be
  /// written is reported once.
  ///
  /// - Throws: ``StintError``: `busy` with the holder's name, `damaged`, `io`.
  init(
    forms: JobForms, command: [[UInt8]]? = nil, jobsPath: String, startsOver: Bool,
    patience: JobLock.Patience = .init(duration: .zero),
    fileSystem: any FileSystem = PosixFileSystem(), identity: StoreIdentity = .current(),
    report: @escaping @Sendable (String) -> Void
  ) throws(StintError) {
    self.fileSystem = fileSystem
    directory = JobDirectory(
      jobsPath: jobsPath, forms: forms, command: command.flatMap(RecordedCommand.contents),
      stateVersion: 1, fileSystem: fileSystem, identity: identity, report: report)
    removed = startsOver ? Self.heldOutputs(of: directory.path, fileSystem) : [:]
    try directory.openIfPresent(startsOver: startsOver, patience: patience)
    opened = try directory.materialize()
    log = try BatchLog(in: opened.root, fileSystem: fileSystem)
    // What is waited for later is the log's bytes; a file whose name is lost is lost with them.
    try fileSystem.synchronize(opened.root)
    let jobs = try fileSystem.openDirectory(at: jobsPath)
    defer { fileSystem.close(jobs) }
    try fileSystem.synchronize(jobs)
  }

  private static func heldOutputs(
    of path: String, _ fileSystem: any FileSystem
  ) -> [String: BatchOutputLock] {
    guard let folder = try? fileSystem.openDirectory(at: path + "/partial") else { return [:] }
    defer { fileSystem.close(folder) }
    return names(in: folder, fileSystem).compactMapValues { names in
      BatchOutputLock(paths: names.map { folder.path + "/" + $0 }).flatMap {
        $0.holder == nil ? nil : $0
      }
    }
  }

  func record(_ event: JournalEvent, durably: Bool = false) {
    directory.record(.event(event), durably: durably)
  }

  /// Looks after the lock: why the batch is another process's by now, or nil while it is this
  /// one's.
  func loss() -> StintError? {
    do throws(StintError) {
      try directory.keepLock(opened)
      return nil
    } catch {
      // What a file server cannot answer now is asked again.
      return error.code == .busy ? error : nil
    }
  }

  /// Why the same command would not go on from here; nil if it would.
  func displacement() -> String? { directory.displacement() }

  /// The folder in which the jobs directory lies.
  var base: JobsBase? { JobsBase(jobsPath: directory.jobsPath) }

  /// What a result's file is now; nil if it is none.
  func mark(of path: FilePath) -> BatchOutputMark? {
    var mark = BatchOutputMark(path: path)
    if let folder = directory.workingDirectory {
      mark?.relativePath = base?.relative(path, from: folder)
    }
    return mark
  }

  /// Whether somebody wants the batch to stop.
  var mustStop: Bool { JobMarker.stop.isSet(in: opened.root, fileSystem: fileSystem) }

  /// Takes the wish to stop away.
  func forgetStop() {
    guard loss() == nil else { return }
    try? JobMarker.stop.clear(in: opened.root, fileSystem: fileSystem)
  }

  /// Where a line's standard output and standard error are kept until they are passed on.
  func outputPath(of key: String) -> String { opened.partial.path + "/" + key + Self.outputEnding }
  func errorPath(of key: String) -> String { opened.partial.path + "/" + key + Self.errorEnding }

  /// Where they stay once they were passed on, if the line failed.
  func failedPaths(of key: String) -> BatchOutput.Paths {
    let start = opened.partial.path + "/" + key + Self.passedOn
    return BatchOutput.Paths(output: start + Self.outputEnding, errors: start + Self.errorEnding)
  }

  /// Removes what stayed of a line that failed: it is started again.
  func removeFailedOutput(of key: String) {
    for ending in [Self.outputEnding, Self.errorEnding] {
      try? fileSystem.removeIfPresent(key + Self.passedOn + ending, in: opened.partial)
    }
  }

  /// Where that lies which a line has written, in the directory of a batch on which another process
  /// may be working; nil for what is not there or empty.
  static func keptOutput(of key: String, in path: String) -> (output: String?, errors: String?) {
    func find(_ ending: String) -> String? {
      [passedOn, ""].lazy.map { "\(path)/partial/\(key)\($0)\(ending)" }.first { path in
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
      }
    }
    return (find(outputEnding), find(errorEnding))
  }

  /// How much is kept of a line's standard output and standard error.
  func outputBytes(of key: String) -> Int {
    [Self.outputEnding, Self.errorEnding].reduce(0) { sum, ending in
      sum + ((try? fileSystem.status(of: key + ending, in: opened.partial).sizeBytes) ?? 0)
    }
  }

  /// The process of an earlier batch that still works on a line; nil if there is none.
  ///
  /// It is 0 if it has no number here, as in another container, or is not known.
  func holder(of key: String) -> Int32? {
    removed[key]?.holder
      ?? BatchOutputLock(paths: [outputPath(of: key), errorPath(of: key)])?.holder
  }

  /// The keys of the lines whose output was not passed on.
  func keysWithOutput() -> Set<String> {
    Set(
      outputs().filter { key, names in
        names.contains { !$0.hasPrefix(key + Self.passedOn) }
      }.keys)
  }

  /// Removes what is kept of lines that are not in the file any more.
  ///
  /// What a process still writes stays.
  func removeOutput(where isGone: (String) -> Bool) {
    for (key, names) in outputs() where isGone(key) && holder(of: key) == nil {
      for name in names { try? fileSystem.removeIfPresent(name, in: opened.partial) }
    }
  }

  private func outputs() -> [String: [String]] { Self.names(in: opened.partial, fileSystem) }

  /// The names of the files in which output is kept, by the lines' keys.
  private static func names(
    in folder: OpenFile, _ fileSystem: any FileSystem
  ) -> [String: [String]] {
    let names = (try? fileSystem.list(folder)) ?? []
    return Dictionary(
      grouping: names.filter { $0.hasSuffix(outputEnding) || $0.hasSuffix(errorEnding) }
    ) { name in
      let start = name.dropLast(outputEnding.count)
      return String(start.hasSuffix(passedOn) ? start.dropLast(passedOn.count) : start)
    }
  }
}
