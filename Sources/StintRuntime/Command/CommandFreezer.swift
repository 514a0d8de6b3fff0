import CStint
import Glibc

/// A cgroup of the command's own, by which all of its descendants are suspended at once, whatever
/// group they moved to.
///
/// Only cgroup v2: the freezer of version 1 holds off SIGKILL.
package final class CommandFreezer: Sendable {
  /// The directory, for the command to enter.
  package let directory: Int32
  /// Where it is.
  package let path: String
  /// The process that kills and thaws what is in it when this one is killed; 0 if it could not be
  /// made.
  let guardian: Int32

  /// Makes the cgroup below this process's own; nil where that is not allowed or the kernel has
  /// none.
  package init?() {
    guard let own = ControlGroup.current.ownPath else { return nil }
    path = "\(own)/stint-\(getpid())"
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { return nil }
    directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0, faccessat(directory, "cgroup.freeze", W_OK, 0) == 0 else {
      if directory >= 0 { close(directory) }
      rmdir(path)
      return nil
    }
    guardian = max(0, stint_guard_cgroup(directory, path))
  }

  deinit { close(directory) }

  /// Suspends everything in it, or lets it go on; false if the kernel refuses.
  package func setFrozen(_ isFrozen: Bool) -> Bool {
    write(isFrozen ? "1" : "0", to: "cgroup.freeze")
  }

  /// Kills everything in it at once (Linux 5.14 and later).
  package func killAll() {
    _ = write("1", to: "cgroup.kill")
  }

  /// Removes it; what a command left running in its own time keeps it.
  package func remove() {
    var event = stint_child_event()
    if guardian > 0, stint_child_peek(guardian, &event) == 0 {
      kill(guardian, SIGKILL)
      stint_child_reap(guardian)
    }
    rmdir(path)
  }

  private func write(_ text: String, to name: String) -> Bool {
    let file = openat(directory, name, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    return Glibc.write(file, text, text.utf8.count) == text.utf8.count
  }
}
