/// Whoever does the work in a trip: it hears what happens and tells the world what to do next.
///
/// Nothing else than the world's account decides what was saved; what a worker claims is only
/// compared with it.
package protocol ScenarioWorker {
  /// A trip begins, and the task is granted.
  mutating func began(_ world: TripWorld)
  /// The trip was denied.
  mutating func wasDenied(_ world: TripWorld)
  /// The chunk that ran is complete.
  mutating func chunkEnded(_ world: TripWorld)
  /// The checkpoint is durable.
  mutating func checkpointEnded(_ world: TripWorld)
  /// The end is told: the engine's warning, or that the rest is taken back.
  mutating func warned(_ world: TripWorld)
  /// The announced deadline has moved.
  mutating func deadlineMoved(_ world: TripWorld)
  /// The instant has come that was asked for with ``TripWorld/wake(at:)``.
  mutating func woken(_ world: TripWorld)
  /// The machine goes on after a standstill.
  mutating func wentOn(after length: Nanoseconds, _ world: TripWorld)
  /// The trip is over; `isKilled` if the process is gone.
  mutating func ended(isKilled: Bool, _ world: TripWorld)
  /// The work that it says is saved, in all trips so far.
  var claimedWork: Nanoseconds { get }
  /// The work that it says is done, saved or not; nil if it does not report.
  var reportedWork: Nanoseconds? { get }
  /// What its system noted of the present trip; empty if it has none.
  var ledger: [Sighting] { get }
}

extension ScenarioWorker {
  package mutating func wasDenied(_ world: TripWorld) {}
  package mutating func checkpointEnded(_ world: TripWorld) {}
  package mutating func warned(_ world: TripWorld) {}
  package mutating func deadlineMoved(_ world: TripWorld) {}
  package mutating func woken(_ world: TripWorld) {}
  package mutating func wentOn(after length: Nanoseconds, _ world: TripWorld) {}
  package mutating func ended(isKilled: Bool, _ world: TripWorld) {}
  package var reportedWork: Nanoseconds? { nil }
  package var ledger: [Sighting] { [] }
}
