import CStint
import Glibc
package import StintCore

/// The signals that are stops of this process (W11).
///
/// No mask and no ignored signal is left behind, which children would inherit, and a child that was
/// forked off and became no other program dies of the signal as if nothing had been done.
package final class StopSignals: Sendable {
  /// What is stopped by which signals.
  private struct Client {
    weak var driver: SystemDriver?
    var signals: Set<StopSignal>
    var grace: Duration
    /// Whether the program has asked for it, and so ends by itself.
    var isOfProgram: Bool
  }

  private struct State {
    var clients: [Client] = []
    var taken: Set<StopSignal> = []
    var isWarned = false
    /// When the first signal came that is no warning.
    var firstAt: Instant?
  }

  /// What a signal means.
  private enum Meaning {
    case nothing
    case death
    case stop([(driver: SystemDriver, grace: Duration)])
  }

  /// The process's own.
  package static let shared = StopSignals()

  /// A second signal that comes sooner belongs to the first.
  private static let leastBetweenSignals = Duration.milliseconds(200)

  private let state = Protected(State())

  /// Makes signals a stop of a system, in place of what was said for that system before.
  ///
  /// - Parameters:
  ///   - signals: The signals; those that the program handles or ignores are left alone.
  ///   - driver: What is asked to stop; not retained.
  ///   - grace: How long the process may take to end. It dies of the signal then, and at once of a
  ///     second one.
  ///   - isOfProgram: Whether the program says it, and ends by itself after a stop. If it does not,
  ///     what was said for the system before stands.
  /// - Returns: The signals that are stops now.
  /// - Throws: ``StintError`` with the code `unavailable` if no descriptor is left.
  @discardableResult
  package func take(
    _ signals: Set<StopSignal>, for driver: SystemDriver, grace: Duration, isOfProgram: Bool = true
  ) throws(StintError) -> Set<StopSignal> {
    try state.withLock { state throws(StintError) in
      if !isOfProgram, let known = state.clients.first(where: { $0.driver === driver }) {
        return known.signals
      }
      for signal in signals.subtracting(state.taken) {
        let event = stint_signal_take(signal.number)
        if event == -EBUSY { continue }
        guard event >= 0 else { throw .noDescriptor(for: "signals", -event) }
        state.taken.insert(signal)
        BootTimers.clients.watch(event) { [weak self] in
          var count: UInt64 = 0
          _ = read(event, &count, 8)
          self?.came(signal)
        }
        // The main thread may have ended, and those of Dispatch block nearly all signals.
        BootTimers.clients.post { stint_signal_unblock(signal.number) }
      }
      let heard = signals.intersection(state.taken)
      state.clients.removeAll { $0.driver == nil || $0.driver === driver }
      state.clients.append(
        Client(driver: driver, signals: heard, grace: grace, isOfProgram: isOfProgram))
      return heard
    }
  }

  /// Whether the program of a system has said itself which signals are stops of it.
  func areOfProgram(of driver: SystemDriver) -> Bool {
    state.withLock { state in
      state.clients.contains { $0.driver === driver && $0.isOfProgram }
    }
  }

  /// Not on the system's thread, which may wait for a disk.
  private func came(_ signal: StopSignal) {
    let now = BootClock.now
    switch state.withLock({ meaning(of: signal, at: now, &$0) }) {
    case .nothing:
      break
    case .death:
      stint_die_of(signal.number)
    case .stop(let stops):
      let ends = stops.map { driver, grace in
        // A supervisor may have said already how long the process may take.
        let known = driver.view.stop.flatMap { $0.deadline > now ? $0.deadline : nil }
        return (driver, known ?? now.advanced(by: grace))
      }
      if let last = ends.map(\.1).max() {
        BootTimers.clients.schedule(at: last) { stint_die_of(signal.number) }
      }
      BootTimers.shared.post {
        for (driver, end) in ends {
          driver.requestStop(reason: .signal(signal.number), grace: now.duration(to: end))
        }
      }
    }
  }

  private func meaning(
    of signal: StopSignal, at now: Instant, _ state: inout State
  ) -> Meaning {
    let stops = state.clients.filter { $0.signals.contains(signal) }
      .compactMap { client in client.driver.map { ($0, client.grace) } }
    // Nobody is left who could be stopped.
    if stops.isEmpty { return .death }
    if signal.isWarning {
      if state.isWarned || state.firstAt != nil { return .nothing }
      state.isWarned = true
    } else if let first = state.firstAt {
      return first.duration(to: now) >= Self.leastBetweenSignals ? .death : .nothing
    } else {
      state.firstAt = now
    }
    return .stop(stops)
  }
}
