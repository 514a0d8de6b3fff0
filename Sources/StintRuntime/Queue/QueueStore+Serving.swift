import CStint
import Glibc
package import StintCore

/// The lock that shows that somebody serves the queue.
extension QueueStore {
  /// Shares the lock that shows that somebody serves the queue; it is given back when the process
  /// ends.
  package func beginServing() throws(StintError) -> OpenFile {
    let all = try openOrMake()
    defer { fileSystem.close(all) }
    let file = try fileSystem.openFile(Self.served, in: all, .createOrUpdate)
    _ = stint_lock_share(file.descriptor)
    return file
  }

  /// Whether another process serves the queue besides the one that shares the lock through a file.
  package func isServed(besides file: OpenFile) -> Bool {
    (try? fileSystem.isLocked(file)) ?? false
  }

  /// Whether the file that shows it is still in its place.
  package func isServing(by file: OpenFile) -> Bool {
    guard let all = try? fileSystem.openDirectory(at: path) else { return false }
    defer { fileSystem.close(all) }
    return (try? fileSystem.isNamed(file, Self.served, in: all)) ?? false
  }

  /// Gives that lock back.
  package func endServing(_ file: OpenFile) { fileSystem.close(file) }

  /// Whether somebody serves the queue.
  package var isServed: Bool {
    guard let all = try? fileSystem.openDirectory(at: path) else { return false }
    defer { fileSystem.close(all) }
    guard let file = try? fileSystem.openFile(Self.served, in: all, .update) else { return false }
    defer { fileSystem.close(file) }
    return (try? fileSystem.isLocked(file)) ?? false
  }
}
