/// How much time is left before the system stops the work (A10).
public enum RemainingTime: Hashable, Sendable {
  /// In the foreground: no end is set.
  case unlimited
  /// In the background: so much is left of the trip's budget; never negative.
  case limited(Duration)

  /// What is left at an instant before an end; unlimited without one.
  package init(until end: Instant?, at now: Instant) {
    self = end.map { .limited(max(.zero, now.duration(to: $0))) } ?? .unlimited
  }

  /// The time as UIKit gives it: seconds, and `Double.greatestFiniteMagnitude` for ``unlimited``.
  public var seconds: Double {
    switch self {
    case .unlimited: Double.greatestFiniteMagnitude
    case .limited(let duration): duration.inSeconds
    }
  }

  /// The remaining duration, or nil when it is unlimited.
  public var duration: Duration? {
    switch self {
    case .unlimited: nil
    case .limited(let duration): duration
    }
  }

  /// The same with so much less.
  package func trimmed(by duration: Duration) -> RemainingTime {
    switch self {
    case .unlimited: .unlimited
    case .limited(let rest): .limited(max(.zero, rest - duration))
    }
  }
}
