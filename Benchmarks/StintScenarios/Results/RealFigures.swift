/// The figures of one trip on the real clock.
package struct RealFigures: Hashable, Sendable {
  /// What was durable by the deadline.
  package var saved: Nanoseconds = 0
  /// Whether the job is finished, so that nothing is left to be measured.
  package var isFinished = false
  /// What was told as done and is not durable.
  package var lost: Nanoseconds = 0
  package var doneAgain: Nanoseconds = 0
  package var checkpoints = 0
  package var checkpointTime: Nanoseconds = 0
  package var usable: Nanoseconds = 0
  package var unused: Nanoseconds = 0
  package var isForetold = false
  package var overrun: Nanoseconds?
  package var expiryToDurable: Nanoseconds?
  /// How much later than a tick after the one before a report came.
  package var tickLateness: [Nanoseconds] = []
  /// By how much the remaining time of a report missed the deadline, to either side.
  package var remainingError: [Nanoseconds] = []
  package var isFalseClaim = false
  package var durable: Nanoseconds = 0
  /// The place after the last chunk that was told as complete.
  package var furthest = 0
  package var end = TripEnd.inOrder
  package var length: Nanoseconds = 0
}
