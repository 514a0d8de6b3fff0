public import Stint
public import StintCore

extension VirtualSystem {
  /// Puts the application of this system in the place of `Application.shared`, so that code that
  /// knows only that one can be tested (A24).
  ///
  /// It stays there until the application of another virtual system takes its place, or this one
  /// goes away or is killed. The application is not launched by that. There is one
  /// `Application.shared` in a process, so tests that use it run one after another.
  ///
  /// - Returns: The application; the one that was made for this system, if there is one.
  /// - Throws: `StintError` with the code `unavailable` if the application that is shared now has
  ///   open tasks.
  @discardableResult
  public func becomeShared() throws(StintError) -> Application {
    let application = application ?? Application(system: self)
    try application.substituteShared()
    environment.state.withLock { state in
      state.onKill.append { [weak driver] in
        if let driver { Application.withdrawShared(driver) }
      }
    }
    return application
  }
}
