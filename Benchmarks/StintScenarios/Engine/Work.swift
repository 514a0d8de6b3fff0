/// The work of one repetition: what every chunk and every checkpoint takes, the same for all
/// strategies.
///
/// What is drawn belongs to a trip and to a place in it, so that strategies meet the same luck as
/// long as they do the same (common random numbers). A chunk that is done again in a later trip is
/// drawn anew: else one long chunk before the end of a budget would come at the same place in trip
/// after trip, and a rule that does not learn would be judged by that one chunk.
package struct Work: Hashable, Sendable {
  package let workload: Workload
  private let draws: Draws

  package init(_ workload: Workload, draws: Draws) {
    self.workload = workload
    self.draws = draws
  }

  /// What a chunk takes, at least a nanosecond.
  ///
  /// Its position in the work says how its cost has grown; `ordinal` chunks were completed before
  /// it in this trip.
  package func chunk(at position: Int, trip: Int, ordinal: Int) -> Nanoseconds {
    let drawn = workload.chunk.draw(draws.unit(.chunk, trip, ordinal + 1))
    let factor = factor(workload.chunkDrift, workload.chunkTripFactor, .chunkFactor, trip: trip)
    return Swift.max(1, Nanoseconds(seconds: drawn * workload.nominal(position) * factor))
  }

  /// What a checkpoint takes that holds so much work of the job, at least a nanosecond; `ordinal`
  /// were begun before it in this trip.
  package func checkpoint(trip: Int, ordinal: Int, holding held: Nanoseconds) -> Nanoseconds {
    let drawn = workload.checkpoint.draw(draws.unit(.checkpoint, trip, ordinal + 1))
    let factor = factor(
      workload.checkpointDrift, workload.checkpointTripFactor, .checkpointFactor, trip: trip)
    return Swift.max(
      1, Nanoseconds(seconds: drawn * factor * workload.growth(holdingSeconds: held.seconds)))
  }

  /// How the times of a trip are beside their distribution.
  private func factor(
    _ drift: Drift?, _ tripFactor: Distribution?, _ purpose: Draws.Purpose, trip: Int
  ) -> Double {
    let drawn = tripFactor.map {
      Swift.max(Workload.leastFactor, $0.draw(draws.unit(purpose, trip)))
    }
    return (drift?.factor(trip: trip) ?? 1) * (drawn ?? 1)
  }
}

/// How far the work is.
package struct WorkState: Hashable, Sendable {
  /// So many chunks are complete.
  package var position = 0
  /// The time that they took.
  package var total: Nanoseconds = 0
}
