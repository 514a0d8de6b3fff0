import Glibc
package import StintCore
import StintRuntime

/// Writes progress to standard error: one live line on a terminal, else plain lines.
///
/// The cursor is never hidden and no mode of the terminal is changed, so that a process stopped at
/// its deadline leaves the terminal as it was. Each text goes out in one write, outside the lock.
/// Any thread may call any function; the tick's thread does (W3), never main.
package final class ProgressDisplay: Sendable {
  private struct State {
    var throttle: PlainLine.Throttle
    var screen = LiveScreen()
    var hasLeft = false
  }

  private let state: Protected<State>
  /// Show no progress, only messages.
  private let quiet: Bool
  /// A run that is shorter leaves no plain line in anybody's log.
  private let silence: Duration
  private let terminal: @Sendable () -> TerminalState
  private let write: @Sendable (String) -> Void

  /// Creates a display, which asks for the terminal at every tick.
  ///
  /// - Parameters:
  ///   - quiet: Show no progress, only messages.
  ///   - silence: A run that is shorter leaves no plain line.
  ///   - distance: The least time between two plain lines.
  ///   - terminal: What standard error is.
  ///   - write: Writes to it.
  package init(
    quiet: Bool, silence: Duration = .zero, every distance: Duration = .seconds(1),
    terminal: @escaping @Sendable () -> TerminalState,
    write: @escaping @Sendable (String) -> Void = { writeToStandardError($0) }
  ) {
    state = Protected(State(throttle: PlainLine.Throttle(every: distance)))
    self.quiet = quiet
    self.silence = silence
    self.terminal = terminal
    self.write = write
  }

  /// Shows a report: on the live line, or as a plain line if it is time for one.
  package func show(_ report: StatusReport, at now: Instant) {
    show(
      at: now, isLong: report.elapsed >= silence,
      live: { [LiveLine.render(report, width: $0.columns, style: $0.style)] },
      plain: { PlainLine.render(report) })
  }

  /// Shows lines on the live part of the terminal, or a plain line if it is time for one.
  ///
  /// - Parameters:
  ///   - now: The boot-time clock.
  ///   - isLong: Whether the run has been long enough to leave a plain line.
  ///   - live: The lines for a terminal, which they must not fill.
  ///   - plain: The line for a log.
  /// - Returns: Whether it is shown.
  @discardableResult
  func show(
    at now: Instant, isLong: Bool = true, live: (TerminalState) -> [String], plain: () -> String
  ) -> Bool {
    guard !quiet else { return false }
    let terminal = terminal()
    let (text, isShown): (String, Bool) = state.withLock { state in
      if terminal.showsLiveLine {
        if state.hasLeft { return ("", false) }
        return (state.screen.draw(live(terminal), on: terminal), true)
      }
      let before = state.screen.leave(terminal)
      guard isLong, state.throttle.admits(at: now) else { return (before, false) }
      return (before + plain() + "\n", true)
    }
    if !text.isEmpty { write(text) }
    return isShown
  }

  /// Writes a line that stays; the live line goes on below it.
  package func say(_ message: String) {
    let terminal = terminal()
    let before = state.withLock { $0.screen.leave(terminal) }
    write(before + message + "\n")
  }

  /// Removes the live line.
  ///
  /// To be called before the process writes its result or ends.
  package func end() {
    let terminal = terminal()
    let text = state.withLock { $0.screen.leave(terminal) }
    if !text.isEmpty { write(text) }
  }

  /// Removes the live line for good: from here on the terminal is the result's.
  package func leaveTerminal() {
    state.withLock { $0.hasLeft = true }
    end()
  }
}

/// Writes all of a text to standard error.
///
/// A reader that has gone away is no reason to stop the work.
package func writeToStandardError(_ text: String) {
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    let count = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    if count > 0 {
      bytes = bytes.dropFirst(count)
    } else if errno != EINTR {
      return
    }
  }
}
