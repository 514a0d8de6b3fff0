import Glibc
package import StintCore

/// The result of a job on its way to where it belongs.
package final class OutputFile: Sendable {
  /// A result that is durable, or went out completely.
  package typealias Published = JournalSummary.Publishing

  /// What stands under the final name before the work.
  package enum Existing: Hashable, Sendable {
    /// Nothing, or the destination is a stream.
    case nothing
    /// The result of this job, unchanged.
    case result(Published)
    /// Something else.
    case other
  }

  /// Where the result goes.
  package let destination: OutputDestination
  /// Whether a file that is not this job's result may be replaced.
  package let replacesOthers: Bool

  private let fileSystem: any FileSystem
  private let lastPublished = Protected<Published?>(nil)
  /// Whether bytes have gone to a stream that takes none of them back.
  let hasBegunStream = Protected(false)

  /// Describes an output; nothing is touched yet.
  package init(
    _ destination: OutputDestination, replacesOthers: Bool,
    fileSystem: any FileSystem = PosixFileSystem()
  ) {
    self.destination = destination
    self.replacesOthers = replacesOthers
    self.fileSystem = fileSystem
  }

  /// Whether a part of the result has gone where nothing can be taken back, and not all of it.
  package var isCut: Bool { hasBegunStream.withLock { $0 } && published == nil }

  /// What the last call of publish made.
  package var published: Published? { lastPublished.withLock { $0 } }

  /// Looks at what stands under the final name, and reads all of it if its length is that of the
  /// result that the job's journal knows.
  package func existing(recorded: Published?) throws(StintError) -> Existing {
    guard case .file(let path, let name) = destination.target else { return .nothing }
    let directory = try fileSystem.openDirectory(at: path.text)
    defer { fileSystem.close(directory) }
    return try existing(name.text, in: directory, recorded: recorded)
  }

  /// Refuses an existing file that is not this job's result, unless it may be replaced.
  ///
  /// - Throws: ``StintError`` with the code `cannotCreate`.
  package func check(_ existing: Existing) throws(StintError) {
    guard existing == .other, !replacesOthers else { return }
    throw StintError(
      .cannotCreate,
      "the output \(destination.path ?? "") exists and is not known as this job's result",
      remedies: [.replaceOutput, "name another file"], errno: EEXIST)
  }

  /// Puts a complete partial file where the result belongs (W9).
  ///
  /// A regular file appears under its name at once and whole, and is durable on return. It may be
  /// called again after a kill: the partial file stays.
  ///
  /// - Throws: ``StintError``: `cannotCreate` if another file took the name meanwhile; `io`, with
  ///   `EPIPE` if the reader of a stream has gone.
  @discardableResult
  package func publish(
    partialFileNamed name: String, in workspace: any Workspace
  ) throws -> Published {
    guard let workspace = workspace as? JobWorkspace else {
      throw StintError(
        .usage, "only the workspace of a job can publish a result")
    }
    let result: Published
    switch destination.target {
    case .descriptor, .stream:
      let file = try workspace.readableFile(named: name)
      let stream = try destination.openStream()
      defer { if case .stream = destination.target { fileSystem.close(stream) } }
      result = try self.stream(file.file, to: stream) { workspace.directory.willStream() }
    case .file(let path, let finalName):
      let file = try workspace.existingFile(named: name)
      let directory = try fileSystem.openDirectory(at: path.text)
      defer { fileSystem.close(directory) }
      result = try replace(
        finalName.text, in: directory, with: file, named: name, workspace: workspace)
    case .folder(let path):
      throw StintError(.usage, "\(path) is a folder, in which many results appear by themselves.")
    }
    lastPublished.withLock { $0 = result }
    return result
  }

  private func existing(
    _ name: String, in directory: OpenFile, recorded: Published?
  ) throws(StintError) -> Existing {
    let file: OpenFile
    do {
      file = try fileSystem.openFile(name, in: directory, .read)
    } catch  where error.errno == ENOENT {
      return .nothing
    } catch  where [ELOOP, EACCES, ENXIO].contains(error.errno) {
      return .other
    }
    defer { fileSystem.close(file) }
    let status = try fileSystem.status(of: file)
    guard let recorded, status.kind == .regular, status.sizeBytes == recorded.sizeBytes else {
      return .other
    }
    let found = Published(try fileSystem.forEachPiece(of: file))
    return found.checksum == recorded.checksum ? .result(found) : .other
  }

  private func replace(
    _ finalName: String, in directory: OpenFile, with file: JobPartialFile, named name: String,
    workspace: JobWorkspace
  ) throws(StintError) -> Published {
    let job = workspace.directory
    // First of all the lock: what lies beside the final name is another process's while that one
    // holds it.
    let opened = try job.materialize()
    try job.keepLock(opened)
    let before = try standing(finalName, in: directory, before: file, of: job)
    try check(before)
    try file.synchronize()
    let temporary = try fileSystem.freeName(
      beside: finalName, in: directory, mark: String(job.key.description.suffix(16)))
    do throws(StintError) {
      let permissions = try fileSystem.permissions(replacing: finalName, in: directory)
      let result = try place(
        file, named: name, from: opened.partial, as: temporary, in: directory,
        permissions: permissions)
      try job.willPublish(sizeBytes: result.sizeBytes, checksum: result.checksum)
      try rename(temporary, to: finalName, in: directory, isNew: before == .nothing)
      // Renaming one name of a file to another name of the same file does nothing (rename(2)).
      try fileSystem.removeIfPresent(temporary, in: directory)
      try fileSystem.synchronize(directory)
      return result
    } catch {
      try? fileSystem.remove(temporary, in: directory)
      throw error
    }
  }

  /// What stands under the final name: this job's result too if another process that computed the
  /// same has just put it there.
  private func standing(
    _ finalName: String, in directory: OpenFile, before file: JobPartialFile, of job: JobDirectory
  ) throws(StintError) -> Existing {
    let found = try existing(finalName, in: directory, recorded: job.summary.publishing)
    guard found == .other, !replacesOthers else { return found }
    let result = Published(try fileSystem.forEachPiece(of: file.file))
    return try existing(finalName, in: directory, recorded: result)
  }

  /// Makes the temporary file beside the final name: a second name of the partial file where that
  /// can be, else a copy.
  private func place(
    _ file: JobPartialFile, named name: String, from partial: OpenFile, as temporary: String,
    in directory: OpenFile, permissions: UInt32
  ) throws(StintError) -> Published {
    do {
      try fileSystem.link(name, in: partial, to: temporary, in: directory)
      let result = Published(try fileSystem.forEachPiece(of: file.file))
      try fileSystem.setPermissions(permissions, of: file.file)
      try fileSystem.synchronize(file.file)
      return result
    } catch  where [EXDEV, EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EACCES].contains(error.errno) {
      try fileSystem.removeIfPresent(temporary, in: directory)
    }
    let copy = try fileSystem.openFile(temporary, in: directory, .create)
    defer { fileSystem.close(copy) }
    let result = Published(try fileSystem.copy(file.file, to: copy))
    try fileSystem.setPermissions(permissions, of: copy)
    try fileSystem.synchronize(copy)
    return result
  }

  /// Gives the final name; a file that came there during the work is not replaced.
  private func rename(
    _ temporary: String, to finalName: String, in directory: OpenFile, isNew: Bool
  ) throws(StintError) {
    guard isNew && !replacesOthers else {
      return try fileSystem.rename(temporary, in: directory, to: finalName, in: directory)
    }
    do {
      try fileSystem.renameExclusively(temporary, in: directory, to: finalName, in: directory)
    } catch  where error.errno == EEXIST {
      try check(.other)
    }
  }
}

extension OutputFile.Published {
  init(_ file: (sizeBytes: Int, checksum: Checksum128)) {
    self.init(sizeBytes: file.sizeBytes, checksum: file.checksum.description)
  }
}
