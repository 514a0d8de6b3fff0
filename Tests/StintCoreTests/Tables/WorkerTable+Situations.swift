import StintCore

extension WorkerTable {
  /// The ways to be in a phase that make a difference.
  enum Situation: String, CaseIterable, Codable {
    case idle = "not started"
    case registeringForeground = "asked in the foreground"
    case registeringBackground = "asked in the background"
    case registeringExpired = "expired before the answer"
    case registeringStopped = "stopped before the answer"
    case registeringLate = "asked again, chunk and save late"
    case registeringDelivering = "asked again, delivery late"
    case workingForeground = "in the foreground"
    case workingBackground = "in the background"
    case workingWarned = "warned"
    case workingComplete = "complete, not saved"
    case workingAsked = "asked again"
    case closingDidNotFit = "did not fit"
    case closingExpired = "cut"
    case closingPaused = "pausing"
    case closingStopped = "stopping"
    case closingFailed = "failing"
    case closingAsked = "pausing, asked again"
    case deliveringForeground = "delivers in the foreground"
    case deliveringBackground = "delivers in the background"
    case deliveringAsked = "delivers, asked again"
    case parked = "all saved"
    case parkedLate = "chunk and save late"
    case parkedDelivering = "delivery and save late"
    case parkedDelivery = "delivery late"
    case parkedAsked = "all saved, answer late"
    case paused = "paused, all saved"
    case pausedLate = "paused, chunk and save late"
    case pausedAsked = "paused, answer late"
    case endedFinished = "finished"
    case endedLate = "stopped, chunk and save late"
    case endedDelivering = "stopped, delivery and save late"
    case endedAsked = "stopped, answer late"
  }

  /// A machine in a situation, reached the way that a worker reaches it.
  static func rig(in situation: Situation) -> WorkerRig {
    var policy = WorkPolicy()
    // Wake-ups that are asked for only to learn from them would hide the instants that count.
    policy.wakeProbes = 0
    var rig = WorkerRig(chunks: chunks(for: situation), policy: policy)
    switch situation {
    case .idle:
      break
    case .registeringForeground:
      rig.event { $0.started(isInForeground: true, at: $1) }
    case .registeringBackground, .registeringExpired:
      rig.deadline = rig.now.advanced(by: .seconds(10))
      rig.event { $0.started(isInForeground: false, at: $1) }
      if situation == .registeringExpired { rig.event { $0.expired(.timeElapsed, at: $1) } }
    case .registeringStopped:
      rig.event { $0.started(isInForeground: true, at: $1) }
      rig.stop(.now)
    case .registeringLate:
      rig = Self.rig(in: .parkedLate)
      rig.becomeActive()
    case .registeringDelivering:
      rig = Self.rig(in: .parkedDelivery)
      rig.becomeActive()
    case .workingForeground, .workingBackground, .workingWarned, .workingComplete:
      rig = working(in: situation, rig)
    case .closingDidNotFit, .parked:
      rig.beginWithChunk()
      rig.enterBackground(.milliseconds(100))
      rig.finishChunk(after: .milliseconds(50))
      if situation == .parked { rig.finishSave() }
    case .closingExpired, .parkedLate:
      rig = working(in: .workingBackground, rig)
      rig.wake(until: { State($0.phase) == .closing })
      if situation == .parkedLate { rig.wake() }
    case .closingPaused, .paused, .pausedLate:
      rig.beginWithChunk()
      if situation == .pausedLate { rig.enterBackground() }
      rig.event { $0.pauseRequested(at: $1) }
      if situation == .pausedLate { rig.wake() }
      if situation == .paused {
        rig.event { $0.chunkGaveUp(at: $1) }
        rig.finishSave()
      }
    case .closingStopped, .endedLate:
      rig = working(in: .workingBackground, rig)
      rig.stop(.now)
      if situation == .endedLate { rig.wake() }
    case .closingFailed:
      rig.beginWithChunk()
      rig.event { $0.chunkFailed(disk, at: $1) }
    case .deliveringForeground, .deliveringBackground, .parkedDelivering, .parkedDelivery,
      .endedFinished,
      .endedDelivering:
      rig = delivering(in: situation, rig)
    case .workingAsked, .closingAsked, .deliveringAsked, .parkedAsked, .pausedAsked, .endedAsked:
      rig = asked(in: situation, rig)
    }
    return rig
  }

  private static func chunks(for situation: Situation) -> Int {
    switch situation {
    case .workingComplete: 2
    case .deliveringForeground, .deliveringBackground, .parkedDelivering, .parkedDelivery,
      .endedFinished,
      .endedDelivering, .deliveringAsked:
      1
    case .idle, .registeringForeground, .registeringBackground, .registeringExpired,
      .registeringStopped, .registeringLate, .registeringDelivering, .workingForeground,
      .workingBackground, .workingWarned,
      .closingDidNotFit, .closingExpired, .closingPaused, .closingStopped, .closingFailed, .parked,
      .parkedLate, .paused, .pausedLate, .endedLate, .workingAsked, .closingAsked, .parkedAsked,
      .pausedAsked, .endedAsked:
      100
    }
  }

  private static func working(in situation: Situation, _ start: WorkerRig) -> WorkerRig {
    var rig = start
    rig.beginWithChunk()
    if situation == .workingForeground { return rig }
    rig.enterBackground()
    if situation == .workingWarned {
      rig.pass(.seconds(9))
      rig.event { $0.expired(.timeElapsed, at: $1) }
    }
    if situation == .workingComplete { rig.finishChunk() }
    return rig
  }

  private static func delivering(in situation: Situation, _ start: WorkerRig) -> WorkerRig {
    var rig = start
    rig.begin()
    rig.finishChunk()
    if situation == .deliveringForeground { return rig }
    if situation == .endedFinished {
      rig.event { $0.delivered(at: $1) }
      return rig
    }
    rig.enterBackground()
    if situation == .deliveringBackground { return rig }
    if situation == .endedDelivering { rig.stop(.now) }
    rig.wake()
    if situation == .parkedDelivery { rig.finishSave() }
    return rig
  }

  /// An expiry that was on its way when the application became active has spent the task, and a
  /// fresh one was asked for.
  private static func asked(in situation: Situation, _ start: WorkerRig) -> WorkerRig {
    var rig = start
    rig.begin()
    rig.finishChunk()
    rig.event { $0.expired(.timeElapsed, at: $1) }
    switch situation {
    case .parkedAsked:
      rig.enterBackground(.milliseconds(100))
      rig.finishChunk(after: .milliseconds(50))
    case .closingAsked, .pausedAsked:
      rig.event { $0.pauseRequested(at: $1) }
    case .endedAsked:
      rig.stop(.now)
    case .workingAsked, .deliveringAsked:
      return rig
    default:
      preconditionFailure("\(situation) does not ask again.")
    }
    if situation == .closingAsked { return rig }
    if situation != .parkedAsked { rig.event { $0.chunkGaveUp(at: $1) } }
    rig.finishSave()
    return rig
  }
}

extension WorkerRig {
  /// Works in the foreground: one chunk is complete and not saved, the next one runs.
  mutating func beginWithChunk() {
    begin()
    finishChunk()
  }

  /// Enters the background, if it is not there, with so much time.
  @discardableResult
  mutating func enterBackground(_ grant: Duration = .seconds(10)) -> [Action] {
    deadline = deadline ?? now.advanced(by: grant)
    return event { $0.enteredBackground(at: $1) }
  }

  /// Becomes active; nothing limits its time any more.
  @discardableResult
  mutating func becomeActive() -> [Action] {
    deadline = nil
    return event { $0.becameActive(at: $1) }
  }

  @discardableResult
  mutating func stop(_ mode: WorkerMachine.StopMode) -> [Action] {
    event { $0.stopRequested(mode, reason: .stopRequested, at: $1) }
  }

  /// Lets the instant come for which the machine asked last, if it asked for one.
  @discardableResult
  mutating func wake() -> [Action] {
    for case .wake(let instant) in log.reversed() {
      now = max(now, instant ?? now)
      break
    }
    return event { $0.timePassed(at: $1) }
  }

  /// Lets the instants come for which the machine asks until it is where it should be.
  mutating func wake(until isThere: (WorkerMachine) -> Bool) {
    for _ in 0..<100 where !isThere(machine) { wake() }
    precondition(isThere(machine), "The situation is not reached.")
  }
}
