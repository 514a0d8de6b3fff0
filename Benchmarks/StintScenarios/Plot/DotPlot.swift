import StintReport

/// Estimates as dots in rows, each with its confidence interval; every series has a sign and a lane
/// of its own.
struct DotPlot {
  /// One estimate.
  struct Dot: Hashable, Sendable {
    var value: Double
    var low: Double
    var high: Double
    /// Which sign it gets, from 0.
    var series: Int
    /// What it is, for those who point at it.
    var words: String
  }

  /// A line of dots with its name.
  struct Row: Hashable, Sendable {
    var name: String
    var isStrong: Bool
    var dots: [Dot]
  }

  /// What the plot is, for those who do not see it.
  var label: String
  /// What the axis counts, with its unit.
  var unit: String
  var range: ClosedRange<Double>
  var rows: [Row]
  /// Where a limit is drawn.
  var limit: Double?

  /// Whether dots lie outside of the axis and stand at its end, as arrows.
  var hasDotsOutside: Bool {
    rows.contains { $0.dots.contains { !range.contains($0.value) } }
  }

  /// The plot in both widths.
  var markup: Markup {
    Markup(Drawing.Size.allCases.map { drawing($0).markup($0, label: label) })
  }

  private static let lane = 9.0

  /// The series that occur: only those get a lane.
  private var lanes: [Int] { Set(rows.flatMap(\.dots).map(\.series)).sorted() }

  private func drawing(_ size: Drawing.Size) -> Drawing {
    let isWide = size == .wide
    let (left, top) = (isWide ? 236.0 : 10, 6.0)
    let head = isWide ? 0.0 : 17
    let rowHeight = head + Self.lane * Double(max(1, lanes.count)) + 13
    let bottom = top + rowHeight * Double(rows.count)
    var drawing = Drawing(width: size.width, height: bottom + 40)
    let axis = Axis(range, from: left, to: size.width - 22)
    for tick in axis.ticks(isWide ? 8 : 5) {
      drawing.line(axis.place(tick), top, axis.place(tick), bottom, "grid")
      drawing.words(
        axis.place(tick), bottom + 16, Self.tickText(tick, range), anchor: "middle", "quiet")
    }
    drawing.words(axis.to, bottom + 33, unit, anchor: "end", "quiet")
    if let limit, range.contains(limit) {
      drawing.line(axis.place(limit), top, axis.place(limit), bottom, "limit")
    }
    for (index, row) in rows.enumerated() {
      let y = top + rowHeight * Double(index)
      if index > 0 { drawing.line(isWide ? 0 : left, y, axis.to, y, "grid") }
      let middle = y + head + (rowHeight - head) / 2
      drawing.words(
        isWide ? 2 : left, isWide ? middle + 4 : y + 15, row.name, row.isStrong ? "strong" : nil,
        longest: isWide ? left - 16 : size.width - 30)
      for dot in row.dots {
        let lane = Double(lanes.firstIndex(of: dot.series) ?? 0)
        let offset = (lane - Double(lanes.count - 1) / 2) * Self.lane
        draw(dot, axis, middle + offset, &drawing)
      }
    }
    return drawing
  }

  private func draw(_ dot: Dot, _ axis: Axis, _ y: Double, _ drawing: inout Drawing) {
    let style = "s\(dot.series % 4)"
    let x = axis.place(dot.value)
    guard range.contains(dot.value) else {
      let reach = dot.value < range.lowerBound ? -6.0 : 6
      drawing.polygon(
        [(x + reach, y), (x - reach * 0.2, y - 4), (x - reach * 0.2, y + 4)], style,
        title: dot.words)
      return
    }
    if dot.high > dot.low {
      drawing.line(axis.place(dot.low), y, axis.place(dot.high), y, style + " whisker")
    }
    Self.sign(dot.series, x, y, &drawing, title: dot.words)
  }

  /// The sign of a series: circle, square, triangle, diamond.
  static func sign(
    _ series: Int, _ x: Double, _ y: Double, _ drawing: inout Drawing, title: String? = nil
  ) {
    let style = "s\(series % 4)"
    switch series % 4 {
    case 0: drawing.circle(x, y, 3.4, style, title: title)
    case 1: drawing.rectangle(x - 3, y - 3, 6, 6, style, title: title)
    case 2:
      drawing.polygon(
        [(x, y - 4), (x - 3.8, y + 3), (x + 3.8, y + 3)], style, title: title)
    case _:
      drawing.polygon(
        [(x, y - 4.2), (x + 4.2, y), (x, y + 4.2), (x - 4.2, y)], style, title: title)
    }
  }

  /// What the signs of some series mean.
  static func legend(_ series: [(number: Int, words: String)]) -> Markup {
    let items = series.map { entry in
      var drawing = Drawing(width: 14, height: 14)
      sign(entry.number, 7, 7, &drawing)
      return Markup.element("li", [:], drawing.symbol(), Markup(entry.words))
    }
    return .element("ul", ["class": "legend"], Markup(items))
  }

  private static func tickText(_ value: Double, _ range: ClosedRange<Double>) -> String {
    let length = range.upperBound - range.lowerBound
    return NumberText.fixed(value, decimals: length > 6 ? 0 : length > 0.6 ? 1 : 2)
  }
}
