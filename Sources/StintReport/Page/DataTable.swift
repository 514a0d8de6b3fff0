/// A table of figures; if it is wider than the page, it scrolls by itself, also with the keyboard.
package struct DataTable: Hashable, Sendable {
  /// What a column holds.
  package enum Side: String, Hashable, Sendable {
    case number, words
  }

  /// A column's heading.
  package struct Column: Hashable, Sendable {
    package var heading: String
    package var side: Side

    package init(_ heading: String, _ side: Side = .number) {
      self.heading = heading
      self.side = side
    }
  }

  /// A row: a text for each column.
  package struct Row: Hashable, Sendable {
    package var cells: [String]
    package var isStrong: Bool
  }

  /// What it shows, as a sentence without its full stop.
  package var caption: String
  /// The first one names the row.
  package var columns: [Column]
  package private(set) var rows: [Row] = []

  package init(_ caption: String, _ columns: [Column], rows: [[String]] = []) {
    self.caption = caption
    self.columns = columns
    for row in rows { add(row) }
  }

  package mutating func add(_ cells: [String], isStrong: Bool = false) {
    precondition(cells.count == columns.count, "a row has a cell for each column")
    rows.append(Row(cells: cells, isStrong: isStrong))
  }

  package var markup: Markup {
    let head = columns.map { column in
      Markup.element(
        "th", ["scope": "col", "class": column.side.rawValue], Markup(column.heading))
    }
    let body = rows.map { row in
      Markup.element(
        "tr", ["class": row.isStrong ? "strong" : nil],
        Markup(zip(columns, row.cells).enumerated().map { Self.cell($0.offset, $0.element) }))
    }
    // Not a <caption>: that would be as wide as the table and scroll away with it.
    return .element("p", ["class": "caption"], Markup(caption))
      + .element(
        "div", ["class": "scroll", "role": "region", "aria-label": caption, "tabindex": "0"],
        .element(
          "table", ["aria-label": caption],
          .element("thead", [:], .element("tr", [:], Markup(head))),
          .element("tbody", [:], Markup(body))))
  }

  private static func cell(_ index: Int, _ content: (Column, String)) -> Markup {
    let (column, text) = content
    let side = column.side.rawValue
    return index == 0
      ? .element("th", ["scope": "row", "class": side], Markup(text))
      : .element("td", ["class": side], Markup(text))
  }
}
