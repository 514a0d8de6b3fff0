import StintCore
import StintRuntime

/// A table of texts for people.
struct TextTable {
  /// On which side a column's texts stand.
  enum Side {
    case left, right
  }

  /// The blanks between two columns.
  static let gap = 2
  /// What stands between the last text of a row and its path.
  static let arrow = " > "

  private let sides: [Side]
  private(set) var rows: [[String]]
  /// The paths at the ends of the rows.
  private(set) var paths: [String?] = [nil]

  /// Creates a table with its headings.
  init(_ columns: [(heading: String, side: Side)]) {
    sides = columns.map(\.side)
    rows = [columns.map(\.heading)]
  }

  var isEmpty: Bool { rows.count == 1 }

  var headings: [String] { rows[0] }

  /// Adds a row; control characters in its texts are shown as escapes.
  ///
  /// - Parameters:
  ///   - row: A text for each column.
  ///   - path: A path that belongs to the last text.
  mutating func add(_ row: [String], path: String? = nil) {
    let path = path.map { CellWidth.fitted($0, to: .max) }
    var texts = row.map { CellWidth.fitted($0, to: .max) }
    if let path, let last = texts.popLast() { texts.append(last + Self.arrow + path) }
    rows.append(texts)
    paths.append(path)
  }

  /// The table with two blanks between its columns.
  func render(indent: Int = 0) -> String {
    render(Array(sides.indices), indent: indent) { rows[$0][$1] }
  }

  func width(of column: Int) -> Int { rows.map { CellWidth.of($0[column]) }.max() ?? 0 }

  /// Some columns, with the texts that the body gives for a row and a column.
  func render(_ columns: [Int], indent: Int = 0, _ text: (Int, Int) -> String) -> String {
    let cells = rows.indices.map { row in columns.map { text(row, $0) } }
    let widths = columns.indices.map { place in cells.map { CellWidth.of($0[place]) }.max() ?? 0 }
    return cells.map { row in
      var line = String(repeating: " ", count: indent)
      for (place, text) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[place] - CellWidth.of(text))
        line += sides[columns[place]] == .left ? text + padding : padding + text
        if place + 1 < row.count { line += String(repeating: " ", count: Self.gap) }
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
