import Dispatch
import Glibc
package import StintCore

/// The directory of one job, found at once or made when it is first needed.
///
/// A run that is over in a moment leaves nothing behind: until something must be kept, journal
/// records wait in memory.
package final class JobDirectory: Sendable {
  /// What is open once the directory is there and locked.
  package final class Opened: Sendable {
    package let root: OpenFile
    let lock: JobLock
    let journal: Journal
    let checkpoints: CheckpointStore
    package let partial: OpenFile
    /// What the journal said when it was opened.
    let history: JournalSummary
    private let fileSystem: any FileSystem

    init(
      root: OpenFile, lock: JobLock, journal: Journal, checkpoints: CheckpointStore,
      partial: OpenFile, history: JournalSummary, fileSystem: any FileSystem
    ) {
      self.root = root
      self.lock = lock
      self.journal = journal
      self.checkpoints = checkpoints
      self.partial = partial
      self.history = history
      self.fileSystem = fileSystem
    }

    deinit {
      fileSystem.close(partial)
      fileSystem.close(root)
    }
  }

  /// A directory that is locked and not opened further.
  struct Held {
    let root: OpenFile
    let lock: JobLock
  }

  /// A shorter wait for the lock is not told.
  private static let leastWait = Duration.milliseconds(100)

  /// How far the directory is.
  enum Phase {
    /// Not looked at, or not there.
    case waiting
    /// Made and locked for this process, which has nothing to keep yet.
    case reserved(Held)
    case open(Opened)
    /// Given up for good; whether it is there.
    case closed(isMade: Bool)
  }

  struct State {
    var phase = Phase.waiting
    /// What happened before there was a journal.
    var early: [(record: JournalRecord, durably: Bool)] = []
    /// What the journal says, this process's own records included.
    var summary = JournalSummary()
    var namesAreDurable = false
    /// Sees every record of this process, whether or not there is a journal yet.
    var observer: (@Sendable (JournalRecord) -> Void)?
  }

  /// Where all jobs live.
  package let jobsPath: String
  /// The name of this one.
  package let key: JobKey

  let fileSystem: any FileSystem
  let identity: StoreIdentity
  /// What the job is.
  let record: JobRecord
  /// The forms in which it can be written down.
  let forms: JobForms
  /// The contents of the file that says how the process was started; nil for none.
  private let command: [UInt8]?
  private let expected: CheckpointExpectation
  let takesOlderStop: Bool
  let report: @Sendable (String) -> Void
  /// The partial files of this process; those made before the directory get their names in it.
  let partialFiles: PartialFiles
  let state = Protected(State())
  /// Who makes, fills or removes the directory waits for the disk here, and not under the lock.
  let turns = DispatchQueue(label: "stint.job.opening")

  /// The path of the directory, whether it is there or not.
  package var path: String { jobsPath + "/" + key.description }

  /// Describes the directory of a job in one form; nothing is looked at yet.
  package convenience init(
    jobsPath: String, record: JobRecord, stateVersion: UInt32, fileSystem: any FileSystem,
    identity: StoreIdentity, report: @escaping @Sendable (String) -> Void
  ) {
    self.init(
      jobsPath: jobsPath, forms: JobForms(record), stateVersion: stateVersion,
      fileSystem: fileSystem, identity: identity, report: report)
  }

  /// Describes a directory; looks only which form of the job is there.
  package init(
    jobsPath: String, forms: JobForms, command: [UInt8]? = nil, stateVersion: UInt32,
    fileSystem: any FileSystem, identity: StoreIdentity, takesOlderStop: Bool = false,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.jobsPath = jobsPath
    self.forms = forms
    self.command = command
    let record = forms.chosen(in: jobsPath, fileSystem: fileSystem)
    self.record = record
    self.fileSystem = fileSystem
    self.identity = identity
    self.takesOlderStop = takesOlderStop
    self.report = report
    partialFiles = PartialFiles(fileSystem: fileSystem)
    key = record.key
    expected = CheckpointExpectation(
      kind: record.kind, parameterHash: key.parameterHash, stateVersion: stateVersion)
  }

  deinit {
    if let held = takeReservation() { fileSystem.close(held.root) }
  }

  /// What is open, or nil if the directory was not needed yet.
  package var opened: Opened? {
    state.withLock { if case .open(let opened) = $0.phase { opened } else { nil } }
  }

  /// The directory itself, once this process has it.
  var root: OpenFile? {
    state.withLock { state in
      switch state.phase {
      case .waiting, .closed: nil
      case .reserved(let held): held.root
      case .open(let opened): opened.root
      }
    }
  }

  /// What the journal says, this process's own records included.
  var summary: JournalSummary { state.withLock { $0.summary } }

  /// Keeps what was made and locked until there is something to write into it.
  func keepReservation(_ held: Held) {
    state.withLock { $0.phase = .reserved(held) }
  }

  /// What was reserved, for the one who fills or removes it.
  func takeReservation() -> Held? {
    state.withLock { state in
      guard case .reserved(let held) = state.phase else { return nil }
      state.phase = .waiting
      return held
    }
  }

  /// Hands every record of this process from now on to the body, after it was written.
  func observeRecords(_ body: @escaping @Sendable (JournalRecord) -> Void) {
    state.withLock { $0.observer = body }
  }

  /// Opens and locks the directory if it exists.
  ///
  /// - Parameters:
  ///   - startsOver: Whether to remove everything in it that is the job's.
  ///   - patience: How long a process that is dying and holds it is waited for.
  /// - Throws: ``StintError``: `busy`, `damaged`, `mismatch`, `unavailable`, `io`.
  package func openIfPresent(startsOver: Bool, patience: JobLock.Patience) throws(StintError) {
    guard let jobs = try ifPresent(fileSystem.openDirectory(at: jobsPath)) else { return }
    defer { fileSystem.close(jobs) }
    try checkNameIsFree(in: jobs)
    guard try fileSystem.exists(key.description, in: jobs) else { return }
    let began = identity.bootClock()
    // Race: who had nothing to keep withdrew it just now, or `clean` removed it.
    guard let held = try ifPresent(hold(in: jobs, patience: patience)) else { return }
    let waited = began.duration(to: identity.bootClock())
    let opened = try fill(held, in: jobs, startsOver: startsOver)
    var history = opened.history
    history.processIsGone()
    state.withLock { state in
      state.summary = history
      state.phase = .open(opened)
    }
    if waited >= Self.leastWait { record(.lockAwaited(took: waited), durably: false) }
  }

  /// Makes sure that the directory is there and locked; writes down what has happened so far.
  ///
  /// - Throws: ``StintError``: `busy` if another process was faster, `unavailable`, `io`.
  @discardableResult
  package func materialize() throws(StintError) -> Opened {
    if let opened { return opened }
    return try inTurn { () throws(StintError) in try materializeOnce() }
  }

  /// Runs the body if the directory is not there yet; it is not made meanwhile.
  func whileUnopened<Success, Failure: Error>(
    _ body: () throws(Failure) -> Success
  ) throws(Failure) -> Success? {
    try inTurn { () throws(Failure) in
      switch state.withLock({ $0.phase }) {
      case .waiting, .reserved: try body()
      case .open, .closed: nil
      }
    }
  }

  /// Runs the body while nobody else makes, fills or removes the directory.
  func inTurn<Success, Failure: Error>(
    _ body: () throws(Failure) -> Success
  ) throws(Failure) -> Success {
    try turns.sync { Result { () throws(Failure) in try body() } }.get()
  }

  /// Appends a record to the journal, or keeps it until there is one.
  ///
  /// The journal of a job that is another process's by now, or may be because the lock was given
  /// back, is left alone.
  ///
  /// - Returns: Why it is not there, or not on disk as it should be; nil if all went well or the
  ///   directory is not there yet.
  @discardableResult
  package func append(_ record: JournalRecord, durably: Bool) -> StintError? {
    let opened = state.withLock { state -> Opened? in
      switch state.phase {
      case .open(let opened): return opened
      case .closed: return nil
      case .waiting, .reserved:
        state.early.append((record, durably))
        return nil
      }
    }
    guard let opened else { return nil }
    if let loss = opened.lock.loss { return loss }
    guard !opened.lock.isGivenBack else {
      return StintError(.busy, "the job \(key) is not held by this process now", errno: EAGAIN)
    }
    return opened.journal.append(record, durably: durably)
  }

  /// Makes sure that no other process takes the job up, although somebody may have removed the lock
  /// file (C6).
  ///
  /// - Throws: ``StintError``: `busy` if another process has taken it up; `io`.
  package func keepLock(_ opened: Opened) throws(StintError) {
    try opened.lock.keep(in: opened.root, identity: identity) { () throws(StintError) in
      if try opened.journal.isReplaced(in: opened.root) { return false }
      let written = try opened.journal.summary().pickups
      let newest = try opened.checkpoints.generations().highest
      return written <= summary.pickups && newest <= opened.checkpoints.lastSequence
    }
  }

  /// Writes down durably what is about to get the final name.
  ///
  /// - Throws: ``StintError``: `io` if that is not on disk, and then nothing may be renamed;
  ///   `busy`.
  func willPublish(sizeBytes: Int, checksum: String) throws(StintError) {
    let opened = try materialize()
    try makeNamesDurable(opened)
    let content = JournalRecord.Content.publishing(sizeBytes: sizeBytes, checksum: checksum)
    if let error = record(content, durably: true) {
      throw StintError(
        error.code,
        "the result is complete and not under its name yet, because the journal could not take it down: "
          + "\(error); run it again", errno: error.errno)
    }
    try keepLock(opened)
  }

  /// Writes down that bytes of the result are about to go where nothing can be taken back.
  ///
  /// Whoever supervises this process reads it when that was killed meanwhile.
  func willStream() { record(.streaming, durably: false) }

  /// Stamps what happened, takes it into the summary, and appends it to the journal.
  ///
  /// - Returns: As of ``append(_:durably:)``.
  @discardableResult
  package func record(_ content: JournalRecord.Content, durably: Bool) -> StintError? {
    let record = JournalRecord(stamp: JournalRecord.Stamp(identity), content: content)
    state.withLock { $0.summary.add(record) }
    let error = append(record, durably: durably)
    state.withLock { $0.observer }?(record)
    return error
  }

  /// Makes the names of the directory and of what is in it durable, at the first call.
  ///
  /// Making a directory and waiting for its parent cannot be told apart afterwards: an earlier run
  /// may have been ended in between. So the first commit of every process waits for all of them.
  func makeNamesDurable(_ opened: Opened) throws(StintError) {
    if state.withLock({ $0.namesAreDurable }) { return }
    try JobsDirectory.makeNameDurable(jobsPath, fileSystem: fileSystem)
    let jobs = try fileSystem.openDirectory(at: jobsPath)
    defer { fileSystem.close(jobs) }
    try fileSystem.synchronize(jobs)
    try fileSystem.synchronize(opened.root)
    state.withLock { $0.namesAreDurable = true }
  }

  private func materializeOnce() throws(StintError) -> Opened {
    if let opened { return opened }
    try checkIsNotClosed()
    let jobs = try JobsDirectory.openOrMake(jobsPath, fileSystem: fileSystem)
    defer { fileSystem.close(jobs) }
    let held: Held
    if let reserved = takeReservation() { held = reserved } else { held = try make(in: jobs) }
    let opened = try fill(held, in: jobs, startsOver: false)
    try Self.checkIsNew(opened)
    try partialFiles.adopt(by: opened.partial)
    // Records may come in while the waiting ones are written: only an empty list ends the waiting.
    while true {
      let waiting = state.withLock { state in
        if state.early.isEmpty { state.phase = .open(opened) }
        return exchange(&state.early, with: [])
      }
      if waiting.isEmpty { return opened }
      // At once: a beginning without its end would read as a stint that was killed.
      opened.journal.append(waiting.map(\.record), durably: waiting.contains(where: \.durably))
    }
  }

  /// Refuses a directory in which another process has kept work since this one looked: what this
  /// one has was not made from that, and its partial files would take the place of those that the
  /// other's checkpoints count on.
  private static func checkIsNew(_ opened: Opened) throws(StintError) {
    guard try !opened.checkpoints.generations().newestFirst.isEmpty else { return }
    throw StintError(
      .busy,
      "another process has worked on the job \(opened.root.path) since this one began; run it again "
        + "to go on from what is there", errno: EAGAIN)
  }

  /// Writes what a new directory lacks, and opens what is in it.
  ///
  /// A new one that cannot be filled, as on a full disk, is removed: a directory that says what its
  /// job is, or none.
  private func fill(
    _ held: Held, in jobs: OpenFile, startsOver: Bool
  ) throws(StintError) -> Opened {
    let (root, lock) = (held.root, held.lock)
    var isNew = false
    do throws(StintError) {
      if startsOver {
        // The result of before is still this job's, and may be replaced by the one to come.
        let published =
          keepsResult(in: root)
          ? (try? Journal.summary(in: root, fileSystem: fileSystem))?.publishing : nil
        let begins = published.map { published in
          JournalRecord(
            stamp: JournalRecord.Stamp(identity),
            content: .publishing(sizeBytes: published.sizeBytes, checksum: published.checksum))
        }
        try JobFiles.removeContents(of: root, journalBegins: begins, fileSystem: fileSystem)
      }
      isNew = try !fileSystem.exists(JobRecord.fileName, in: root)
      if try writeRecord(in: root) { try checkNameIsFree(in: jobs) }
      if let command { RecordedCommand.write(command, in: root, fileSystem: fileSystem) }
      let journal = try Journal(fileSystem: fileSystem, directory: root, report: report)
      let partial = try fileSystem.openOrMakeDirectory("partial", in: root)
      do throws(StintError) {
        let history = try journal.summary()
        // The store closes its folder, also when it fails.
        let folder = try fileSystem.openOrMakeDirectory("checkpoints", in: root)
        let store = try CheckpointStore(
          fileSystem: fileSystem, directory: folder, expected: expected, identity: identity,
          lastSequence: history.lastSequence)
        return Opened(
          root: root, lock: lock, journal: journal, checkpoints: store, partial: partial,
          history: history, fileSystem: fileSystem)
      } catch {
        fileSystem.close(partial)
        throw error
      }
    } catch {
      if (try? isNew || !fileSystem.exists(JobRecord.fileName, in: root)) == true {
        JobFiles.discardHalfMade(
          root, locked: lock, named: key.description, in: jobs, fileSystem: fileSystem)
      }
      fileSystem.close(root)
      withExtendedLifetime(lock) {}
      throw error
    }
  }
}
