import Dispatch
import Glibc
package import StintCore

/// The directory of one job, found at once or made when it is first needed.
///
/// A run that is over in a moment leaves nothing behind: until something must be kept, journal records wait in memory.
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

  private enum Phase {
    case waiting([(record: JournalRecord, durably: Bool)])
    case open(Opened)
  }

  /// Where all jobs live.
  package let jobsPath: String
  /// The name of this one.
  package let key: JobKey

  let fileSystem: any FileSystem
  let identity: StoreIdentity
  private let record: JobRecord
  private let expected: CheckpointExpectation
  private let takesOlderStop: Bool
  private let report: @Sendable (String) -> Void
  private let phase = Protected(Phase.waiting([]))
  /// What the journal says, this process's own records included.
  let summary = Protected(JournalSummary())
  /// Sees every record of this process, whether or not there is a journal yet.
  let observer = Protected<(@Sendable (JournalRecord) -> Void)?>(nil)
  private let namesAreDurable = Protected(false)
  /// Made and locked for this process, which has nothing to keep yet.
  let reserved = Protected<Held?>(nil)
  /// Gives files that were made before the directory their names in its partial folder.
  let adoptFiles = Protected<(@Sendable (OpenFile) throws(StintError) -> Void)?>(nil)
  /// Opening happens once; who comes meanwhile waits here and not under the lock.
  let opening = DispatchQueue(label: "stint.job.opening")

  /// The path of the directory, whether it is there or not.
  package var path: String { jobsPath + "/" + key.description }

  /// Describes a directory; nothing is looked at yet.
  package init(
    jobsPath: String, record: JobRecord, stateVersion: UInt32, fileSystem: any FileSystem,
    identity: StoreIdentity, takesOlderStop: Bool = false,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.jobsPath = jobsPath
    self.record = record
    self.fileSystem = fileSystem
    self.identity = identity
    self.takesOlderStop = takesOlderStop
    self.report = report
    key = record.key
    expected = CheckpointExpectation(
      kind: record.kind, parameterHash: key.parameterHash, stateVersion: stateVersion)
  }

  deinit {
    if let held = takeReservation() { fileSystem.close(held.root) }
  }

  /// What is open, or nil if the directory was not needed yet.
  package var opened: Opened? {
    phase.withLock { phase in
      if case .open(let opened) = phase { opened } else { nil }
    }
  }

  /// Opens and locks the directory if it exists.
  ///
  /// - Parameters:
  ///   - startsOver: Whether to remove everything in it that is the job's.
  ///   - patience: How long a process that is dying and holds it is waited for.
  /// - Throws: ``StintError``: `busy`, `damaged`, `mismatch`, `unavailable`, `io`.
  package func openIfPresent(startsOver: Bool, patience: JobLock.Patience) throws(StintError) {
    let jobs: OpenFile
    do {
      jobs = try fileSystem.openDirectory(at: jobsPath)
    } catch  where error.errno == ENOENT {
      return
    }
    defer { fileSystem.close(jobs) }
    guard try fileSystem.exists(key.description, in: jobs) else { return }
    let held: Held
    do {
      held = try hold(in: jobs, patience: patience)
    } catch  where error.errno == ENOENT {
      // Race: who had nothing to keep withdrew it just now, or `clean` removed it.
      return
    }
    let opened = try fill(held, in: jobs, startsOver: startsOver)
    var history = opened.history
    history.processIsGone()
    summary.withLock { $0 = history }
    phase.withLock { $0 = .open(opened) }
  }

  /// Makes sure that the directory is there and locked; writes down what has happened so far.
  ///
  /// - Throws: ``StintError``: `busy` if another process was faster, `unavailable`, `io`.
  @discardableResult
  package func materialize() throws(StintError) -> Opened {
    if let opened { return opened }
    let result = opening.sync { () -> Result<Opened, StintError> in
      do throws(StintError) {
        return .success(try materializeOnce())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Waits until an opening that is under way on another thread has written down what was recorded before.
  func finishOpening() {
    opening.sync {}
  }

  /// Runs the body if the directory is not there yet; it is not made meanwhile.
  func whileUnopened<Result>(_ body: () -> Result) -> Result? {
    opening.sync { opened == nil ? body() : nil }
  }

  /// Appends a record to the journal, or keeps it until there is one.
  ///
  /// The journal of a job that is another process's by now is left alone.
  ///
  /// - Returns: Why it is not there, or not on disk as it should be; nil if all went well or the
  ///   directory is not there yet.
  @discardableResult
  package func append(_ record: JournalRecord, durably: Bool) -> StintError? {
    let opened = phase.withLock { phase -> Opened? in
      switch phase {
      case .open(let opened):
        return opened
      case .waiting(let records):
        phase = .waiting(records + [(record, durably)])
        return nil
      }
    }
    if let loss = opened?.lock.loss { return loss }
    return opened?.journal.append(record, durably: durably)
  }

  /// Makes sure that no other process takes the job up, although somebody may have removed the lock
  /// file (C6).
  ///
  /// - Throws: ``StintError``: `busy` if another process has taken it up; `io`.
  package func keepLock(_ opened: Opened) throws(StintError) {
    try opened.lock.keep(in: opened.root, identity: identity) { () throws(StintError) in
      let written = try opened.journal.summary().pickups
      let newest = try opened.checkpoints.generations().highest
      return written <= summary.withLock { $0.pickups } && newest <= opened.checkpoints.lastSequence
    }
  }

  /// The result that the journal knows, published or about to be.
  var knownResult: JournalSummary.Publishing? {
    summary.withLock { $0.publishing }
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

  /// Stamps what happened, takes it into the summary, and appends it to the journal.
  ///
  /// - Returns: As of ``append(_:durably:)``.
  @discardableResult
  package func record(_ content: JournalRecord.Content, durably: Bool) -> StintError? {
    let record = JournalRecord(stamp: JournalRecord.Stamp(identity), content: content)
    summary.withLock { $0.add(record) }
    let error = append(record, durably: durably)
    observer.withLock { $0 }?(record)
    return error
  }

  /// Makes the names of the directory and of what is in it durable, at the first call.
  ///
  /// Making a directory and waiting for its parent cannot be told apart afterwards: an earlier run may have been ended in
  /// between. So the first commit of every process waits for all of them.
  func makeNamesDurable(_ opened: Opened) throws(StintError) {
    if namesAreDurable.withLock({ $0 }) { return }
    try JobsDirectory.makeNameDurable(jobsPath, fileSystem: fileSystem)
    let jobs = try fileSystem.openDirectory(at: jobsPath)
    defer { fileSystem.close(jobs) }
    try fileSystem.synchronize(jobs)
    try fileSystem.synchronize(opened.root)
    namesAreDurable.withLock { $0 = true }
  }

  private func materializeOnce() throws(StintError) -> Opened {
    if let opened { return opened }
    let jobs = try JobsDirectory.openOrMake(jobsPath, fileSystem: fileSystem)
    defer { fileSystem.close(jobs) }
    let held: Held
    if let reserved = takeReservation() { held = reserved } else { held = try make(in: jobs) }
    let opened = try fill(held, in: jobs, startsOver: false)
    try Self.checkIsNew(opened)
    try adoptFiles.withLock { $0 }?(opened.partial)
    // Records may come in while the waiting ones are written: only an empty list ends the waiting.
    while true {
      let waiting = phase.withLock { phase -> [(record: JournalRecord, durably: Bool)] in
        guard case .waiting(let records) = phase else { return [] }
        phase = records.isEmpty ? .open(opened) : .waiting([])
        return records
      }
      if waiting.isEmpty { return opened }
      // At once: a beginning without its end would read as a stint that was killed.
      opened.journal.append(waiting.map(\.record), durably: waiting.contains(where: \.durably))
    }
  }

  /// Makes the directory and locks it.
  func make(in jobs: OpenFile) throws(StintError) -> Held {
    var attempts = 1
    while true {
      do {
        try fileSystem.makeDirectory(key.description, in: jobs)
      } catch  where error.errno == EEXIST {
        // Another process, or an earlier run that was ended right here.
      }
      do throws(StintError) {
        return try hold(in: jobs, patience: .init(duration: .zero))
      } catch {
        // Race: `clean` took the new directory, before it was locked, for one that nobody finished making.
        guard error.errno == ENOENT, attempts < 3 else { throw error }
        attempts += 1
      }
    }
  }

  /// Refuses a directory in which another process has kept work since this one looked: what this one has was not made
  /// from that, and its partial files would take the place of those that the other's checkpoints count on.
  private static func checkIsNew(_ opened: Opened) throws(StintError) {
    guard try !opened.checkpoints.generations().newestFirst.isEmpty else { return }
    throw StintError(
      .busy,
      "another process has worked on the job \(opened.root.path) since this one began; run it again "
        + "to go on from what is there", errno: EAGAIN)
  }

  private func hold(
    in jobs: OpenFile, patience: JobLock.Patience
  ) throws(StintError) -> Held {
    let root = try fileSystem.openDirectory(key.description, in: jobs)
    do throws(StintError) {
      try Self.checkOwner(of: root, fileSystem: fileSystem, identity: identity)
      return Held(root: root, lock: try takeLock(in: root, jobs, patience: patience))
    } catch {
      fileSystem.close(root)
      throw error
    }
  }

  /// Takes the lock; of a directory in which not even that has a place, nothing stays.
  private func takeLock(
    in root: OpenFile, _ jobs: OpenFile, patience: JobLock.Patience
  ) throws(StintError) -> JobLock {
    do throws(StintError) {
      let holder = try JobLock.waitForDyingHolder(
        in: root, fileSystem: fileSystem, identity: identity, patience: patience, report: report)
      // From the moment of the lock a stop is meant for this process, and before that it may be
      // meant for another that is just starting. Open, the older one's file cannot be taken for a
      // newer one's.
      let stop = JobMarker.stop.rawValue
      let older =
        holder == nil && !takesOlderStop
        ? try? fileSystem.openFile(stop, in: root, .read) : nil
      defer { if let older { fileSystem.close(older) } }
      let lock = try JobLock.take(in: root, fileSystem: fileSystem, identity: identity)
      if let older, try fileSystem.isNamed(older, stop, in: root) {
        try fileSystem.removeIfPresent(stop, in: root)
      }
      return lock
    } catch {
      // Only an empty one goes, and whoever is about to lock it makes it anew.
      try? fileSystem.removeDirectory(key.description, in: jobs)
      throw error
    }
  }

  /// Writes what a new directory lacks, and opens what is in it.
  ///
  /// A new one that cannot be filled, as on a full disk, is removed: a directory that says what its job is, or none.
  private func fill(
    _ held: Held, in jobs: OpenFile, startsOver: Bool
  ) throws(StintError) -> Opened {
    let (root, lock) = (held.root, held.lock)
    var isNew = false
    do throws(StintError) {
      if startsOver {
        // The result of before is still this job's, and may be replaced by the one to come.
        let published = (try? Journal.summary(in: root, fileSystem: fileSystem))?.publishing
        let begins = published.map { published in
          JournalRecord(
            stamp: JournalRecord.Stamp(identity),
            content: .publishing(sizeBytes: published.sizeBytes, checksum: published.checksum))
        }
        try JobFiles.removeContents(of: root, journalBegins: begins, fileSystem: fileSystem)
      }
      if try JobRecord.read(in: root, key: key.description, fileSystem: fileSystem) == nil {
        isNew = true
        try fileSystem.replace(JobRecord.fileName, in: root, with: record.contents)
      }
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
        JobFiles.discardHalfMade(root, named: key.description, in: jobs, fileSystem: fileSystem)
      }
      fileSystem.close(root)
      withExtendedLifetime(lock) {}
      throw error
    }
  }

  /// Refuses a directory that somebody else owns or can change (C8).
  static func checkOwner(
    of root: OpenFile, fileSystem: any FileSystem, identity: StoreIdentity
  ) throws(StintError) {
    let status = try fileSystem.status(of: root)
    guard status.userID == identity.userID else {
      throw StintError(
        .io,
        "the job's directory \(root.path) belongs to user \(status.userID), and this process runs "
          + "as user \(identity.userID)", remedies: [.anotherJobsDirectory], errno: EPERM)
    }
    guard status.permissions & 0o022 == 0 else {
      throw StintError(
        .io,
        "the job's directory \(root.path) can be changed by other users (mode "
          + "\(String(status.permissions, radix: 8))); make it private with chmod 700", errno: EPERM
      )
    }
  }
}
