package import StintCore
import StintRuntime

/// When the kernel ends this process, whatever its threads wait for.
///
/// The system's hard stop is armed only while a task is open. Before that the process opens files,
/// and afterwards it writes its last records and leaves: a file server that does not answer would
/// hold it, and its job's lock, for ever. Only programs of Stint have this end; a process that
/// embeds a worker is never ended once its task has ended in time (A15, A17).
package enum LastMoment {
  private final class Owner: Sendable {}

  /// How long a process may take that leaves by itself at the same instant.
  static let leavingMayTake = Duration.milliseconds(500)
  private static let owner = Owner()

  /// Sets when the process has to be gone, a moment after it should leave by itself; nil for never.
  package static func set(_ instant: Instant?) {
    set(exactly: instant?.advanced(by: leavingMayTake))
  }

  /// Sets when the kernel ends the process; nil for never.
  static func set(exactly instant: Instant?) {
    // Where the kernel gives no timer, there is no system and so no run either.
    try? HardStop.shared.set(instant, for: owner)
  }

  /// The same for a process that has a trip, or the last words after a trip that is over.
  static func set(afterTripUntil end: Instant?, lastWords: Duration) {
    set(end.map { max($0, BootClock.now).advanced(by: lastWords) })
  }
}
