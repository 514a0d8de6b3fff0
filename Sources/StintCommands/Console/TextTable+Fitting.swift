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
