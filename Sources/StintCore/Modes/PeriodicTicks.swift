/// Decides when a periodic observer is called: it drops ticks and never bursts (B5, L5).
///
/// A value without effects. A tick that comes while a call is on its way is dropped, and so is
/// every tick that was missed; the next one is on the grid that began with the observer.
package struct PeriodicTicks: Sendable {
  /// The least period of an observer.
  package static let leastPeriod = Duration.milliseconds(10)

  private let period: Duration
  private var nextTick: Instant
  /// A call waits for its queue, or runs.
  private var isCalling = false
  private var isSuspended = false
  private var isRemoved = false

  /// Creates the ticks of an observer that is first called after one period.
  package init(every period: Duration, from start: Instant) {
    precondition(period >= Self.leastPeriod, "The period of an observer is at least 10 ms.")
    self.period = period
    nextTick = start.advanced(by: period)
  }

  /// When ``timePassed(now:)`` is due next; never while the application is suspended.
  package var nextWake: Instant { isSuspended || isRemoved ? .distantFuture : nextTick }

  /// Time has passed: whether a call is to be put on its way.
  package mutating func timePassed(now: Instant) -> Bool {
    // Woken too early, or by a timer that was set before the suspension.
    guard now >= nextWake else { return false }
    nextTick = nextTick.next(every: period, past: now)
    if isCalling { return false }
    isCalling = true
    return true
  }

  /// The queue has come to a call: whether it may be made.
  package mutating func callClaimed() -> Bool {
    guard !isSuspended, !isRemoved else {
      isCalling = false
      return false
    }
    return true
  }

  /// A call has returned.
  package mutating func callReturned() {
    isCalling = false
  }

  /// The application is suspended: no tick comes.
  package mutating func suspended() {
    isSuspended = true
  }

  /// The application runs again; what was missed is not made up for.
  package mutating func resumed(now: Instant) {
    isSuspended = false
    if nextTick <= now { nextTick = nextTick.next(every: period, past: now) }
  }

  /// The observer is not called any more.
  package mutating func removed() {
    isRemoved = true
  }
}
