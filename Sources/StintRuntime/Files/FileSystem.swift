import Glibc
package import StintCore

/// A file or directory that is open.
package struct OpenFile: Hashable, Sendable {
  /// The descriptor, or whatever number the file system knows it by.
  package let descriptor: Int32
  /// Where it was opened, for messages.
  package let path: String

  package init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }
}

/// How a file is opened.
///
/// Every mode is close-on-exec, and none follows a link.
package enum OpenMode: Hashable, Sendable {
  /// An existing file, for reading.
  case read
  /// An existing file, for reading and writing.
  case update
  /// A file that must not exist yet, for reading and writing, private to the user.
  case create
  /// A file that may exist, for reading and writing, private to the user.
  case createOrUpdate
  /// A file that may exist, for appending and reading, private to the user.
  case append
}

/// What a file is.
package struct FileStatus: Hashable, Sendable {
  /// The kinds that the store tells apart.
  package enum Kind: Hashable, Sendable {
    case regular, directory, symbolicLink, device, fifo, socket
  }

  package var kind: Kind
  package var sizeBytes: Int
  package var userID: UInt32
  /// The permission bits, 0o7777.
  package var permissions: UInt32
  package var device: UInt64
  package var inode: UInt64
  /// How many names the file has.
  package var linkCount: Int

  package init(
    kind: Kind, sizeBytes: Int, userID: UInt32, permissions: UInt32, device: UInt64 = 0,
    inode: UInt64 = 0, linkCount: Int = 1
  ) {
    self.kind = kind
    self.sizeBytes = sizeBytes
    self.userID = userID
    self.permissions = permissions
    self.device = device
    self.inode = inode
    self.linkCount = linkCount
  }

  /// Whether both are of one file.
  package func isSameFile(as other: FileStatus) -> Bool {
    inode == other.inode && device == other.device
  }
}

/// Every file operation that the store uses, so that a faulty one can stand in its place.
///
/// Below an open directory a file is a plain name, never a path. Each function is one system call
/// (restarted when a signal interrupts it); what takes several is an extension. Errors have the
/// code `io`, a sentence with the path, and the errno.
package protocol FileSystem: AnyObject, Sendable {
  /// Opens a directory by its path. Links on the way are followed: where the jobs live is the
  /// user's choice.
  func openDirectory(at path: String) throws(StintError) -> OpenFile
  /// Makes a directory by its path, with mode 0700. An existing one is `EEXIST`.
  func makeDirectory(at path: String) throws(StintError)

  /// Opens a directory below another; a link is refused.
  func openDirectory(_ name: String, in directory: OpenFile) throws(StintError) -> OpenFile
  /// Makes a directory with mode 0700.
  func makeDirectory(_ name: String, in directory: OpenFile) throws(StintError)
  /// The names in a directory, without `.` and `..`, in no order.
  func list(_ directory: OpenFile) throws(StintError) -> [String]
  /// What a name is; a link is not followed.
  func status(of name: String, in directory: OpenFile) throws(StintError) -> FileStatus
  /// Gives a file another name, replacing what has that name.
  ///
  /// Callers use `rename`, and so for the three below: a file server may have done what it says it
  /// could not.
  func renameOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError)
  /// The same, but a file that has the new name already is `EEXIST`.
  ///
  /// `EINVAL` where the file system cannot.
  func renameExclusivelyOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError)
  /// Gives a file a second name. `EXDEV` on another file system.
  func linkOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError)
  /// Removes a file.
  func remove(_ name: String, in directory: OpenFile) throws(StintError)
  /// Opens a new file without a name in a directory's file system; it is gone when it is closed,
  /// unless it is given a name.
  ///
  /// - Throws: ``StintError`` with `EOPNOTSUPP` where the file system has no such files.
  func openNameless(in directory: OpenFile) throws(StintError) -> OpenFile
  /// Gives a file that was opened without a name its first one; the same file system is needed.
  func giveNameOnce(_ name: String, in directory: OpenFile, to file: OpenFile) throws(StintError)
  /// Removes an empty directory.
  func removeDirectory(_ name: String, in directory: OpenFile) throws(StintError)
  /// The bytes that this user can still write to the file system of the directory.
  func freeBytes(in directory: OpenFile) throws(StintError) -> Int

  /// Opens a file; a link is refused.
  func openFile(_ name: String, in directory: OpenFile, _ mode: OpenMode) throws(StintError)
    -> OpenFile
  /// What an open file is.
  func status(of file: OpenFile) throws(StintError) -> FileStatus
  /// Reads at an offset; may give fewer bytes than asked for, and 0 at the end.
  func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int
  /// Writes at an offset; may take fewer bytes than given.
  func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int
  /// Writes at the end of a file that was opened for appending; may take fewer bytes than given.
  func append(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) throws(StintError) -> Int
  /// Sets the permission bits of an open file.
  func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(StintError)
  /// Cuts or extends a file.
  func truncate(_ file: OpenFile, to sizeBytes: Int) throws(StintError)
  /// Waits until a file's bytes and attributes, or a directory's entries, are on disk.
  func synchronize(_ file: OpenFile) throws(StintError)
  /// Waits until a file's bytes are on disk, and of its attributes what is needed to read them.
  func synchronizeData(_ file: OpenFile) throws(StintError)
  /// Asks for a range to be written to disk soon. A hint: it cannot fail and promises nothing.
  func startWriteback(_ file: OpenFile, from offset: Int, sizeBytes: Int)
  /// Lets later reads ask the file server, if there is one, whatever bytes this machine remembers.
  func forgetBytes(of file: OpenFile)
  /// Takes the exclusive lock on a file without waiting.
  ///
  /// - Returns: False if somebody else holds it.
  func lock(_ file: OpenFile) throws(StintError) -> Bool
  /// Gives the lock on a file back, whoever else has the file open through this descriptor.
  func unlock(_ file: OpenFile)
  /// Whether somebody else holds the lock on a file.
  func isLocked(_ file: OpenFile) throws(StintError) -> Bool
  /// Closes a file. What had to be durable was synchronized before, so that there is nothing left
  /// to fail.
  func close(_ file: OpenFile)
}

extension FileSystem {
  package func openNameless(in directory: OpenFile) throws(StintError) -> OpenFile {
    throw StintError(.io, "\(directory.path) cannot hold files without a name", errno: EOPNOTSUPP)
  }

  package func forgetBytes(of file: OpenFile) {}

  package func giveNameOnce(
    _ name: String, in directory: OpenFile, to file: OpenFile
  ) throws(StintError) {
    throw StintError(.io, "\(directory.path) cannot hold files without a name", errno: EOPNOTSUPP)
  }
}
