import CStint
import StintCore

/// The timer by which the kernel ends this process: there is one, and every system of the process
/// has a claim to it.
///
/// It is set to the earliest instant that any system asks for, so that one system that disarms its
/// claim does not disarm another's.
package final class HardStop: Sendable {
  private struct State {
    var wanted: [ObjectIdentifier: Instant] = [:]
    var armed: Instant?
  }

  /// The process's own.
  package static let shared = HardStop { instant in
    stint_hard_stop_set(instant.map { max(1, $0.nanoseconds) } ?? -1)
  }

  private let state = Protected(State())
  private let setTimer: @Sendable (Instant?) -> Int32

  /// Creates a hard stop on a timer.
  ///
  /// - Parameter setTimer: Sets the timer, or disarms it; returns 0, or an error number below zero.
  init(setTimer: @escaping @Sendable (Instant?) -> Int32) {
    self.setTimer = setTimer
  }

  /// Says when one of the systems wants the process to be ended, or that it does not.
  ///
  /// The timer is set under the lock: two threads would else leave it where the slower one wanted
  /// it.
  ///
  /// - Parameters:
  ///   - instant: When; nil for never.
  ///   - owner: Who wants it; before it goes away it has to ask for never.
  /// - Throws: ``StintError`` with the code `unavailable`; the wish stands and is tried again with
  ///   the next one.
  package func set(_ instant: Instant?, for owner: AnyObject) throws(StintError) {
    let result = state.withLock { state -> Int32 in
      state.wanted[ObjectIdentifier(owner)] = instant
      let earliest = state.wanted.values.min()
      guard earliest != state.armed else { return 0 }
      let result = setTimer(earliest)
      if result == 0 { state.armed = earliest }
      return result
    }
    guard result == 0 else {
      throw StintError(.unavailable, "The hard stop could not be armed.", errno: -result)
    }
  }
}
