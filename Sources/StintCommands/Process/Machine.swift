import CStint
import Glibc
import StintCore
import StintRuntime

/// How many processors this process may use.
package enum Processors {
  /// The lesser of the affinity mask and the cgroup's CPU quota, at least 1.
  package static func available() -> Int {
    let affinity = Int(stint_processor_count())
    guard affinity > 0 else { return 1 }
    return max(1, min(affinity, quota() ?? affinity))
  }

  /// The least quota of this process's cgroup and those above it, in whole processors, rounded up;
  /// nil if there is none.
  private static func quota() -> Int? {
    ControlGroup.current.processorQuota.map { max(1, Int($0.rounded(.up))) }
  }
}

/// How much memory this process may still take.
package enum Memory {
  /// The least of what the machine has free and what is left of the address-space limit and the
  /// limits of the cgroups.
  ///
  /// - Parameter threadsToCome: How many threads will be started.
  /// - Returns: So many bytes; nil if that is not known.
  package static func available(threadsToCome: Int = 0) -> Int? {
    var figures: [Int] = []
    if let text = KernelFile.text("/proc/meminfo"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("MemAvailable:") }),
      let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    {
      figures.append(kibibytes * 1024)
    }
    if let left = AddressSpace.left(threadsToCome: threadsToCome) { figures.append(left) }
    if let left = ControlGroup.current.memoryLeft { figures.append(left) }
    return figures.min()
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
