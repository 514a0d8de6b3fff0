import Glibc
import StintCore

extension JobDirectory {
  /// Makes the directory and takes its lock, and writes nothing into it yet (C6).
  ///
  /// A process that is ended now leaves a directory that nobody finished making, which no listing
  /// shows and `clean` removes. ``materialize()`` fills it, ``withdraw()`` removes it.
  ///
  /// - Throws: ``StintError``: `busy` if another process was faster, `unavailable`, `io`.
  func reserve() throws(StintError) {
    try inTurn { () throws(StintError) in
      guard root == nil else { return }
      try checkIsNotClosed()
      let jobs = try JobsDirectory.openOrMake(jobsPath, fileSystem: fileSystem)
      defer { fileSystem.close(jobs) }
      keepReservation(try make(in: jobs))
    }
  }

  /// Removes a directory that was reserved and never filled, and then gives its lock back.
  func withdraw() {
    inTurn {
      guard let held = takeReservation() else { return }
      defer {
        fileSystem.close(held.root)
        held.lock.giveBack()
      }
      guard let jobs = try? fileSystem.openDirectory(at: jobsPath) else { return }
      defer { fileSystem.close(jobs) }
      // Meant for this process, which ends.
      try? fileSystem.removeIfPresent(JobMarker.stop.rawValue, in: held.root)
      JobFiles.discardHalfMade(
        held.root, locked: held.lock, named: key.description, in: jobs, fileSystem: fileSystem)
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
        // Race: `clean` took the new directory, before it was locked, for one that nobody finished
        // making.
        guard error.errno == ENOENT, attempts < 3 else { throw error }
        attempts += 1
      }
    }
  }

  /// Opens the directory and locks it.
  func hold(
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
      return try takeLock(in: root, patience: patience)
    } catch {
      // Only an empty one goes, and whoever is about to lock it makes it anew.
      try? fileSystem.removeDirectory(key.description, in: jobs)
      throw error
    }
  }

  private func takeLock(
    in root: OpenFile, patience: JobLock.Patience
  ) throws(StintError) -> JobLock {
    let began = identity.bootClock()
    while true {
      var patience = patience
      patience.duration -= began.duration(to: identity.bootClock())
      let holder = try JobLock.waitForHolder(
        in: root, fileSystem: fileSystem, identity: identity, patience: patience, report: report)
      // From the moment of the lock a stop is meant for this process, and before that it may be
      // meant for another that is just starting. Open, the older one's file cannot be taken for a
      // newer one's.
      let stop = JobMarker.stop.rawValue
      let older =
        holder == nil && !takesOlderStop
        ? try? fileSystem.openFile(stop, in: root, .read) : nil
      defer { if let older { fileSystem.close(older) } }
      do throws(StintError) {
        let lock = try JobLock.take(in: root, fileSystem: fileSystem, identity: identity)
        if let older, try fileSystem.isNamed(older, stop, in: root) {
          try fileSystem.removeIfPresent(stop, in: root)
        }
        return lock
      } catch  where error.code == .busy && holder == nil && patience.waitsForLiving {
        // Another one that waited was faster.
        continue
      }
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

extension Job {
  /// Makes sure that no other process works on the job from now on, although there is nothing to
  /// keep yet (C6).
  ///
  /// - Throws: ``StintError``: `busy` if another process was faster, `unavailable`, `io`.
  package func reserve() throws(StintError) {
    try directory.reserve()
  }

  /// Takes the reservation back if nothing was to be kept; to be called when all work is over.
  package func withdraw() {
    directory.withdraw()
  }
}
