/// A point on the boot-time clock, the one clock that decides in Stint.
///
/// The boot-time clock (`CLOCK_BOOTTIME`) goes on while the machine is suspended, so a closed
/// laptop does not stretch a budget. Instants of two boots cannot be compared; on disk they carry
/// the boot id. Machines never read a clock: the instant is an argument of every event.
public struct Instant: Hashable, Sendable, Codable {
  /// Nanoseconds since boot.
  public var nanoseconds: Int64

  /// Creates the instant that many nanoseconds after boot.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// An instant that never comes.
  public static let distantFuture = Instant(nanoseconds: .max)
}

extension Instant: InstantProtocol {
  /// The instant later by a duration (earlier, if it is negative); saturates at the ends of the
  /// range.
  public func advanced(by duration: Duration) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
    if overflow { return Instant(nanoseconds: duration < .zero ? .min : .max) }
    return Instant(nanoseconds: sum)
  }

  /// The time from this instant to the other; saturates at the ends of the range.
  public func duration(to other: Instant) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    if overflow { return .nanoseconds(other.nanoseconds < nanoseconds ? Int64.min : .max) }
    return .nanoseconds(difference)
  }

  /// Whether the left instant comes first.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

extension Instant: CustomStringConvertible {
  /// The instant as seconds since boot, for diagnostics.
  public var description: String {
    self == .distantFuture ? "never" : "boot+" + Duration.nanoseconds(nanoseconds).compactText
  }
}
