import StintCore

/// The life of a job as a timeline: a row for each stint, all beginning at the left, so that
/// budgets and deadlines stand under each other.
package struct TimelinePlot {
  /// How many rows are drawn; of a longer life the first and the last.
  package static let mostRows = 72
  private static let shownFirst = 12

  let life: Life
  /// What the plot is, for those who do not see it.
  let label: String
  /// The end of the axis in seconds, for plots that are to be compared; nil for what this one
  /// needs.
  let span: Double?

  package init(_ life: Life, label: String, span: Double? = nil) {
    self.life = life
    self.label = label
    self.span = span
  }

  /// The stints that are drawn.
  package var shown: [Int] {
    let count = life.stints.count
    guard count > Self.mostRows else { return Array(0..<count) }
    return Array(0..<Self.shownFirst) + Array((count - Self.mostRows + Self.shownFirst)..<count)
  }

  /// How many of them are from the beginning of a life that is not drawn as a whole.
  package var shownFirstCount: Int { min(Self.shownFirst, shown.count) }

  /// The plot in both widths.
  package var markup: Markup {
    Markup(Drawing.Size.allCases.map { drawing($0).markup($0, label: label) })
  }

  private var rowHeight: Double {
    switch shown.count {
    case ...14: 30
    case ...36: 20
    case _: 11
    }
  }

  /// What the axis has to hold: what was run, and the budgets that were used up.
  ///
  /// One that was not may reach beyond it.
  package var longest: Double {
    if let span { return span }
    let spans = shown.map { index -> Double in
      let stint = life.stints[index]
      return max(stint.elapsed, stint.usedItsBudget ? stint.budget ?? .zero : .zero).inSeconds
    }
    return max((spans.max() ?? 0) * 1.02, 1e-6)
  }

  /// Whether a budget reaches beyond the axis, so that its end is not drawn.
  package var hasCutBudgets: Bool {
    shown.contains { (life.stints[$0].budget ?? .zero).inSeconds > longest }
  }

  private func drawing(_ size: Drawing.Size) -> Drawing {
    let (left, right, top) = (34.0, size == .wide ? 60.0 : 52.0, 8.0)
    let height = rowHeight * Double(shown.count)
    var drawing = Drawing(width: size.width, height: top + height + 40)
    let axis = Axis(0...longest, from: left, to: size.width - right)
    for tick in axis.timeTicks(size == .wide ? 8 : 4) {
      drawing.line(axis.place(tick), top, axis.place(tick), top + height, "grid")
      drawing.words(
        axis.place(tick), top + height + 16, Axis.timeText(tick), anchor: "middle", "quiet")
    }
    drawing.words(
      axis.to, top + height + 33, "time since the stint began", anchor: "end", "quiet")
    for (row, index) in shown.enumerated() {
      let middle = top + rowHeight * (Double(row) + 0.5)
      draw(life.stints[index], axis: axis, middle: middle, into: &drawing)
      label(index, row: row, axis: axis, middle: middle, into: &drawing)
      if row > 0, index != shown[row - 1] + 1 {
        drawing.line(0, middle - rowHeight / 2, size.width, middle - rowHeight / 2, "limit")
      }
    }
    return drawing
  }

  /// The number of a stint and its saved share; where rows are low, of some of them.
  private func label(
    _ index: Int, row: Int, axis: Axis, middle: Double, into drawing: inout Drawing
  ) {
    let every = rowHeight >= 20 ? 1 : 5
    guard row == 0 || row == shown.count - 1 || (index + 1) % every == 0 else { return }
    let isCrowded = every > 1 && row > 0 && row < shown.count - 1 && shown.count - 1 - row < 2
    guard !isCrowded else { return }
    drawing.words(axis.from - 8, middle + 4, String(index + 1), anchor: "end", "quiet")
    let stint = life.stints[index]
    let share = stint.ending == .open || !life.countsWork ? nil : stint.savedShare
    drawing.words(
      axis.to + 8, middle + 4,
      share.map { NumberText.percent($0) } ?? (stint.ending == .open ? "runs" : ""))
  }

  private func draw(
    _ stint: LifeStint, axis: Axis, middle: Double, into drawing: inout Drawing
  ) {
    func x(_ time: Duration) -> Double { axis.place(time.inSeconds) }
    let thickness = rowHeight >= 30 ? 12 : rowHeight >= 20 ? 9 : 6.0
    let (top, bottom) = (middle - thickness / 2, middle + thickness / 2)
    if let budget = stint.budget {
      drawing.rectangle(axis.from, top, x(budget) - axis.from, thickness, "granted")
    }
    let keptTo = stint.lostFrom ?? stint.elapsed
    drawing.rectangle(
      axis.from, top, x(keptTo) - axis.from, thickness, "kept", title: Self.title(of: stint))
    if let lostFrom = stint.lostFrom {
      hatch(from: x(lostFrom), to: x(stint.elapsed), top, bottom, into: &drawing)
    }
    if let budget = stint.budget, budget.inSeconds <= axis.range.upperBound {
      drawing.line(x(budget), top - 3, x(budget), bottom + 3, "deadline")
    }
    let reach = rowHeight >= 20 ? 4.5 : 2
    // More marks than there are places for them would be a bar.
    for checkpoint in stint.checkpoints.suffix(200) {
      let at = x(checkpoint.at)
      drawing.polygon(
        [(at, top), (at - reach * 0.8, top - reach), (at + reach * 0.8, top - reach)], "mark")
    }
    for expiry in stint.expiries {
      let at = x(expiry.at)
      drawing.line(at, top, at, bottom, "expiry")
      drawing.circle(at, bottom + (rowHeight >= 20 ? 3 : 1), rowHeight >= 20 ? 3 : 1.5, "expiry")
    }
  }

  /// Slanted lines within a frame, drawn as lines so that they look the same on paper.
  private func hatch(
    from: Double, to: Double, _ top: Double, _ bottom: Double, into drawing: inout Drawing
  ) {
    let end = max(to, from + 3)
    let height = bottom - top
    var at = from
    while at < end - 1 {
      let upper = min(at + height * 0.6, end)
      drawing.line(at, bottom, upper, bottom - (upper - at) / 0.6, "lost")
      at += 6
    }
    for y in [top, bottom] { drawing.line(from, y, end, y, "lostedge") }
    for x in [from, end] { drawing.line(x, top, x, bottom, "lostedge") }
  }

  private static func title(of stint: LifeStint) -> String {
    "ran \(stint.elapsed.compactText), saved \(stint.saved.compactText); \(stint.words)"
  }

  /// What the signs mean.
  package static let legend: Markup = {
    func item(_ words: String, _ draw: (inout Drawing) -> Void) -> Markup {
      var drawing = Drawing(width: 22, height: 14)
      draw(&drawing)
      return .element("li", [:], drawing.symbol(), Markup(words))
    }
    return .element(
      "ul", ["class": "legend"],
      item("granted, up to the deadline") {
        $0.rectangle(0.5, 3, 18, 8, "granted")
        $0.line(19, 0, 19, 14, "deadline")
      },
      item("ran, and kept") { $0.rectangle(0, 3, 22, 8, "kept") },
      item("lost, or not known to be kept") {
        TimelinePlot(Life(), label: "").hatch(from: 1, to: 21, 3, 11, into: &$0)
      },
      item("checkpoint durable") { $0.polygon([(11, 11), (6.5, 3.5), (15.5, 3.5)], "mark") },
      item("expiry: the handlers were called") {
        $0.line(11, 0, 11, 8, "expiry")
        $0.circle(11, 9.5, 3, "expiry")
      })
  }()
}
