import Stint
import StintCore

extension VirtualSystem {
  /// Launches the application and makes it active.
  public func launch() {
    driver.launch(.foreground)
    driver.becomeActive()
    run()
  }

  /// Launches the application straight into the background, as for an event (L7).
  public func launchIntoBackground() {
    driver.launch(.background)
    run()
  }

  /// Leaves the active state, as for a short interruption (L3).
  public func resignActive() {
    goOn()
    driver.resignActive()
    run()
  }

  /// Becomes active again.
  public func becomeActive() {
    goOn()
    driver.becomeActive()
    run()
  }

  /// Interrupts the application for a while, without entering the background (L3).
  ///
  /// - Parameter duration: How long.
  public func interrupt(for duration: Duration = .zero) {
    resignActive()
    advance(by: duration)
    becomeActive()
  }

  /// Takes the application to the background: a trip begins.
  public func enterBackground() {
    goOn()
    driver.resignActive()
    driver.enterBackground()
    run()
  }

  /// Takes the application to the foreground and makes it active.
  public func enterForeground() {
    goOn()
    driver.enterForeground()
    driver.becomeActive()
    run()
  }

  // MARK: Standing still

  /// Stops the process where it is, as SIGSTOP or a frozen cgroup does: no code runs while the
  /// clock is advanced (A23).
  ///
  /// Any event of its life makes it go on first.
  public func suspend() {
    guard isAlive, standingSince == nil else { return }
    run()
    environment.note { "the process stands still" }
    standingSince = clock.now
    environment.freeze(.standing)
  }

  /// Lets a process that stands still go on, or resumes a suspended application in the background.
  public func resume() {
    if standingSince != nil {
      goOn()
    } else if driver.lifeState == .suspended {
      driver.resume()
      run()
    }
  }

  /// Moves the clock without letting anything run, as a machine that was suspended would.
  ///
  /// - Parameter duration: How long the machine stands still.
  public func standStill(for duration: Duration) {
    suspend()
    advance(by: duration)
    resume()
  }

  /// Lets a process that stands still go on.
  func goOn() {
    guard let since = standingSince else { return }
    standingSince = nil
    guard isAlive else { return }
    environment.note { "the process goes on" }
    environment.thaw(.standing)
    driver.continued(afterStop: since.duration(to: clock.now))
    run()
  }
}
