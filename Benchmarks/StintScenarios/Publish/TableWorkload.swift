/// A workload of the published table: its times as shares of the mean budget of a trace.
///
/// So traces of seconds and of days are asked the same: how dear a checkpoint is, how long a chunk
/// is, and what a kill costs.
package struct TableWorkload: Hashable, Sendable {
  /// What chunks and checkpoints vary by: the sigma of a log-normal distribution.
  static let chunkSigma = 0.2
  static let checkpointSigma = 0.3

  package var checkpoint: Double
  package var chunk: Double
  package var restart = 0.0

  /// The workloads of the table: cheap to dear checkpoints with short to long chunks, and two of
  /// them again where a kill costs time.
  package static let all: [TableWorkload] =
    [0.002, 0.02, 0.1].flatMap { checkpoint in
      [0.002, 0.02, 0.2].map { TableWorkload(checkpoint: checkpoint, chunk: $0) }
    }
    + [0.02, 0.1].map { TableWorkload(checkpoint: $0, chunk: 0.02, restart: 0.05) }

  /// The workload for budgets of a mean length.
  func workload(budgetSeconds: Double) -> Workload {
    var workload = Workload(
      chunk: Distribution(.logNormal(mean: chunk * budgetSeconds, sigma: Self.chunkSigma)),
      checkpoint: Distribution(
        .logNormal(mean: checkpoint * budgetSeconds, sigma: Self.checkpointSigma)))
    workload.restartSeconds = restart * budgetSeconds
    return workload
  }
}

extension Scenario {
  /// The trace of this scenario with each workload of the table, judged by all strategies.
  package var tableScenarios: [Scenario] {
    TableWorkload.all.enumerated().map { number, workload in
      var scenario = Scenario(
        name: "\(name.prefix(56))-\(number + 1)", title: title, trace: trace,
        workload: workload.workload(budgetSeconds: trace.meanGrantSeconds))
      scenario.description = description
      scenario.trips = trips
      return scenario
    }
  }
}
