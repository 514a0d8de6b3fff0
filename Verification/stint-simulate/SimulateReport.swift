import StintCore
import StintSimulation

/// What the program prints.
enum SimulateReport {
  /// Averages and speed.
  static func text(_ report: SimulationReport, took: Duration, threads: Int) -> String {
    func average(_ count: Int) -> String { tenths(report.average(count)) }
    let rate = Int(Double(report.lives) / max(1e-9, took.inSeconds))
    return """
      \(report.lives) lives, \(report.finished) finished their work
      a life has on average \(average(report.events)) events, \(average(report.trips)) trips, \
      \(average(report.stints)) stints, \(average(report.checkpoints)) checkpoints, \
      \(average(report.kills)) kills
      \(took.compactText), \(rate) lives a second on \(threads) thread\(threads == 1 ? "" : "s")

      """
  }

  /// The broken invariant, how to see it again, and the shortest history.
  static func failure(_ failure: SimulationReport.Failure, plant: PlantedFault?) -> String {
    let shortest = LifeHistory.shortest(seed: failure.lifeSeed, plant: plant)
    let again = "stint-simulate --life \(failure.lifeSeed)" + (plant.map { " --plant \($0)" } ?? "")
    let history = shortest?.lines.suffix(40).joined(separator: "\n") ?? ""
    let left = shortest.map {
      "\($0.report.events) events with \($0.leftOut.count) disturbances left out"
    }
    return """
      life \(failure.index): \(failure.violation.invariant) is broken: \(failure.violation.detail)
      see it in full: \(again)
      the shortest history (\(left ?? "")) ends with
      \(history)

      """
  }

  private static func tenths(_ value: Double) -> String {
    let scaled = Int((value * 10).rounded())
    return "\(scaled / 10).\(scaled % 10)"
  }
}
