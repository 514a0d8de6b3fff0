import CStint
import Glibc
import StintCore
import StintRuntime

/// How many processors this process may use.
package enum Processors {
  /// The lesser of the affinity mask and the cgroup's CPU quota, at least 1.
  package static func available() -> Int {
    let affinity = Int(stint_processor_count())
    let quota = ControlGroup.current.processorQuota.map { Int($0.rounded(.up)) }
    return max(1, min(affinity, quota ?? affinity))
  }
}

/// How much memory this process may still take.
package enum Memory {
  /// The least of what the machine has free and what is left of the address-space limit and the
  /// limits of the cgroups.
  ///
  /// - Parameter threadsToCome: How many threads will be started.
  /// - Returns: Bytes; nil if that is not known.
  package static func available(threadsToCome: Int = 0) -> Int? {
    let line = KernelFile.text("/proc/meminfo")?.split(separator: "\n")
      .first { $0.hasPrefix("MemAvailable:") }
    let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return [
      kibibytes.map { $0 * 1024 }, AddressSpace.left(threadsToCome: threadsToCome),
      ControlGroup.current.memoryLeft,
    ].compactMap(\.self).min()
  }
}

/// How much room a file system has.
package enum Disk {
  /// The bytes that this user may still write where a path is or will be; nil if that cannot be
  /// asked.
  package static func available(near path: String) throws -> Int? {
    var path = FilePath(path)
    while path != "/", access(path.text, F_OK) != 0 { path = path.folder ?? "/" }
    var status = statvfs()
    guard statvfs(path.text, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
  }
}

/// How many files this process may still open.
enum OpenFiles {
  /// What a run opens at the same time, with some to spare.
  static let needed = 32

  /// Refuses to start where a run would find no descriptor for a timer, its lock or a checkpoint on
  /// the way.
  ///
  /// - Parameter needed: How many must be free.
  /// - Throws: ``StintError`` with the code `unavailable`.
  static func check(needed: Int = needed) throws {
    var opened: [Int32] = []
    defer { opened.forEach { close($0) } }
    while opened.count < needed {
      let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
      guard descriptor >= 0 else {
        throw StintError(
          .unavailable,
          "Only \(opened.count) more files can be opened, and a run needs \(needed); raise the "
            + "limit (ulimit -n).", errno: errno)
      }
      opened.append(descriptor)
    }
  }
}
