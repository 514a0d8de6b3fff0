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

/// How a table is made as narrow as a terminal.
struct TableFitting: Hashable, Sendable {
  /// The columns that there are.
  var columns: Int
  var shortening: Shortening
  /// The columns that are left out where there is no room for them, by their headings: the first
  /// goes first.
  var order: [String]
  /// The last column keeps so many columns of the terminal while others can go.
  var leastOfLast: Int
}

extension TextTable {
  /// The table within a number of columns: first the texts of the last column are cut, then other
  /// columns go, and at last every line is cut.
  func render(_ fitting: TableFitting) -> String {
    var shown = Array(headings.indices)
    let last = headings.count - 1
    let natural = shown.map(width(of:))
    func used(_ columns: [Int]) -> Int { columns.reduce(0) { $0 + natural[$1] + Self.gap } }
    var order = fitting.order[...]
    func room() -> Int { fitting.columns - used(shown.filter { $0 != last }) }
    while room() < min(natural[last], fitting.leastOfLast), let next = order.popFirst() {
      shown.removeAll { headings[$0] == next }
    }
    if room() < Self.leastText { shown.removeAll { $0 == last } }
    let width = room()
    return render(shown) { row, column in
      column == last ? cut(row, to: width, fitting.shortening) : rows[row][column]
    }.split(separator: "\n").map {
      fitting.shortening.end(String($0), to: fitting.columns) + "\n"
    }.joined()
  }

  /// The last text of a row: its path is cut in the middle, what stands before it at the end.
  private func cut(_ row: Int, to width: Int, _ shortening: Shortening) -> String {
    guard let path = paths[row] else { return shortening.end(rows[row].last ?? "", to: width) }
    let text = String((rows[row].last ?? "").dropLast(path.count + Self.arrow.count))
    let room = width - Self.arrow.count
    let (ofText, ofPath) = (CellWidth.of(text), CellWidth.of(path))
    guard ofText + ofPath > room else { return text + Self.arrow + path }
    // Each has its half; what one does not need is the other's.
    let half = room / 2
    let toText = ofText <= half ? ofText : max(half, room - ofPath)
    // Of a path that is shorter nothing could be seen.
    guard room - toText >= Self.leastPath else { return shortening.end(text, to: width) }
    return shortening.end(text, to: toText) + Self.arrow
      + shortening.middle(path, to: room - toText)
  }

  private static let leastPath = 8
  /// With fewer columns the last column says nothing.
  private static let leastText = 4
}

/// A page of which each line tells one thing.
struct FactLines {
  private(set) var text: String

  init(_ heading: String) { text = heading + "\n" }

  /// Adds a line, with control characters as escapes; none for nil.
  mutating func add(_ name: String, _ fact: String?) {
    guard let fact else { return }
    let padding = String(repeating: " ", count: max(1, 13 - name.count))
    text += "  \(name)\(padding)\(CellWidth.fitted(fact, to: .max))\n"
  }
}
