import Glibc

/// The part of a terminal on which a batch is shown: what stands there, and what has to be written
/// to change it.
///
/// A value without effects. No mode of the terminal is changed and the cursor is never hidden, so
/// that a process that is killed leaves it as it was.
struct BatchScreen: Hashable, Sendable {
  /// The columns that each line takes that stands there.
  private var standing: [Int] = []

  private static let clearLine = "\u{1B}[K"
  private static let clearBelow = "\u{1B}[J"

  /// What is to be written, in one piece, to replace what stands there by lines of which none is
  /// wider than the terminal is now.
  mutating func draw(_ lines: [String], columns: Int, height: Int) -> String {
    let up = rowsUp(columns: columns, height: height)
    standing = lines.map { CellWidth.of(Self.withoutColours($0)) }
    return "\r" + up + lines.joined(separator: Self.clearLine + "\r\n") + Self.clearBelow
  }

  /// What is to be written to take away what stands there; empty if nothing does.
  mutating func clear(columns: Int, height: Int) -> String {
    guard !standing.isEmpty else { return "" }
    let up = rowsUp(columns: columns, height: height)
    standing = []
    return "\r" + up + Self.clearBelow
  }

  /// Leaves the lines on the screen; other output follows below them.
  mutating func abandon() -> String {
    defer { standing = [] }
    return standing.isEmpty ? "" : "\n"
  }

  /// To the first row of what stands there.
  ///
  /// A terminal that has become narrower has wrapped the lines that no longer fit, as most do; the
  /// last line takes rows as well, and the cursor is on the last of them. Never beyond what the
  /// terminal shows.
  private func rowsUp(columns: Int, height: Int) -> String {
    guard !standing.isEmpty else { return "" }
    let rows = standing.reduce(0) { $0 + max(1, ($1 + columns - 1) / max(1, columns)) }
    let up = min(rows, max(1, height)) - 1
    return up > 0 ? "\u{1B}[\(up)A" : ""
  }

  private static func withoutColours(_ line: String) -> String {
    // What begins with the escape's bracket ends with its m.
    let pieces = line.split(separator: "\u{1B}", omittingEmptySubsequences: false)
    return pieces[0] + pieces.dropFirst().map { $0.drop { $0 != "m" }.dropFirst() }.joined()
  }
}

extension TerminalState {
  /// The terminal's rows, or 24 if it does not tell.
  static func rows(of descriptor: Int32 = STDERR_FILENO) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return Int(size.ws_row)
  }
}
