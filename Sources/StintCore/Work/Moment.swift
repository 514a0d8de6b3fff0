/// When an event happens, and when the time that is granted at that moment ends.
public struct Moment: Hashable, Sendable {
  /// The time of the event.
  public var now: Instant
  /// The end of the granted time, or nil while it is unlimited.
  public var deadline: Instant?

  /// Creates a moment.
  public init(now: Instant, deadline: Instant?) {
    self.now = now
    self.deadline = deadline
  }

  /// What is left until the deadline, never negative; nil while it is unlimited.
  public var remaining: Duration? {
    deadline.map { max(.zero, now.duration(to: $0)) }
  }
}
