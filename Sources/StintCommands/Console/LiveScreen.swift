/// The part of a terminal on which progress is shown: what stands there, and what has to be written
/// to change it.
///
/// A value without effects. No mode of the terminal is changed and the cursor is never hidden, so
/// that a process that is killed leaves it as it was.
struct LiveScreen: Hashable, Sendable {
  /// The columns that each line takes that stands there.
  private var standing: [Int] = []

  private static let clearLine = "\u{1B}[K"
  private static let clearBelow = "\u{1B}[J"

  /// What is to be written, in one piece, to replace what stands there by lines of which none is
  /// wider than the terminal is now.
  mutating func draw(_ lines: [String], on terminal: TerminalState) -> String {
    let up = rowsUp(terminal)
    standing = lines.map { CellWidth.of(Self.withoutColours($0)) }
    return "\r" + up + lines.joined(separator: Self.clearLine + "\r\n") + Self.clearBelow
  }

  /// What is to be written before anything else may stand there; empty if nothing does.
  ///
  /// On a terminal that belongs to the shell by now the lines stay, and other output follows below.
  mutating func leave(_ terminal: TerminalState) -> String {
    guard !standing.isEmpty else { return "" }
    defer { standing = [] }
    return terminal.showsLiveLine ? "\r" + rowsUp(terminal) + Self.clearBelow : "\n"
  }

  /// To the first row of what stands there.
  ///
  /// A terminal that has become narrower has wrapped the lines that no longer fit, as most do; the
  /// last line takes rows as well, and the cursor is on the last of them. Never beyond what the
  /// terminal shows.
  private func rowsUp(_ terminal: TerminalState) -> String {
    guard !standing.isEmpty else { return "" }
    let columns = max(1, terminal.columns)
    let rows = standing.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
    let up = min(rows, max(1, terminal.rows)) - 1
    return up > 0 ? "\u{1B}[\(up)A" : ""
  }

  private static func withoutColours(_ line: String) -> String {
    // What begins with the escape's bracket ends with its m.
    let pieces = line.split(separator: "\u{1B}", omittingEmptySubsequences: false)
    return pieces[0] + pieces.dropFirst().map { $0.drop { $0 != "m" }.dropFirst() }.joined()
  }
}
