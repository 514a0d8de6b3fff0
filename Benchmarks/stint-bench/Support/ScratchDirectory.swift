import Foundation
import Glibc
import StintCore

/// A directory for files that are written and removed again, on a disk and not in memory.
final class ScratchDirectory {
  let path: String
  /// Whether the files are in memory, where waiting for the disk costs nothing.
  let isMemory: Bool

  /// Makes a directory below the one that was asked for, or below `/var/tmp`.
  init(below parent: String?) throws {
    let parent = parent ?? "/var/tmp"
    var template = Array((parent + "/stint-bench-XXXXXX").utf8CString)
    guard let made = template.withUnsafeMutableBufferPointer({ mkdtemp($0.baseAddress!) }) else {
      throw StintError(
        .cannotCreate, "No directory can be made in \(parent); give another with --dir.",
        errno: errno)
    }
    path = String(cString: made)
    isMemory = Self.isInMemory(path)
    if isMemory {
      Console.say("\(parent) is in memory, so figures about the disk are not judged; see --dir.")
    }
  }

  /// Whether the innermost mount that holds the path is a file system in memory (proc(5),
  /// `/proc/mounts`).
  private static func isInMemory(_ path: String) -> Bool {
    let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
    let resolved = realpath(path, nil).map { pointer in
      defer { free(pointer) }
      return String(cString: pointer)
    }
    let fields = mounts.split(separator: "\n").map { $0.split(separator: " ") }
    let innermost = fields.filter { fields in
      guard fields.count > 2 else { return false }
      let folder = fields[1] == "/" ? "/" : fields[1] + "/"
      return (resolved ?? path).hasPrefix(folder)
    }
    .max { $0[1].count < $1[1].count }
    return innermost.map { ["tmpfs", "ramfs"].contains($0[2]) } ?? false
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
