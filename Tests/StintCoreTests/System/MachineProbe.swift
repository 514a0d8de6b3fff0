import StintCore

/// A machine with a clock: events happen at its time, and what is due on the way happens when it is
/// due.
final class MachineProbe {
  var machine: SystemMachine
  var now = Instant(nanoseconds: 1_000_000_000_000)
  /// Everything that was to be done, in order, the timers left out.
  var log: [SystemMachine.Action] = []
  /// The same, of the last event only.
  var last: [SystemMachine.Action] = []
  /// The last event's actions, the timers included.
  var lastWithTimers: [SystemMachine.Action] = []

  static let policy = SystemPolicy(name: "test", grant: .seconds(30), lead: .seconds(5))

  init(_ policy: SystemPolicy = MachineProbe.policy, authority: SystemMachine.Authority = .local) {
    machine = SystemMachine(policy: policy, authority: authority)
    machine.modeDeclared(.audio, because: "music")
  }

  /// Another machine in the same state at the same time.
  func copy() -> MachineProbe {
    let copy = MachineProbe(machine.policy)
    copy.machine = machine
    copy.now = now
    copy.log = log
    return copy
  }

  /// An active application.
  static func active(
    _ policy: SystemPolicy = MachineProbe.policy, authority: SystemMachine.Authority = .local
  ) -> MachineProbe {
    let probe = MachineProbe(policy, authority: authority)
    probe.event { $0.launched(into: .foreground, now: $1) }
    probe.event { $0.becameActive(now: $1) }
    return probe
  }

  /// An application that has entered the background with a task.
  static func inBackground(
    _ name: String = "task", _ delivery: TaskDelivery = .mainQueue,
    policy: SystemPolicy = MachineProbe.policy
  ) -> MachineProbe {
    let probe = active(policy)
    probe.begin(name, delivery)
    probe.enterBackground()
    return probe
  }

  func event(_ body: (inout SystemMachine, Instant) -> [SystemMachine.Action]) {
    note(body(&machine, now))
  }

  func note(_ actions: [SystemMachine.Action]) {
    lastWithTimers = actions
    last = actions.filter { action in
      switch action {
      case .wake, .armHardStop: false
      case .show, .tell, .expireDirectly, .deadlineMoved, .deadlineExtended, .announceExpiry,
        .callHandlers, .ask, .answer, .suspend, .resume, .stopCompleted, .terminate, .diagnose:
        true
      }
    }
    log += last
  }

  func advance(_ duration: Duration) {
    let end = now.advanced(by: duration)
    var turns = 0
    while machine.nextWake <= end {
      now = max(now, machine.nextWake)
      event { $0.timePassed(now: $1) }
      turns += 1
      precondition(turns < 1_000, "The machine asks to be woken without end.")
    }
    now = end
  }

  @discardableResult
  func begin(
    _ name: String = "task", _ delivery: TaskDelivery = .mainQueue, origin: TaskOrigin = .here()
  ) -> BackgroundTaskIdentifier {
    ask(name, delivery, origin: origin).identifier
  }

  func ask(
    _ name: String = "task", _ delivery: TaskDelivery = .mainQueue, origin: TaskOrigin = .here()
  ) -> TaskGrant {
    let request = machine.taskRequested(
      name: name, origin: origin, delivery: delivery, now: now)
    note(request.actions)
    return request.grant
  }

  func askBySystem(
    _ name: String = "refresh", allowance: Duration = .seconds(40)
  ) -> TaskGrant {
    let request = machine.systemTaskRequested(
      name: name, origin: .here(), allowance: allowance, now: now)
    note(request.actions)
    return request.grant
  }

  @discardableResult
  func end(
    _ task: BackgroundTaskIdentifier, by origin: TaskOrigin = .here()
  ) -> EndResult {
    let ended = machine.taskEnded(task, by: origin, now: now)
    note(ended.actions)
    return ended.result
  }

  @discardableResult
  func beginMode(_ mode: BackgroundMode = .audio) -> Result<Int, ModeRefusal> {
    let request = machine.modeRequested(mode, now: now)
    note(request.actions)
    return request.result
  }

  func endMode(_ number: Int = 1) {
    event { $0.modeEnded(number, now: $1) }
  }

  func enterBackground(returning: Bool = true) {
    event { $0.resigned(now: $1) }
    event { $0.backgroundEntered(now: $1) }
    if returning { enterReturned() }
  }

  func enterReturned() {
    let trip = machine.trip?.number ?? 0
    event { $0.didEnterBackgroundReturned(trip: trip, now: $1) }
  }

  func enterForeground() {
    event { $0.foregroundEntered(now: $1) }
    event { $0.becameActive(now: $1) }
  }

  /// Claims the call of a handler under the epoch in which it was called last.
  func claim(_ task: BackgroundTaskIdentifier, epoch: Int? = nil) -> Bool {
    let claim = machine.handlerClaimed(task, epoch: epoch ?? lastEpoch, now: now)
    note(claim.actions)
    return claim.mayCall
  }

  func returned(_ task: BackgroundTaskIdentifier) {
    event { $0.handlerReturned(task, now: $1) }
  }

  var lastEpoch: Int {
    for case .callHandlers(_, _, _, let epoch) in log.reversed() { return epoch }
    return 0
  }

  /// The tasks whose handlers were called, over all calls.
  var called: [BackgroundTaskIdentifier] {
    log.flatMap { action -> [BackgroundTaskIdentifier] in
      guard case .callHandlers(let tasks, _, _, _) = action else { return [] }
      return tasks
    }
  }

  var handed: [BackgroundTaskIdentifier] {
    log.flatMap { action -> [BackgroundTaskIdentifier] in
      guard case .expireDirectly(let tasks, _, _) = action else { return [] }
      return tasks
    }
  }

  var diagnostics: [Diagnostic] {
    log.compactMap { action in
      guard case .diagnose(let diagnostic) = action else { return nil }
      return diagnostic
    }
  }

  var terminations: [TerminationCause] {
    log.compactMap { action in
      guard case .terminate(let cause) = action else { return nil }
      return cause
    }
  }

  var told: [Transition] {
    log.compactMap { action in
      guard case .tell(let transition, _) = action else { return nil }
      return transition
    }
  }

  var remaining: Duration? { machine.remaining(at: now).duration }
}
