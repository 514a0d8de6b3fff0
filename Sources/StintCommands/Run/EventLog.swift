import Glibc
import Stint
import StintCore

/// Writes every event as a JSON line to the file of `--events` (`docs/formats/events.md`).
///
/// A write that fails is reported once and never stops the work.
final class EventLog: Sendable {
  private struct State {
    var descriptor: Int32
    var hasFailed = false
  }

  private let state: Protected<State>
  private let path: String
  private let complain: @Sendable (String) -> Void

  /// Opens the file for appending.
  ///
  /// - Throws: ``StintError`` with the code `cannotCreate`.
  init(path: String, complain: @escaping @Sendable (String) -> Void) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else {
      throw StintError(
        .cannotCreate,
        "The events file \(path) cannot be opened: \(String(cString: strerror(errno))).",
        errno: errno)
    }
    self.path = path
    self.complain = complain
    state = Protected(State(descriptor: descriptor))
  }

  /// Appends a line of the journal as it stands there.
  func write(_ record: JournalRecord) {
    write(line: String(record.line.dropLast()))
  }

  /// Appends a report.
  func write(_ report: StatusReport) {
    write(line: ReportJSON.tick(report, stamp: .init(.current())))
  }

  private func write(line: String) {
    let error: Int32? = state.withLock { state in
      guard !state.hasFailed else { return nil }
      let bytes = Array((line + "\n").utf8)
      // One write a line: a reader sees whole lines, whatever else appends to the file.
      let count = bytes.withUnsafeBytes { Glibc.write(state.descriptor, $0.baseAddress, $0.count) }
      guard count != bytes.count else { return nil }
      state.hasFailed = true
      return count < 0 ? errno : ENOSPC
    }
    if let error {
      complain("The events file \(path) cannot be written: \(String(cString: strerror(error))).")
    }
  }
}
