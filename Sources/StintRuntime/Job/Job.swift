import Dispatch
import Glibc
import StintCore

/// A computation with its directory: everything of it that outlives a process.
///
/// A job is found by its key, so the same computation with the same output finds its directory
/// again and goes on from there.
///
/// A `Job` holds the job's lock from its creation on, and a second one is refused meanwhile, in
/// this process as in any other (C6). The lock is given back when a worker's stint that
/// ``Worker/runStint()`` ran is over, when a worker has ended, at ``close()``, and when the `Job`
/// goes away; while anything of a worker can still write, such as a chunk that was told to give up,
/// that waits. A worker that goes on takes the lock again, and is refused if the job was run by
/// another one meanwhile.
public final class Job: WorkStore {
  /// Where a job lives and how it is opened.
  public struct Options: Sendable {
    /// The directory of all jobs; nil for `$STINT_JOBS`, else
    /// `${XDG_STATE_HOME:-~/.local/state}/stint/jobs`.
    public var jobsDirectory: String?
    /// The path of the result, a part of the job's key; nil when there is no file of its own.
    ///
    /// A relative path is taken from the working directory that the process has when the job is
    /// opened. A finished job whose result is no longer there is not finished: it is run again.
    public var outputPath: String?
    /// Whether to remove what the job has and start over.
    public var startsOver = false
    /// Whether the checkpoints and partial files of a finished job stay.
    ///
    /// By default a worker removes them when the result is recorded as durable.
    public var keepsCheckpoints = false
    /// How often a checkpoint that makes the restart crash is tried (C7).
    public var restoreAttempts = 3
    /// How long a process that works on the job, and is dying because it was killed, is waited for.
    public var patience = Duration.seconds(2)
    /// How long another process that works on the job is waited for, in place of ``patience``.
    package var lockPatience: JobLock.Patience?

    /// Whether a stop that is there already is meant for this process too, which goes on with what
    /// another one of the same run has begun.
    package var takesOlderStop = false

    /// What else tells the job from others, and how it is written down.
    package var terms = JobTerms()

    /// The words with which this process was started, if the job is started again by them.
    package var command: [[UInt8]]?

    /// Creates the default options.
    public init() {}
  }

  let directory: JobDirectory
  let identity: StoreIdentity
  let restoreAttempts: Int
  let files: JobWorkspace
  let report: @Sendable (String) -> Void
  let keepsCheckpoints: Bool
  private let outputPath: FilePath?
  private let holding = Protected(Holding())
  /// Where the job is taken up and given up: both wait for the disk, which nothing may do under a
  /// lock.
  private let turns = DispatchQueue(label: "stint.job.holding")

  /// Who uses the job.
  private struct Holding {
    var worker: ObjectIdentifier?
    /// Whether it is closed as soon as no worker uses it.
    var isClosing = false
  }

  /// Finds the job of a computation; its directory is made when something must first be kept.
  ///
  /// - Parameters:
  ///   - computation: What decides the result.
  ///   - options: Where it lives and how it is opened.
  ///   - report: Called with a sentence when something is wrong that does not stop the work.
  /// - Throws: ``StintError``: `busy` if another process works on it, `damaged`, `mismatch`,
  ///   `unavailable`, `io`.
  public convenience init<Computation: ChunkedComputation>(
    of computation: Computation, options: Options = Options(),
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    try self.init(
      kind: Computation.kind, parameters: computation.parameters,
      stateVersion: Computation.stateVersion, options: options,
      fileSystem: PosixFileSystem(), identity: .current(), report: report)
  }

  /// Finds a job with the file system and the identity given.
  package init(
    kind: String, parameters: JobParameters, stateVersion: UInt32, options: Options,
    fileSystem: any FileSystem, identity: StoreIdentity,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    guard CheckpointHeader.isKind(kind) else {
      throw StintError(
        .usage, "\"\(kind)\" cannot be a kind; use 1 to 16 ASCII letters, digits or hyphens")
    }
    outputPath = try options.outputPath.map { path throws(StintError) in
      try FilePath(path).fromWorkingDirectory()
    }
    keepsCheckpoints = options.keepsCheckpoints
    let jobsPath = try JobsDirectory.path(explicit: options.jobsDirectory)
    let forms = JobForms(
      kind: kind, parameters: parameters, outputPath: outputPath, terms: options.terms,
      jobsPath: jobsPath, identity: identity)
    directory = JobDirectory(
      jobsPath: jobsPath, forms: forms,
      command: options.command.flatMap(RecordedCommand.contents), stateVersion: stateVersion,
      fileSystem: fileSystem, identity: identity,
      takesOlderStop: options.takesOlderStop, report: report)
    self.identity = identity
    self.report = report
    restoreAttempts = max(1, options.restoreAttempts)
    files = JobWorkspace(directory: directory)
    try directory.openIfPresent(
      startsOver: options.startsOver,
      patience: options.lockPatience ?? .init(duration: options.patience))
    let summary = directory.summary
    if summary.unreadBytes > 0 {
      report(
        "\(directory.path)/\(Journal.fileName) is too long to be read as a whole: what its first "
          + "\(summary.unreadBytes) bytes tell is left out")
    }
    if summary.garbageLines > 0 {
      let lines =
        summary.garbageLines == 1 ? "1 unreadable line" : "\(summary.garbageLines) unreadable lines"
      report("\(directory.path)/\(Journal.fileName) has \(lines)")
    }
  }

  /// The name of the job, for example `fibonacci-1f0c5a93b2d4e687`.
  public var key: String { directory.key.description }

  /// The path of the job's directory, whether it exists yet or not.
  public var path: String { directory.path }

  /// Whether the directory exists.
  public var isMaterialized: Bool { directory.isMade }

  /// Makes the directory and writes down what was recorded so far; does nothing if it is there.
  ///
  /// A commit and a partial file do this by themselves. A program calls it when a run has lasted so
  /// long that it should be found again.
  ///
  /// - Throws: ``StintError``: `busy` if another process was faster, `unavailable`, `io`.
  public func materialize() throws {
    try directory.materialize()
  }

  /// Waits, before the process ends, until what was recorded so far is in the journal, if there is
  /// going to be one.
  package func finishRecords() {
    directory.turns.sync {}
  }

  /// Hands every record of this process from now on to the body, after it was written.
  package func observeRecords(_ body: @escaping @Sendable (JournalRecord) -> Void) {
    directory.observeRecords(body)
  }

  /// What the journal says, this process's own records included.
  package var summary: JournalSummary { directory.summary }

  /// What the journal said when this process opened it: the state in which the process before left
  /// it (L8).
  package var history: JournalSummary { directory.opened?.history ?? JournalSummary() }

  /// Whether the result was durable under its final name when the job was last run, and is still
  /// there.
  ///
  /// Only the name is looked for; without an output path nothing is.
  public var isFinished: Bool { summary.finish != nil && !resultIsGone }

  private var resultIsGone: Bool {
    guard let outputPath, outputPath.isAbsolute else { return false }
    do throws(StintError) {
      let folder = try directory.fileSystem.openDirectory(at: outputPath.folder?.text ?? "/")
      defer { directory.fileSystem.close(folder) }
      return try !directory.fileSystem.exists(outputPath.name.text, in: folder)
    } catch {
      // What cannot be looked at may be there.
      return [ENOENT, ENOTDIR].contains(error.errno)
    }
  }

  /// Removes the checkpoints and partial files of a finished job.
  ///
  /// They stay if the line of the journal that says so did not get to the disk: the next run would
  /// look for them.
  ///
  /// - Throws: ``StintError``: `io`, `busy` if the job is another process's by now, or `usage` if
  ///   it was closed.
  public func removeCheckpoints() throws {
    try directory.checkIsNotClosed()
    guard let opened = directory.opened else { return }
    try directory.keepLock(opened)
    if summary.finish != nil { try checkFinishIsDurable(opened) }
    try opened.checkpoints.removeAll()
    for name in try directory.fileSystem.list(opened.partial) where JobWorkspace.isName(name) {
      try files.removePartialFile(named: name)
    }
    try files.synchronize()
  }

  /// Gives the job up for good, with its lock and all its descriptors; the next `Job` of the same
  /// computation takes it up.
  ///
  /// While a worker works on the job, and while anything of it can still write, that happens as
  /// soon as the worker rests or has ended; the worker is not stopped by it. What needs the job's
  /// files afterwards is refused with the code `usage`. Closing a job again does nothing.
  public func close() {
    turns.sync {
      let isFree = holding.withLock { holding in
        holding.isClosing = true
        return holding.worker == nil
      }
      if isFree { directory.close() }
    }
  }

  private func checkFinishIsDurable(_ opened: JobDirectory.Opened) throws(StintError) {
    let what =
      "the journal of \(path) could not take down that the job is finished, so its checkpoints stay"
    do throws(StintError) {
      try opened.journal.synchronize()
    } catch {
      throw error.about(what)
    }
    guard try opened.journal.summary().finish != nil else {
      throw StintError(.io, "\(what); make room and run it again", errno: ENOSPC)
    }
  }

  /// Why the job is another process's by now, which took it up when the lock file was gone; nil
  /// while it is this one's.
  package var loss: StintError? { directory.opened?.lock.loss }

  /// Looks whether the job is still this process's, before something is recorded as kept.
  package func isStillOurs() -> Bool {
    if let opened = directory.opened { try? directory.keepLock(opened) }
    return loss == nil
  }

  /// Whether a marker of another process is there.
  package func isSet(_ marker: JobMarker) -> Bool {
    directory.root.map { marker.isSet(in: $0, fileSystem: directory.fileSystem) } ?? false
  }

  /// Takes a marker away.
  package func clear(_ marker: JobMarker) throws {
    guard let opened = directory.opened, loss == nil else { return }
    try marker.clear(in: opened.root, fileSystem: directory.fileSystem)
  }
}

extension Job: HeldStore {
  package func hold(for worker: AnyObject) throws {
    let result = turns.sync { () -> Result<Void, StintError> in
      Result { () throws(StintError) in
        try directory.checkIsNotClosed()
        let other = holding.withLock { $0.worker }
        guard other == nil || other == ObjectIdentifier(worker) else {
          throw StintError(
            .busy,
            "another worker of this process works on the job \(path); wait until it has ended",
            errno: EAGAIN)
        }
        if let opened = directory.opened { try directory.keepLock(opened) }
        holding.withLock { $0.worker = ObjectIdentifier(worker) }
      }
    }
    try result.get()
  }

  package func letGo(of worker: AnyObject, isFinished: Bool) {
    turns.sync {
      guard holding.withLock({ $0.worker == ObjectIdentifier(worker) }) else { return }
      if isFinished, !keepsCheckpoints, summary.finish != nil {
        do {
          try removeCheckpoints()
        } catch {
          report("\(StintError(wrapping: error, while: "removing the checkpoints of \(path)"))")
        }
      }
      let isClosing = holding.withLock { holding in
        holding.worker = nil
        return holding.isClosing
      }
      isClosing ? directory.close() : directory.giveLockBack()
    }
  }
}
