import Dispatch
import StintCore

extension JobDirectory {
  /// Makes the directory and takes its lock, and writes nothing into it yet (C6).
  ///
  /// A process that is ended now leaves a directory that nobody finished making, which no listing shows and `clean` removes.
  /// ``materialize()`` fills it, ``withdraw()`` removes it.
  ///
  /// - Throws: ``StintError``: `busy` if another process was faster, `unavailable`, `io`.
  func reserve() throws(StintError) {
    let result = opening.sync { () -> Result<Void, StintError> in
      do throws(StintError) {
        guard opened == nil, reserved.withLock({ $0 == nil }) else { return .success(()) }
        let jobs = try JobsDirectory.openOrMake(jobsPath, fileSystem: fileSystem)
        defer { fileSystem.close(jobs) }
        let held = try make(in: jobs)
        reserved.withLock { $0 = held }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Removes a directory that was reserved and never filled, and then gives its lock back.
  func withdraw() {
    opening.sync {
      guard let held = takeReservation() else { return }
      defer {
        fileSystem.close(held.root)
        withExtendedLifetime(held.lock) {}
      }
      guard let jobs = try? fileSystem.openDirectory(at: jobsPath) else { return }
      defer { fileSystem.close(jobs) }
      // Meant for this process, which ends.
      try? fileSystem.removeIfPresent(JobMarker.stop.rawValue, in: held.root)
      JobFiles.discardHalfMade(
        held.root, named: key.description, in: jobs, fileSystem: fileSystem)
    }
  }

  /// What was reserved, for the one who fills or removes it.
  func takeReservation() -> Held? {
    reserved.withLock { reserved in
      defer { reserved = nil }
      return reserved
    }
  }
}

extension Job {
  /// Makes sure that no other process works on the job from now on, although there is nothing to keep yet (C6).
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
