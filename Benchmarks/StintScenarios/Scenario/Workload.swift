/// The work of a scenario.
package struct Workload: Hashable, Sendable {
  /// What a chunk takes.
  package var chunk: Distribution
  /// What a checkpoint takes.
  package var checkpoint: Distribution
  /// So often the cost of a chunk doubles before it begins again.
  package var doublings = 0
  /// From the last checkpoint to the end of the task.
  package var closingSeconds = 0.001
  /// How the times change over the trips of a repeat.
  package var chunkDrift: Drift?
  package var checkpointDrift: Drift?
  /// Factors on the times of a whole trip, drawn anew for each trip.
  package var chunkTripFactor: Distribution?
  package var checkpointTripFactor: Distribution?
  /// By what part of its time a checkpoint grows with each hour of work that is in it.
  package var checkpointGrowthPerHour = 0.0
  /// After a trip in which the process was killed, the next one begins with so much time in which
  /// nothing can run.
  package var restartSeconds = 0.0

  /// Whether times depend on nothing but their distributions and the place in the cycle of costs.
  package var isSteady: Bool {
    chunkDrift == nil && checkpointDrift == nil && chunkTripFactor == nil
      && checkpointTripFactor == nil && checkpointGrowthPerHour == 0
  }

  /// A factor of a trip that is below this counts as this: chunks that take no time never end.
  package static let leastFactor = 0.01

  /// How long a checkpoint takes that holds so much work, beside an empty one.
  package func growth(holdingSeconds seconds: Double) -> Double {
    1 + checkpointGrowthPerHour * seconds / 3_600
  }

  /// What chunk `index` is expected to take, as a factor on the mean of all.
  ///
  /// Every strategy knows it: a computation knows how its costs grow.
  package func nominal(_ index: Int) -> Double {
    guard doublings > 0 else { return 1 }
    let cycle = doublings + 1
    let total = Double((1 << cycle) - 1)
    return Double(1 << (index % cycle)) * Double(cycle) / total
  }

  /// The greatest of these factors, that of the last chunk in a cycle.
  package var largestNominal: Double { nominal(doublings) }
}

/// A load that changes: a factor that goes evenly from 1 to its most and back again.
package struct Drift: Hashable, Sendable, Encodable {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case factor, overTrips
  }

  /// The factor when it is farthest from 1.
  package var factor: Double
  /// So many trips after the first, and as many on the way back.
  package var overTrips: Int

  /// The factor on the times of a trip.
  package func factor(trip: Int) -> Double {
    let place = trip % (2 * overTrips)
    let way = Double(min(place, 2 * overTrips - place)) / Double(overTrips)
    return 1 + (factor - 1) * way
  }
}
