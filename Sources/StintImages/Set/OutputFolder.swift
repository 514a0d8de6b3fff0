#if Images
import Glibc
package import StintRuntime
package import StintCore

/// The folder in which the results of many images appear, each under its name at once and whole.
///
/// A result is written under a temporary name that begins with a dot, made durable, written down,
/// and then renamed. So nothing incomplete ever stands under a final name, and a run that was
/// killed between writing down and renaming is made good by the next, which finds the file by its
/// number.
package final class OutputFolder: Sendable {
  /// What a file in the folder is.
  struct Found: Hashable, Sendable {
    var inode: UInt64
    var sizeBytes: Int
    var modified: Int64
  }

  /// A complete file under its temporary name.
  struct Staged: Sendable {
    fileprivate var file: OpenFile
    var temporaryName: String
    var unit: ImageSetPlan.Unit
    var checksum: Checksum128
  }

  /// The absolute path.
  package let path: String
  /// Whether files that are not this job's may be replaced.
  package let replacesOthers: Bool

  /// How temporary names of this job begin.
  private let tag: String
  private let directory: OpenFile
  private let fileSystem = PosixFileSystem()
  private let permissions: UInt32
  /// How many bytes a name in the folder can have.
  private let longestName: Int

  /// Opens a folder.
  ///
  /// - Parameters:
  ///   - path: Its absolute path.
  ///   - job: What tells this job's temporary names from those of others.
  ///   - replacesOthers: Whether files that are not this job's may be replaced.
  /// - Throws: ``StintError`` with the code `cannotCreate`, or `io` for an error of the device.
  package init(
    _ path: String, for job: JobParameters, replacesOthers: Bool
  ) throws(StintError) {
    self.path = path
    self.replacesOthers = replacesOthers
    tag =
      ".stint-\(XXH3Checksum.digest(Array((job.canonicalText + path).utf8)).description.prefix(16))-"
    permissions = 0o666 & ~StoreIdentity.fileModeMask
    do throws(StintError) {
      directory = try fileSystem.openDirectory(at: path)
    } catch {
      throw .ofOutput("The folder \(path) cannot be opened: \(error.message)", errno: error.errno)
    }
    let limit = fpathconf(directory.descriptor, Int32(_PC_NAME_MAX))
    longestName = limit > 0 ? limit : 255
  }

  deinit {
    fileSystem.close(directory)
  }

  // MARK: Looking

  /// What stands under a name; nil if nothing does, which an error of the device does not say.
  func find(_ name: FilePath) throws(StintError) -> Found? {
    try within(name) { (folder, name) throws(StintError) in
      try find(name, in: folder)
    } ?? nil
  }

  private func find(_ name: String, in folder: OpenFile) throws(StintError) -> Found? {
    var status = stat()
    if fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
      return Self.found(status)
    }
    // A name that is too long is nobody's; its image fails when its turn comes.
    if errno == ENOENT || errno == ENAMETOOLONG { return nil }
    throw fileError("cannot look at", "\(folder.path)/\(name)", errno)
  }

  /// Which of several results a file is; nil if it is none of them.
  func result(
    _ found: Found, under name: FilePath, among results: [ImageSetResult]
  ) throws(StintError) -> ImageSetResult? {
    if let result = results.last(where: { $0.found == found }) { return result }
    guard results.contains(where: { $0.sizeBytes == found.sizeBytes }),
      let checksum = try checksum(of: name, sizeBytes: found.sizeBytes)
    else { return nil }
    return results.last { $0.checksum == checksum }
  }

  /// Refuses a name that the file system cannot hold.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  func check(_ name: FilePath) throws(StintError) {
    let (sizeBytes, limit) = (name.name.text.utf8.count, longestName)
    guard sizeBytes > limit else { return }
    throw StintError(
      .usage,
      "The name of its result would have \(sizeBytes) bytes, and \(path) holds names of at most \(limit); "
        + "rename the input, or let less be added to it.")
  }

  /// The checksum of a regular file of that length; nil if it is none.
  func checksum(of name: FilePath, sizeBytes: Int) throws(StintError) -> Checksum128? {
    try within(name) { (folder, name) throws(StintError) -> Checksum128? in
      guard try find(name, in: folder)?.sizeBytes == sizeBytes else { return nil }
      let file: OpenFile
      do throws(StintError) {
        file = try fileSystem.openFile(name, in: folder, .read)
      } catch  where [ENOENT, EACCES].contains(error.errno) || error.isOfTheFile {
        // Gone, or another file by now. An error of the device says neither.
        return nil
      }
      defer { fileSystem.close(file) }
      guard try fileSystem.status(of: file).kind == .regular else { return nil }
      return try fileSystem.forEachPiece(of: file).checksum
    } ?? nil
  }

  private static func found(_ status: stat) -> Found {
    let file = SourceFile.Identity(status)
    return Found(inode: file.inode, sizeBytes: file.sizeBytes, modified: file.modified)
  }

  /// Looks whether the path still leads to the folder, before results are said to be there.
  ///
  /// - Throws: ``StintError`` with the code `io`, naming where they are instead.
  func checkPath() throws(StintError) {
    var (opened, named) = (stat(), stat())
    guard fstat(directory.descriptor, &opened) == 0 else {
      throw fileError("cannot look at", path, errno)
    }
    let isThere = stat(path, &named) == 0
    if isThere, opened.st_dev == named.st_dev, opened.st_ino == named.st_ino { return }
    let place = opened.st_nlink > 0 ? DescriptorPath.name(of: directory.descriptor) : nil
    let whereabouts = place.map { "the results are in \($0)" } ?? "the results are gone with it"
    let advice = place == nil ? "run" : "rename it back, and run"
    throw StintError(
      .io,
      "The folder \(path) was renamed or removed during the run, and \(whereabouts); \(advice) the same "
        + "command again.", errno: isThere ? 0 : ENOENT)
  }

  // MARK: Writing

  /// Writes a result under its temporary name; it is not durable yet.
  func stage(_ bytes: UnsafeRawBufferPointer, as unit: ImageSetPlan.Unit) throws -> Staged {
    try staged(freeName(unit), .create, as: unit) { file in
      try fileSystem.writeAll(file, bytes, at: 0)
      fileSystem.startWriteback(file, from: 0, sizeBytes: bytes.count)
      return XXH3Checksum.digest(bytes)
    }
  }

  /// Gives a complete partial file its temporary name, or makes a copy where it cannot have a
  /// second name.
  func stage(_ partial: any PartialFile, as unit: ImageSetPlan.Unit) throws -> Staged {
    if let staged = try linked(partial, as: unit) { return staged }
    return try staged(freeName(unit), .create, as: unit) { file in
      let (sizeBytes, checksum) = (try partial.sizeBytes, XXH3Checksum())
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
      defer { buffer.deallocate() }
      for offset in stride(from: 0, to: sizeBytes, by: buffer.count) {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(sizeBytes - offset))
        try partial.read(into: part, at: offset)
        checksum.update(UnsafeRawBufferPointer(part))
        try fileSystem.writeAll(file, UnsafeRawBufferPointer(part), at: offset)
      }
      return checksum.value
    }
  }

  /// Opens a file under a temporary name, and fills it by a body that returns its checksum.
  private func staged(
    _ name: String, _ mode: OpenMode, as unit: ImageSetPlan.Unit,
    _ fill: (OpenFile) throws -> Checksum128
  ) throws -> Staged {
    let file = try fileSystem.openFile(name, in: directory, mode)
    do {
      try fileSystem.setPermissions(permissions, of: file)
      return Staged(file: file, temporaryName: name, unit: unit, checksum: try fill(file))
    } catch {
      fileSystem.close(file)
      throw error
    }
  }

  private func linked(_ partial: any PartialFile, as unit: ImageSetPlan.Unit) throws -> Staged? {
    let prefix = "/proc/self/fd/"
    guard let path = (partial as? any MappableFile)?.descriptorPath, path.hasPrefix(prefix),
      let descriptor = Int32(path.dropFirst(prefix.count))
    else { return nil }
    let name = try freeName(unit)
    do throws(StintError) {
      try fileSystem.giveName(
        name, in: directory, to: OpenFile(descriptor: descriptor, path: path))
    } catch {
      // Another file system, or one without second names: it is copied.
      return nil
    }
    return try staged(name, .update, as: unit) { try fileSystem.forEachPiece(of: $0).checksum }
  }

  /// Waits until a result is on disk, and closes it.
  ///
  /// - Returns: What it is; renaming changes nothing of that.
  func synchronize(_ staged: Staged) throws(StintError) -> Found {
    defer { fileSystem.close(staged.file) }
    try fileSystem.synchronize(staged.file)
    var status = stat()
    guard fstat(staged.file.descriptor, &status) == 0 else {
      throw fileError("cannot look at", staged.file.path, errno)
    }
    return Self.found(status)
  }

  /// Closes a result that is not wanted any more, and removes it.
  func discard(_ staged: Staged) {
    fileSystem.close(staged.file)
    try? fileSystem.remove(staged.temporaryName, in: directory)
  }

  /// Gives a durable result its final name, in a folder that is made if it is not there.
  ///
  /// - Parameters:
  ///   - temporary: Its temporary name.
  ///   - name: Its final one.
  ///   - own: What this job has put there before, which it may replace.
  /// - Throws: ``StintError`` with the code `cannotCreate` if another file has it.
  func rename(
    _ temporary: String, to name: FilePath, replacing own: Found? = nil
  ) throws(StintError) {
    _ = try within(name, makesFolders: true) { (folder, last) throws(StintError) in
      let stands = own == nil ? nil : try find(last, in: folder)
      if replacesOthers || own != nil && stands == own {
        return try fileSystem.rename(temporary, in: directory, to: last, in: folder)
      }
      do throws(StintError) {
        try fileSystem.renameExclusively(temporary, in: directory, to: last, in: folder)
      } catch  where error.errno == EEXIST {
        throw taken(name)
      }
    }
  }

  /// Removes a file if it is still that.
  func remove(_ name: FilePath, ifIs found: Found) throws(StintError) {
    _ = try within(name) { (folder, last) throws(StintError) in
      if try find(last, in: folder) == found { try fileSystem.removeIfPresent(last, in: folder) }
    }
  }

  /// The refusal of a name that is in use.
  func taken(_ name: FilePath, others: Int = 0) -> StintError {
    let more = others > 0 ? " (and \(others) more)" : ""
    return StintError(
      .cannotCreate,
      "The output \(path)/\(name)\(more) exists and is not this job's result.",
      remedies: [.replaceOutput, "name another folder"], errno: EEXIST)
  }

  /// Makes names durable.
  func synchronize(namesOf names: [FilePath]) throws(StintError) {
    guard !names.isEmpty else { return }
    var folders: Set<FilePath> = []
    for name in names {
      // Also the folders above: an earlier process may have been ended when it had made them.
      var name = name
      while let folder = name.folder, folders.insert(folder).inserted {
        _ = try within(name) { (folder, _) throws(StintError) in
          try fileSystem.synchronize(folder)
        }
        name = folder
      }
    }
    // The temporary names were all in the folder itself.
    try fileSystem.synchronize(directory)
  }

  // MARK: Folders

  /// Calls the body with the folder in which a name is, and with the last part of the name; nil if
  /// there is no such folder.
  private func within<Result>(
    _ name: FilePath, makesFolders: Bool = false,
    _ body: (OpenFile, String) throws(StintError) -> Result
  ) throws(StintError) -> Result? {
    guard let path = name.folder else { return try body(directory, name.text) }
    var folder = directory
    defer { if folder != directory { fileSystem.close(folder) } }
    for part in path.parts {
      guard let next = try open(part.text, in: folder, makes: makesFolders) else { return nil }
      if folder != directory { fileSystem.close(folder) }
      folder = next
    }
    return try body(folder, name.name.text)
  }

  private func open(
    _ name: String, in folder: OpenFile, makes: Bool
  ) throws(StintError) -> OpenFile? {
    do throws(StintError) {
      return try fileSystem.openDirectory(name, in: folder)
    } catch  where error.errno == ENOENT {
      guard makes else { return nil }
    } catch  where [ELOOP, ENOTDIR].contains(error.errno) {
      throw StintError(
        .cannotCreate,
        "\(folder.path)/\(name) is not a folder of its own, so that no results are put into it; "
          + "name another folder for the results.", errno: error.errno)
    }
    // With its permissions at once, by the process's mask and what the folder hands down. Another
    // part of the set may be faster.
    guard mkdirat(folder.descriptor, name, 0o777) == 0 || errno == EEXIST else {
      throw fileError("cannot make the folder", "\(folder.path)/\(name)", errno)
    }
    return try fileSystem.openDirectory(name, in: folder)
  }

  // MARK: Temporary names

  /// Files under temporary names of this job, which an earlier run left: what each is, and its
  /// name.
  func temporaries() throws(StintError) -> [Found: String] {
    var found: [Found: String] = [:]
    for name in try fileSystem.list(directory) where name.hasPrefix(tag) {
      if let file = try find(name, in: directory) { found[file] = name }
    }
    return found
  }

  /// Removes a file that an earlier run left; one of another user in a sticky folder stays.
  func removeTemporary(_ name: String) throws(StintError) {
    do throws(StintError) {
      try fileSystem.removeIfPresent(name, in: directory)
    } catch  where error.isOfAnotherUser {}
  }

  /// A temporary name that nothing has: the same at every run, or where another user's file has
  /// that in a sticky folder, one that nobody can foresee.
  private func freeName(_ unit: ImageSetPlan.Unit) throws(StintError) -> String {
    try fileSystem.freeName("\(tag)\(unit.item)-\(unit.frame)", in: directory)
  }
}
#endif
