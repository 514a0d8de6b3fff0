package import StintCore

/// What the delegate and the observers are told of beside the steps of the application's life.
package enum ApplicationNews: Sendable {
  /// The user or the system decided otherwise about work in the background (L11).
  case backgroundRefreshStatusChanged
  /// Midnight, another time zone, a clock that was set.
  case significantTimeChange
  /// Protected files are about to be locked away.
  case protectedDataWillBecomeUnavailable
  /// Protected files can be read again.
  case protectedDataDidBecomeAvailable
  /// The delegate may fetch, and completes the task with what came of it (B2).
  case fetch(any SystemsTask)
  /// The session of transfers that the task names has something to say, and the delegate completes
  /// the task when it has heard.
  case sessionEvents(any SystemsTask)
}

/// A task that the system has begun, for whoever tells the delegate of it.
package protocol SystemsTask: Sendable {
  /// Names what is to be done.
  var identifier: String { get }
  /// Whether the delegate may be told now; the time of the task may have been up before.
  func claimLaunch() -> Bool
  /// Says what came of it; `origin` says where that was, if anybody has to know.
  func complete(_ result: BackgroundFetchResult, at origin: @escaping @Sendable () -> TaskOrigin)
}
