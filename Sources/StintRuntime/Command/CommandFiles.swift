import Glibc
package import StintCore

/// The files by which a command tells how far it is: nothing but a look at them is needed, so any
/// program can have them.
package struct CommandFiles: Hashable, Sendable {
  /// What tells one state of a file from another.
  package struct Mark: Hashable, Sendable {
    var device: UInt64
    var file: UInt64
    var modifiedNanoseconds: Int64
    var changedNanoseconds: Int64
    package var sizeBytes: Int
  }

  /// What a look at them found.
  package struct Look: Hashable, Sendable {
    /// The state of the checkpoint file; nil if there is none or it cannot be asked.
    package var checkpoint: Mark?
    /// What the progress file says; nil if it says nothing that can be read.
    package var progress: WorkProgress?
  }

  /// A file whose change counts as a checkpoint.
  package var checkpoint: String?
  /// A file that begins with the share that is done.
  package var progress: String?

  /// Names the files; nil for those that there are not.
  package init(checkpoint: String? = nil, progress: String? = nil) {
    self.checkpoint = checkpoint
    self.progress = progress
  }

  /// Whether there is anything to look at.
  package var isEmpty: Bool { checkpoint == nil && progress == nil }

  /// Looks at them; a file server that does not answer holds up the caller.
  package func look() -> Look {
    Look(checkpoint: checkpoint.flatMap(Self.mark), progress: progress.flatMap(Self.readProgress))
  }

  private static func mark(_ path: String) -> Mark? {
    var status = stat()
    // An empty file is no checkpoint: many programs create theirs before they have anything to
    // write.
    guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
    return Mark(
      device: UInt64(status.st_dev), file: UInt64(status.st_ino),
      modifiedNanoseconds: nanoseconds(status.st_mtim),
      changedNanoseconds: nanoseconds(status.st_ctim), sizeBytes: Int(status.st_size))
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    // By their places: which module the members belong to depends on how the program is linked.
    withUnsafeBytes(of: time) { bytes in
      bytes.load(as: Int64.self) &* 1_000_000_000
        &+ bytes.load(fromByteOffset: 8, as: Int64.self)
    }
  }

  private static func readProgress(_ path: String) -> WorkProgress? {
    // Without O_NONBLOCK a FIFO would be waited for.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: WorkProgress.longestText)
    let count = read(file, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return WorkProgress(commandText: String(decoding: bytes.prefix(count), as: UTF8.self))
  }
}
