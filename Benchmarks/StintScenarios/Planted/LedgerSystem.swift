import StintCore

/// The machine of the system with a ledger of what it did: when tasks were granted and ended,
/// handlers called, and when they returned.
package struct LedgerSystem: Sendable {
  private var machine: SystemMachine
  private var names: [BackgroundTaskIdentifier: String] = [:]
  /// What happened, by the clock of the caller.
  package private(set) var ledger: [Sighting] = []

  /// The system of one trip.
  init(policy: SystemPolicy) {
    machine = SystemMachine(policy: policy)
  }

  private static let origin = TaskOrigin(function: "scenario", file: "StintScenarios", line: 0)

  private static func instant(_ now: Nanoseconds) -> Instant {
    Instant(nanoseconds: 1_000_000_000).advanced(by: .nanoseconds(now))
  }

  /// When ``timePassed(at:)`` is due.
  var wakeAt: Nanoseconds? {
    guard machine.nextWake != .distantFuture else { return nil }
    return Self.instant(0).duration(to: machine.nextWake).nanoseconds
  }

  /// Launches the application, begins its tasks, and enters the background.
  mutating func begin(tasks: [String], at begin: Nanoseconds) -> [SystemMachine.Action] {
    let now = Self.instant(begin)
    var actions = machine.launched(into: .foreground, now: now) + machine.becameActive(now: now)
    for name in tasks {
      let request = machine.taskRequested(
        name: name, origin: Self.origin, delivery: .mainQueue, now: now)
      actions += request.actions
      guard case .granted(let task) = request.grant else { continue }
      names[task] = name
      ledger.append(Sighting(at: begin, .taskBegan(name)))
    }
    actions += machine.resigned(now: now) + machine.backgroundEntered(now: now)
    for case .tell(.didEnterBackground, let trip) in actions {
      actions += machine.didEnterBackgroundReturned(trip: trip, now: now)
    }
    return actions
  }

  /// The owner of a task has ended it.
  mutating func end(_ name: String, at now: Nanoseconds) -> [SystemMachine.Action] {
    guard let task = names.first(where: { $0.value == name })?.key else { return [] }
    names[task] = nil
    ledger.append(Sighting(at: now, .taskEnded(name)))
    return machine.taskEnded(task, by: Self.origin, now: Self.instant(now)).actions
  }

  /// A handler is to be called; the name of its task if it may be.
  mutating func call(
    _ task: BackgroundTaskIdentifier, epoch: Int, at now: Nanoseconds
  ) -> (name: String?, actions: [SystemMachine.Action]) {
    let claim = machine.handlerClaimed(task, epoch: epoch, now: Self.instant(now))
    if claim.mayCall { ledger.append(Sighting(at: now, .warned)) }
    return (claim.mayCall ? names[task] : nil, claim.actions)
  }

  /// A handler has returned.
  mutating func returned(
    _ task: BackgroundTaskIdentifier, at now: Nanoseconds
  ) -> [SystemMachine.Action] {
    ledger.append(Sighting(at: now, .handlerReturned))
    return machine.handlerReturned(task, now: Self.instant(now))
  }

  mutating func timePassed(at now: Nanoseconds) -> [SystemMachine.Action] {
    machine.timePassed(now: Self.instant(now))
  }

  /// The rest is taken back but for the lead.
  mutating func revoked(at now: Nanoseconds) -> [SystemMachine.Action] {
    machine.revoked(.revoked, now: Self.instant(now))
  }

  /// The end is another one.
  mutating func moved(to end: Nanoseconds, at now: Nanoseconds) -> [SystemMachine.Action] {
    machine.deadlineMoved(to: Self.instant(end), now: Self.instant(now))
  }

  /// The machine stood still.
  mutating func continued(after length: Nanoseconds, at now: Nanoseconds) -> [SystemMachine.Action]
  {
    machine.continued(afterStop: .nanoseconds(length), now: Self.instant(now))
  }
}
