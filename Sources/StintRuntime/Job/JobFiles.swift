import Glibc
package import StintCore

/// Removal of a job's files: only those that Stint makes, and never through a link.
package enum JobFiles {
  /// The log of a batch's lines.
  package static let batchLog = "lines.jsonl"

  /// Which lines are those of a batch that does a part of its file.
  package static let batchShare = "shard.json"
  /// The folders in a job's directory.
  private static let folders = ["checkpoints", "partial"]

  /// What lies in the directory of a chain of slices.
  package static let ofChain =
    ["chain.json", "chain.json.tmp", "chain.sh", "chain.sh.tmp"]
    + ["chain.log", "work", "work.tmp", "input", "input.tmp"]

  /// Removes the contents of a job's directory but for the lock, which the caller holds.
  ///
  /// What the journal begins with from now on, if there is to be one, takes its place before
  /// anything goes: ended in between, the job neither misses a checkpoint nor forgets its result.
  package static func removeContents(
    of directory: OpenFile, journalBegins first: JournalRecord? = nil, fileSystem: any FileSystem
  ) throws(StintError) {
    if let first {
      try fileSystem.replace(Journal.fileName, in: directory, with: Array(first.line.utf8))
    } else {
      try fileSystem.removeIfPresent(Journal.fileName, in: directory)
    }
    try emptyFolder("checkpoints", in: directory, fileSystem: fileSystem) { name in
      Generations(listing: [name]).highest > 0
    }
    try emptyFolder("partial", in: directory, fileSystem: fileSystem, JobWorkspace.isName)
    let names =
      JobMarker.allCases.map(\.rawValue)
      + [Journal.fileName + ".tmp", JobRecord.fileName, JobRecord.fileName + ".tmp"]
      + [JobProgressFile.fileName, JobProgressFile.temporaryName]
      + [RecordedCommand.fileName, RecordedCommand.fileName + ".tmp"]
      + [batchLog, batchLog + ".tmp", batchShare, batchShare + ".tmp"] + ofChain
    for name in names { try fileSystem.removeIfPresent(name, in: directory) }
    try fileSystem.synchronize(directory)
  }

  /// Removes a job that nobody works on: its files and then its directory, if nothing else is in
  /// it.
  ///
  /// What the confirmation throws, which is called with the directory once it is locked, leaves
  /// everything as it is.
  ///
  /// - Returns: A sentence if the directory stays, because a file server keeps files in it that a
  ///   process has open.
  /// - Throws: ``StintError``: `busy` with the holder's name, `io`, or what the confirmation
  ///   throws.
  package static func remove(
    _ key: String, in jobs: OpenFile, fileSystem: any FileSystem, identity: StoreIdentity,
    confirm: (OpenFile) throws(StintError) -> Void
  ) throws(StintError) -> String? {
    let directory = try fileSystem.openDirectory(key, in: jobs)
    defer { fileSystem.close(directory) }
    try JobDirectory.checkOwner(of: directory, fileSystem: fileSystem, identity: identity)
    let lock = try JobLock.take(in: directory, fileSystem: fileSystem, identity: identity)
    try confirm(directory)
    // The lock goes last: without it another process may be making these folders anew.
    try removeContents(of: directory, fileSystem: fileSystem)
    for folder in folders {
      do {
        try fileSystem.removeDirectory(folder, in: directory)
      } catch  where [ENOENT, ENOTEMPTY, EEXIST, ENOTDIR].contains(error.errno) {
        // What is not ours stays, and its folder with it.
      }
    }
    try fileSystem.removeIfPresent(JobLock.fileName, in: directory)
    lock.giveBack()
    do throws(StintError) {
      try removeEmptied(directory, named: key, in: jobs, fileSystem: fileSystem)
    } catch  where error.errno == ENOENT {
      // Gone at the first time of asking, or by another one's hand.
    } catch  where [ENOTEMPTY, EEXIST].contains(error.errno) {
      if try holdsOnlyLeftovers(directory, fileSystem: fileSystem) {
        return "files of \(key) that a process still has open stay in \(directory.path) until it "
          + "closes them; the next stint clean removes the directory"
      }
      throw StintError(
        .io, "\(directory.path) holds files that are not Stint's; they were left there",
        errno: error.errno)
    }
    try fileSystem.synchronize(jobs)
    return nil
  }

  /// Removes what was made of a directory that could not be filled, as far as that goes, and gives
  /// its lock back.
  ///
  /// Where there is anything of a job in it, it stays.
  static func discardHalfMade(
    _ directory: OpenFile, locked lock: JobLock, named key: String, in jobs: OpenFile,
    fileSystem: any FileSystem
  ) {
    defer { lock.giveBack() }
    guard (try? holdsNothing(directory, fileSystem: fileSystem)) == true else { return }
    for folder in folders {
      try? fileSystem.removeDirectory(folder, in: directory)
    }
    // The lock goes last, as above.
    let (record, command) = (JobRecord.fileName, RecordedCommand.fileName)
    for name in [
      Journal.fileName, command, command + ".tmp", record, record + ".tmp", JobLock.fileName,
    ] {
      try? fileSystem.remove(name, in: directory)
    }
    lock.giveBack()
    try? removeEmptied(directory, named: key, in: jobs, fileSystem: fileSystem)
  }

  /// How long a file server may take to forget a file that was closed a moment ago.
  private static let forgettingMayTake = 500
  private static let looksEvery = 10

  /// Removes a directory whose files were removed, the lock while it was still open.
  ///
  /// A file system in user space (FUSE) learns of the close later, and keeps the file until then.
  private static func removeEmptied(
    _ directory: OpenFile, named key: String, in jobs: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) {
    for _ in 0..<forgettingMayTake / looksEvery {
      do throws(StintError) {
        return try fileSystem.removeDirectory(key, in: jobs)
      } catch  where [ENOTEMPTY, EEXIST].contains(error.errno) {
        guard try fileSystem.list(directory).contains(where: isLeftover) else { throw error }
        poll(nil, 0, Int32(looksEvery))
      }
    }
    try fileSystem.removeDirectory(key, in: jobs)
  }

  /// Whether a job's directory holds nothing of a job: no history, no checkpoint, no output.
  ///
  /// Without `job.json` beside that, a process was ended, or is, between making the directory and
  /// writing the first file in it. Looks at names and lengths alone.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  static func holdsNothing(
    _ directory: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> Bool {
    // The journal comes after job.json.
    let journal = try ifPresent(fileSystem.status(of: Journal.fileName, in: directory))
    if let journal, journal.sizeBytes != 0 { return false }
    for name in folders {
      guard let folder = try ifPresent(fileSystem.openDirectory(name, in: directory)) else {
        continue
      }
      defer { fileSystem.close(folder) }
      guard try fileSystem.list(folder).allSatisfy(isLeftover) else { return false }
    }
    return true
  }

  /// Whether a removed job's directory holds only what a file server keeps.
  private static func holdsOnlyLeftovers(
    _ directory: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> Bool {
    let names = try fileSystem.list(directory)
    guard names.allSatisfy({ isLeftover($0) || folders.contains($0) }) else { return false }
    return try holdsNothing(directory, fileSystem: fileSystem)
  }

  /// Whether a file was removed while a process had it open: a client of NFS, and a file system in
  /// user space, keep it under such a name until that process closes it.
  private static func isLeftover(_ name: String) -> Bool {
    name.hasPrefix(".nfs") || name.hasPrefix(".fuse_hidden")
  }

  private static func emptyFolder(
    _ name: String, in directory: OpenFile, fileSystem: any FileSystem,
    _ isOurs: (String) -> Bool
  ) throws(StintError) {
    guard let folder = try ifPresent(fileSystem.openDirectory(name, in: directory)) else { return }
    defer { fileSystem.close(folder) }
    for name in try fileSystem.list(folder) where isOurs(name) {
      try fileSystem.removeIfPresent(name, in: folder)
    }
    try fileSystem.synchronize(folder)
  }
}
