package import StintCore

/// All jobs of a user, seen from outside: for listing, watching, marking, checking and removing
/// them.
package struct JobCatalog: Sendable {
  /// Where all jobs live.
  package let jobsPath: String
  let fileSystem: any FileSystem
  let identity: StoreIdentity

  /// Names a place, as ``Job/Options`` do; nothing is made there.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if there is no home directory.
  package init(
    jobsDirectory: String? = nil, fileSystem: any FileSystem = PosixFileSystem(),
    identity: StoreIdentity = .current()
  ) throws(StintError) {
    jobsPath = try JobsDirectory.path(explicit: jobsDirectory)
    self.fileSystem = fileSystem
    self.identity = identity
  }

  /// The keys of all jobs, sorted.
  package func keys() throws(StintError) -> [String] {
    guard let jobs = try ifPresent(fileSystem.openDirectory(at: jobsPath)) else { return [] }
    defer { fileSystem.close(jobs) }
    return try fileSystem.list(jobs).filter(JobKey.isKey).sorted()
  }

  /// The one key that begins like this; the kind before the hyphen may be left out.
  ///
  /// - Parameter name: What the user wrote: a key, its beginning, or the beginning of its hash.
  /// - Returns: The whole key.
  /// - Throws: ``StintError`` with the code `usage` if there is none or more than one.
  package func key(named name: String) throws(StintError) -> String {
    let keys = try keys()
    if keys.contains(name) { return name }
    let found = keys.filter { key in
      key.hasPrefix(name) || key.split(separator: "-").last?.hasPrefix(name) == true
    }
    guard !name.isEmpty, !found.isEmpty else {
      throw StintError(.usage, "there is no job \"\(name)\" in \(jobsPath); stint list shows them")
    }
    guard found.count == 1 else {
      throw StintError(
        .usage, "\"\(name)\" could be \(found.joined(separator: " or ")); write more of it")
    }
    return found[0]
  }

  /// All jobs; one that cannot be read is there with its problem, and one that nobody finished
  /// making is not.
  package func jobs() throws(StintError) -> [JobSummary] {
    try keys().map(summary(of:)).filter { !$0.isHalfMade || $0.isRunning }
  }

  /// Looks at a job; what cannot be seen is in its problem.
  package func summary(of key: String) -> JobSummary {
    var summary = JobSummary(key: key, path: jobsPath + "/" + key)
    do {
      try withDirectory(of: key) { (root) throws(StintError) in
        if let lock = try JobLock.holder(in: root, fileSystem: fileSystem) {
          summary.isRunning = true
          summary.holder = lock
        }
        summary.markers = Set(
          JobMarker.allCases.filter { $0.isSet(in: root, fileSystem: fileSystem) })
        summary.sizeBytes = try sizeBytes(of: "partial", in: root)
        summary.sizeBytes.addSaturating(try sizeBytes(of: "checkpoints", in: root))
        summary.record = try JobRecord.read(in: root, key: key, fileSystem: fileSystem)
        let names = try withFolder("checkpoints", in: root) { $1 }
        let found = Generations(listing: names ?? [])
        summary.generations = found.newestFirst
        summary.setAside = found.setAside
        summary.journal = try Journal.summary(in: root, fileSystem: fileSystem)
        if !summary.isRunning {
          summary.journal.processIsGone()
          summary.noteLostCheckpoint(found)
        }
        guard summary.record == nil else { return }
        summary.isHalfMade = try JobFiles.holdsNothing(root, fileSystem: fileSystem)
        if !summary.isHalfMade {
          summary.problem = StintError(.damaged, "\(summary.path) has no job.json")
        }
      }
    } catch {
      summary.problem = error
    }
    return summary
  }

  /// Reads and checks every generation of a job, newest first.
  ///
  /// - Throws: ``StintError`` if the job itself cannot be read.
  package func verify(_ key: String) throws(StintError) -> [GenerationReport] {
    try withDirectory(of: key) { (root) throws(StintError) in
      // Generations are whole or not whatever has become of job.json.
      let record = (try? JobRecord.read(in: root, key: key, fileSystem: fileSystem)) ?? nil
      return try withFolder("checkpoints", in: root) { (folder, names) throws(StintError) in
        let reader = CheckpointReader(fileSystem: fileSystem, directory: folder)
        return Generations(listing: names).newestFirst.map { sequence in
          report(on: sequence) { report in
            report.sizeBytes = try fileSystem.status(
              of: Generations.name(of: sequence), in: folder
            ).sizeBytes
            let header = try reader.verify(sequence)
            report.header = header
            guard let record else { return }
            try header.check(
              CheckpointExpectation(
                kind: record.kind, parameterHash: record.key.parameterHash,
                stateVersion: header.stateVersion))
          }
        }
      } ?? []
    }
  }

  /// Sets or clears a marker, for the worker to see.
  package func set(_ marker: JobMarker, to isSet: Bool, for key: String) throws(StintError) {
    try withDirectory(of: key) { (root) throws(StintError) in
      if isSet {
        try marker.set(in: root, fileSystem: fileSystem)
      } else {
        try marker.clear(in: root, fileSystem: fileSystem)
      }
      try fileSystem.synchronize(root)
    }
  }

  /// Removes a job that nobody works on.
  ///
  /// - Returns: As of ``JobFiles/remove(_:in:fileSystem:identity:confirm:)``.
  /// - Throws: ``StintError``: `busy` with the holder's name, `io`.
  @discardableResult
  package func remove(_ key: String) throws(StintError) -> String? {
    try remove(key) { (_) throws(StintError) in }
  }

  /// Removes a job that is as the body wants it, which is called under its lock.
  func remove(
    _ key: String, confirm: (OpenFile) throws(StintError) -> Void
  ) throws(StintError) -> String? {
    let jobs = try fileSystem.openDirectory(at: jobsPath)
    defer { fileSystem.close(jobs) }
    return try JobFiles.remove(
      key, in: jobs, fileSystem: fileSystem, identity: identity, confirm: confirm)
  }
}

extension JobCatalog {
  /// What a look at a generation finds.
  func report(
    on sequence: UInt64, _ look: (inout GenerationReport) throws -> Void
  ) -> GenerationReport {
    var report = GenerationReport(sequence: sequence)
    do {
      try look(&report)
    } catch let error as StintError where error.code == .io && !error.isOfTheFile {
      report.error = error
    } catch {
      report.fault = "\(error)"
    }
    return report
  }

  /// Calls the body with a job's directory, after a look at whose it is.
  func withDirectory<Result>(
    of key: String, _ body: (OpenFile) throws(StintError) -> Result
  ) throws(StintError) -> Result {
    let jobs = try fileSystem.openDirectory(at: jobsPath)
    defer { fileSystem.close(jobs) }
    let root = try fileSystem.openDirectory(key, in: jobs)
    defer { fileSystem.close(root) }
    try JobDirectory.checkOwner(of: root, fileSystem: fileSystem, identity: identity)
    return try body(root)
  }

  /// Calls the body with a folder of a job and the names in it; nil if the folder does not exist.
  func inFolder<Result>(
    _ name: String, of key: String,
    _ body: (OpenFile, [String]) throws(StintError) -> Result
  ) throws(StintError) -> Result? {
    try withDirectory(of: key) { (root) throws(StintError) in
      try withFolder(name, in: root, body)
    }
  }

  /// Calls the body with a folder in a job's directory and the names in it; nil if the folder does
  /// not exist.
  func withFolder<Result>(
    _ name: String, in root: OpenFile, _ body: (OpenFile, [String]) throws(StintError) -> Result
  ) throws(StintError) -> Result? {
    guard let folder = try ifPresent(fileSystem.openDirectory(name, in: root)) else { return nil }
    defer { fileSystem.close(folder) }
    return try body(folder, try fileSystem.list(folder))
  }

  private func sizeBytes(of name: String, in root: OpenFile) throws(StintError) -> Int {
    let sum = try withFolder(name, in: root) { (folder, names) throws(StintError) in
      names.reduce(into: 0) { sum, name in
        // A running worker may remove a file between the listing and the look at it.
        sum.addSaturating((try? fileSystem.status(of: name, in: folder).sizeBytes) ?? 0)
      }
    }
    return sum ?? 0
  }
}

extension Int {
  /// Adds the length of a file: what a file system says of sparse files can be more than a number
  /// holds (C8).
  mutating func addSaturating(_ sizeBytes: Int) {
    let (sum, overflow) = addingReportingOverflow(sizeBytes)
    self = overflow ? .max : sum
  }
}
