import StintCore
import StintRuntime

/// A table of texts for people.
struct TextTable {
  /// On which side a column's texts stand.
  enum Side {
    case left, right
  }

  private let sides: [Side]
  private var rows: [[String]]

  /// Creates a table with its headings.
  init(_ columns: [(heading: String, side: Side)]) {
    sides = columns.map(\.side)
    rows = [columns.map(\.heading)]
  }

  var isEmpty: Bool { rows.count == 1 }

  /// Adds a row; control characters in its texts are shown as escapes.
  mutating func add(_ row: [String]) {
    rows.append(row.map { CellWidth.fitted($0, to: .max) })
  }

  /// The table with two blanks between its columns.
  func render(indent: Int = 0) -> String {
    let widths = sides.indices.map { column in rows.map { CellWidth.of($0[column]) }.max() ?? 0 }
    return rows.map { row in
      var line = String(repeating: " ", count: indent)
      for (column, text) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - CellWidth.of(text))
        line += sides[column] == .left ? text + padding : padding + text
        if column + 1 < row.count { line += "  " }
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }

  /// How long ago something was, to one unit.
  static func age(_ duration: Duration) -> String {
    let seconds = max(0, duration.nanoseconds / 1_000_000_000)
    switch seconds {
    case ..<60: return "\(seconds)s ago"
    case ..<3600: return "\(seconds / 60)m ago"
    case ..<86_400: return "\(seconds / 3600)h ago"
    case _: return "\(seconds / 86_400)d ago"
    }
  }

  /// A moment of the wall clock to the second.
  static func moment(_ unixNanoseconds: Int64) -> String {
    String(wallClockText(unixNanoseconds).dropLast(5)) + "Z"
  }
}
