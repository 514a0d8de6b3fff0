public import Stint
public import StintCore

/// Expects that code ends every task that it begins, and in time (R6, A14).
///
/// The code gets a virtual application that is active. What it begins must be ended by its owner
/// before the time of a trip is gone: the application enters the background, all of the budget
/// passes, it comes back, and leaves again.
///
/// A task that is ended only by its handler is a fault, too, if nothing was left to wait for in the
/// virtual system: no chunk of a worker, no timer, no fetch. The work has ended then, and its task
/// uses up the time of all others. So let the body bring the work to its end, as the answer of a
/// server would:
///
/// ```swift
/// try expectNoLeakedTasks { application, system in
///   let upload = Upload(application)
///   upload.start()
///   system.advance(by: .seconds(3))
///   upload.finish()
/// }
/// ```
///
/// Nothing in it is left to chance, so a failure has no seed.
///
/// - Parameters:
///   - policy: The numbers by which time is granted.
///   - tasksMayExpire: Whether the body leaves work unfinished on purpose, so that its tasks are
///     ended by their handlers.
///   - body: Begins tasks; it may move the clock.
/// - Throws: ``CheckFailure`` that names the tasks with the places where they were begun; what the
///   body throws.
@MainActor
public func expectNoLeakedTasks(
  policy: SystemPolicy = .iOS13, tasksMayExpire: Bool = false,
  in body: (Application, VirtualSystem) throws -> Void
) throws {
  let system = VirtualSystem(policy: policy)
  let application = Application(system: system)
  system.launch()
  try body(application, system)
  system.enterForegroundIfNeeded()
  for _ in 1...2 {
    system.enterBackground()
    let length = (policy.grant ?? .seconds(3_600)) + policy.enterBackgroundGrace
    let end = system.clock.now.advanced(by: length)
    if !tasksMayExpire {
      system.advance(atMost: length) {
        system.openTasks.isEmpty || system.isIdle || !system.record.announcements.isEmpty
      }
      try system.expectNoHeldTask()
    }
    system.advance(by: max(.zero, system.clock.now.duration(to: end)))
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

  /// Whether nothing is left that waits for a time but the system itself.
  fileprivate var isIdle: Bool { environment.state.withLock { $0.scheduled.isEmpty } }

  /// No task is open that nothing but its expiry can end.
  fileprivate func expectNoHeldTask() throws {
    guard isIdle, record.announcements.isEmpty, let task = openTasks.first else { return }
    throw failure(
      "R6: the task \"\(task.name)\", begun at \(task.origin), is held until it expires: nothing is "
        + "left to wait for, and nobody has ended it. End it as soon as its work has ended; if the body "
        + "leaves work unfinished on purpose, say so with tasksMayExpire.")
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
