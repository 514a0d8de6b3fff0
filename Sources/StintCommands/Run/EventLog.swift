import Dispatch
import Glibc
import StintCore
import StintRuntime

/// Writes every event as a JSON line to the file of `--events` (`docs/formats/events.md`).
///
/// The file may be a pipe whose reader sleeps, or lie on a disk that hangs: a thread of its own writes, so that no event waits for
/// it. Lines wait in memory up to a limit; past that they are left out, which is said once. A write that fails is said once too
/// and never stops the work.
final class EventLog: Sendable {
  /// How many lines wait at most: minutes of ticks, some megabytes.
  static let mostWaiting = 8192

  private struct State {
    var waiting = 0
    var hasFailed = false
    var hasOverflowed = false
  }

  private let state = Protected(State())
  private let thread = SerialThread(name: "stint-events")
  private let descriptor: Int32
  private let path: String
  /// What the file is, for messages.
  private let name: String
  private let complain: @Sendable (String) -> Void

  /// Opens the file for appending.
  ///
  /// - Throws: ``StintError`` with the code `cannotCreate`.
  init(
    path: String, name: String = "events file", complain: @escaping @Sendable (String) -> Void
  ) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else {
      throw StintError(
        .cannotCreate,
        "The \(name) \(path) cannot be opened: \(String(cString: strerror(errno))).",
        errno: errno)
    }
    self.path = path
    self.name = name
    self.complain = complain
  }

  deinit {
    // Each line that waits holds the log, so none does.
    close(descriptor)
  }

  /// Appends a line of the journal as it stands there; any thread, returns at once.
  func write(_ record: JournalRecord) {
    write { record.line }
  }

  /// Appends a report; any thread, returns at once.
  func write(_ report: StatusReport) {
    let stamp = JournalRecord.Stamp(.current())
    write { ReportJSON.tick(report, stamp: stamp) + "\n" }
  }

  /// Waits until everything that was given before is in the file, but not for longer than a reader may sleep.
  ///
  /// - Parameter limit: How long to wait at most.
  /// - Returns: Whether all of it is there.
  @discardableResult
  func flush(within limit: Duration) -> Bool {
    let done = DispatchSemaphore(value: 0)
    thread.enqueue { done.signal() }
    return done.wait(timeout: .now() + .nanoseconds(Int(clamping: limit.nanoseconds))) == .success
  }

  /// Appends a line, which is made on the log's own thread; any thread, returns at once.
  func write(_ line: @escaping @Sendable () -> String) {
    let (mayWait, mustSay) = state.withLock { state in
      if state.hasFailed { return (false, false) }
      guard state.waiting < Self.mostWaiting else {
        defer { state.hasOverflowed = true }
        return (false, !state.hasOverflowed)
      }
      state.waiting += 1
      return (true, false)
    }
    if mustSay {
      complain("The reader of the \(name) \(path) is too slow; events are left out.")
    }
    if mayWait {
      thread.enqueue { self.append(line()) }
    }
  }

  /// On the log's own thread.
  private func append(_ line: String) {
    defer { state.withLock { $0.waiting -= 1 } }
    guard !state.withLock({ $0.hasFailed }) else { return }
    let bytes = Array(line.utf8)
    // One write a line: a reader sees whole lines, whatever else appends to the file.
    let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard count != bytes.count else { return }
    let error = count < 0 ? errno : ENOSPC
    state.withLock { $0.hasFailed = true }
    complain("The \(name) \(path) cannot be written: \(String(cString: strerror(error))).")
  }
}
