import StintCore
import StintModel

/// The schedule machine and the model of the schedule, driven together on two clocks.
struct SchedulePair: SteppedPair {
  static let name = "scheduleLockstep"

  let setup: ScheduleSetup
  private(set) var machine: ScheduleMachine
  private(set) var model: ScheduleModel
  private let plant: SchedulePlant?
  /// In the evening of a Sunday: a week soon begins.
  private(set) var now = ModelMoment(at: 1_000_000_000_000, wall: 1_795_985_000_000_000_000)
  /// How far the model's wall clock is wrong, by a plant.
  private var clockError = 0
  private var tasks = 0
  var reached: Set<String>?

  /// The identifiers of requests.
  static let identifiers = ["a", "b", "c", "d"]

  static func setup(_ random: inout SplitMix64) -> ScheduleSetup { ScheduleSetup(&random) }

  init(_ setup: ScheduleSetup, plant: SchedulePlant?) {
    self.setup = setup
    self.plant = plant
    machine = ScheduleMachine(policy: setup.policy)
    let policy = ScheduleTranslation.policy(setup.policy)
    model = ScheduleModel(policy: plant?.spoil(policy) ?? policy)
  }

  func next(_ random: inout SplitMix64) -> ScheduleEvent {
    ScheduleGenerator.next(after: self, &random)
  }

  private var time: ScheduleTime {
    ScheduleTime(
      instant: Instant(nanoseconds: Int64(now.at)),
      wall: WallInstant(nanoseconds: Int64(now.wall)))
  }

  private var modelTime: ModelMoment { ModelMoment(at: now.at, wall: now.wall + clockError) }

  mutating func apply(_ event: ScheduleEvent) -> String? {
    switch event {
    case .pass(let span): return pass(span)
    case .late(let span):
      move(by: span)
      return compare([])
    case .setClock(let span, let isTold):
      now.wall += span
      if plant == .clockUnheard { clockError -= span }
      guard isTold else { return compare([]) }
      model.look(at: modelTime)
      return compare(machine.timePassed(now: time))
    case .register(let identifier, let isLate):
      let taken = machine.handlerRegistered(identifier, isLate: isLate)
      let modelTaken = model.register(
        identifier, isLate: isLate && plant != .lateForgotten, at: modelTime)
      return compare("the registration", ScheduleTranslation.registration(taken), modelTaken, [])
    case .submit(var request, let ahead):
      request.earliestBegin = ahead.map { time.wall.advanced(by: .nanoseconds($0)) }
      return submit(request)
    case .takeBack(let identifier):
      let denial = machine.denialTakenBack(identifier).map(Translation.denial)
      return compare("the denial", denial, model.takeBack(identifier, at: modelTime), [])
    case .claim(let run):
      return compare(
        "the claim", machine.launchClaimed(run), model.claim(run, at: modelTime), [])
    case .complete(let run, let result):
      let completion = machine.runCompleted(run, result, now: time)
      let isMistaken = plant == .resultMistaken && result == .newData
      let isTaken = model.complete(
        run, isMistaken ? .noData : ScheduleTranslation.result(result), at: modelTime)
      return compare("the completion", completion.isTaken, isTaken, completion.actions)
    case .restart: return restart()
    case .launchEnded:
      let (setAside, actions) = machine.handlersRegistered(now: time)
      let modelSetAside = plant == .readyUnheard ? setAside : model.becomeReady(at: modelTime)
      return compare("what has no handler", setAside, modelSetAside, actions)
    case .simulateLaunch(let identifier):
      let launch = machine.launchSimulated(identifier, now: time)
      let isFound = model.simulateLaunch(identifier, at: modelTime)
      return compare("the simulated launch", launch.isFound, isFound, launch.actions)
    case .simulateExpiry(let identifier):
      let expiry = machine.expirySimulated(identifier, now: time)
      let isFound = model.simulateExpiry(identifier, at: modelTime)
      return compare("the simulated expiry", expiry.isFound, isFound, expiry.actions)
    case .simulateFetch:
      return isAskingForFetch ? nil : simulate(ScheduleMachine.fetchName, .fetch)
    case .simulateSessionEvents(let identifier): return simulate(identifier, .sessionEvents)
    case .interval where isAskingForFetch: return nil
    case .cancel, .cancelAll, .life, .status, .conditions, .interval, .pressMemory, .terminate,
      .grant, .deny, .expire, .progress, .look:
      let actions = applyToMachine(event)
      applyToModel(event)
      return compare(actions)
    }
  }

  /// What one process writes down is what the next one reads.
  private mutating func restart() -> String? {
    let record = machine.record
    let read = (try? ScheduleRecord(contents: record.contents)) ?? ScheduleRecord()
    guard read == record else { return Self.said("what is kept", read, record) }
    machine = ScheduleMachine(policy: setup.policy)
    let (setAside, actions) = machine.recordRead(record, now: time)
    let died = model.restart(at: modelTime)
    return compare("what is set aside", setAside, plant == .deathUnheard ? [] : died, actions)
  }

  /// A choice: between the asking for a fetch and the answer, no other one is asked for by hand.
  private var isAskingForFetch: Bool {
    model.reading.openRuns.contains { $0.kind == .fetch && $0.isAsking }
  }

  private mutating func move(by span: Int) {
    now = ModelMoment(at: now.at + span, wall: now.wall + span)
  }

  private mutating func pass(_ span: Int) -> String? {
    let end = now.at + span
    var turns = 0
    while true {
      let wake = Translation.instant(machine.nextWake(now: time))
      let next = max(now.at, min(wake, model.reading.nextLook(after: modelTime)))
      guard next <= end, next != never else { break }
      move(by: next - now.at)
      let actions = machine.timePassed(now: time)
      model.look(at: modelTime)
      if let difference = compare(actions) { return difference }
      turns += 1
      if turns > 1_000 { return "The machine asks to be woken without end." }
    }
    move(by: end - now.at)
    return compare([])
  }

  private mutating func submit(_ request: TaskRequest) -> String? {
    let submission = machine.requestSubmitted(request, now: time)
    var translated = ScheduleTranslation.request(request)
    if plant == .earliestForgotten { translated.earliest = nil }
    let refusal = ScheduleTranslation.error(
      model.submit(translated, at: modelTime), of: request, pace: setup.policy.leastBetweenBegins)
    return compare("the refusal", submission.refusal, refusal, submission.actions)
  }

  private mutating func simulate(_ identifier: String, _ kind: ScheduledTaskKind) -> String? {
    let (run, actions) = machine.eventSimulated(identifier, kind: kind, now: time)
    let modelRun = model.simulateEvent(identifier, ScheduleTranslation.kind(kind), at: modelTime)
    return compare("the run", run, modelRun, actions)
  }

  private mutating func applyToMachine(_ event: ScheduleEvent) -> [ScheduleMachine.Action] {
    switch event {
    case .cancel(let identifier): machine.requestCancelled(identifier)
    case .cancelAll: machine.allCancelled()
    case .life(let state): return machine.lifeChanged(to: state, now: time)
    case .status(let status): return machine.statusChanged(to: status, now: time)
    case .conditions(let conditions): return machine.conditionsChanged(to: conditions, now: time)
    case .interval(let interval): return machine.fetchIntervalSet(interval, now: time)
    case .pressMemory: return machine.memoryPressed(now: time)
    case .terminate: return machine.terminated(now: time)
    case .grant(let run):
      tasks += 1
      return machine.taskBegan(run, BackgroundTaskIdentifier(rawValue: tasks), now: time)
    case .deny(let run, let reason): return machine.taskDenied(run, reason, now: time)
    case .expire(let run, let reason, let ahead):
      let deadline = time.instant.advanced(by: .nanoseconds(ahead))
      return machine.taskExpired(run, reason, deadline: deadline, now: time)
    case .progress(let run, let percent):
      return machine.progressed(run, to: Double(percent) / 100, now: time)
    case .look: return machine.timePassed(now: time)
    case .register, .submit, .takeBack, .claim, .complete, .simulateLaunch, .simulateExpiry,
      .simulateFetch, .simulateSessionEvents, .setClock, .pass, .late, .restart, .launchEnded:
      break
    }
    return []
  }

  private mutating func applyToModel(_ event: ScheduleEvent) {
    let now = modelTime
    switch event {
    case .cancel(let identifier): if plant != .cancelUnheard { model.cancel(identifier, at: now) }
    case .cancelAll: model.cancelAll(at: now)
    case .life(.active) where plant == .usesUnheard: model.changeLife(to: .inactive, at: now)
    case .life(let state): model.changeLife(to: Translation.state(state), at: now)
    case .status(let status):
      if plant == .statusUnheard { return }
      model.changeStatus(to: ScheduleTranslation.status(status), at: now)
    case .conditions(let conditions):
      if plant == .conditionsUnheard { return }
      model.changeConditions(to: ScheduleTranslation.conditions(conditions), at: now)
    case .interval(let interval):
      if plant == .intervalUnheard { return }
      model.setInterval(ScheduleTranslation.interval(interval), at: now)
    case .pressMemory: if plant != .memoryUnheard { model.pressMemory(at: now) }
    case .terminate: if plant != .terminationUnheard { model.end(at: now) }
    case .grant(let run): model.grant(run, task: tasks, at: now)
    case .deny(let run, let reason): model.deny(run, Translation.denial(reason), at: now)
    case .expire(let run, let reason, let ahead):
      if plant == .expiryUnheard { return }
      model.expire(run, Translation.reason(reason), deadline: now.at + ahead, at: now)
    case .progress(let run, let percent):
      if plant != .progressUnheard { model.progress(run, to: Double(percent) / 100, at: now) }
    case .look: model.look(at: now)
    case .register, .submit, .takeBack, .claim, .complete, .simulateLaunch, .simulateExpiry,
      .simulateFetch, .simulateSessionEvents, .setClock, .pass, .late, .restart, .launchEnded:
      break
    }
  }

  // MARK: Comparing

  private mutating func compare<Answer: Equatable>(
    _ what: String, _ machines: Answer, _ models: Answer, _ actions: [ScheduleMachine.Action]
  ) -> String? {
    if machines != models { return Self.said(what, machines, models) }
    return compare(actions)
  }

  private mutating func compare(_ actions: [ScheduleMachine.Action]) -> String? {
    let taken = model.takeDeeds()
    let deeds = plant?.spoil(taken) ?? taken
    let machineDeeds = actions.compactMap(ScheduleTranslation.deed)
    note(taken)
    if machineDeeds != deeds { return Self.said("what is done", machineDeeds, deeds) }
    let reading = model.reading
    let pending = machine.pending.map(ScheduleTranslation.request)
    if plant != .earliestForgotten, pending != reading.pending {
      return Self.said("what waits", pending, reading.pending)
    }
    return compareReasons(reading) ?? compareWakes(reading)
  }

  /// Q7: each identifier has the same reason, with the same numbers.
  private mutating func compareReasons(_ reading: ScheduleReading) -> String? {
    for identifier in Self.identifiers + [ScheduleMachine.fetchName] {
      let why = machine.why(identifier, now: time)
      let standing = reading.standing(of: identifier, at: modelTime)
      note(standing)
      let sentence = ScheduleTranslation.sentence(
        standing, of: identifier, pace: setup.policy.leastBetweenBegins, at: now.at)
      if why != sentence { return Self.said("why", why, sentence) }
    }
    return nil
  }

  private func compareWakes(_ reading: ScheduleReading) -> String? {
    let needs = machine.needsConditions(now: time)
    let modelNeeds = reading.needsConditions(at: modelTime)
    if needs != modelNeeds { return Self.said("a need of conditions", needs, modelNeeds) }
    let needsClock = machine.needsWallClock(now: time)
    let modelNeedsClock = reading.needsWallClock(at: modelTime)
    if needsClock != modelNeedsClock {
      return Self.said("a need of the clock", needsClock, modelNeedsClock)
    }
    // Time has passed and nobody has looked yet: the wake-up is late, and so is everything else.
    if reading.isLate(at: modelTime) { return nil }
    let wake = Translation.instant(machine.nextWake(now: time))
    let look = reading.nextLook(after: modelTime)
    return wake == look ? nil : Self.said("the next wake-up", wake, look)
  }

  // MARK: What is put to the test

  private mutating func note(_ deeds: [ScheduleDeed]) {
    guard reached != nil else { return }
    for deed in deeds {
      switch deed {
      case .expire(_, let reason, _): reached?.insert("expire \(Self.word(reason))")
      case .begin(_, _, let kind, _): reached?.insert("begin \(kind)")
      case .launch, .end, .fail, .allow: reached?.insert(Self.word(deed))
      }
    }
  }

  private mutating func note(_ standing: ModelStanding) {
    guard reached != nil else { return }
    if case .waits(let wait) = standing { reached?.insert("waits \(Self.word(wait))") }
  }

  /// The name of a case.
  private static func word(_ value: some Any) -> String { String("\(value)".prefix { $0 != "(" }) }
}
