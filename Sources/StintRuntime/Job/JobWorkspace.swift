import Glibc
import StintCore

/// The `partial/` folder of a job.
final class JobWorkspace: DurableWorkspace {
  let directory: JobDirectory
  private var files: PartialFiles { directory.partialFiles }

  init(directory: JobDirectory) {
    self.directory = directory
  }

  /// Whether a text can name a partial file: letters, digits, hyphens and dots, the first no dot.
  static func isName(_ name: String) -> Bool {
    guard (1...200).contains(name.utf8.count), name.first != "." else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      case _: false
      }
    }
  }

  func partialFile(named name: String) throws -> any PartialFile {
    try file(named: name)
  }

  /// The file, opened or made at the first call; later calls give the same one.
  func file(named name: String) throws(StintError) -> JobPartialFile {
    try Self.check(name)
    if let file = files[name] { return file }
    let fileSystem = directory.fileSystem
    let early = try directory.whileUnopened { () throws(StintError) in
      try namelessFile().map { files.keep($0, as: name) }
    }
    if let early, let file = early { return file }
    let folder = try directory.materialize().partial
    let file = JobPartialFile(
      file: try Self.open(name, in: folder, fileSystem: fileSystem), fileSystem: fileSystem)
    return files.keep(file, as: name)
  }

  /// A file that no directory knows yet, so that a job which ends soon leaves nothing behind; nil
  /// where the file system has none.
  private func namelessFile() throws(StintError) -> JobPartialFile? {
    let fileSystem = directory.fileSystem
    let jobs = try JobsDirectory.openOrMake(directory.jobsPath, fileSystem: fileSystem)
    defer { fileSystem.close(jobs) }
    do {
      return JobPartialFile(file: try fileSystem.openNameless(in: jobs), fileSystem: fileSystem)
    } catch  where error.errno == EOPNOTSUPP {
      return nil
    }
  }

  /// A file that must be there already, to be read; the job's directory is not made for it.
  ///
  /// - Throws: ``StintError`` with the code `damaged` if it is not there.
  func readableFile(named name: String) throws(StintError) -> JobPartialFile {
    try Self.check(name)
    if let file = files[name] { return file }
    return try existingFile(named: name)
  }

  /// A file that must be there already under its name in the job's directory, which is made if need
  /// be.
  ///
  /// - Throws: ``StintError`` with the code `damaged` if it is not.
  func existingFile(named name: String) throws(StintError) -> JobPartialFile {
    try Self.check(name)
    // Before there is a directory it is a file without a name, which nobody can take away.
    if let file = directory.whileUnopened({ files[name] }) ?? nil { return file }
    let folder = try directory.materialize().partial
    guard try directory.fileSystem.exists(name, in: folder) else {
      throw StintError(
        .damaged, "\(folder.path)/\(name) is gone", remedies: ["put it back", .startOver])
    }
    return try file(named: name)
  }

  /// Opens a file that nobody else sees.
  ///
  /// A result is published by giving the partial file a second name. If the process was ended right
  /// after that, writing to the partial file would change the result under its final name, so it
  /// gets a copy of its own.
  private static func open(
    _ name: String, in folder: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> OpenFile {
    let file = try fileSystem.openFile(name, in: folder, .createOrUpdate)
    do throws(StintError) {
      let status = try fileSystem.status(of: file)
      guard status.kind == .regular else {
        throw StintError(.io, "\(file.path) is not a regular file; move it away", errno: EINVAL)
      }
      guard status.linkCount > 1 else { return file }
      let copy = try copy(file, named: name, in: folder, fileSystem: fileSystem)
      fileSystem.close(file)
      return copy
    } catch {
      fileSystem.close(file)
      throw error
    }
  }

  /// Puts a copy in the place of a file; the file stays open.
  private static func copy(
    _ file: OpenFile, named name: String, in folder: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> OpenFile {
    let temporary = name + ".copy"
    try fileSystem.removeIfPresent(temporary, in: folder)
    let copy = try fileSystem.stage(temporary, as: name, in: folder) { (copy) throws(StintError) in
      _ = try fileSystem.copy(file, to: copy)
    }
    return OpenFile(descriptor: copy.descriptor, path: file.path)
  }

  func removePartialFile(named name: String) throws {
    try Self.check(name)
    // A file without a name is gone with this; later ones must not be named meanwhile.
    if directory.whileUnopened({ files.forget(name) }) != nil { return }
    guard let folder = directory.opened?.partial else { return }
    files.forget(name)
    try directory.fileSystem.removeIfPresent(name, in: folder)
    files.entriesDidChange()
  }

  /// Makes everything durable: the bytes of files that changed, and the folder if files came or
  /// went.
  func synchronize() throws(StintError) {
    try files.synchronize(in: directory.opened?.partial)
  }

  func makeDurable() throws {
    let opened = try directory.materialize()
    try directory.keepLock(opened)
    try synchronize()
    try directory.makeNamesDurable(opened)
  }

  private static func check(_ name: String) throws(StintError) {
    guard isName(name) else {
      throw StintError(
        .usage,
        "\"\(name)\" cannot name a partial file; use letters, digits, hyphens and dots",
        errno: EINVAL)
    }
  }
}

extension JobWorkspace: CheckedWorkspace {
  func keepChecksums(of outputs: [PartialOutput]) throws -> [OutputChecksums] {
    // A file is made when there is something to write.
    let begun = Set(outputs.filter { $0.end > $0.start }.map(\.file))
    for output in outputs where begun.contains(output.file) {
      try file(named: output.file).keepChecksums(from: output.start, upTo: output.end)
    }
    return files.checksums
  }

  func goOn(from checksums: OutputChecksums, isNeeded: Bool) throws {
    if !isNeeded, let folder = directory.opened?.partial,
      try !directory.fileSystem.exists(checksums.file, in: folder)
    {
      return
    }
    try existingFile(named: checksums.file).goOn(from: checksums)
  }
}
