/// An instant of the wall clock, which people and other processes can set.
///
/// It decides when a request may begin, and nothing else (Q3): every budget runs by ``Instant``.
public struct WallInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the beginning of 1970 (UTC); negative before.
  public var nanoseconds: Int64

  /// Creates an instant.
  ///
  /// - Parameter nanoseconds: Nanoseconds since the beginning of 1970 (UTC).
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Whether an instant comes before another one.
  public static func < (first: Self, second: Self) -> Bool {
    first.nanoseconds < second.nanoseconds
  }

  /// The instant that is so much later, saturated at the range of `Int64`.
  ///
  /// - Parameter duration: How much later; negative for earlier.
  /// - Returns: That instant.
  public func advanced(by duration: Duration) -> Self {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
    guard overflow else { return Self(nanoseconds: sum) }
    return Self(nanoseconds: duration < .zero ? .min : .max)
  }

  /// How long it is to another instant; negative if that is earlier.
  ///
  /// - Parameter other: The other instant.
  /// - Returns: The time between, saturated at the range of `Int64` in nanoseconds.
  public func duration(to other: Self) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    guard overflow else { return .nanoseconds(difference) }
    return .nanoseconds(other < self ? Int64.min : Int64.max)
  }
}

/// One moment by both clocks.
package struct ScheduleTime: Hashable, Sendable {
  /// By the clock that only goes forward, by which time runs.
  package var instant: Instant
  /// By the wall clock, by which requests begin.
  package var wall: WallInstant

  package init(instant: Instant, wall: WallInstant) {
    self.instant = instant
    self.wall = wall
  }
}
