import StintCore

/// The table of the supervisor machine.
enum SupervisorTable: MachineTable {
  static let name = "supervisor"
  static let source = (
    folder: "Sources/StintCore/Supervisor", prefix: "SupervisorMachine"
  )

  static let sections = [idle, running, expiring, suspended, emptying, killed, resting, ended]

  static let introduction = """
    # The supervisor machine, pair by pair

    Every phase of `SupervisorMachine` and every event, written by `scripts/tables` from the rows in
    `Tests/StintCoreTests/Tables/`; the tests run each row against the machine. Change the rows, not
    this file.

    It says what the system machine's decisions mean for a command's processes: the expiry of the
    command's task and its termination are events here. The command has a lead of 5 s; where it is
    warned by SIGUSR1 first, the stop signal comes 2 s before the deadline; the stop grace is 3 s. *Stop
    requested* is a stop that may wait for the next checkpoint. *Time passed* means that the instant has
    come for which the machine asked. *Grace ended* is the deadline of a stop, 60 s before the command's
    own time is over.

    - "→ phase": the new phase, if it changes; then the actions, in order.
    - "remembered": no action; the machine keeps it for later.
    - "nothing": a race that is legal and changes nothing; the last column names it.
    - "traps": a mistake of the driver, with the machine's sentence.
    """

  /// The phases in words.
  enum State: String, CaseIterable, Codable {
    case idle, running, expiring, suspended, emptying, killed, resting, ended

    /// A phase that is added does not compile until it stands here, and then the table lacks it.
    init(_ phase: SupervisorMachine.Phase) {
      switch phase {
      case .idle: self = .idle
      case .running: self = .running
      case .expiring: self = .expiring
      case .suspended: self = .suspended
      case .emptying: self = .emptying
      case .killed: self = .killed
      case .resting: self = .resting
      case .ended: self = .ended
      }
    }
  }

  /// Everything that can happen to the machine.
  enum Event: String, CaseIterable, Codable {
    case begun
    case startFailed = "start failed"
    case adopted
    case conversationEnded = "conversation ended"
    case checkpointChanged = "checkpoint changed"
    case timePassed = "time passed"
    case expired
    case stalled
    case deadlineMoved = "deadline moved"
    case deadlineExtended = "deadline extended"
    case deadlineCame = "deadline came"
    case graceEnded = "grace ended"
    case finished = "exited with 0"
    case asksAgain = "exited with 75"
    case failed = "exited with 3"
    case diedOfStop = "died of SIGTERM"
    case crashed = "died of SIGSEGV"
    case died = "died of SIGKILL"
    case interrupted = "died of SIGINT"
    case leftFamily = "exited with 0, family remains"
    case familyEnded = "family ended"
    case terminate = "SIGTERM came"
    case interrupt = "SIGINT came"
    case user = "SIGUSR1 came"
    case commandStopped = "command stopped"
    case stopAsked = "SIGTSTP came"
    case stopRequested = "stop requested"
    case continued
    case restEnded = "rest ended"
    case restEndedLate = "rest ended, no time"
  }

  static let functions: [Event: String] = [
    .graceEnded: "deadlineCame", .finished: "commandEnded", .asksAgain: "commandEnded",
    .failed: "commandEnded",
    .diedOfStop: "commandEnded", .crashed: "commandEnded", .died: "commandEnded",
    .interrupted: "commandEnded", .leftFamily: "commandEnded", .terminate: "signalCame",
    .interrupt: "signalCame", .user: "signalCame", .restEndedLate: "restEnded",
  ]

  static func state(in situation: Situation) -> State { State(rig(in: situation).machine.phase) }

  static func run(_ event: Event, in situation: Situation) -> String {
    var rig = rig(in: situation)
    let before = rig.machine
    let actions = apply(event, to: &rig)
    return words(
      actions.map { $0.words(at: rig.now) },
      newState: before.phase == rig.machine.phase ? nil : State(rig.machine.phase).rawValue,
      isSame: before == rig.machine)
  }

  /// Lets an event happen the way a driver does.
  static func apply(
    _ event: Event, to rig: inout SupervisorRig
  ) -> [SupervisorMachine.Action] {
    switch event {
    case .begun: return rig.event { $0.begun(now: $1) }
    case .startFailed:
      let failure = CommandStartFailure(stage: .program, errno: 2)
      return rig.event { $0.startFailed(failure, now: $1) }
    case .adopted: return rig.event { $0.adopted(now: $1) }
    case .conversationEnded: return rig.event { $0.conversationEnded(now: $1) }
    case .checkpointChanged: return rig.event { $0.checkpointChanged(now: $1) }
    case .timePassed: return rig.wake()
    case .expired: return rig.expire(.timeElapsed, within: .seconds(5))
    case .stalled: return rig.event { $0.stalled(lead: .seconds(5), now: $1) }
    case .deadlineMoved:
      let nearer = rig.now.advanced(by: .seconds(1))
      return rig.event { $0.deadlineMoved(to: nearer, now: $1) }
    case .deadlineExtended:
      let later = rig.now.advanced(by: .seconds(60))
      return rig.event { $0.deadlineExtended(to: later, now: $1) }
    case .deadlineCame: return rig.event { $0.deadlineCame(tripEnd: $1, now: $1) }
    case .graceEnded:
      let later = rig.now.advanced(by: .seconds(60))
      return rig.event { $0.deadlineCame(tripEnd: later, now: $1) }
    case .finished: return rig.end(.exited(0))
    case .asksAgain: return rig.end(.exited(75))
    case .failed: return rig.end(.exited(3))
    case .diedOfStop: return rig.end(.signalled(15, dumpedCore: false))
    case .crashed: return rig.end(.signalled(11, dumpedCore: true))
    case .died: return rig.end(.signalled(9, dumpedCore: false))
    case .interrupted: return rig.end(.signalled(2, dumpedCore: false))
    case .leftFamily: return rig.end(.exited(0), familyRemains: true)
    case .familyEnded: return rig.event { $0.familyEnded(now: $1) }
    case .terminate: return rig.signal(15)
    case .interrupt: return rig.signal(2)
    case .user: return rig.signal(10)
    case .commandStopped: return rig.event { $0.commandStopped(now: $1) }
    case .stopAsked: return rig.event { $0.stopAsked(reachedCommand: false, now: $1) }
    case .stopRequested: return rig.event { $0.stopRequested(now: $1) }
    case .continued: return rig.event { $0.continued(now: $1) }
    case .restEnded: return rig.event { $0.restEnded(hasTime: true, now: $1) }
    case .restEndedLate: return rig.event { $0.restEnded(hasTime: false, now: $1) }
    }
  }
}
