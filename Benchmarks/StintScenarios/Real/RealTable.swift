import StintReport

/// What came of a run on the real clock, for people.
package enum RealTable {
  package static func render(_ result: ScenarioResult) -> String {
    var lines = ["\(result.name): \(result.title)"]
    if result.strategies.count > 1 { lines += comparison(result.strategies) + [""] }
    for worker in result.strategies {
      lines.append("  \(worker.title)")
      lines += rows(worker).map { "    " + padded($0.0) + $0.1 }
      for finding in worker.findings ?? [] {
        lines.append(
          "    found: \(finding.fault.title), in \(finding.trips) trips: \(finding.sentence)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A line for each worker, the columns under each other.
  private static func comparison(_ workers: [StrategyResult]) -> [String] {
    let head = ["", "saved", "lost", "saves", "overruns", "to durable, p99", "found"]
    let rows = [head] + workers.map(cells)
    return ScenarioTable.aligned(rows, words: [0, head.count - 1]).map { "  " + $0 }
  }

  private static func cells(_ worker: StrategyResult) -> [String] {
    let found = (worker.findings ?? []).map(\.fault.title)
    return [
      worker.title, percent(worker.savedShare), percent(worker.lostShare), "\(worker.checkpoints)",
      "\(worker.overruns.count) of \(worker.overruns.trips)",
      worker.expiryToDurableSeconds.map { seconds($0.p99) } ?? "",
      found.isEmpty ? "nothing" : found.joined(separator: ", "),
    ]
  }

  private static func rows(_ worker: StrategyResult) -> [(String, String)] {
    var rows = [
      ("saved, read from disk", percent(worker.savedShare)),
      ("lost", "\(percent(worker.lostShare)), done again \(seconds(worker.doneAgainSeconds))"),
      (
        "checkpoints",
        "\(worker.checkpoints), \(seconds(worker.checkpointSeconds)) of writing"
      ),
      ("overruns", overruns(worker.overruns)),
    ]
    if let time = worker.expiryToDurableSeconds {
      rows.append(("expiry to durable", quantiles(time)))
    }
    if let late = worker.tickLatenessSeconds { rows.append(("tick late by", quantiles(late))) }
    if let error = worker.remainingErrorSeconds {
      rows.append(("remaining time wrong by", quantiles(error)))
    }
    let trips = worker.tripsToFinish.map { NumberText.fixed($0.mean, decimals: 1) }
    rows.append(("trips to finish", trips ?? "not in these budgets"))
    return rows
  }

  private static func overruns(_ overruns: StrategyResult.Overruns) -> String {
    let past = overruns.pastDeadlineSeconds.map { ", past the deadline " + quantiles($0) } ?? ""
    return "\(overruns.count) of \(overruns.trips) budgets" + past
  }

  private static func percent(_ share: Estimate) -> String {
    let width = (share.high - share.low) / 2
    let interval = width > 0 ? " ± \(NumberText.fixed(width * 100, decimals: 2))" : ""
    return NumberText.fixed(share.mean * 100, decimals: 2) + interval + " %"
  }

  private static func quantiles(_ values: Quantiles) -> String {
    "p50 \(seconds(values.p50)), p99 \(seconds(values.p99)), at most \(seconds(values.maximum))"
  }

  private static func seconds(_ value: Double) -> String {
    value < 1
      ? NumberText.fixed(value * 1e3, decimals: 2) + " ms"
      : NumberText.fixed(value, decimals: 3) + " s"
  }

  private static func padded(_ text: String) -> String {
    text + String(repeating: " ", count: max(1, 26 - text.count))
  }
}
