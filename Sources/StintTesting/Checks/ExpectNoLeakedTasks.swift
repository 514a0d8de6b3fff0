public import Stint
public import StintCore

/// Expects that code ends every task that it begins, and in time (R6, A14).
///
/// The code gets a virtual application that is active. What it begins must be ended by its owner
/// before the time of a trip is gone: the application enters the background, all of the budget
/// passes, it comes back, and leaves again.
///
/// ```swift
/// try expectNoLeakedTasks { application, system in
///   let upload = Upload(application)
///   upload.start()
///   system.advance(by: .seconds(3))
/// }
/// ```
///
/// Nothing in it is left to chance, so a failure has no seed.
///
/// - Parameters:
///   - policy: The numbers by which time is granted.
///   - body: Begins tasks; it may move the clock.
/// - Throws: ``CheckFailure`` that names the tasks with the places where they were begun; what the
///   body throws.
@MainActor
public func expectNoLeakedTasks(
  policy: SystemPolicy = .iOS13, in body: (Application, VirtualSystem) throws -> Void
) throws {
  let system = VirtualSystem(policy: policy)
  let application = Application(system: system)
  system.launch()
  try body(application, system)
  system.enterForegroundIfNeeded()
  for _ in 1...2 {
    system.enterBackground()
    let length = policy.grant ?? .seconds(3_600)
    system.advance(by: length + policy.enterBackgroundGrace)
    try system.expectNoTask()
    system.enterForegroundIfNeeded()
  }
  withExtendedLifetime(application) {}
}

extension VirtualSystem {
  /// Nothing is open, and nothing cost the process its life.
  fileprivate func expectNoTask() throws {
    for diagnostic in record.diagnostics {
      switch diagnostic {
      case .leftOpen(let name, let age, let origin):
        throw failure(
          "R6: the task \"\(name)\" was begun at \(origin) and is still open after its handler has "
            + "returned, \(age.compactText) old.")
      case .spentTaskEnded(let name, let origin):
        throw failure(
          "A17: the task \"\(name)\", begun at \(origin), was warned and never ended by its owner.")
      case _: break
      }
    }
    if let cause = record.terminations.first {
      throw failure("A14: the process would have been terminated: \(cause).")
    }
    if let task = openTasks.first {
      throw failure(
        "R6: the task \"\(task.name)\", begun at \(task.origin), is open after all of the trip's time."
      )
    }
  }

  private func failure(_ finding: String) -> CheckFailure {
    CheckFailure(finding, seed: nil, history: history)
  }

  fileprivate func enterForegroundIfNeeded() {
    switch lifeState {
    case .background, .suspended: enterForeground()
    case .inactive: becomeActive()
    case .active, .notRunning: break
    }
  }
}
