import Glibc

/// What the rules of the literature are given, because they assume it known: the true
/// distributions.
///
/// Only Stint has to learn.
package struct Knowledge: Hashable, Sendable, Codable {
  package let workload: Workload
  /// The time granted between two ends that nobody told in time, which are the failures of Young
  /// and Daly.
  package let meanTimeBetweenFailures: Double
  package let everySeconds: Double

  package init(_ scenario: Scenario, trips: [Trip]) {
    workload = scenario.workload
    everySeconds = scenario.everySeconds
    let granted = trips.filter { !$0.isDenied }
    let sum = granted.reduce(0) { $0 + $1.deadline.seconds }
    // Who hears of it too late to complete a chunk and to save might as well not hear of it.
    let least = Nanoseconds(seconds: workload.longChunkSeconds + workload.longCheckpointSeconds)
    let failures = granted.count { !$0.isForetold || $0.noticeLead.map { $0 < least } ?? false }
    meanTimeBetweenFailures = failures == 0 ? Self.never : sum / Double(failures)
  }

  /// Where every end is told there is no failure; a number that JSON can hold.
  static let never = 1e12

  package init(workload: Workload, meanTimeBetweenFailures: Double, everySeconds: Double) {
    self.workload = workload
    self.meanTimeBetweenFailures = meanTimeBetweenFailures
    self.everySeconds = everySeconds
  }

  /// Young's interval between checkpoints: the square root of 2 C M (CACM 17(9), 1974).
  package var youngSeconds: Double {
    (2 * workload.checkpoint.mean * meanTimeBetweenFailures).squareRoot()
  }

  /// Daly's estimate of higher order (FGCS 22(3), 2006, equation 37): work between two checkpoints.
  package var dalySeconds: Double {
    let (cost, mean) = (workload.checkpoint.mean, meanTimeBetweenFailures)
    guard cost < 2 * mean else { return mean }
    let ratio = cost / (2 * mean)
    return (2 * cost * mean).squareRoot() * (1 + ratio.squareRoot() / 3 + ratio / 9) - cost
  }

  /// How long before the end somebody asks Slurm for a signal (`--signal=B:USR1@SECONDS`): twice
  /// what a chunk and a checkpoint nearly always take, in whole seconds, to be on the safe side.
  package var signalSeconds: Double {
    (2 * (workload.longChunkSeconds + workload.longCheckpointSeconds)).rounded(.up)
  }
}

extension Workload {
  /// What nearly every chunk takes at most where its cost is greatest: the 99th percentile.
  var longChunkSeconds: Double { chunk.quantile(0.99) * largestNominal }
  /// What nearly every checkpoint takes at most: the 99th percentile.
  var longCheckpointSeconds: Double { checkpoint.quantile(0.99) }
}
