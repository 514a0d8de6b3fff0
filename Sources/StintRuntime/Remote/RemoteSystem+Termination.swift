import CStint
import Glibc
import StintCore

extension RemoteSystem {
  /// How long the program may take to end after SIGTERM, unless the supervisor has said that.
  private static let terminationGrace = Duration.seconds(5)
  /// A second signal that comes sooner belongs to the first (W11).
  private static let leastBetweenSignals = Duration.milliseconds(200)

  /// Makes SIGTERM a stop, as one of the supervisor's is, unless the program handles or ignores it.
  ///
  /// A program that does not end within the grace dies of the signal, and at once of a second one.
  /// Not on the system's thread, which may wait for a disk.
  func stopAtTermination() {
    let event = stint_signal_take(SIGTERM)
    guard event >= 0 else { return }
    let firstAt = Protected<Instant?>(nil)
    BootTimers.clients.watch(event) { [weak driver = driver] in
      var count: UInt64 = 0
      _ = read(event, &count, 8)
      let now = BootClock.now
      let first = firstAt.withLock { first in
        defer { first = first ?? now }
        return first
      }
      guard let driver else { stint_die_of(SIGTERM) }
      if let first {
        if first.duration(to: now) >= Self.leastBetweenSignals { stint_die_of(SIGTERM) }
        return
      }
      let known = driver.view.stop.flatMap { $0.deadline > now ? $0.deadline : nil }
      let end = known ?? now.advanced(by: Self.terminationGrace)
      BootTimers.clients.schedule(at: end) { stint_die_of(SIGTERM) }
      BootTimers.shared.post {
        driver.requestStop(reason: .signal(SIGTERM), grace: now.duration(to: end))
      }
    }
  }
}
