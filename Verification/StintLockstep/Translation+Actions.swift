import StintCore
import StintModel

extension Translation {
  /// What an action does, in the model's words; nil for diagnostics and for the timers, which are
  /// compared apart.
  static func deed(_ action: SystemMachine.Action) -> ModelDeed? {
    switch action {
    case .show(let state):
      .show(shown(state))
    case .tell(let transition, let trip):
      .tell(Self.transition(transition), trip: trip)
    case .expireDirectly(let tasks, let reason, let deadline):
      .handDirectly(
        tasks.map(\.rawValue), Self.reason(reason), deadline: Self.instant(deadline))
    case .announceExpiry(let reason, let deadline, let open):
      .record(Self.reason(reason), deadline: Self.instant(deadline), open: open)
    case .callHandlers(let tasks, let reason, let deadline, epoch: _):
      .callHandlers(
        tasks.map(\.rawValue), Self.reason(reason), deadline: Self.instant(deadline))
    case .ask(let task):
      .ask(task.rawValue)
    case .answer(let task, .granted):
      .answer(task.rawValue, nil)
    case .answer(let task, .denied(let reason)):
      .answer(task.rawValue, denial(reason))
    case .deadlineMoved(let deadline): .deadlineMoved(to: Self.instant(deadline))
    case .deadlineExtended(let deadline): .deadlineExtended(to: Self.instant(deadline))
    case .suspend: .suspend
    case .resume: .resume
    case .stopCompleted: .stopCompleted
    case .terminate(let cause): Self.cause(cause).map(ModelDeed.terminate)
    case .diagnose, .wake, .armHardStop: nil
    }
  }

  /// What a diagnostic says, in the model's words; nil for those that a machine never makes.
  static func diagnostic(_ diagnostic: Diagnostic) -> ModelDiagnostic? {
    switch diagnostic {
    case .taskWithoutHandler(let name, let origin):
      .taskWithoutHandler(name: name, place: place(origin))
    case .endedInvalid(let by):
      .endedInvalid(by: place(by))
    case .endedUnknown(let task, let by):
      .endedUnknown(task.rawValue, by: place(by))
    case .endedTwice(let task, let name, let first, let by):
      .endedTwice(task.rawValue, name: name, first: place(first), by: place(by))
    case .leftOpen(let name, let age, let origin):
      .leftOpen(name: name, age: span(age), place: place(origin))
    case .handlerOverran(let name, let allowance):
      .handlerOverran(name: name, allowance: span(allowance))
    case .mainQueueUnserved(let allowance):
      .mainQueueUnserved(allowance: span(allowance))
    case .heldTooLong(let name, let held, let origin):
      .heldTooLong(name: name, held: span(held), place: place(origin))
    case .spentTaskEnded(let name, let origin):
      .spentTaskEnded(name: name, place: place(origin))
    case .scopeOverran(let name):
      .scopeOverran(name: name)
    case .modeEnded(let mode, let reason):
      .modeEnded(name: mode.rawValue, refusal(reason))
    case .tokenDropped, .activityWithoutReason, .taskDenied, .completedTwice, .registeredTwice,
      .registeredLate, .requestsNotKept, .requestSetAside, .hardStopNotArmed, .terminationReported:
      nil
    }
  }

  private static func transition(_ transition: Transition) -> ModelTransition {
    switch transition {
    case .willFinishLaunching: .willFinishLaunching
    case .didFinishLaunching: .didFinishLaunching
    case .willResignActive: .willResignActive
    case .didEnterBackground: .didEnterBackground
    case .willEnterForeground: .willEnterForeground
    case .didBecomeActive: .didBecomeActive
    case .willTerminate: .willTerminate
    case .didReceiveMemoryWarning: .didReceiveMemoryWarning
    }
  }

  private static func cause(_ cause: TerminationCause) -> ModelCause? {
    switch cause {
    case .overrun: .overrun
    case .leakedTask(let name): .leakedTask(name: name)
    case .neverCompleted(let name): .neverCompleted(name: name)
    case .handlersOverran: .handlersOverran
    case .enterBackgroundOverran: .enterBackgroundOverran
    case .killedWhileSuspended: .killedWhileSuspended
    // A machine never ends a process for these; the ledger knows them from outside.
    case .crash, .signal: nil
    }
  }
}
