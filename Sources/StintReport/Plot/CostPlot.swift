import StintCore

/// Costs as dots on a line, those that would cover each other stacked.
struct CostPlot {
  /// Sorted.
  let costs: [Duration]

  init(_ costs: [Duration]) {
    self.costs = costs.sorted()
  }

  var markup: Markup {
    Markup(
      Drawing.Size.allCases.map { size in
        drawing(size).markup(
          size, label: "Cost of \(NumberText.count(costs.count, "checkpoint"))")
      })
  }

  private func drawing(_ size: Drawing.Size) -> Drawing {
    let longest = max(costs.last?.inSeconds ?? 0, 1e-6)
    let axis = Axis(0...longest * 1.02, from: 10, to: size.width - 24)
    let columns = Int((axis.to - axis.from) / 7)
    var stacks = Array(repeating: 0, count: columns + 1)
    for cost in costs { stacks[column(cost, axis, columns)] += 1 }
    // So many dots on one place become a bar of them, each for several.
    let each = max(1, ((stacks.max() ?? 1) + 15) / 16)
    let highest = Double(((stacks.max() ?? 1) + each - 1) / each)
    let base = 12 + highest * 7
    var drawing = Drawing(width: size.width, height: base + 40)
    for tick in axis.timeTicks(size == .wide ? 8 : 4) {
      drawing.line(axis.place(tick), 8, axis.place(tick), base, "grid")
      drawing.words(axis.place(tick), base + 16, Axis.timeText(tick), anchor: "middle", "quiet")
    }
    drawing.words(
      axis.to, base + 33,
      "time until durable" + (each > 1 ? "; a dot stands for up to \(each)" : ""), anchor: "end",
      "quiet")
    for (column, count) in stacks.enumerated() where count > 0 {
      for level in 0..<((count + each - 1) / each) {
        drawing.circle(
          axis.from + (Double(column) + 0.5) * 7, base - 4 - Double(level) * 7, 2.9, "kept")
      }
    }
    drawing.line(axis.from, base, axis.to, base, "axis")
    if !costs.isEmpty {
      let median = axis.place(costs[(costs.count - 1) / 2].inSeconds)
      drawing.line(median, 4, median, base, "limit")
    }
    return drawing
  }

  private func column(_ cost: Duration, _ axis: Axis, _ columns: Int) -> Int {
    min(columns, max(0, Int((axis.place(cost.inSeconds) - axis.from) / 7)))
  }
}
