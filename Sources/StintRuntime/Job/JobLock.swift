import Dispatch
import Glibc
package import StintCore

/// The lock on a job: an open-file-description lock on the file `lock` (C6).
///
/// The kernel gives it back when the process ends, however it ends, so a dead holder never blocks,
/// and one that is dying is waited for. The descriptor is close-on-exec: no program that the work
/// starts inherits it. A bare fork without exec shares the description: the lock then lasts until
/// it is given back in order, which counts for both, or until both have ended. Stint starts no such
/// child while it holds a lock. Stint never removes the file while somebody holds it; who holds it
/// looks after it all the same (``keep(in:identity:isUntouched:)``).
package final class JobLock: Sendable {
  /// The file's name.
  package static let fileName = "lock"

  /// More than this is not ours.
  private static let largestBytes = 4096

  private struct State {
    var file: OpenFile
    var isOpen = true
    var isHeld = false
    /// What the file says of this process; nil if that could not be written.
    var contents: [UInt8]?
    /// Why the job is another process's by now.
    var loss: StintError?
  }

  private let fileSystem: any FileSystem
  private let state: Protected<State>
  /// Looks at the lock file come one after the other.
  private let looking = DispatchQueue(label: "stint.job.lock")

  private init(fileSystem: any FileSystem, file: OpenFile) {
    self.fileSystem = fileSystem
    state = Protected(State(file: file))
  }

  deinit {
    giveBack()
  }

  /// Gives the lock back; ``keep(in:identity:isUntouched:)`` takes it again.
  ///
  /// Who removes the directory does so first: where a file server keeps a file that is open, the
  /// directory would not be empty.
  func giveBack() {
    let (file, isOpen, isHeld) = state.withLock { state in
      defer { (state.isOpen, state.isHeld) = (false, false) }
      return (state.file, state.isOpen, state.isHeld)
    }
    // Closing alone is not enough: a child that another thread is just starting has a copy of the
    // descriptor until its exec, and the lock would last until then.
    if isHeld { fileSystem.unlock(file) }
    if isOpen { fileSystem.close(file) }
  }

  private var file: OpenFile { state.withLock { $0.file } }

  /// Whether the lock was given back and not taken again since.
  var isGivenBack: Bool { state.withLock { !$0.isOpen } }

  /// Why the job is another process's by now; nil while it is this one's.
  var loss: StintError? { state.withLock { $0.loss } }

  /// Takes the lock without waiting.
  ///
  /// - Returns: The lock; it is given back when it goes away.
  /// - Throws: ``StintError``: `busy` with the holder's name; `unavailable` where there are no
  ///   locks; `io`.
  package static func take(
    in directory: OpenFile, fileSystem: any FileSystem, identity: StoreIdentity
  ) throws(StintError) -> JobLock {
    while true {
      let file = try fileSystem.openFile(fileName, in: directory, .createOrUpdate)
      let lock = JobLock(fileSystem: fileSystem, file: file)
      try lock.take(identity: identity, job: directory.path)
      guard try lock.isStillNamed(in: directory) else { continue }
      lock.write(LockHolder(identity), to: file)
      return lock
    }
  }

  /// Makes sure that this process still has the lock and that others find it (C6).
  ///
  /// One that was given back is taken again. The file is made anew if somebody has taken it away,
  /// as cleaners of temporary folders do. A file server may have forgotten the lock: opening the
  /// file by its name asks it whether the file changed, and reading through the descriptor that had
  /// the lock fails, or shows who has it now.
  ///
  /// - Parameters:
  ///   - directory: The job's directory.
  ///   - identity: Who holds it.
  ///   - isUntouched: Whether no other process has worked on the job; asked under the new lock.
  /// - Throws: ``StintError``: `busy` if the job is another process's by now, at this call and,
  ///   unless the lock was given back, every later one; `io`, also if the file server says that the
  ///   lock is lost.
  func keep(
    in directory: OpenFile, identity: StoreIdentity,
    isUntouched: () throws(StintError) -> Bool
  ) throws(StintError) {
    let result = looking.sync { () -> Result<Void, StintError> in
      do throws(StintError) {
        if let loss { throw loss }
        if isGivenBack {
          return Result { () throws(StintError) in
            try takeBack(in: directory, identity: identity, isUntouched: isUntouched)
          }
        }
        if try isStillNamed(in: directory) {
          try checkContents(in: directory, identity: identity, isUntouched: isUntouched)
        } else {
          try takeAnew(in: directory, identity: identity, isUntouched: isUntouched)
        }
        return .success(())
      } catch {
        if error.code == .busy { state.withLock { $0.loss = error } }
        return .failure(error)
      }
    }
    try result.get()
  }

  private func takeBack(
    in directory: OpenFile, identity: StoreIdentity, isUntouched: () throws(StintError) -> Bool
  ) throws(StintError) {
    let taken = try Self.take(in: directory, fileSystem: fileSystem, identity: identity)
    guard try isUntouched() else {
      throw StintError(
        .busy,
        "another worker has worked on the job \(directory.path) since this one rested; open the job "
          + "again to go on from what is there", errno: EAGAIN)
    }
    let new = taken.state.withLock { state in
      defer { (state.isOpen, state.isHeld) = (false, false) }
      return state
    }
    state.withLock { $0 = new }
  }

  private func checkContents(
    in directory: OpenFile, identity: StoreIdentity, isUntouched: () throws(StintError) -> Bool
  ) throws(StintError) {
    let file = file
    guard let written = state.withLock({ $0.contents }) else { return }
    let found: [UInt8]
    fileSystem.forgetBytes(of: file)
    do throws(StintError) {
      found = try fileSystem.readBytes(file, atMost: Self.largestBytes)
    } catch {
      throw error.about("the lock of the job \(directory.path) may be lost")
    }
    if found == written { return }
    guard LockHolder(contents: found) == nil, try fileSystem.lock(file), try isUntouched() else {
      throw try lost(in: directory, to: identity)
    }
    // Somebody emptied it.
    write(LockHolder(identity), to: file)
  }

  private func takeAnew(
    in directory: OpenFile, identity: StoreIdentity, isUntouched: () throws(StintError) -> Bool
  ) throws(StintError) {
    let new: OpenFile
    do throws(StintError) {
      new = try fileSystem.openFile(Self.fileName, in: directory, .create)
    } catch  where error.errno == EEXIST {
      throw try lost(in: directory, to: identity)
    }
    do throws(StintError) {
      guard try fileSystem.lock(new), try isUntouched() else {
        throw try lost(in: directory, to: identity)
      }
    } catch {
      fileSystem.close(new)
      throw error
    }
    write(LockHolder(identity), to: new)
    let old = state.withLock { exchange(&$0.file, with: new) }
    fileSystem.unlock(old)
    fileSystem.close(old)
  }

  /// The error of a process that others could not see on the job any more.
  private func lost(
    in directory: OpenFile, to identity: StoreIdentity
  ) throws(StintError) -> StintError {
    let holder = try Self.holder(in: directory, fileSystem: fileSystem)
    let who = holder.flatMap { $0 }.map { $0.text(seenBy: identity) } ?? "another process"
    return StintError(
      .busy,
      "the lock of the job \(directory.path) was lost, and \(who) has worked on the job since; "
        + "this process saves nothing more", errno: EAGAIN)
  }

  /// Who holds a job's lock; nil if nobody does, and nil inside if the holder's name cannot be
  /// read.
  package static func holder(
    in directory: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> LockHolder?? {
    // To look is allowed where nothing can be written.
    let found = try ifPresent(fileSystem.openFile(fileName, in: directory, .read))
    guard let file = found else { return nil }
    defer { fileSystem.close(file) }
    guard try fileSystem.isLocked(file) else { return nil }
    return .some(LockHolder(contents: try fileSystem.readBytes(file, atMost: largestBytes)))
  }

  /// How long another holder is waited for, and which one.
  package struct Patience: Sendable {
    /// The time at most.
    package var duration: Duration
    /// Whether a holder that lives is waited for; else only one that is dying.
    package var waitsForLiving = false
    /// Whether it has come to an end before.
    package var isOver: @Sendable () -> Bool

    package init(
      duration: Duration, waitsForLiving: Bool = false,
      isOver: @escaping @Sendable () -> Bool = { false }
    ) {
      self.duration = duration
      self.waitsForLiving = waitsForLiving
      self.isOver = isOver
    }

    /// The same, but for one more reason to wait no longer.
    package func unless(_ reason: @escaping @Sendable () -> Bool) -> Patience {
      var patience = self
      patience.isOver = { [isOver] in isOver() || reason() }
      return patience
    }
  }

  /// The longest time between two looks at a lock that is held.
  private static let longestLook = Duration.seconds(1)

  /// Waits for a holder, so that its lock is free; reports once if it lasts.
  ///
  /// Whoever starts a worker again when the one before was killed, as a supervisor does, may come
  /// while that one still gives its memory back.
  ///
  /// - Returns: Who holds the lock then, as of ``holder(in:fileSystem:)``.
  static func waitForHolder(
    in directory: OpenFile, fileSystem: any FileSystem, identity: StoreIdentity, patience: Patience,
    report: (String) -> Void
  ) throws(StintError) -> LockHolder?? {
    let began = identity.bootClock()
    var isTold = false
    var look = Duration.milliseconds(5)
    while true {
      let holder = try holder(in: directory, fileSystem: fileSystem)
      guard case .some(let process) = holder else { return holder }
      let isDying = process?.isDying(seenBy: identity) ?? false
      guard isDying || patience.waitsForLiving else { return holder }
      let waited = began.duration(to: identity.bootClock())
      guard waited < patience.duration, !patience.isOver() else { return holder }
      if waited >= .seconds(1), !isTold {
        isTold = true
        report(
          isDying
            ? "process \(process?.pid ?? 0), which worked on the job, was killed and is still ending"
            : "the job is in use by \(process?.text(seenBy: identity) ?? "another process"); this "
              + "process waits for it")
      }
      let left = patience.duration - waited
      poll(nil, 0, Int32(clamping: min(look, left).nanoseconds / 1_000_000 + 1))
      // A file server is not asked more often than it has to be.
      if !isDying { look = min(look * 2, longestLook) }
    }
  }

  private func take(identity: StoreIdentity, job: String) throws(StintError) {
    do throws(StintError) {
      guard try fileSystem.lock(file) else {
        let holder = try otherHolder()
        let isOtherTask = identity.engineJob?.isOtherTask(of: holder?.engineJob) ?? false
        throw StintError(
          .busy,
          "the job \(job) is in use by \(holder?.text(seenBy: identity) ?? "another process"); wait "
            + "for it or stop it", remedies: isOtherTask ? [.keyOfEachTask] : [], errno: EAGAIN)
      }
      state.withLock { $0.isHeld = true }
    } catch {
      guard [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL].contains(error.errno) else { throw error }
      throw StintError(
        .unavailable,
        "the file system of \(job) has no locks, without which two workers could work on it at once "
          + "(\(error.message))", remedies: [.anotherJobsDirectory], errno: error.errno)
    }
  }

  /// Who holds the lock; nil if that cannot be read.
  ///
  /// A process that has just taken it may still be writing its name.
  private func otherHolder() throws(StintError) -> LockHolder? {
    for _ in 0..<25 {
      let contents = try fileSystem.readBytes(file, atMost: Self.largestBytes)
      if let holder = LockHolder(contents: contents) { return holder }
      poll(nil, 0, 2)
    }
    return nil
  }

  /// Whether the locked file is still the one that others find, which it is not once somebody has
  /// removed it.
  ///
  /// The name is opened: a client of a file server may answer any other question from memory.
  private func isStillNamed(in directory: OpenFile) throws(StintError) -> Bool {
    let opened = try ifPresent(fileSystem.openFile(Self.fileName, in: directory, .read))
    guard let named = opened else { return false }
    defer { fileSystem.close(named) }
    let found = try fileSystem.status(of: named)
    do throws(StintError) {
      return found.isSameFile(as: try fileSystem.status(of: file))
    } catch  where error.errno == ESTALE {
      // Removed on another machine, and another one has its name.
      return false
    }
  }

  /// Says who holds it.
  ///
  /// The lock holds without these words too, so a full disk does not matter here.
  private func write(_ holder: LockHolder, to file: OpenFile) {
    let contents = holder.contents
    do throws(StintError) {
      try fileSystem.writeAll(file, contents, at: 0)
      try fileSystem.truncate(file, to: contents.count)
      state.withLock { $0.contents = contents }
    } catch {
      state.withLock { $0.contents = nil }
    }
    // Without this a client of a file server would keep the words to itself for a while.
    fileSystem.startWriteback(file, from: 0, sizeBytes: contents.count)
  }
}
