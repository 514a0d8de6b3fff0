package import StintCore
package import StintRuntime

/// What a run has from the process's first moments, before there were threads.
package struct RunStart: Sendable {
  /// When the first instruction of `main` ran, of the program that the user started.
  package private(set) var launchedAt: Instant
  /// The environment, without the variables that one of our programs passes to the next.
  package let environment: [String: String]
  /// The signals, blocked before there was any thread.
  package let signals: SignalWatch
  /// The time that a supervisor offers, if it does.
  package let invitation: RemoteInvitation?

  /// When the time ends that a supervisor offers; nil without one, or if it sets no end.
  package var offeredDeadline: Instant? {
    guard invitation != nil else { return nil }
    return environment[SystemProtocol.deadlineVariable].flatMap { Int64($0) }
      .map { Instant(nanoseconds: $0) }
  }

  /// The same for work that begins in a later trip, from whose start its time counts.
  func tripBegan(at instant: Instant) -> RunStart {
    var start = self
    start.launchedAt = instant
    return start
  }
}
