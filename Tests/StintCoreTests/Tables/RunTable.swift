import StintCore

/// The table of the run machine.
enum RunTable: MachineTable {
  static let name = "run"
  static let source = (folder: "Sources/StintCore/Life", prefix: "RunMachine")

  static let sections = [idle, working, saving, stopped, resting, paused, ending, ended]

  static let introduction = """
    # The run machine, pair by pair

    Every phase of `RunMachine` and every event, written by `scripts/tables` from the rows in
    `Tests/StintCoreTests/Tables/`; the tests run each row against the machine. Change the rows, not
    this file.

    The machine decides how the process of `stint run`, `stint run --isolated` and `stint batch` goes on
    when everything is saved: trips, rests, pauses, stops of the terminal, signals, the end. Unless its
    situation says otherwise, the run has trips of 30 s and rests 2 s between them.

    - "→ phase": the new phase, if it changes; then the actions, in order.
    - "remembered": no action; the machine keeps it for later.
    - "nothing": a race that is legal and changes nothing; the last column names it.
    - "traps": a mistake of the driver, with the machine's sentence.
    """

  /// The phases in words.
  enum State: String, CaseIterable, Codable {
    case idle, working, saving, stopped, resting, paused, ending, ended

    /// A phase that is added does not compile until it stands here, and then the table lacks it.
    init(_ phase: RunMachine.Phase) {
      switch phase {
      case .idle: self = .idle
      case .working: self = .working
      case .saving: self = .saving
      case .stopped: self = .stopped
      case .resting: self = .resting
      case .paused: self = .paused
      case .ending: self = .ending
      case .ended: self = .ended
      }
    }
  }

  /// Everything that can happen to the machine.
  enum Event: String, CaseIterable, Codable {
    case begun
    case begunLate = "begun, no time left"
    case deadlineMoved = "deadline moved"
    case suspended
    case suspendedForGood = "suspended, nothing more to do"
    case restEnded = "rest ended"
    case restEndedLate = "rest ended, no time"
    case workEnded = "work ended"
    case stopRequested = "stint stop"
    case signalCame = "SIGTERM came"
    case signalCameAtOnce = "SIGTERM came within 200 ms"
    case warningCame = "SIGUSR1 came"
    case authorityStops = "authority stops"
    case authorityVanished = "authority vanished"
    case terminalStopCame = "SIGTSTP came"
    case terminalContinueCame = "SIGCONT came"
    case processContinued = "process continued"
    case processContinuedLate = "process continued after the deadline"
    case pauseRequested = "stint pause"
    case pauseEnded = "pause ended"
  }

  static let functions: [Event: String] = [
    .begunLate: "begun", .suspendedForGood: "suspended", .restEndedLate: "restEnded",
    .signalCameAtOnce: "signalCame", .processContinuedLate: "processContinued",
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
  static func apply(_ event: Event, to rig: inout RunRig) -> [RunMachine.Action] {
    let now = rig.now
    switch event {
    case .begun: return rig.machine.begun(rig.time, now: now)
    case .begunLate: return rig.machine.begun(rig.lateTime, now: now)
    case .deadlineMoved:
      return rig.machine.deadlineMoved(
        to: Deadline(source: "test", instant: rig.now.advanced(by: .seconds(60))))
    case .suspended: return rig.machine.suspended(now: now)
    case .suspendedForGood: return rig.machine.suspended(mayRest: false, now: now)
    case .restEnded:
      rig.wait(.seconds(2))
      return rig.machine.restEnded(rig.time, now: rig.now)
    case .restEndedLate: return rig.machine.restEnded(nil, now: now)
    case .workEnded: return rig.machine.workEnded()
    case .stopRequested: return rig.machine.stopRequested()
    case .signalCame:
      rig.wait(.seconds(1))
      return rig.machine.signalCame(15, now: rig.now)
    case .signalCameAtOnce:
      return rig.machine.signalCame(15, now: now)
    case .warningCame: return rig.machine.warningCame(10)
    case .authorityStops: return rig.machine.authorityStops(.revoked)
    case .authorityVanished: return rig.machine.authorityVanished()
    case .terminalStopCame: return rig.machine.terminalStopCame()
    case .terminalContinueCame: return rig.machine.terminalContinueCame()
    case .processContinued: return rig.machine.processContinued(now: now)
    case .processContinuedLate:
      rig.wait(.seconds(40))
      return rig.machine.processContinued(now: rig.now)
    case .pauseRequested: return rig.machine.pauseRequested()
    case .pauseEnded: return rig.machine.pauseEnded(now: now)
    }
  }
}

/// A run machine with a clock of its own.
struct RunRig {
  var machine: RunMachine
  var now = Instant(nanoseconds: 100_000_000_000)
  /// The time that the next trip has; nil for one of 30 s that begins now.
  var fixedTime: RunMachine.Time?

  var time: RunMachine.Time {
    fixedTime
      ?? .trip(start: now, end: Deadline(source: "test", instant: now.advanced(by: .seconds(30))))
  }
  var lateTime: RunMachine.Time {
    .trip(start: now.advanced(by: .seconds(-30)), end: Deadline(source: "test", instant: now))
  }

  init(rest: Duration?, time: RunMachine.Time?, stopsWithWork: Bool) {
    machine = RunMachine(
      rules: .init(rest: rest, leastTime: .milliseconds(10), stopsWithWork: stopsWithWork))
    fixedTime = time
  }

  /// Lets time pass.
  mutating func wait(_ duration: Duration) { now = now.advanced(by: duration) }
}

extension RunMachine.Action {
  /// The action in the short words of the table; instants as distances from now.
  func words(at now: Instant) -> String {
    switch self {
    case .begin(let time): "begin (\(time.words(at: now)))"
    case .goOn(let time): "go on (\(time.words(at: now)))"
    case .save: "save"
    case .stopProcess: "stop the process"
    case .rest(let end, _): "rest \(now.duration(to: end).compactText)"
    case .pause: "pause"
    case .endAfterCheckpoint: "end after the next checkpoint"
    case .requestStop(let number): "request stop (\(number == 10 ? "SIGUSR1" : "SIGTERM"))"
    case .endWork(let reason): "end the work (\(reason))"
    case .die: "die of SIGTERM"
    case .leave(.timeIsUp): "leave (time is up)"
    case .leave(.workEnded): "leave (work ended)"
    }
  }
}

extension RunMachine.Time {
  fileprivate func words(at now: Instant) -> String {
    switch self {
    case .unlimited: "no end"
    case .trip(_, let end?): "\(now.duration(to: end.instant).compactText) left"
    case .trip(_, nil): "no end yet"
    case .authority: "authority"
    }
  }
}
