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
}
