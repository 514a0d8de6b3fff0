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
    var status = statfs()
    let tmpfsMagic = 0x0102_1994
    isMemory = Glibc.statfs(path, &status) == 0 && Int(status.f_type) == tmpfsMagic
    if isMemory {
      Console.say("\(parent) is in memory, so figures about the disk are not judged; see --dir.")
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
