import Stint
public import StintCore

/// Something that happens outside of an application and concerns it.
public enum VirtualEvent: Hashable, Sendable {
  /// A session of transfers has events.
  case sessionEvents(identifier: String)
  /// It is midnight, the time zone is another one, or the clock was set.
  case significantTimeChange
  /// Protected files are locked away.
  case protectedDataWillBecomeUnavailable
  /// Protected files can be read again.
  case protectedDataDidBecomeAvailable
}

extension VirtualSystem {
  /// Lets memory be short; the application is told at most once in ten seconds (L10).
  public func simulateMemoryWarning() {
    goOn()
    driver.pressMemory()
    run()
  }

  /// Lets something happen that concerns the application.
  ///
  /// For events of a session, an application that does not run is launched into the background
  /// (L7) and a suspended one runs again there; the system holds a task of its own until the
  /// delegate has completed them. Of other events only an application that runs is told.
  ///
  /// - Parameter event: What happens.
  /// - Returns: The completion that the delegate was given, where there is one.
  @discardableResult
  public func simulateEvent(_ event: VirtualEvent) -> VirtualFetch? {
    goOn()
    defer { run() }
    switch event {
    case .sessionEvents(let identifier):
      return fetch(taskScheduler.simulateEvent(identifier, kind: .sessionEvents))
    case .significantTimeChange:
      if driver.lifeState.runs { driver.post(.significantTimeChange) }
    case .protectedDataWillBecomeUnavailable:
      driver.isProtectedDataAvailable = false
    case .protectedDataDidBecomeAvailable:
      driver.isProtectedDataAvailable = true
    }
    return nil
  }

  /// Whether the system would begin work for the application in the background (L11): a condition
  /// that a test sets, and the application is told of.
  public var backgroundRefreshStatus: BackgroundRefreshStatus {
    get { driver.refreshStatus }
    set {
      driver.refreshStatus = newValue
      run()
    }
  }

  /// Sets what the system allows to those who use a background mode (B5); uses of one that is not
  /// permitted any more are over.
  ///
  /// - Parameters:
  ///   - conditions: Whether it is permitted, and how accurate its values are at best.
  ///   - mode: The mode.
  public func setConditions(_ conditions: ModeConditions, of mode: BackgroundMode) {
    driver.setConditions(conditions, of: mode)
    run()
  }
}
