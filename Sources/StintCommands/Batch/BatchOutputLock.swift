import CStint
import Glibc

/// The lock on the output of a line: whoever runs the line again sees by it that something of it
/// still works.
///
/// The process that the batch started holds a record lock (fcntl) of its own on the file that is
/// its standard output, which names it. All that descends from it and still has that file, or the
/// one of its standard error, holds a lock of the open file. The kernel gives both back when the
/// last of them ends, however it ends. For what a command leaves running in its own time the batch
/// gives them back.
final class BatchOutputLock: Sendable {
  private let descriptors: [Int32]

  /// Opens the files of an output; nil if there is none.
  init?(paths: [String]) {
    descriptors = paths.map { path in
      open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    }.filter { $0 >= 0 }
    if descriptors.isEmpty { return nil }
  }

  deinit { descriptors.forEach { close($0) } }

  /// The process that holds the lock: 0 if it is not known, or has no number in this PID namespace;
  /// nil if nobody holds it.
  var holder: Int32? {
    let holders = descriptors.map(stint_lock_holder).filter { $0 >= 0 }
    return holders.max()
  }
}
