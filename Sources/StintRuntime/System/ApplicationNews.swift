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
  /// The delegate may fetch, and says once what came of it (B2).
  case fetch(complete: @Sendable (BackgroundFetchResult) -> Void)
  /// A session of transfers has something to say, and the delegate tells once when it has heard.
  case sessionEvents(identifier: String, complete: @Sendable () -> Void)
}
