import StintReport

/// A plot with logarithmic axes, as one SVG file that needs nothing else.
package struct LogLogPlot {
  /// Points of one thing.
  package struct Series {
    package var name: String
    /// Both coordinates above zero.
    package var points: [(x: Double, y: Double)]

    package init(name: String, points: [(x: Double, y: Double)]) {
      self.name = name
      self.points = points
    }
  }

  package var title: String
  package var x: String
  package var y: String
  package var series: [Series]
  /// A sentence below the plot.
  package var note: String?

  package init(title: String, x: String, y: String, series: [Series], note: String? = nil) {
    self.title = title
    self.x = x
    self.y = y
    self.series = series
    self.note = note
  }

  private static let (width, height) = (760.0, 520.0)
  private static let (left, right, top, bottom) = (80.0, 190.0, 50.0, 90.0)
  /// Told apart by those who do not see red and green too (Okabe and Ito, "Color universal design",
  /// 2008).
  private static let colours: [UInt32] = [
    0x0072b2, 0xd55e00, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0x000000,
  ]
  private static let dashes = ["", "", "2 3", "6 3", "8 3 2 3", "1 3", "10 4"]

  private var columns: ClosedRange<Int> { Decades.holding(series.flatMap(\.points).map(\.x)) }
  private var rows: ClosedRange<Int> { Decades.holding(series.flatMap(\.points).map(\.y)) }
  private var innerWidth: Double { Self.width - Self.left - Self.right }
  private var innerHeight: Double { Self.height - Self.top - Self.bottom }

  private func horizontal(_ value: Double) -> Double {
    Axis(Decades.range(columns), from: Self.left, to: Self.left + innerWidth)
      .place(Decades.logarithm(value))
  }

  private func vertical(_ value: Double) -> Double {
    Axis(Decades.range(rows), from: Self.top + innerHeight, to: Self.top)
      .place(Decades.logarithm(value))
  }

  /// The file's contents.
  package var svg: String {
    var drawing = Drawing(width: Self.width, height: Self.height)
    drawing.rectangle(0, 0, Self.width, Self.height, "ground")
    drawing.words(Self.left, 28, title, "head")
    grid(&drawing)
    for (index, one) in series.enumerated() { draw(one, index: index, into: &drawing) }
    if let note { drawing.words(Self.left, Self.height - 16, note) }
    return drawing.file(title: title, style: Self.style)
  }

  private func grid(_ drawing: inout Drawing) {
    for decade in columns {
      let at = horizontal(Decades.power(decade))
      drawing.line(at, Self.top, at, Self.top + innerHeight, "grid")
      drawing.power(decade, at, Self.top + innerHeight + 20, anchor: "middle")
    }
    for decade in rows {
      let at = vertical(Decades.power(decade))
      drawing.line(Self.left, at, Self.left + innerWidth, at, "grid")
      drawing.power(decade, Self.left - 8, at + 4, anchor: "end")
    }
    drawing.words(
      Self.left + innerWidth / 2, Self.top + innerHeight + 42, x, anchor: "middle")
    drawing.words(12, Self.top - 12, y)
  }

  private func draw(_ one: Series, index: Int, into drawing: inout Drawing) {
    let style = "c\(index % Self.colours.count)"
    drawing.polyline(one.points.map { (horizontal($0.x), vertical($0.y)) }, style)
    for point in one.points {
      drawing.circle(
        horizontal(point.x), vertical(point.y), 3.5, style + " dot",
        title:
          "\(one.name): \(x) = \(NumberText.fixed(point.x, decimals: 0)), \(NumberText.significant(point.y)) \(y)"
      )
    }
    let row = Self.top + 14 + Double(index) * 22
    let legend = Self.left + innerWidth + 16
    drawing.line(legend, row, legend + 28, row, style)
    drawing.words(legend + 34, row + 4, one.name)
  }

  private static let style =
    "svg{font:13px sans-serif}text{fill:#222222}.head{font-size:17px}.ground{fill:#ffffff}"
    + ".grid{stroke:#dddddd}"
    + zip(colours, dashes).enumerated().map { index, pair in
      ".c\(index){fill:none;stroke:\(Colour(pair.0));stroke-width:2"
        + (pair.1.isEmpty ? "" : ";stroke-dasharray:\(pair.1)") + "}"
        + ".c\(index).dot{fill:\(Colour(pair.0));stroke:none}"
    }.joined()
}

extension Drawing {
  /// An open line through some points.
  fileprivate mutating func polyline(_ points: [(Double, Double)], _ style: String) {
    let list = points.map { "\(Self.number($0.0)),\(Self.number($0.1))" }.joined(separator: " ")
    shapes += .void("polyline", ["points": list, "class": style])
  }

  /// A power of ten, its exponent raised.
  fileprivate mutating func power(_ exponent: Int, _ x: Double, _ y: Double, anchor: String) {
    shapes += .element(
      "text", ["x": Self.number(x), "y": Self.number(y), "text-anchor": anchor], Markup("10"),
      .element("tspan", ["dy": "-5", "font-size": "10"], Markup("\(exponent)")))
  }

  /// The picture as a file of its own.
  fileprivate func file(title: String, style: String) -> String {
    Markup.element(
      "svg",
      ["xmlns": "http://www.w3.org/2000/svg", "role": "img", "viewBox": viewBox],
      .element("title", [:], Markup(title)), .element("style", [:], Markup(style)), shapes
    ).text + "\n"
  }
}
