/// One call of the store to its file system.
public struct FileCall: Hashable, Sendable {
  /// The calls that can fail.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Opening a directory, by its path or below another.
    case openDirectory
    /// Making a directory, by its path or below another.
    case makeDirectory
    /// Listing a directory.
    case list
    /// Asking what a name or an open file is.
    case status
    /// Renaming, replacing what had the name.
    case rename
    /// Renaming, unless something has the name.
    case renameExclusively
    /// Giving a file a second name.
    case link
    /// Removing a file.
    case remove
    /// Opening a file without a name.
    case openNameless
    /// Giving a file without a name its first one.
    case giveName
    /// Removing an empty directory.
    case removeDirectory
    /// Asking for the free space.
    case freeBytes
    /// Opening or making a file.
    case openFile
    /// Reading.
    case read
    /// Writing at an offset.
    case write
    /// Writing at the end.
    case append
    /// Setting permission bits.
    case setPermissions
    /// Cutting or extending a file.
    case truncate
    /// Waiting for the disk (fsync).
    case synchronize
    /// Waiting for a file's bytes (fdatasync).
    case synchronizeData
    /// Taking a lock.
    case lock
    /// Asking whether somebody holds a lock.
    case isLocked

    /// Whether a file server that is asked again answers otherwise.
    var changesNames: Bool {
      switch self {
      case .makeDirectory, .rename, .renameExclusively, .link, .remove, .giveName, .removeDirectory:
        true
      case .openDirectory, .list, .status, .openNameless, .freeBytes, .openFile, .read, .write,
        .append, .setPermissions, .truncate, .synchronize, .synchronizeData, .lock, .isLocked:
        false
      }
    }
  }

  /// Which call.
  public let kind: Kind
  let directory: String
  let name: String?

  /// The path that it is about.
  public var path: String {
    guard let name else { return directory }
    return directory == "/" ? "/" + name : directory + "/" + name
  }
}

extension FileCall: CustomStringConvertible {
  /// The kind and the path.
  public var description: String { "\(kind.rawValue) \(path)" }
}
