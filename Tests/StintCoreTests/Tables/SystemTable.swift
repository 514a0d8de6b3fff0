import StintCore

/// The table of the system machine.
enum SystemTable: MachineTable {
  static let name = "system"
  static let source = (folder: "Sources/StintCore/System", prefix: "SystemMachine")

  static let sections = [notRunning, inactive, active, background, suspended]

  static let introduction = """
    # The system machine, pair by pair

    Every state of `SystemMachine` and every event, written by `scripts/tables` from the rows in
    `Tests/StintCoreTests/Tables/`; the tests run each row against the machine. Change the rows, not
    this file.

    A state is shown in the situations that make a difference. The policy grants 30 s with a lead of 5
    s, a grace of 5 s and a handler allowance of 2.5 s; *time passed* means that the instant has come
    for which the machine asked. The system begins tasks of 40 s, and allows 60 s. Events of a task
    are about the oldest open one; when none is open, about task 1, which has been ended or was never
    begun.

    - "→ state": the new state, if it changes; then the answer, if there is one, and the actions, in
    order. - "remembered": no action; the machine keeps it for later. - "nothing": a race that is legal
    and changes nothing; the last column names it. - "traps": a mistake of the driver, with the
    machine's sentence.
    """

  /// The states of an application's life in words.
  enum State: String, CaseIterable, Codable {
    case notRunning = "not running"
    case inactive, active, background, suspended

    /// A state that is added does not compile until it stands here, and then the table lacks it.
    init(_ state: LifeState) {
      switch state {
      case .notRunning: self = .notRunning
      case .inactive: self = .inactive
      case .active: self = .active
      case .background: self = .background
      case .suspended: self = .suspended
      }
    }
  }

  /// Everything that can happen to the machine.
  enum Event: String, CaseIterable, Codable {
    case launched
    case launchedIntoBackground = "launched into background"
    case resigned
    case backgroundEntered = "background entered"
    case enterReturned = "didEnterBackground returned"
    case foregroundEntered = "foreground entered"
    case becameActive = "became active"
    case timePassed = "time passed"
    case began = "task begun"
    case beganDirect = "task begun, direct"
    case beganMute = "task begun, no handler"
    case beganBySystem = "task begun by the system"
    case timeAllowed = "more time allowed"
    case notCompleted = "task not completed"
    case ended = "task ended"
    case endedUnknown = "unknown task ended"
    case answered = "task answered, granted"
    case refused = "task answered, denied"
    case claimed = "handler claimed"
    case returned = "handler returned"
    case revoked
    case expiredByAuthority = "expired by the authority"
    case deadlineMoved = "deadline moved, nearer"
    case deadlineExtended = "deadline moved, later"
    case stopped = "stop requested"
    case continued
    case resumed
    case idled = "nothing more to do"
    case killed = "killed while suspended"
    case memoryPressed = "memory pressed"
    case modeDeclared = "mode declared"
    case modeBegan = "mode begun"
    case modeBeganUndeclared = "undeclared mode begun"
    case modeEnded = "mode ended"
    case modeForbidden = "mode not permitted any more"
    case terminated
    case reported = "termination reported"
  }

  static let functions: [Event: String] = [
    .launchedIntoBackground: "launched", .enterReturned: "didEnterBackgroundReturned",
    .began: "taskRequested", .beganDirect: "taskRequested", .beganMute: "taskRequested",
    .beganBySystem: "systemTaskRequested", .notCompleted: "taskNotCompleted",
    .ended: "taskEnded", .endedUnknown: "taskEnded", .answered: "taskAnswered",
    .refused: "taskAnswered", .claimed: "handlerClaimed", .returned: "handlerReturned",
    .deadlineExtended: "deadlineMoved", .stopped: "stopRequested", .killed: "killedWhileSuspended",
    .modeBegan: "modeRequested", .modeBeganUndeclared: "modeRequested",
    .reported: "terminationReported",
  ]

  /// The life event that is behind an event, if it is one: only those can be impossible.
  static func lifeEvent(of event: Event) -> SystemMachine.LifeEvent? {
    SystemMachine.LifeEvent(rawValue: function(of: event))
  }

  static func state(in situation: Situation) -> State {
    State(probe(in: situation).machine.lifeState)
  }

  static func run(_ event: Event, in situation: Situation) -> String {
    let probe = probe(in: situation)
    // Values print all that they hold; the machine itself is not comparable.
    let before = (state: probe.machine.lifeState, all: String(describing: probe.machine))
    let answer = apply(event, to: probe)
    let actions = probe.lastWithTimers.map { $0.words(at: probe.now) }
    let state = probe.machine.lifeState
    return words(
      [answer].compactMap { $0 } + actions,
      newState: state == before.state ? nil : State(state).rawValue,
      isSame: before.all == String(describing: probe.machine))
  }

  /// Lets an event happen; the answer in words if the function has one beside its actions.
  @discardableResult
  static func apply(_ event: Event, to probe: MachineProbe) -> String? {
    let task = probe.machine.tasks.first?.identifier ?? BackgroundTaskIdentifier(rawValue: 1)
    switch event {
    case .launched: probe.event { $0.launched(into: .foreground, now: $1) }
    case .launchedIntoBackground: probe.event { $0.launched(into: .background, now: $1) }
    case .resigned: probe.event { $0.resigned(now: $1) }
    case .backgroundEntered: probe.event { $0.backgroundEntered(now: $1) }
    case .enterReturned: probe.enterReturned()
    case .foregroundEntered: probe.event { $0.foregroundEntered(now: $1) }
    case .becameActive: probe.event { $0.becameActive(now: $1) }
    case .timePassed:
      if probe.machine.nextWake != .distantFuture { probe.now = probe.machine.nextWake }
      probe.event { $0.timePassed(now: $1) }
    case .began: return probe.ask().words
    case .beganDirect: return probe.ask("worker", .direct).words
    case .beganMute: return probe.ask("mute", .none).words
    case .beganBySystem: return probe.askBySystem().words
    case .timeAllowed: probe.event { $0.timeAllowed(until: $1.advanced(by: .seconds(60)), now: $1) }
    case .notCompleted: probe.event { $0.taskNotCompleted(task, now: $1) }
    case .ended: return probe.end(task).words
    case .endedUnknown: return probe.end(BackgroundTaskIdentifier(rawValue: 9_999)).words
    case .answered: probe.event { $0.taskAnswered(task, .granted, now: $1) }
    case .refused: probe.event { $0.taskAnswered(task, .denied(.refused("no")), now: $1) }
    case .claimed: return probe.claim(task) ? "may call" : nil
    case .returned: probe.returned(task)
    case .revoked: probe.event { $0.revoked(.revoked, now: $1) }
    case .expiredByAuthority:
      probe.event {
        $0.expiredByAuthority(.engineEndTime, until: $1.advanced(by: .seconds(3)), now: $1)
      }
    case .deadlineMoved:
      probe.event { $0.deadlineMoved(to: $1.advanced(by: .seconds(3)), now: $1) }
    case .deadlineExtended:
      probe.event { $0.deadlineMoved(to: $1.advanced(by: .seconds(60)), now: $1) }
    case .stopped: probe.event { $0.stopRequested(.stopRequested, grace: .seconds(3), now: $1) }
    case .continued: probe.event { $0.continued(afterStop: .seconds(1), now: $1) }
    case .resumed: probe.event { $0.resumed(now: $1) }
    case .idled: probe.event { $0.idled(now: $1) }
    case .killed: probe.event { $0.killedWhileSuspended(now: $1) }
    case .memoryPressed: probe.event { $0.memoryPressed(now: $1) }
    case .modeDeclared:
      probe.event { machine, _ in
        machine.modeDeclared(.location, because: "the way home")
        return []
      }
    case .modeBegan: return probe.beginMode(.audio).words
    case .modeBeganUndeclared: return probe.beginMode(BackgroundMode(rawValue: "other")).words
    case .modeEnded: probe.event { $0.modeEnded($0.modes.first?.number ?? 1, now: $1) }
    case .modeForbidden: probe.event { $0.modeForbidden(.audio, now: $1) }
    case .terminated: probe.event { $0.terminated(now: $1) }
    case .reported: probe.event { $0.terminationReported(now: $1) }
    }
    return nil
  }
}
