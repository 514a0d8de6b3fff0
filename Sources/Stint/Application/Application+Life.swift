extension Application {
  /// Launches the application and makes it active: its delegate and observers are told (L9).
  ///
  /// One that a supervisor has started for a request is launched into the background (L7).
  ///
  /// - Returns: Whether it had not been launched before.
  @discardableResult
  public nonisolated func launch() -> Bool {
    if let trip = launchReason.withLock({ $0?.trip }) {
      let grant = trip.deadline.map { trip.start.duration(to: $0) }
      guard
        driver.launch(
          .background, since: trip.start, granting: grant ?? .nanoseconds(Int64.max))
      else { return false }
    } else {
      guard driver.launch(.foreground) else { return false }
      driver.becomeActive()
    }
    afterLaunch.withLock { $0.take() }?()
    return true
  }

  /// Launches the application in the next turn of the main queue, unless that was done before.
  nonisolated func launchInMainQueue() {
    driver.environment.onMain { self.launch() }
  }

  /// Takes the application to the background: from here on its time is limited (A9).
  ///
  /// - Returns: Whether it was in the foreground.
  @discardableResult
  public nonisolated func enterBackground() -> Bool {
    driver.resignActive()
    return driver.enterBackground()
  }

  /// Takes the application to the foreground and makes it active: its time is unlimited again
  /// (A16).
  ///
  /// - Returns: Whether it was in the background.
  @discardableResult
  public nonisolated func enterForeground() -> Bool {
    guard driver.enterForeground() else { return false }
    return driver.becomeActive()
  }
}
