import Glibc
import StintCore
import StintRuntime

/// Writes every event as a JSON line to the file of `--events` (`docs/formats/events.md`).
///
/// The file may be a pipe that has no reader yet or whose reader sleeps, or lie on a disk that
/// hangs: a thread of its own opens and writes, so that no event waits for it. Lines wait in memory
/// up to a limit; past that they are left out, which is said once. A write that fails is said once
/// too and never stops the work.
final class EventLog: Sendable {
  /// How many lines wait at most: minutes of ticks, some megabytes.
  static let mostWaiting = 8192

  private struct State {
    var waiting = 0
    /// The write that failed; nothing is written after it.
    var failure: StintError?
    var hasOverflowed = false
  }

  private let state = Protected(State())
  private let thread = SerialThread(name: "stint-events")
  /// The file; -1 for a FIFO that had no reader yet, until the log's own thread has opened it.
  private let descriptor: Protected<Int32>
  private let path: String
  /// What the file is, for messages.
  private let name: String
  private let complain: @Sendable (String) -> Void

  /// Why a line could not be written; nil while every write has succeeded.
  var failure: StintError? { state.withLock { $0.failure } }

  /// Opens the file for appending; never waits for the other end of a FIFO.
  ///
  /// - Throws: ``StintError``: `cannotCreate`, or `io` for an error of the device.
  init(
    path: String, name: String = "events file", complain: @escaping @Sendable (String) -> Void
  ) throws {
    self.path = path
    self.name = name
    self.complain = complain
    var opened = Self.open(path, O_CREAT | O_NONBLOCK)
    if opened >= 0 {
      // A reader that sleeps is waited for, on the log's own thread.
      _ = fcntl(opened, F_SETFL, fcntl(opened, F_GETFL) & ~O_NONBLOCK)
    } else if errno == ENXIO, Self.isFIFO(path) {
      opened = -1
    } else {
      throw StintError.ofOutput(
        "The \(name) \(path) cannot be opened: \(String(cString: strerror(errno))).", errno: errno)
    }
    descriptor = Protected(opened)
  }

  private static func open(_ path: String, _ flags: Int32) -> Int32 {
    Glibc.open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | flags, 0o600)
  }

  private static func isFIFO(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  deinit {
    // The log goes away only when no line is waiting, because each waiting line holds it.
    let descriptor = descriptor.withLock { $0 }
    if descriptor >= 0 { close(descriptor) }
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

  /// Waits until everything that was given before is in the file, but not for longer than a reader
  /// may sleep.
  ///
  /// - Returns: Whether all of it is there.
  @discardableResult
  func flush(within limit: Duration) -> Bool { thread.flush(within: limit) }

  /// Appends a line, which is made on the log's own thread; any thread, returns at once.
  ///
  /// - Parameters:
  ///   - line: Makes the line, with its newline.
  ///   - isWritten: Called on the log's own thread when all of it is in the file.
  func write(
    _ line: @escaping @Sendable () -> String, isWritten: @escaping @Sendable () -> Void = {}
  ) {
    let (mayWait, mustSay) = state.withLock { state in
      if state.failure != nil { return (false, false) }
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
      thread.enqueue { if self.append(line()) { isWritten() } }
    }
  }

  /// On the log's own thread; whether all of the line was written.
  private func append(_ line: String) -> Bool {
    defer { state.withLock { $0.waiting -= 1 } }
    guard failure == nil else { return false }
    let bytes = Array(line.utf8)
    let descriptor = openForReader()
    // One write a line: a reader sees whole lines, whatever else appends to the file.
    let count =
      descriptor < 0
      ? -1 : bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count == bytes.count { return true }
    let error = count < 0 ? errno : ENOSPC
    let sentence = "The \(name) \(path) cannot be written: \(String(cString: strerror(error)))."
    state.withLock { $0.failure = StintError(.io, sentence, errno: error) }
    complain(sentence)
    return false
  }

  /// The file; a FIFO waits here for its first reader, in a thread that nobody waits for.
  private func openForReader() -> Int32 {
    let known = descriptor.withLock { $0 }
    if known >= 0 { return known }
    var opened: Int32
    repeat { opened = Self.open(path, 0) } while opened < 0 && errno == EINTR
    descriptor.withLock { $0 = opened }
    return opened
  }
}
