import CStint
package import StintCore

/// Reads the boot-time clock.
///
/// Only drivers may; machines get the instant as an argument.
package enum BootClock {
  /// The time now.
  @inline(__always)
  package static var now: Instant {
    Instant(nanoseconds: stint_boottime_ns())
  }

  /// The wall clock now; it decides when requests may begin, and nothing else (Q3).
  package static var wallTime: WallInstant {
    WallInstant(nanoseconds: stint_wall_ns())
  }

  /// How long the machine was suspended since it was booted; to some microseconds, because two
  /// clocks are read one after the other.
  package static var suspended: Duration {
    .nanoseconds(stint_boottime_ns() - stint_monotonic_ns())
  }
}
