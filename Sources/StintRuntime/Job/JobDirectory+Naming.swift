import StintCore

extension JobDirectory {
  /// Refuses a name that a job of another kind has in the same jobs directory.
  ///
  /// Jobs of one name have the same digits in their keys.
  ///
  /// - Throws: ``StintError``: `usage` with the kind of that job, `io`.
  func checkNameIsFree(in jobs: OpenFile) throws(StintError) {
    guard let name = record.name else { return }
    let others = try fileSystem.list(jobs).filter { other in
      other.hasSuffix(key.ending) && other != key.description && JobKey.isKey(other)
    }
    for other in others.sorted() {
      guard let root = try ifPresent(fileSystem.openDirectory(other, in: jobs)) else { continue }
      defer { fileSystem.close(root) }
      // One that nobody finished making has no name yet, and its process looks when it has one.
      let found = (try? JobRecord.read(in: root, key: other, fileSystem: fileSystem)) ?? nil
      guard let found, found.name == name else { continue }
      throw StintError(
        .usage,
        "the name \(name) belongs to \(other), a job of the kind \(found.kind), and this one is of "
          + "the kind \(record.kind)", remedies: [.anotherName])
    }
  }

  /// The working directory, if the jobs directory was given by a path from there.
  package var workingDirectory: FilePath? { forms.workingDirectory }

  /// Whether the result of the job before, which had the same name or key, goes where that of this
  /// one goes.
  func keepsResult(in root: OpenFile) -> Bool {
    let found = try? JobRecord.read(in: root, key: key.description, fileSystem: fileSystem)
    guard let before = found else { return true }
    return before.outputPath == record.outputPath
  }

  /// Writes what the job is, if nothing says it yet; refuses a directory of another job that has
  /// the same name.
  ///
  /// - Returns: Whether the directory is new.
  /// - Throws: ``StintError``: `usage` with what differs, `damaged`, `mismatch`, `io`.
  func writeRecord(in root: OpenFile) throws(StintError) -> Bool {
    let found = try JobRecord.read(in: root, key: key.description, fileSystem: fileSystem)
    if let found {
      if let replacement = try forms.replacement(for: found, by: record) {
        try fileSystem.replace(JobRecord.fileName, in: root, with: replacement.contents)
      }
      return false
    }
    try fileSystem.replace(JobRecord.fileName, in: root, with: record.contents)
    return true
  }
}
