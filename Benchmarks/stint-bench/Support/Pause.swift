import Glibc
import StintCore

/// Waiting on the boot-time clock.
enum Pause {
  /// Waits until an instant; returns at once if it has passed.
  static func until(_ instant: Instant) {
    let nanoseconds = max(0, instant.nanoseconds)
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &time, nil) == EINTR {}
  }
}
