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

  /// What a chunk takes.
  ///
  /// - Parameters:
  ///   - position: The chunk's place in the work, which says how its cost has grown.
  ///   - trip: The trip.
  ///   - ordinal: So many chunks were completed before it in this trip.
  /// - Returns: The time, at least a nanosecond.
  package func chunk(at position: Int, trip: Int, ordinal: Int) -> Nanoseconds {
    let drawn = workload.chunk.quantile(draws.unit(.chunk, trip, ordinal + 1))
    return Swift.max(1, Nanoseconds(seconds: drawn * workload.nominal(position)))
  }

  /// What the checkpoint takes before which so many were begun in this trip.
  package func checkpoint(trip: Int, ordinal: Int) -> Nanoseconds {
    let drawn = workload.checkpoint.quantile(draws.unit(.checkpoint, trip, ordinal + 1))
    return Swift.max(1, Nanoseconds(seconds: drawn))
  }
}

/// How far the work is.
package struct WorkState: Hashable, Sendable {
  /// So many chunks are complete.
  package var position = 0
  /// The time that they took.
  package var total: Nanoseconds = 0

  package init() {}
}
