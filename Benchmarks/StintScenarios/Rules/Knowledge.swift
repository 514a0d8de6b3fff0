import Glibc

/// What the rules of the literature are given, because they assume it known: the true
/// distributions.
///
/// Only Stint has to learn.
package struct Knowledge: Hashable, Sendable, Codable {
  package let workload: Workload
  /// From the beginning of a trip to its end, whatever ends it; what Young and Daly call the time
  /// between failures.
  package let meanTripSeconds: Double
  package let everySeconds: Double

  package init(_ scenario: Scenario, trips: [Trip]) {
    workload = scenario.workload
    everySeconds = scenario.everySeconds
    let granted = trips.filter { !$0.isDenied }
    let sum = granted.reduce(0) { $0 + $1.deadline.seconds }
    meanTripSeconds = granted.isEmpty ? 1 : sum / Double(granted.count)
  }

  package init(workload: Workload, meanTripSeconds: Double, everySeconds: Double) {
    self.workload = workload
    self.meanTripSeconds = meanTripSeconds
    self.everySeconds = everySeconds
  }

  /// Young's interval between checkpoints: the square root of 2 C M (CACM 17(9), 1974).
  package var youngSeconds: Double {
    (2 * workload.checkpoint.mean * meanTripSeconds).squareRoot()
  }

  /// Daly's estimate of higher order (FGCS 22(3), 2006, equation 37): work between two checkpoints.
  package var dalySeconds: Double {
    let (cost, mean) = (workload.checkpoint.mean, meanTripSeconds)
    guard cost < 2 * mean else { return mean }
    let ratio = cost / (2 * mean)
    return (2 * cost * mean).squareRoot() * (1 + ratio.squareRoot() / 3 + ratio / 9) - cost
  }

  /// The time that the next chunk stays under with a probability.
  package func chunkQuantile(_ share: Double, index: Int) -> Double {
    workload.chunk.quantile(share) * workload.nominal(index)
  }
}
