import CStint
import Glibc
package import StintCore

/// A file by which any program says when the time ends: one line with a time.
///
/// The line counts once its newline is there. The file may come, change and go while the work runs:
/// without it the source sets no end.
package final class DeadlineFile: Sendable {
  /// A longer line is no time.
  private static let longest = 256

  private let path: String
  private let nanoseconds: @Sendable (String) -> Int64?
  private let told: ToldEnd

  /// Looks at nothing yet.
  ///
  /// - Parameters:
  ///   - path: Where the file is, or will be.
  ///   - nanoseconds: Reads a time, as nanoseconds since 1970; nil for what is no time.
  ///   - wallClock: Nanoseconds since 1970, now.
  ///   - grace: The time to save that is left when the file names a time that has passed.
  ///   - complain: Told when the file cannot be used, once for each cause.
  package init(
    path: String, nanoseconds: @escaping @Sendable (String) -> Int64?,
    wallClock: @escaping @Sendable () -> Int64, grace: Duration,
    complain: @escaping @Sendable (String) -> Void
  ) {
    self.path = path
    self.nanoseconds = nanoseconds
    told = ToldEnd(wallClock: wallClock, grace: grace, complain: complain)
  }

  /// The source that looks at the file: when its folder says that it changed, and every second,
  /// because file servers say nothing.
  package func source() throws(StintError) -> AskedBudget {
    try AskedBudget(
      name: .deadlineFile, reason: .engineEndTime, every: .seconds(1), news: watchFolder()
    ) { self.look() }
  }

  private func watchFolder() -> Int32 {
    let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard watch >= 0 else { return -1 }
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    let events = IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB
    // A folder that is not there yet is looked for every second.
    _ = inotify_add_watch(watch, folder ?? ".", UInt32(events))
    return watch
  }

  /// What the file says now.
  package func look() -> BudgetEnd {
    // Opened without waiting: a FIFO or a device is no file.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { return complained(Self.reason(errno)) }
      return told.none()
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return complained(Self.reason(errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else { return complained("it is not a regular file") }
    var bytes = [UInt8](repeating: 0, count: Self.longest)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { return complained(Self.reason(errno)) }
    guard let newline = bytes.prefix(count).firstIndex(of: UInt8(ascii: "\n")) else {
      // It is being written.
      return count < Self.longest ? .unknown : complained("its first line is too long")
    }
    let text = String(decoding: bytes[..<newline], as: UTF8.self)
    return told.at(text, time: nanoseconds)
      ?? complained(
        "\"\(text.prefix(60))\" is not a time such as 2026-11-21T06:00:00Z or @1795250641")
  }

  private func complained(_ why: String) -> BudgetEnd {
    told.unusable(
      "The deadline file \(path) cannot be used: \(why); the last valid time still applies.")
  }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
