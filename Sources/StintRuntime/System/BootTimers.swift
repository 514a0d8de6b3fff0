/// Loops that call back at instants of the boot-time clock, each on a thread of its own on which
/// every signal is blocked.
package enum BootTimers {
  /// The system's own timers; its thread also performs what the system decides, and may wait for a
  /// disk.
  package static let shared = started("stint-timers")

  /// The timers of workers and sessions, which must not wait for the system's thread.
  package static let clients = started("stint-clients")

  private static func started(_ name: String) -> EventLoop {
    guard let loop = try? EventLoop() else {
      preconditionFailure("No descriptor is left for the boot-time timers.")
    }
    SerialThread(name: name).enqueue { loop.run() }
    return loop
  }
}
