import StintCore

/// What the checkpoints of a life cost.
struct CheckpointSection {
  let life: Life
  private let figures: LifeFigures

  init(_ life: Life) {
    self.life = life
    figures = LifeFigures(life)
  }

  var isEmpty: Bool { figures.checkpoints == 0 }

  var markup: Markup {
    guard let longest = figures.costs.last, let median = figures.cost(quantile: 0.5) else {
      return Page.paragraph(
        "\(NumberText.count(figures.checkpoints, "checkpoint")) became durable. The program made them itself, and what they "
          + "cost is not known.")
    }
    let share =
      figures.elapsed > .zero ? figures.cost.inSeconds / figures.elapsed.inSeconds : 0
    let plot =
      figures.costs.count < 5
      ? Markup()
      : Page.figure(
        CostPlot(figures.costs).markup,
        "Each dot is a checkpoint, by what it cost. The dashed line is the median.")
    var table = DataTable(
      "Cost of the checkpoints, in all \(NumberText.percent(share)) of the stints' time",
      [
        .init("Checkpoints"), .init("Cost in all"), .init("Median"), .init("p99"),
        .init("Longest"), .init("Bytes in all"), .init("Failed"),
      ])
    table.add([
      NumberText.grouped(figures.checkpoints), figures.cost.compactText, median.compactText,
      figures.cost(quantile: 0.99)?.compactText ?? "", longest.compactText,
      NumberText.grouped(figures.checkpointBytes), NumberText.grouped(figures.failedCheckpoints),
    ])
    return plot + table.markup
  }
}
