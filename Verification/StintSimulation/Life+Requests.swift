import StintCore

// What the program and the world do with requests.

extension Life {
  static let identifiers = ["refresh", "processing", "upload", "export"]

  /// The wall clock, which somebody sets now and then.
  var wall: WallInstant {
    WallInstant(nanoseconds: 1_796_000_000_000_000_000 &+ now.nanoseconds &+ clockError.nanoseconds)
  }

  /// What the schedule machine takes for the time.
  private var scheduleTime: ScheduleTime {
    let wrong: Duration = plant == .requestsBeginEarly ? plan.scale * 0.05 : .zero
    return ScheduleTime(instant: now, wall: wall.advanced(by: wrong))
  }

  /// A process begins without requests.
  func beginRequests() {
    guard let requestPlan = plan.requests else { return }
    scheduler = ScheduleMachine(policy: plan.policy)
    requests = SimulatedRequests()
    for identifier in Self.identifiers {
      _ = scheduler.handlerRegistered(identifier, isLate: false)
    }
    tellSchedule { $0.conditionsChanged(to: conditions, now: $1) }
    tellSchedule { $0.fetchIntervalSet(requestPlan.fetches, now: $1) }
    schedule(.request, in: plan.scale * 0.01)
  }

  /// Gives the schedule machine an event and performs what it causes.
  func tellSchedule(_ event: (inout ScheduleMachine, ScheduleTime) -> [ScheduleMachine.Action]) {
    guard isAlive, plan.requests != nil else { return }
    requests.isChanged = true
    scheduleQueue.append(event(&scheduler, scheduleTime))
    guard scheduleQueue.claim() else { return }
    while let action = scheduleQueue.next() { perform(action) }
  }

  /// Sets the timer for what is due next.
  func setScheduleWake() {
    guard isAlive, requests.isChanged else { return }
    let wake = scheduler.nextWake(now: scheduleTime)
    if wake == requests.asked { return }
    requests.asked = wake
    if plant == .scheduleWakeIsLost { return }
    let isNever = wake == .distantFuture
    schedule(.scheduleWake, at: isNever ? wake : max(now, wake).advanced(by: late()))
  }

  func scheduleWakes() {
    requests.asked = .distantFuture
    for run in requests.runs where run.request.kind == .continued { progress(run.number) }
    tellSchedule { $0.timePassed(now: $1) }
  }

  /// The application is in another state than before.
  func scheduleHearsOfLife() {
    guard plan.requests != nil, isAlive else { return }
    let state = system.lifeState
    if state != .suspended, state != heardState {
      for index in requests.waiting.indices {
        (requests.waiting[index].denials, requests.waiting[index].retry) = (0, nil)
      }
    }
    heardState = state
    tellSchedule { $0.lifeChanged(to: state, now: $1) }
  }

  // MARK: The program and the world

  /// The next thing that happens to requests.
  func requestActs() {
    guard isAlive, let requestPlan = plan.requests else { return }
    var draw = SplitMix64(seed: seed, part: 3_000_000 + UInt64(requestActions))
    requestActions += 1
    schedule(.request, in: draw.waiting(requestPlan.between))
    switch draw.below(20) {
    case 0:
      let identifier = Self.identifiers[draw.below(Self.identifiers.count)]
      record("takes \(identifier) back")
      requests.forget(identifier)
      tellSchedule { machine, _ in
        machine.requestCancelled(identifier)
        return []
      }
    case 1...5:
      if draw.chance(0.5) { conditions.hasNetwork.toggle() }
      if draw.chance(0.5) { conditions.hasExternalPower.toggle() }
      if draw.chance(0.2) { conditions.load = draw.chance(0.5) ? 0 : 2 }
      record("conditions: \(conditions)")
      if plant != .conditionsAreNotTold {
        tellSchedule { $0.conditionsChanged(to: conditions, now: $1) }
      }
    case 6:
      clockError += plan.scale * (draw.chance(0.5) ? 1 : -1) * draw.scale(0.01, 1)
      record("the clock is set")
      tellSchedule { $0.timePassed(now: $1) }
    case 7:
      tellSchedule { $0.memoryPressed(now: $1) }
    default:
      submit(&draw, ahead: draw.chance(0.3) ? nil : plan.rest * draw.scale(0.01, 3))
    }
  }

  private func submit(_ draw: inout SplitMix64, ahead: Duration?) {
    var request = TaskRequest(Self.identifiers[draw.below(Self.identifiers.count)])
    switch request.identifier {
    case "refresh": request.kind = .refresh
    case "export": request.kind = .continued
    default: request.kind = .processing
    }
    request.earliestBegin = ahead.map { wall.advanced(by: $0) }
    if draw.chance(0.3) { request.requirements.insert(.network) }
    if draw.chance(0.3) { request.requirements.insert(.externalPower) }
    if draw.chance(0.1) { request.mostLoad = 1 }
    submit(request)
  }

  /// A program submits a request; it waits from now on, unless it begins at once.
  func submit(_ request: TaskRequest) {
    record("submits \(request.identifier)")
    tellSchedule { machine, now in
      let submission = machine.requestSubmitted(request, now: now)
      if submission.refusal == nil {
        requests.forget(request.identifier)
        requests.waiting.append(.init(request: request))
      }
      return submission.actions
    }
  }

  // MARK: Handlers

  func serveLaunches() {
    guard !requests.launches.isEmpty, due[Slot.launch.rawValue] == .distantFuture else { return }
    let queue = plan.requests?.queue ?? .zero
    schedule(.launch, in: costs.chance(0.2) ? queue * costs.unit() : .zero)
  }

  /// The queue comes to the handler of a run.
  func launchTurn() {
    guard !requests.launches.isEmpty else { return }
    // Suspended code does nothing; its task was given back.
    let number = requests.launches.removeFirst()
    let mayLaunch = scheduler.launchClaimed(number)
    requests.isChanged = true
    if plant == .handlersRunTwice, let index = requests.run(number), mayLaunch {
      requests.runs[index].launches += 1
    }
    if mayLaunch { handlerBegins(number) }
    if isAlive { serveLaunches() }
  }

  private func handlerBegins(_ number: Int) {
    guard let index = requests.run(number), let requestPlan = plan.requests else {
      return fail(.runEndsOnce, "the handler of run \(number) is called, which is over")
    }
    record("run \(number) begins")
    if isSuspended { fail(.suspendedDoesNothing, "a handler of a request is called") }
    requests.runs[index].launches += 1
    if requests.runs[index].launches > 1 {
      return fail(.beginsOnce, "the handler of run \(number) is called again")
    }
    let request = requests.runs[index].request
    let allowance =
      request.kind == .processing ? plan.policy.processingAllowance : plan.policy.fetchAllowance
    requests.runs[index].neverCompletes = user.chance(requestPlan.forgets)
    requests.runs[index].endsAt = now.advanced(by: allowance * user.scale(0.01, 1.5))
    requests.runs[index].isWorkers = request.kind == .processing && user.chance(requestPlan.worker)
    if request.kind == .refresh, user.chance(0.7) {
      var next = request
      next.earliestBegin = user.chance(0.5) ? nil : wall.advanced(by: plan.rest * user.unit())
      submit(next)
    }
    guard isAlive, let index = requests.run(number) else { return }
    if requests.runs[index].isWorkers { workInRun() }
    if isAlive { scheduleRunEnds() }
  }

  /// The worker of the life works in a processing task, if it rests.
  private func workInRun() {
    guard case .parked = worker.phase, !isStopWanted else { return }
    tell(worker.pauseRequested(at: moment))
    if isAlive { tell(worker.resumeRequested(at: moment)) }
  }

  func scheduleRunEnds() {
    var next = Instant.distantFuture
    for run in requests.runs where !run.neverCompletes { next = min(next, run.endsAt) }
    schedule(.runEnds, at: next)
  }

  /// Handlers complete their tasks.
  func runsEnd() {
    for run in requests.runs where run.endsAt <= now && !run.neverCompletes && isAlive {
      guard let index = requests.run(run.number) else { continue }
      requests.runs.remove(at: index)
      record("run \(run.number) completes")
      if plant == .completionIsLost { continue }
      let result: BackgroundFetchResult = costs.chance(0.5) ? .newData : .noData
      tellSchedule { $0.runCompleted(run.number, result, now: $1).actions }
    }
    if isAlive { scheduleRunEnds() }
  }

  /// The worker's stint in a processing task is over, and with it the task.
  func endRunWithStint() {
    guard worker.phase.isBetweenStints else { return }
    for index in requests.runs.indices
    where requests.runs[index].isWorkers && requests.runs[index].endsAt > now {
      requests.runs[index].endsAt = now
    }
    scheduleRunEnds()
  }

  private func progress(_ number: Int) {
    guard let index = requests.run(number) else { return }
    requests.runs[index].fraction += 0.01
    let fraction = requests.runs[index].fraction
    tellSchedule { $0.progressed(number, to: fraction, now: $1) }
  }
}
