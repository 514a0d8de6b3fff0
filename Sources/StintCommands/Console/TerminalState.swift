import Glibc

/// What standard error is connected to at this moment.
///
/// It is asked again at every tick: the window may have been resized, and the shell may have moved
/// the job to the background. So nothing listens for SIGWINCH.
package struct TerminalState: Hashable, Sendable {
  /// Whether it is a terminal at all.
  package var isTerminal: Bool
  /// Whether this process is of the terminal's foreground group; others do not draw on it (W3).
  package var isForeground: Bool
  /// The width in columns.
  package var columns: Int
  /// The height in rows; 24 if it does not tell.
  package var rows: Int
  /// Whether a line can be written over.
  package var canRewrite: Bool
  /// What may be drawn.
  package var style: LineStyle

  /// Whether progress is one live line; else it is plain lines.
  package var showsLiveLine: Bool { isTerminal && isForeground && canRewrite }

  /// Asks the system, and the environment for `TERM`, `NO_COLOR`, `COLUMNS` and the locale.
  package static func current(
    descriptor: Int32 = STDERR_FILENO, environment: [String: String]
  ) -> TerminalState {
    let isTerminal = isatty(descriptor) == 1
    var size = winsize()
    let hasSize = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return make(
      isTerminal: isTerminal, isForeground: isTerminal && tcgetpgrp(descriptor) == getpgrp(),
      columns: hasSize ? Int(size.ws_col) : nil,
      rows: hasSize && size.ws_row > 0 ? Int(size.ws_row) : nil, environment: environment)
  }

  /// The pure part of ``current(descriptor:environment:)``.
  package static func make(
    isTerminal: Bool, isForeground: Bool, columns: Int?, rows: Int? = nil,
    environment: [String: String]
  ) -> TerminalState {
    let term = environment["TERM"] ?? ""
    let canRewrite = isTerminal && !term.isEmpty && term != "dumb"
    // https://no-color.org: any value that is not empty.
    let wantsColor = (environment["NO_COLOR"] ?? "").isEmpty
    let locale =
      ["LC_ALL", "LC_CTYPE", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let unicode = ["utf-8", "utf8"].contains { locale.lowercased().hasSuffix($0) }
    let width = columns ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
    return TerminalState(
      isTerminal: isTerminal, isForeground: isForeground, columns: min(max(width, 1), 1000),
      rows: rows ?? 24, canRewrite: canRewrite,
      style: LineStyle(color: canRewrite && wantsColor, unicode: canRewrite && unicode))
  }
}

/// What may be drawn on a line.
package struct LineStyle: Hashable, Sendable {
  /// Colours by escape sequences.
  package var color = false
  /// Characters beyond ASCII.
  package var unicode = false

  /// A bar that is filled as far as the work is done.
  func bar(_ fraction: Double, width: Int, color escape: String) -> String {
    let full = Int(fraction * Double(width))
    let (done, open) = unicode ? ("█", "░") : ("#", "-")
    let filled = String(repeating: done, count: full)
    let empty = String(repeating: open, count: width - full)
    return color ? "[\(escape)\(filled)\u{1B}[0m\(empty)]" : "[\(filled)\(empty)]"
  }
}
