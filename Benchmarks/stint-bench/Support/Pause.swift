import Glibc
import Stint
import StintCore

/// Waiting on the boot-time clock.
enum Pause {
  /// Waits until an instant, about 0.1 ms more at most; returns at once if it has passed.
  static func until(_ instant: Instant) {
    while true {
      let rest = BootClock.now.duration(to: instant).nanoseconds
      if rest <= 0 { return }
      // It takes less than a second at a time, and wakes early for a signal.
      usleep(UInt32(min(rest / 1_000 + 1, 900_000)))
    }
  }
}
