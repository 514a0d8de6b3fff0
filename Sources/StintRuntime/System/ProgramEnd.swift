import CStint
import Glibc
import StintCore

/// Ends a program that has no code for that once its stop is complete (W11).
///
/// Such a program serves its main queue for ever. After its last task, and what its delegate and
/// observers hear of the stop, it dies of the signal that asked for it: whoever waits for it must
/// not take it for finished. At the end of the stop's time it dies whatever its main queue does. A
/// program with a handler of its own for the signal is sent it instead, and one that has called
/// `stopOnSignals` ends by itself.
package final class ProgramEnd: SystemObserver {
  /// How long such a program may take to end, unless a supervisor has said that.
  private static let grace = Duration.seconds(5)

  private weak let driver: SystemDriver?

  private init(_ driver: SystemDriver) {
    self.driver = driver
  }

  /// Makes SIGTERM a stop of a system, and ends the program after any stop of it.
  package static func follow(_ driver: SystemDriver) {
    // Without a descriptor the signal keeps its default action.
    _ = try? StopSignals.shared.take(
      [.terminate], for: driver, grace: grace, isOfProgram: false)
    driver.add(ProgramEnd(driver))
  }

  package func systemDid(_ event: SystemEvent) {
    guard let driver, let stop = driver.view.stop, !StopSignals.shared.areOfProgram(of: driver)
    else { return }
    switch event {
    case .terminating:
      endLate(stop)
    case .stopCompleted:
      // Suspended, it was not told that it terminates.
      endLate(stop)
      let number = Self.signal(of: stop.reason)
      driver.afterNews {
        // A death by a signal flushes nothing.
        fflush(nil)
        Self.dieUnlessHandled(by: number)
        kill(getpid(), number)
      }
    case .answered, .expired, .deadlineMoved, .deadlineExtended, .stateChanged, .suspended,
      .resumed, .becameActive, .memoryIsShort, .refreshStatusChanged, .terminated:
      break
    }
  }

  private func endLate(_ stop: ServerMachine.Expired) {
    let number = Self.signal(of: stop.reason)
    BootTimers.clients.schedule(at: stop.deadline) { Self.dieUnlessHandled(by: number) }
  }

  private static func dieUnlessHandled(by number: Int32) {
    if stint_signal_is_handled(number) == 0 { stint_die_of(number) }
  }

  /// The signals that ask for an end and end a process by default.
  private static let deadly = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU]

  private static func signal(of reason: ExpiryReason) -> Int32 {
    if case .signal(let number) = reason, deadly.contains(number) { number } else { SIGTERM }
  }
}
