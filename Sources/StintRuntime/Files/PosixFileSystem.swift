import CStint
import Glibc
package import StintCore

/// The file system of the machine.
package final class PosixFileSystem: FileSystem {
  package init() {}

  package func openDirectory(at path: String) throws(StintError) -> OpenFile {
    let result = restarted { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    return OpenFile(descriptor: try check(result, "cannot open the directory", path), path: path)
  }

  package func makeDirectory(at path: String) throws(StintError) {
    try check(restarted { mkdir(path, 0o700) }, "cannot make the directory", path)
  }

  package func openDirectory(
    _ name: String, in directory: OpenFile
  ) throws(StintError) -> OpenFile {
    try open(name, in: directory, flags: O_RDONLY | O_DIRECTORY)
  }

  package func makeDirectory(_ name: String, in directory: OpenFile) throws(StintError) {
    let path = try path(of: name, in: directory)
    let result = restarted { mkdirat(directory.descriptor, name, 0o700) }
    try check(result, "cannot make the directory", path)
  }

  package func renameOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    let path = try path(of: name, in: directory)
    let newPath = try self.path(of: newName, in: newDirectory)
    let result = restarted {
      renameat(directory.descriptor, name, newDirectory.descriptor, newName)
    }
    if result < 0 { throw namingError("cannot rename \(path) to", newPath, errno, newDirectory) }
  }

  package func renameExclusivelyOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    let path = try path(of: name, in: directory)
    let newPath = try self.path(of: newName, in: newDirectory)
    let result = stint_rename_exclusive(
      directory.descriptor, name, newDirectory.descriptor, newName)
    if result < 0 { throw namingError("cannot rename \(path) to", newPath, -result, newDirectory) }
  }

  package func linkOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    let path = try path(of: name, in: directory)
    let newPath = try self.path(of: newName, in: newDirectory)
    let result = restarted {
      linkat(directory.descriptor, name, newDirectory.descriptor, newName, 0)
    }
    if result < 0 { throw namingError("cannot link \(path) to", newPath, errno, newDirectory) }
  }

  package func openNameless(in directory: OpenFile) throws(StintError) -> OpenFile {
    // Without /proc such a file could never be given a name.
    guard access("/proc/self/fd", X_OK) == 0 else {
      throw StintError(
        .io, "/proc is missing, through which a new file gets its name", errno: EOPNOTSUPP)
    }
    let result = stint_open_nameless(directory.descriptor, 0o600)
    // Kernels and file systems say in several ways that they do not know such files.
    guard result >= 0 else {
      let isUnknown = [-EISDIR, -ENOENT, -EINVAL, -EOPNOTSUPP].contains(result)
      throw fileError("cannot make a file in", directory.path, isUnknown ? EOPNOTSUPP : -result)
    }
    return OpenFile(descriptor: result, path: directory.path + "/(no name yet)")
  }

  package func giveNameOnce(
    _ name: String, in directory: OpenFile, to file: OpenFile
  ) throws(StintError) {
    let path = try path(of: name, in: directory)
    let result = restarted {
      linkat(
        AT_FDCWD, "/proc/self/fd/\(file.descriptor)", directory.descriptor, name,
        AT_SYMLINK_FOLLOW)
    }
    if result < 0 { throw namingError("cannot give a file the name", path, errno, directory) }
  }

  package func setPermissions(
    _ permissions: UInt32, of file: OpenFile
  ) throws(StintError) {
    let result = restarted { fchmod(file.descriptor, permissions) }
    try check(result, "cannot set the permissions of", file.path)
  }

  package func remove(_ name: String, in directory: OpenFile) throws(StintError) {
    let path = try path(of: name, in: directory)
    try check(restarted { unlinkat(directory.descriptor, name, 0) }, "cannot remove", path)
  }

  package func removeDirectory(_ name: String, in directory: OpenFile) throws(StintError) {
    let path = try path(of: name, in: directory)
    let result = restarted { unlinkat(directory.descriptor, name, AT_REMOVEDIR) }
    try check(result, "cannot remove the directory", path)
  }

  package func openFile(
    _ name: String, in directory: OpenFile, _ mode: OpenMode
  ) throws(StintError) -> OpenFile {
    // Without O_NONBLOCK, opening a planted FIFO would wait for its other end for ever.
    let flags =
      switch mode {
      case .read: O_RDONLY | O_NONBLOCK
      case .update: O_RDWR | O_NONBLOCK
      case .create: O_RDWR | O_CREAT | O_EXCL
      case .createOrUpdate: O_RDWR | O_CREAT | O_NONBLOCK
      case .append: O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK
      }
    return try open(name, in: directory, flags: flags)
  }

  package func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int {
    let result = restarted { pread(file.descriptor, buffer.baseAddress, buffer.count, offset) }
    return try check(result, "cannot read", file.path)
  }

  package func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int {
    let result = restarted { pwrite(file.descriptor, bytes.baseAddress, bytes.count, offset) }
    return try check(result, "cannot write", file.path)
  }

  package func append(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer
  ) throws(StintError) -> Int {
    let result = restarted { Glibc.write(file.descriptor, bytes.baseAddress, bytes.count) }
    return try check(result, "cannot append to", file.path)
  }

  package func truncate(_ file: OpenFile, to sizeBytes: Int) throws(StintError) {
    try check(restarted { ftruncate(file.descriptor, sizeBytes) }, "cannot resize", file.path)
  }

  package func synchronize(_ file: OpenFile) throws(StintError) {
    try check(restarted { fsync(file.descriptor) }, "cannot make durable", file.path)
  }

  package func synchronizeData(_ file: OpenFile) throws(StintError) {
    try check(restarted { fdatasync(file.descriptor) }, "cannot make durable", file.path)
  }

  package func startWriteback(_ file: OpenFile, from offset: Int, sizeBytes: Int) {
    _ = stint_start_writeback(file.descriptor, Int64(offset), Int64(sizeBytes))
  }

  package func forgetBytes(of file: OpenFile) {
    stint_forget_bytes(file.descriptor)
  }

  package func lock(_ file: OpenFile) throws(StintError) -> Bool {
    let result = stint_lock_try(file.descriptor)
    if result == -EAGAIN { return false }
    if result < 0 { throw fileError("cannot lock", file.path, -result) }
    return true
  }

  package func unlock(_ file: OpenFile) {
    _ = stint_unlock(file.descriptor)
  }

  package func isLocked(_ file: OpenFile) throws(StintError) -> Bool {
    let result = stint_lock_probe(file.descriptor)
    if result < 0 { throw fileError("cannot see who locks", file.path, -result) }
    return result == 1
  }

  package func close(_ file: OpenFile) {
    // Linux closes the descriptor even when a signal interrupts: a second close could hit another
    // file.
    _ = Glibc.close(file.descriptor)
  }
}

extension PosixFileSystem {
  private func open(
    _ name: String, in directory: OpenFile, flags: Int32
  ) throws(StintError) -> OpenFile {
    let path = try path(of: name, in: directory)
    let result = stint_open_beneath(directory.descriptor, name, flags, 0o600)
    guard result >= 0 else {
      if result == -ELOOP || (result == -ENOTDIR && isLink(name, in: directory)) {
        throw StintError(
          .io, "\(path) is a symbolic link, and links in a job's directory are not followed",
          errno: ELOOP)
      }
      throw fileError("cannot open", path, -result)
    }
    return OpenFile(descriptor: result, path: path)
  }

  /// The error of a call that gives a name.
  ///
  /// If it may be the answer to a request that was repeated, the client of a file server asks anew
  /// what is in the directory: the look that follows must not see what it remembers.
  private func namingError(
    _ what: String, _ path: String, _ code: Int32, _ directory: OpenFile
  ) -> StintError {
    if [EEXIST, ENOENT].contains(code) { _ = stint_ask_anew(directory.descriptor) }
    return fileError(what, path, code)
  }

  /// A link where a directory is wanted is reported as "not a directory" by some kernels.
  private func isLink(_ name: String, in directory: OpenFile) -> Bool {
    (try? status(of: name, in: directory))?.kind == .symbolicLink
  }

  /// The path of a name for messages, after a check that the name is one.
  func path(of name: String, in directory: OpenFile) throws(StintError) -> String {
    guard !name.isEmpty, name != ".", name != "..",
      !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 })
    else {
      throw StintError(.io, "\"\(name)\" is not a file name below \(directory.path)", errno: EINVAL)
    }
    return directory.path + "/" + name
  }

  /// Repeats a call that a signal interrupted (R15).
  func restarted<Number: SignedInteger>(_ call: () -> Number) -> Number {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }

  /// Turns -1 and errno into an error.
  @discardableResult
  func check<Number: SignedInteger>(
    _ result: Number, _ what: String, _ path: String
  ) throws(StintError) -> Number {
    if result == -1 { throw fileError(what, path, errno) }
    return result
  }
}
