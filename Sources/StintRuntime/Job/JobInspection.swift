import Glibc
package import StintCore

/// Further looks at a job from outside: nothing is changed, and no lock is taken.
extension JobCatalog {
  /// What `job.json` says; nil if the file is missing.
  ///
  /// - Throws: ``StintError``: `damaged`, `mismatch`, `io`.
  package func record(of key: String) throws(StintError) -> JobRecord? {
    try withDirectory(of: key) { (root) throws(StintError) in
      try JobRecord.read(in: root, key: key, fileSystem: fileSystem)
    }
  }

  /// The bytes of the journal from an offset on.
  ///
  /// - Returns: What is there, empty if there is no journal; and how many bytes before that were
  ///   not read, because there are too many.
  package func journalBytes(
    of key: String, from offset: Int = 0
  ) throws(StintError) -> (bytes: [UInt8], unread: Int) {
    try withDirectory(of: key) { (root) throws(StintError) in
      try Journal.bytes(from: offset, in: root, fileSystem: fileSystem)
    }
  }

  /// The words of the running process about itself, as they stand in `progress.json`; nil if there
  /// are none.
  package func progressBytes(of key: String) -> [UInt8]? {
    try? withDirectory(of: key) { (root) throws(StintError) in
      try JobProgressFile.read(in: root, fileSystem: fileSystem)
    }
  }

  /// Who holds a job's lock; nil if nobody does, and nil inside if the holder's name cannot be
  /// read.
  package func holder(of key: String) throws(StintError) -> LockHolder?? {
    try withDirectory(of: key) { (root) throws(StintError) in
      try JobLock.holder(in: root, fileSystem: fileSystem)
    }
  }

  /// Who owns a job's directory; nil if that cannot be seen.
  package func ownerID(of key: String) -> UInt32? {
    guard let jobs = try? fileSystem.openDirectory(at: jobsPath) else { return nil }
    defer { fileSystem.close(jobs) }
    return try? fileSystem.status(of: key, in: jobs).userID
  }

  /// The headers of all generations, newest first; contents are not read, and a file that goes away
  /// meanwhile is left out.
  package func generations(of key: String) throws(StintError) -> [GenerationReport] {
    let found = try inFolder("checkpoints", of: key) { (folder, names) throws(StintError) in
      let reader = CheckpointReader(fileSystem: fileSystem, directory: folder)
      return Generations(listing: names).newestFirst.map { sequence in
        report(on: sequence) { report in
          let name = Generations.name(of: sequence)
          let file = try fileSystem.openFile(name, in: folder, .read)
          defer { fileSystem.close(file) }
          report.sizeBytes = try fileSystem.status(of: file).sizeBytes
          report.header = try reader.readHeader(of: file, sequence: sequence)
        }
      }
    }
    return (found ?? []).filter { $0.error?.errno != ENOENT }
  }

  /// The files of `checkpoints` or `partial` with what they are, sorted by name; none if there is
  /// no such folder.
  package func files(
    in folder: String, of key: String
  ) throws(StintError) -> [(name: String, status: FileStatus)] {
    var found: [(name: String, status: FileStatus)] = []
    _ = try inFolder(folder, of: key) { (directory, names) throws(StintError) in
      for name in names.sorted() {
        // A running worker removes files between the listing and the look.
        if let status = try ifPresent(fileSystem.status(of: name, in: directory)) {
          found.append((name, status))
        }
      }
    }
    return found
  }

  /// What the newest whole checkpoint says of partial output; nil if there is no checkpoint.
  ///
  /// - Returns: The checkpoint's number, and the parts with their checksums.
  /// - Throws: ``StintError`` with the code `io`.
  package func partialOutput(
    of key: String
  ) throws(StintError) -> (sequence: UInt64, parts: [OutputChecksums])? {
    var found: (sequence: UInt64, parts: [OutputChecksums])?
    _ = try inFolder("checkpoints", of: key) { (folder, names) throws(StintError) in
      let reader = CheckpointReader(fileSystem: fileSystem, directory: folder)
      let newest = Generations(listing: names).newestFirst.first {
        (try? reader.verify($0)) != nil
      }
      found = newest.map { ($0, (try? reader.outputRecord(of: $0))?.parts ?? []) }
    }
    return found
  }

  /// Reads all pieces of a part of partial output back.
  ///
  /// - Throws: ``StintError``: `damaged` if a piece is not as it was written, `io`.
  package func readBack(_ part: OutputChecksums, of key: String) throws(StintError) {
    _ = try inFolder("partial", of: key) { (folder, _) throws(StintError) in
      let file = try fileSystem.openFile(part.file, in: folder, .read)
      defer { fileSystem.close(file) }
      do {
        for piece in part.pieces.indices {
          try part.readBack(piece) { buffer, offset in
            guard try fileSystem.readAll(file, into: buffer, at: offset) == buffer.count else {
              throw StintError(.damaged, "the file is shorter than its checkpoint counts on")
            }
          }
        }
      } catch {
        throw StintError(wrapping: error, while: "reading \(file.path)")
      }
    }
  }

  /// The bytes that go back to the file system when a job is removed.
  ///
  /// A file with a second name, such as a published result, stays on disk and does not count.
  package func freeableBytes(of key: String) -> Int {
    var sum = 0
    for folder in ["checkpoints", "partial"] {
      for file in (try? files(in: folder, of: key)) ?? [] where file.status.linkCount < 2 {
        sum.addSaturating(file.status.sizeBytes)
      }
    }
    try? withDirectory(of: key) { (root) throws(StintError) in
      for name in [Journal.fileName, JobRecord.fileName, JobLock.fileName] {
        sum.addSaturating((try? fileSystem.status(of: name, in: root).sizeBytes) ?? 0)
      }
    }
    return sum
  }

  /// Removes a job that is finished and that nobody works on, both as found under its lock.
  ///
  /// - Returns: As of ``remove(_:)``.
  /// - Throws: ``StintError``: `busy` with the holder's name or because it is not finished any
  ///   more; `io`.
  @discardableResult
  package func removeFinished(_ key: String) throws(StintError) -> String? {
    try remove(key) { (root) throws(StintError) in
      guard try Journal.summary(in: root, fileSystem: fileSystem).finish != nil else {
        throw StintError(.busy, "\(root.path) is being worked on again, so it was not removed.")
      }
    }
  }

  /// Removes a directory that nobody finished making, as found under its lock.
  ///
  /// - Returns: As of ``remove(_:)``.
  /// - Throws: ``StintError``: `busy` with the holder's name or because it is a job by now; `io`.
  @discardableResult
  package func removeHalfMade(_ key: String) throws(StintError) -> String? {
    try remove(key) { (root) throws(StintError) in
      guard try !fileSystem.exists(JobRecord.fileName, in: root),
        try JobFiles.holdsNothing(root, fileSystem: fileSystem)
      else {
        throw StintError(.busy, "\(root.path) is being worked on again, so it was not removed.")
      }
    }
  }
}
