/// Keeps the two calls of an expiring activity in order: with false, and with true only while the
/// first one runs (A20).
///
/// The calls come from different threads: the time may be up before the first call was made, and
/// the news of it may come after it has returned.
final class ExpiringActivity: Sendable {
  private enum Phase {
    case waiting, expired, running, over
  }

  private let phase = Protected(Phase.waiting)

  /// The first call is about to be made.
  ///
  /// - Returns: False if time was already up; then the call is made with true, as if the activity
  ///   had been denied.
  func begins() -> Bool {
    phase.withLock { phase in
      guard phase == .waiting else { return false }
      phase = .running
      return true
    }
  }

  /// The time is up.
  func expires() {
    phase.withLock { phase in
      if phase == .waiting { phase = .expired }
    }
  }

  /// Whether the second call may be made: the first one runs.
  func claimsSecondCall() -> Bool {
    phase.withLock { $0 == .running }
  }

  /// The first call has returned.
  func ends() {
    phase.withLock { $0 = .over }
  }
}
