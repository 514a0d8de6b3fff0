import StintCore

/// The table of the worker machine.
enum WorkerTable: MachineTable {
  static let name = "worker"
  static let source = (folder: "Sources/StintCore/Work", prefix: "WorkerMachine")

  static let sections = [
    idle, registering, working, closing, delivering, parked, paused, ended,
  ]

  static let introduction = """
    # The worker machine, pair by pair

    Every phase of `WorkerMachine` and every event, written by `scripts/tables` from the rows in
    `Tests/StintCoreTests/Tables/`; the tests run each row against the machine. Change the rows, not
    this file.

    A phase is shown in the situations that make a difference. Chunks take 100 ms, checkpoints 5 ms, a
    trip is granted 10 s, the lead is 1 s, and *time passed* means that the instant has come for which
    the machine asked last. What depends on learnt numbers has its own tests: the fit test, refusals
    (W2), stints without progress (W13).

    - "→ phase": the new phase, if it changes; then the actions, in order.
    - "remembered": no action; the machine keeps it for later.
    - "nothing": a race that is legal and changes nothing; the last column names it.
    - "traps": a mistake of the driver, with the machine's sentence.
    """

  /// The phases, without what they carry.
  enum State: String, CaseIterable, Codable {
    case idle, registering, working, closing, delivering, parked, paused, ended

    /// A phase that is added does not compile until it stands here, and then the table lacks it.
    init(_ phase: WorkerMachine.Phase) {
      switch phase {
      case .idle: self = .idle
      case .registering: self = .registering
      case .working: self = .working
      case .closing: self = .closing
      case .delivering: self = .delivering
      case .parked: self = .parked
      case .paused: self = .paused
      case .ended: self = .ended
      }
    }
  }

  /// Everything that can happen to the machine.
  enum Event: String, CaseIterable, Codable {
    case started
    case granted = "task granted"
    case denied = "task denied"
    case deniedStopping = "task denied, stopping"
    case timeElapsed = "expired, time elapsed"
    case signalled = "expired, signal"
    case enteredBackground = "entered background"
    case suspended
    case deadlineExtended = "deadline extended"
    case becameActive = "became active"
    case stopNow = "stop requested, now"
    case stopLater = "stop requested, after next checkpoint"
    case pause = "pause requested"
    case resume = "resume requested"
    case chunkFinished = "chunk finished"
    case lastChunkFinished = "last chunk finished"
    case chunkGaveUp = "chunk gave up"
    case chunkFailed = "chunk failed"
    case progressKept = "progress kept"
    case stoodStill = "stood still"
    case saved
    case saveFailed = "save failed"
    case timePassed = "time passed"
    case delivered
    case deliveryFailed = "delivery failed"
  }

  static let functions: [Event: String] = [
    .granted: "taskGranted", .denied: "taskDenied", .deniedStopping: "taskDenied",
    .timeElapsed: "expired", .signalled: "expired", .stopNow: "stopRequested",
    .stopLater: "stopRequested", .pause: "pauseRequested", .resume: "resumeRequested",
    .lastChunkFinished: "chunkFinished",
  ]

  static func state(in situation: Situation) -> State { State(rig(in: situation).machine.phase) }

  static func run(_ event: Event, in situation: Situation) -> String {
    var rig = rig(in: situation)
    let before = rig.machine
    let actions = apply(event, to: &rig)
    return words(
      actions.map(\.words),
      newState: before.phase == rig.machine.phase ? nil : rig.machine.phase.words,
      isSame: before == rig.machine)
  }

  static let disk = StintError(.io, "No space is left on the device.", errno: 28)

  /// Lets an event happen the way a driver does; what took time has taken it.
  static func apply(_ event: Event, to rig: inout WorkerRig) -> [WorkerMachine.Action] {
    let task = BackgroundTaskIdentifier(rawValue: 2)
    switch event {
    case .started: return rig.event { $0.started(isInForeground: true, at: $1) }
    case .granted: return rig.event { $0.taskGranted(task, at: $1) }
    case .denied: return rig.event { $0.taskDenied(.tooManyTasks(maximum: 1), at: $1) }
    case .deniedStopping: return rig.event { $0.taskDenied(.stopping, at: $1) }
    case .timeElapsed: return rig.event { $0.expired(.timeElapsed, at: $1) }
    case .signalled: return rig.event { $0.expired(.signal(15), at: $1) }
    case .enteredBackground: return rig.enterBackground()
    case .suspended: return rig.event { $0.suspended(at: $1) }
    case .deadlineExtended:
      // In the foreground there is no end that could move.
      if rig.deadline != nil { rig.deadline = rig.now.advanced(by: .seconds(60)) }
      return rig.event { $0.deadlineExtended(at: $1) }
    case .becameActive: return rig.becomeActive()
    case .stopNow: return rig.stop(.now)
    case .stopLater: return rig.stop(.afterNextCheckpoint)
    case .pause: return rig.event { $0.pauseRequested(at: $1) }
    case .resume: return rig.event { $0.resumeRequested(at: $1) }
    case .chunkFinished: return rig.finishChunk(after: .milliseconds(1), took: .milliseconds(100))
    case .lastChunkFinished:
      rig.chunksLeft = 1
      return rig.finishChunk(after: .milliseconds(1), took: .milliseconds(100))
    case .chunkGaveUp: return rig.event { $0.chunkGaveUp(at: $1) }
    case .chunkFailed: return rig.event { $0.chunkFailed(disk, at: $1) }
    case .progressKept:
      return rig.event { machine, _ in
        _ = machine.progressKept()
        return []
      }
    case .stoodStill:
      return rig.event { machine, _ in
        machine.stoodStill(for: .seconds(1))
        return []
      }
    case .saved: return rig.finishSave()
    case .saveFailed: return rig.event { $0.saveFailed(disk, at: $1) }
    case .timePassed: return rig.wake()
    case .delivered: return rig.event { $0.delivered(at: $1) }
    case .deliveryFailed: return rig.event { $0.deliveryFailed(disk, at: $1) }
    }
  }
}
