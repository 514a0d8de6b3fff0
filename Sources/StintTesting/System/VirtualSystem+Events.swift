import Stint
public import StintCore

/// Something that happens outside of an application and concerns it.
public enum VirtualEvent: Hashable, Sendable {
  /// The application may fetch (B4).
  case backgroundFetch
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
  /// For a fetch and for events of a session, an application that does not run is launched into the
  /// background (L7) and a suspended one is resumed there; the system holds a task of its own until
  /// the delegate has completed them. Of other events only an application that runs is told.
  ///
  /// - Parameter event: What happens.
  /// - Returns: The completion that the delegate was given, where there is one.
  @discardableResult
  public func simulateEvent(_ event: VirtualEvent) -> VirtualFetch? {
    goOn()
    defer { run() }
    switch event {
    case .backgroundFetch:
      let fetch = startFetch("background fetch")
      driver.post(.fetch { fetch.complete($0) })
      return fetch
    case .sessionEvents(let identifier):
      let fetch = startFetch("session events")
      driver.post(.sessionEvents(identifier: identifier) { fetch.complete(.newData) })
      return fetch
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

  /// Wakes the application up for something that it has to complete.
  ///
  /// The system's task is begun before the application is told of anything: what the delegate ends
  /// when it is told suspends nothing.
  func startFetch(_ name: String) -> VirtualFetch {
    environment.state.withLock { $0.isTellingLater = true }
    defer { environment.state.withLock { $0.isTellingLater = false } }
    switch driver.lifeState {
    case .notRunning: driver.launch(.background)
    case .suspended: driver.resume()
    case .inactive, .active, .background: break
    }
    return VirtualFetch(driver: driver, environment: environment, name: name)
  }
}
