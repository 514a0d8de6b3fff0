import Foundation
import StintCore
import StintRuntime

/// Which application is `Application.shared` (A24).
enum SharedApplication {
  fileprivate struct State {
    /// One that a test put in the place of the process's own.
    var substitute: Application?
    /// The process's own, once it is made, or the program's that was put in its place.
    var own: Application?
    var isUsed = false
    /// Whether somebody has asked for the name of the memory warnings.
    var isMemoryObserved = false

    var present: Application? { substitute ?? own }
  }

  fileprivate static let state = Protected(State())

  static var current: Application {
    let present = state.withLock { state in
      state.isUsed = true
      return state.present
    }
    return present ?? processOwn
  }

  private static let processOwn: Application = {
    let application = make()
    state.withLock { $0.own = application }
    application.driver.listenForMemory()
    application.launchInMainQueue()
    return application
  }()

  private static func make() -> Application {
    // An offer that is not kept leaves the process to itself; the supervisor's signals still reach
    // it.
    if let application = try? Application.adopted(termination: .report) { return application }
    do {
      return Application(system: try InProcessSystem(policy: .iOS13))
    } catch {
      // This cannot fail: the preset is valid, and a system that only reports needs no kernel
      // timer.
      preconditionFailure("The shared application could not be made: \(error)")
    }
  }

  /// Whether an application is the process's own, or a program's in its place: no test's.
  static func isOwn(_ application: Application) -> Bool {
    state.withLock { $0.own === application }
  }

  // MARK: Memory

  /// Somebody asks for the name of the memory warnings, and so is about to listen.
  static func observeMemory() {
    let present = state.withLock { state in
      state.isMemoryObserved = true
      return state.present
    }
    present?.driver.listenForMemory()
  }

  static func isMemoryObserved(of application: Application) -> Bool {
    state.withLock { $0.isMemoryObserved && $0.present === application }
  }
}

extension Application {
  /// Puts this application in the place of ``shared``: once, and before the first use of it (A24).
  ///
  /// The first turn of the main queue launches it, if nothing else does before.
  ///
  /// - Throws: ``StintError`` with the code `usage` if that was done before, or ``shared`` was
  ///   used.
  public nonisolated func becomeShared() throws(StintError) {
    let refusal = SharedApplication.state.withLock { state -> String? in
      if state.isUsed { return "has been used" }
      if state.present != nil { return "has been given its application" }
      state.own = self
      return nil
    }
    if let refusal {
      throw StintError(
        .usage,
        "Application.shared \(refusal) already; put your own application in its place once, and "
          + "before anything uses it.")
    }
    driver.listenForMemory()
    launchInMainQueue()
  }

  /// Puts the application of a virtual system in the place of ``shared``.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if the present one has open tasks.
  package nonisolated func substituteShared() throws(StintError) {
    let open = SharedApplication.state.withLock { $0.present }?.openTasks ?? []
    if !open.isEmpty {
      let names = open.map { "\"\($0.name)\"" }.joined(separator: ", ")
      throw StintError(
        .unavailable,
        "The shared application has open tasks (\(names)), so no other can take its place; end "
          + "them first.")
    }
    let former = SharedApplication.state.withLock { state in
      defer { state.substitute = self }
      return state.present
    }
    former?.driver.listenForMemory()
    driver.listenForMemory()
  }

  /// The application of a driver that is gone is shared no more.
  package nonisolated static func withdrawShared(_ driver: SystemDriver) {
    let former = SharedApplication.state.withLock { state -> Application? in
      guard state.substitute?.driver === driver else { return nil }
      return state.substitute.take()
    }
    former?.driver.listenForMemory()
    SharedApplication.state.withLock { $0.present }?.driver.listenForMemory()
  }
}
