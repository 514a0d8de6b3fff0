/// When an event happens, and when the time that is granted at that moment ends.
package struct Moment: Hashable, Sendable {
  /// The time of the event.
  package var now: Instant
  /// The end of the granted time, or nil while it is unlimited.
  package var deadline: Instant?

  /// Creates a moment.
  package init(now: Instant, deadline: Instant?) {
    self.now = now
    self.deadline = deadline
  }

  /// What is left until the deadline, never negative; nil while it is unlimited.
  package var remaining: Duration? {
    deadline.map { max(.zero, now.duration(to: $0)) }
  }
}
