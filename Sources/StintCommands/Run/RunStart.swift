import Stint
import StintCore

/// What a run has from the process's first moments, before there were threads.
struct RunStart {
  /// When the first instruction of `main` ran.
  let launchedAt: Instant
  let environment: [String: String]
  let signals: SignalWatch
  /// The time that a supervisor offers, if it does.
  let invitation: RemoteInvitation?
}
