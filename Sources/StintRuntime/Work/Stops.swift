import StintCore

/// When the process stood still, so that work which was under way is not charged for it.
struct Stops: Sendable {
  /// The stops, oldest first; each has its end and its length.
  private var stops: [(end: Instant, duration: Duration)] = []

  /// When a stop was announced that has not been told of yet.
  private var announced: Instant?

  /// So many are kept: a chunk during which the process is stopped more often seems longer than it
  /// was.
  private static let kept = 256

  /// A suspension of the machine that is shorter is none: two clocks are never read at once.
  static let shortest = Duration.milliseconds(10)

  /// Takes note that a stop is about to begin.
  ///
  /// Continued, a chunk may end before anybody has told how long the stop was.
  mutating func announce(at instant: Instant) {
    announced = instant
  }

  /// Takes note of a stop that has just ended.
  mutating func add(_ duration: Duration, endedAt end: Instant) {
    announced = nil
    if stops.count == Self.kept { stops.removeFirst(Self.kept / 2) }
    stops.append((end, duration))
  }

  /// The time from one instant to another without the stops in between.
  func runningTime(from began: Instant, to now: Instant) -> Duration {
    // What began after the announcement began after the stop.
    let now = announced.map { $0 > began ? min($0, now) : now } ?? now
    var time = began.duration(to: now)
    for stop in stops.reversed() {
      guard stop.end > began else { break }
      let start = max(began, stop.end.advanced(by: .zero - stop.duration))
      time -= start.duration(to: min(stop.end, now))
    }
    return max(.zero, time)
  }
}
