import StintReport

/// How far past their deadlines trips went: for each strategy a row of bars, one for each decade of
/// time.
struct OvershootPlot {
  /// Upper ends of the bins in seconds; what is longer has a bin of its own.
  static let ends: [Double] = [0.001, 0.01, 0.1, 1, 10, 100]
  static let names = [
    "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s", "longer",
  ]

  /// A strategy's counts.
  struct Row: Hashable, Sendable {
    var name: String
    var isStrong: Bool
    var trips: Int
    /// One for each of ``OvershootPlot/names``.
    var counts: [Int]

    var overruns: Int { counts.reduce(0, +) }
  }

  var rows: [Row]

  init(_ rows: [Row]) {
    self.rows = rows
  }

  /// The plot in both widths.
  var markup: Markup {
    Markup(
      Drawing.Size.allCases.map { size in
        drawing(size).markup(size, label: "Time past the deadline by strategy")
      })
  }

  private func drawing(_ size: Drawing.Size) -> Drawing {
    let isWide = size == .wide
    let (left, top) = (isWide ? 236.0 : 10, 6.0)
    let head = isWide ? 0.0 : 17
    let rowHeight = head + 34
    let bottom = top + rowHeight * Double(rows.count)
    let right = size.width - (isWide ? 150 : 10)
    let column = (right - left) / Double(Self.names.count)
    var drawing = Drawing(width: size.width, height: bottom + 40)
    for (index, name) in Self.names.enumerated() {
      drawing.words(
        left + (Double(index) + 0.5) * column, bottom + 16, name, anchor: "middle", "quiet")
    }
    drawing.words(right, bottom + 33, "past the deadline, up to", anchor: "end", "quiet")
    for (index, row) in rows.enumerated() {
      let base = top + rowHeight * Double(index + 1) - 4
      drawing.line(left, base, right, base, "axis")
      drawing.words(
        isWide ? 2 : left, isWide ? base - 8 : base - 35, row.name,
        row.isStrong ? "strong" : nil, longest: isWide ? left - 16 : size.width - 170)
      drawing.words(
        isWide ? size.width - 4 : right, isWide ? base - 8 : base - 35, Self.account(of: row),
        anchor: "end", "quiet")
      for (place, count) in row.counts.enumerated() where count > 0 {
        let height = max(2, Double(count) / Double(highest(row)) * 26)
        drawing.rectangle(
          left + Double(place) * column + column * 0.14, base - height, column * 0.72, height,
          "s0", title: "\(NumberText.grouped(count)) up to \(Self.names[place])")
      }
    }
    return drawing
  }

  /// All rows have one scale: the trips of the row with the largest share in one bin.
  private func highest(_ row: Row) -> Double {
    let share =
      rows.map { Double($0.counts.max() ?? 0) / Double(max(1, $0.trips)) }.max() ?? 0
    return max(share * Double(max(1, row.trips)), 1e-9)
  }

  private static func account(of row: Row) -> String {
    row.overruns == 0
      ? "none of \(NumberText.grouped(row.trips))"
      : "\(NumberText.grouped(row.overruns)) of \(NumberText.grouped(row.trips))"
  }
}
