import Glibc
package import StintCore

/// Calls that give names, judged by the file that has the name in the end.
///
/// A client of a file server asks again when the answer is lost. If the server had done what was
/// asked for, the second answer is `EEXIST` or `ENOENT`, though the file has its new name.
extension FileSystem {
  /// Gives a file another name, replacing what has that name.
  package func rename(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    let file = try? status(of: name, in: directory)
    do throws(StintError) {
      try renameOnce(name, in: directory, to: newName, in: newDirectory)
    } catch  where error.errno == ENOENT && has(newName, in: newDirectory, file) {
      // Done at the first time of asking.
    }
  }

  /// The same, but another file that has the new name already is `EEXIST`.
  ///
  /// Where the file system cannot do that in one step, as NFS, the file gets the new name beside
  /// the old one, which is then removed: a process that ends in between leaves both. Where there
  /// are no second names either, the new name is looked at before.
  package func renameExclusively(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    let file = try? status(of: name, in: directory)
    do throws(StintError) {
      return try renameExclusivelyOnce(name, in: directory, to: newName, in: newDirectory)
    } catch  where [EEXIST, ENOENT].contains(error.errno) && has(newName, in: newDirectory, file) {
      // The old name is gone too, or is a second one of the same file.
      return try removeIfPresent(name, in: directory)
    } catch  where [EINVAL, ENOSYS, EOPNOTSUPP].contains(error.errno) {
      // This file system cannot.
    }
    do throws(StintError) {
      try link(name, in: directory, to: newName, in: newDirectory)
    } catch  where [EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EXDEV].contains(error.errno) {
      guard try !exists(newName, in: newDirectory) else {
        throw fileError("cannot rename to", newDirectory.path + "/" + newName, EEXIST)
      }
      return try rename(name, in: directory, to: newName, in: newDirectory)
    }
    try removeIfPresent(name, in: directory)
  }

  /// Gives a file a second name.
  ///
  /// `EXDEV` on another file system.
  package func link(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    do throws(StintError) {
      try linkOnce(name, in: directory, to: newName, in: newDirectory)
    } catch  where error.errno == EEXIST {
      let file = try? status(of: name, in: directory)
      guard has(newName, in: newDirectory, file) else { throw error }
    }
  }

  /// Gives a file that was opened without a name its first one, or another file a further one; the
  /// same file system is needed.
  package func giveName(
    _ name: String, in directory: OpenFile, to file: OpenFile
  ) throws(StintError) {
    do throws(StintError) {
      try giveNameOnce(name, in: directory, to: file)
    } catch  where error.errno == EEXIST {
      guard has(name, in: directory, try? status(of: file)) else { throw error }
    }
  }

  /// Whether a name is that of an open file.
  package func isNamed(
    _ file: OpenFile, _ name: String, in directory: OpenFile
  ) throws(StintError) -> Bool {
    try ifPresent(status(of: name, in: directory).isSameFile(as: status(of: file))) ?? false
  }

  private func has(_ name: String, in directory: OpenFile, _ file: FileStatus?) -> Bool {
    guard let file, let found = try? status(of: name, in: directory) else { return false }
    return found.isSameFile(as: file)
  }
}
