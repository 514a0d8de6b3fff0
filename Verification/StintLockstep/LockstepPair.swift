import StintCore
import StintModel

/// The machine and the model, driven together on one clock.
struct LockstepPair: SteppedPair {
  static let name = "lockstep"

  private(set) var machine: SystemMachine
  private(set) var model: SystemModel
  /// Any number; that it is not zero tells an instant from a span.
  private(set) var now = 1_000_000_000_000
  private let plant: Plant?
  /// The calls of handlers that the machine made, in order.
  private(set) var calls: [(task: BackgroundTaskIdentifier, epoch: Int)] = []
  private(set) var mayReport = false
  /// The names of all deeds, causes and diagnostics so far; nil where nobody wants to know.
  var reached: Set<String>?
  /// Counts the events: the place of a task is the event that began it.
  private var place: UInt = 0

  init(_ setup: LockstepSetup, plant: Plant?) {
    self.plant = plant
    machine = SystemMachine(policy: setup.policy, authority: setup.authority)
    let policy = Translation.policy(setup.policy)
    model = SystemModel(
      policy: plant?.spoil(policy) ?? policy, isRemote: setup.authority == .remote)
    for mode in [BackgroundMode.audio, .location] {
      machine.modeDeclared(mode, because: "a reason")
      model.declaredModes.insert(mode.rawValue)
    }
  }

  static func setup(_ random: inout SplitMix64) -> LockstepSetup { LockstepSetup(&random) }

  func next(_ random: inout SplitMix64) -> LockstepEvent {
    var generator = HistoryGenerator(random: random)
    defer { random = generator.random }
    return generator.next(after: self)
  }

  private var instant: Instant { Instant(nanoseconds: Int64(now)) }

  /// Lets an event happen in both and says in what they differ; nil if they agree.
  mutating func apply(_ event: LockstepEvent) -> String? {
    place += 1
    switch event {
    case .pass(let span):
      return pass(span)
    case .late(let span):
      now += span
      return compare([])
    case .begin(let delivery, let named):
      return begin(delivery, named: named)
    case .beginForSystem(let allowance):
      return beginForSystem(allowance)
    case .end(let task, let quietly):
      return end(task, quietly: quietly)
    case .beginMode(let mode, let isPermitted):
      return beginMode(mode, isPermitted: isPermitted)
    case .claim(let call):
      return calls.indices.contains(call - 1) ? claim(call) : nil
    case .launch, .resign, .enterBackground, .enterReturned, .enterForeground, .becomeActive,
      .resume, .idle, .continued, .revoke, .authorityExpired, .endMoved, .stop, .pressMemory,
      .endMode, .forbidMode, .terminate, .killWhileSuspended, .terminationReported, .answer,
      .returned, .look, .allowTime, .notCompleted:
      guard isPossible(event) else { return nil }
      let actions = applyToMachine(event)
      apply(event, to: &model, at: now)
      return compare(actions)
    }
  }

  /// Both sides are asked; where they disagree the event happens and the comparison says so.
  private func isPossible(_ event: LockstepEvent) -> Bool {
    switch event {
    case .launch: machine.allows(.launched)
    case .resign: machine.allows(.resigned)
    case .enterBackground: machine.allows(.backgroundEntered)
    case .enterForeground: machine.allows(.foregroundEntered)
    case .becomeActive: machine.allows(.becameActive)
    // Only what the machine ended can turn out to live on.
    case .terminationReported: mayReport
    case .enterReturned, .resume, .idle, .continued, .revoke, .authorityExpired, .endMoved, .stop,
      .pressMemory, .beginMode, .endMode, .forbidMode, .terminate, .killWhileSuspended, .answer,
      .returned, .look, .pass, .late, .begin, .beginForSystem, .allowTime, .notCompleted, .end,
      .claim:
      true
    }
  }

  private mutating func pass(_ span: Int) -> String? {
    let end = now + span
    var turns = 0
    while true {
      let wake = Translation.instant(machine.nextWake)
      let next = max(now, min(wake, model.reading.nextDue(after: now)))
      guard next <= end, next != never else { break }
      now = next
      let actions = machine.timePassed(now: instant)
      model.look(at: now)
      if let difference = compare(actions) { return difference }
      turns += 1
      if turns > 1_000 { return "The machine asks to be woken without end." }
    }
    now = end
    return compare([])
  }

  private mutating func begin(_ delivery: TaskDelivery, named: Bool) -> String? {
    let origin = TaskOrigin(function: "function\(place)()", file: "Lockstep", line: place)
    let request = machine.taskRequested(
      name: named ? "task\(place)" : "", origin: origin, delivery: delivery, now: instant)
    // A2: without a name it is named after the calling function.
    let grant = model.begin(
      name: named ? "task\(place)" : "function\(place)()", place: Int(place),
      delivery: Translation.delivery(delivery), at: now)
    return compare(request, grant)
  }

  private mutating func compare(
    _ request: SystemMachine.Request, _ grant: SystemModel.Grant
  ) -> String? {
    let granted: SystemModel.Grant =
      switch request.grant {
      case .granted(let task): .granted(task.rawValue, isPending: request.isPending)
      case .denied(let denial): .denied(Translation.denial(denial))
      }
    if granted != grant { return Self.said("the grant", granted, grant) }
    return compare(request.actions)
  }

  private mutating func beginForSystem(_ allowance: Int) -> String? {
    let origin = TaskOrigin(function: "", file: "Lockstep", line: place)
    let request = machine.systemTaskRequested(
      name: "task\(place)", origin: origin, allowance: .nanoseconds(allowance), now: instant)
    let grant = model.beginForSystem(
      name: "task\(place)", place: Int(place),
      allowance: plant == .otherAllowance ? allowance + 1 : allowance, at: now)
    return compare(request, grant)
  }

  private mutating func beginMode(_ mode: BackgroundMode, isPermitted: Bool) -> String? {
    let request = machine.modeRequested(mode, isPermitted: isPermitted, now: instant)
    let result = model.beginMode(mode.rawValue, isPermitted: isPermitted, at: now)
    let machineResult = request.result.mapError(Translation.refusal)
    if machineResult != result { return Self.said("the mode", machineResult, result) }
    return compare(request.actions)
  }

  private mutating func end(_ task: Int, quietly: Bool) -> String? {
    let origin = TaskOrigin(function: "", file: "Lockstep", line: place)
    let ended = machine.taskEnded(
      BackgroundTaskIdentifier(rawValue: task), by: origin, quietly: quietly, now: instant)
    let result = model.end(task, place: Int(place), quietly: quietly, at: now)
    let machineResult = Translation.endResult(ended.result)
    if machineResult != result { return Self.said("the end", machineResult, result) }
    return compare(ended.actions)
  }

  private mutating func claim(_ number: Int) -> String? {
    let call = calls[number - 1]
    let claim = machine.handlerClaimed(call.task, epoch: call.epoch, now: instant)
    var modelsNumber = number
    if plant == .staleCallsClaimed {
      modelsNumber = (calls.lastIndex { $0.task == call.task } ?? number - 1) + 1
    }
    let mayCall = model.claim(call: modelsNumber, of: call.task.rawValue, at: now)
    if claim.mayCall != mayCall { return Self.said("the claim", claim.mayCall, mayCall) }
    return compare(claim.actions)
  }

  private mutating func applyToMachine(_ event: LockstepEvent) -> [SystemMachine.Action] {
    switch event {
    case .launch(let launch): machine.launched(into: launch, now: instant)
    case .resign: machine.resigned(now: instant)
    case .enterBackground(let since, let grant, let isLimited):
      machine.backgroundEntered(
        since: instant.advanced(by: .nanoseconds(-since)),
        granting: grant.map { .nanoseconds($0) }, isLimited: isLimited, now: instant)
    case .idle: machine.idled(now: instant)
    case .enterReturned(let trip): machine.didEnterBackgroundReturned(trip: trip, now: instant)
    case .enterForeground: machine.foregroundEntered(now: instant)
    case .becomeActive: machine.becameActive(now: instant)
    case .resume: machine.resumed(now: instant)
    case .continued(let span): machine.continued(afterStop: .nanoseconds(span), now: instant)
    case .revoke(let reason): machine.revoked(reason, now: instant)
    case .authorityExpired(let reason, let ahead):
      machine.expiredByAuthority(
        reason, until: instant.advanced(by: .nanoseconds(ahead)), now: instant)
    case .endMoved(let reason, let ahead):
      machine.deadlineMoved(
        to: ahead.map { instant.advanced(by: .nanoseconds($0)) } ?? .distantFuture,
        because: reason, now: instant)
    case .stop(let reason, let grace):
      machine.stopRequested(reason, grace: .nanoseconds(grace), now: instant)
    case .pressMemory: machine.memoryPressed(now: instant)
    case .endMode(let number): machine.modeEnded(number, now: instant)
    case .forbidMode(let mode): machine.modeForbidden(mode, now: instant)
    case .terminate: machine.terminated(now: instant)
    case .killWhileSuspended: machine.killedWhileSuspended(now: instant)
    case .terminationReported: machine.terminationReported(now: instant)
    case .answer(let task, let isGranted):
      machine.taskAnswered(
        BackgroundTaskIdentifier(rawValue: task), isGranted ? .granted : .denied(.refused("no")),
        now: instant)
    case .returned(let task):
      machine.handlerReturned(BackgroundTaskIdentifier(rawValue: task), now: instant)
    case .allowTime(let ahead):
      machine.timeAllowed(until: instant.advanced(by: .nanoseconds(ahead)), now: instant)
    case .notCompleted(let task):
      machine.taskNotCompleted(BackgroundTaskIdentifier(rawValue: task), now: instant)
    case .look: machine.timePassed(now: instant)
    case .pass, .late, .begin, .beginForSystem, .end, .beginMode, .claim: []
    }
  }

  private func apply(_ event: LockstepEvent, to model: inout SystemModel, at now: Int) {
    switch event {
    case .launch(let launch): model.launch(intoBackground: launch == .background, at: now)
    case .resign: model.resign(at: now)
    case .enterBackground(let since, let grant, let isLimited):
      model.enterBackground(since: now - since, grant: grant, isLimited: isLimited, at: now)
    case .idle where plant == .idleUnheard: break
    case .idle: model.idle(at: now)
    case .enterReturned(let trip):
      let isAny = plant == .anyReturnCounts
      model.enterReturned(trip: isAny ? model.tripNumber : trip, at: now)
    case .enterForeground: model.enterForeground(at: now)
    case .becomeActive: model.becomeActive(at: now)
    case .resume: model.resume(at: now)
    case .continued(let span): model.continued(afterStop: span, at: now)
    case .revoke(let reason): model.revoke(Translation.reason(reason), at: now)
    case .authorityExpired(let reason, let ahead):
      if plant == .authorityUnheard { return }
      model.expiredByAuthority(Translation.reason(reason), end: now + ahead, at: now)
    case .endMoved(let reason, let ahead):
      let end = ahead.map { now + $0 } ?? never
      if plant == .laterEndUnheard, end > model.reading.tripEnd { return }
      model.endMoved(
        to: plant == .movedEndMistaken && ahead != nil ? end + 1 : end,
        because: plant == .movedReasonLost ? .timeElapsed : Translation.reason(reason), at: now)
    case .stop(let reason, let grace):
      if plant == .secondStopLost, machine.stop?.reason != reason { return }
      model.requestStop(Translation.reason(reason), grace: grace, at: now)
    case .pressMemory: model.pressMemory(at: now)
    case .endMode(let number): if plant != .modeEndUnheard { model.endMode(number, at: now) }
    case .forbidMode(let mode): model.forbidMode(mode.rawValue, at: now)
    case .terminate: model.end(at: now)
    case .killWhileSuspended: model.killWhileSuspended(at: now)
    case .terminationReported: model.terminationReported(at: now)
    case .answer(let task, let isGranted): model.answer(task, isGranted ? nil : .refused, at: now)
    case .returned(let task): model.handlerReturned(task, at: now)
    case .allowTime(let ahead):
      if plant != .allowedTimeUnheard { model.allowTime(until: now + ahead, at: now) }
    case .notCompleted(let task): model.notCompleted(task, at: now)
    case .look: model.look(at: now)
    case .pass, .late, .begin, .beginForSystem, .end, .beginMode, .claim: break
    }
  }

  // MARK: Comparing

  private mutating func compare(_ actions: [SystemMachine.Action]) -> String? {
    note(actions)
    let taken = model.takeDeeds()
    let deeds = plant?.spoil(taken.deeds) ?? taken.deeds
    let machineDeeds = actions.compactMap(Translation.deed)
    if reached != nil {
      reached?.formUnion(taken.deeds.map(Self.name) + taken.diagnostics.map(Self.name))
    }
    if machineDeeds != deeds { return Self.said("what is done", machineDeeds, deeds) }
    let diagnostics = plant?.spoil(taken.diagnostics) ?? taken.diagnostics
    if let difference = compare(actions, diagnostics) { return difference }
    return compareState()
  }

  private mutating func note(_ actions: [SystemMachine.Action]) {
    for action in actions {
      if case .callHandlers(let tasks, _, _, let epoch) = action {
        calls += tasks.map { ($0, epoch) }
      }
      if case .terminate = action { mayReport = true }
      if case .suspend = action { mayReport = false }
      if case .stopCompleted = action { mayReport = false }
    }
  }

  /// The name of a case; of a termination, that of its cause.
  private static func name(_ value: some Any) -> String {
    if case .terminate(let cause)? = value as? ModelDeed { return name(cause) }
    return String("\(value)".prefix { $0 != "(" })
  }

  /// Diagnostics of one event have no order that anybody could rely on.
  private func compare(
    _ actions: [SystemMachine.Action], _ modelDiagnostics: [ModelDiagnostic]
  ) -> String? {
    let machineDiagnostics = actions.compactMap { action -> ModelDiagnostic? in
      guard case .diagnose(let diagnostic) = action else { return nil }
      return Translation.diagnostic(diagnostic)
    }
    if machineDiagnostics == modelDiagnostics { return nil }
    func sorted(_ diagnostics: [ModelDiagnostic]) -> [String] {
      diagnostics.map { "\($0)" }.sorted()
    }
    if sorted(machineDiagnostics) == sorted(modelDiagnostics) { return nil }
    return Self.said("what is diagnosed", machineDiagnostics, modelDiagnostics)
  }

  private func compareState() -> String? {
    let reading = model.reading
    let state = Translation.state(machine.lifeState)
    if state != reading.state { return Self.said("the state", state, reading.state) }
    let left = machine.remaining(at: instant).duration.map(Translation.span)
    let modelLeft = reading.remaining(at: now)
    if left != modelLeft { return Self.said("the remaining time", left as Any, modelLeft as Any) }
    let taskTime = RemainingTime(until: machine.taskTimeUntil, at: instant).duration
      .map(Translation.span)
    let modelTaskTime = reading.taskTime(at: now)
    if taskTime != modelTaskTime {
      return Self.said("the time of a task begun now", taskTime as Any, modelTaskTime as Any)
    }
    let tasks = machine.openTasks(at: instant).map(Translation.openTask)
    let modelTasks = reading.openTasks(at: now)
    if tasks != modelTasks { return Self.said("the open tasks", tasks, modelTasks) }
    let modes = machine.modes.map { ModelMode(number: $0.number, name: $0.mode.rawValue) }
    if modes != reading.modes { return Self.said("the modes in use", modes, reading.modes) }
    let hardStop = Translation.instant(machine.hardStop)
    if hardStop != reading.hardStop {
      return Self.said("the hard stop", hardStop, reading.hardStop)
    }
    for event in ModelLifeEvent.allCases {
      let isPossible = machine.allows(Translation.event(event))
      if isPossible != reading.allows(event) {
        return Self.said("whether \(event) is possible", isPossible, !isPossible)
      }
    }
    // Time has passed and nobody has looked yet: the wake-up is late, and so is everything else.
    if reading.isLate(at: now) { return nil }
    // The machine must ask to be woken exactly when something is due next.
    let wake = Translation.instant(machine.nextWake)
    let due = reading.nextDue(after: now)
    return wake == due ? nil : Self.said("the next wake-up", wake, due)
  }
}
