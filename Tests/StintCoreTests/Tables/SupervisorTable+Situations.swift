import StintCore

extension SupervisorTable {
  /// The ways to be in a phase that make a difference.
  enum Situation: String, CaseIterable, Codable {
    case notStarted = "not started"
    case plain = "plain"
    case job = "a job"
    case stopped = "stopped by its terminal"
    case speaking = "speaking"
    case stopSent = "stop signal sent"
    case warned = "warned"
    case asked = "asked from outside"
    case told = "told in words"
    case toldInVain = "told in vain"
    case endless = "no deadline"
    case adopted = "adopted"
    case suspending = "to be suspended"
    case frozen = "frozen"
    case emptying = "family remains"
    case killing = "SIGKILL sent"
    case sweeping = "family sent SIGKILL"
    case resting = "a job rests"
    case over = "over"
  }

  /// A machine in a situation, reached the way that a command reaches it.
  static func rig(in situation: Situation) -> SupervisorRig {
    var rig = SupervisorRig(rules(in: situation))
    if situation == .notStarted { return rig }
    _ = rig.event { $0.begun(now: $1) }
    switch situation {
    case .notStarted, .plain, .job: break
    case .stopped: _ = apply(.commandStopped, to: &rig)
    case .stopSent, .warned, .suspending: _ = apply(.expired, to: &rig)
    case .adopted:
      _ = apply(.adopted, to: &rig)
      _ = apply(.expired, to: &rig)
    case .speaking: _ = apply(.adopted, to: &rig)
    case .told, .toldInVain:
      _ = apply(.adopted, to: &rig)
      _ = rig.signal(15)
      _ = rig.expire(.signal(15), within: .seconds(3))
      if situation == .toldInVain { _ = apply(.graceEnded, to: &rig) }
    case .asked:
      _ = rig.signal(15)
      _ = rig.expire(.signal(15), within: .seconds(3))
    case .endless: _ = rig.expire(.timeElapsed, within: nil)
    case .frozen:
      _ = apply(.expired, to: &rig)
      _ = apply(.deadlineCame, to: &rig)
    case .emptying:
      _ = apply(.expired, to: &rig)
      _ = apply(.leftFamily, to: &rig)
    case .killing:
      _ = apply(.expired, to: &rig)
      _ = apply(.deadlineCame, to: &rig)
    case .sweeping:
      _ = apply(.expired, to: &rig)
      _ = apply(.leftFamily, to: &rig)
      _ = apply(.deadlineCame, to: &rig)
    case .resting: _ = apply(.asksAgain, to: &rig)
    case .over: _ = apply(.finished, to: &rig)
    }
    return rig
  }

  private static func rules(in situation: Situation) -> SupervisorRules {
    var rules = SupervisorRules(style: .budget, stopLead: .seconds(5), stopGrace: .seconds(3))
    switch situation {
    case .notStarted, .plain, .stopped, .speaking, .stopSent, .asked, .told, .toldInVain, .adopted,
      .emptying, .sweeping, .over:
      break
    case .job, .killing, .resting:
      rules.isJob = true
      rules.untilDone = true
      rules.hasCheckpointFile = true
    case .warned:
      rules.warnSignal = 10
      rules.stopLead = .seconds(2)
    case .endless:
      rules.style = .timeout
      rules.stopGrace = nil
    case .suspending, .frozen:
      rules.suspends = true
    }
    return rules
  }
}

/// A supervisor machine with a clock of its own.
struct SupervisorRig {
  var machine: SupervisorMachine
  var now = Instant(nanoseconds: 100_000_000_000)
  private var wakeTime: Instant?

  init(_ rules: SupervisorRules, fruitlessStints: Int = 0, stints: Int = 0) {
    machine = SupervisorMachine(rules: rules, fruitlessStints: fruitlessStints, stints: stints)
  }

  /// Gives the machine an event, and takes note of when it wants to be woken.
  mutating func event(
    _ body: (inout SupervisorMachine, Instant) -> [SupervisorMachine.Action]
  ) -> [SupervisorMachine.Action] {
    let actions = body(&machine, now)
    for case .wake(let instant) in actions { wakeTime = instant }
    return actions
  }

  /// The command ends.
  mutating func end(
    _ end: CommandEnd, familyRemains: Bool = false, evidence: CommandEvidence = CommandEvidence()
  ) -> [SupervisorMachine.Action] {
    event {
      $0.commandEnded(end, familyRemains: familyRemains, evidence: evidence, now: $1)
    }
  }

  /// Lets the time pass up to where the machine wants to be woken, or a second.
  mutating func wake() -> [SupervisorMachine.Action] {
    now = wakeTime.flatMap { $0 == .distantFuture ? nil : $0 } ?? now.advanced(by: .seconds(1))
    return event { $0.timePassed(now: $1) }
  }

  /// The task expires, with so much time to the deadline, or no end.
  mutating func expire(
    _ reason: ExpiryReason, within rest: Duration?
  ) -> [SupervisorMachine.Action] {
    let deadline = rest.map { now.advanced(by: $0) } ?? .distantFuture
    return event { $0.expired(reason, deadline: deadline, now: $1) }
  }

  /// A signal comes, a second after what was before.
  mutating func signal(
    _ number: Int32, reachedCommand: Bool = false
  ) -> [SupervisorMachine.Action] {
    now = now.advanced(by: .seconds(1))
    return event { $0.signalCame(number, reachedCommand: reachedCommand, now: $1) }
  }
}
