import Glibc

/// The lock that the process of a line holds on its output: whoever runs the line again sees by it
/// that it still works.
///
/// A record lock (fcntl) of the process that the batch started, on the file that is its standard
/// output. The kernel gives it back when that process ends, however it ends. What a command leaves
/// running in its own time does not hold it.
final class BatchOutputLock: Sendable {
  private let descriptor: Int32

  /// Opens the file of an output; nil if there is none.
  init?(path: String) {
    descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// The process that holds the lock: 0 if it has no number in this PID namespace, nil if nobody
  /// holds it.
  var holder: Int32? {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
    return max(0, lock.l_pid)
  }
}
