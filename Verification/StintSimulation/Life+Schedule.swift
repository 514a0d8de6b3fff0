import StintCore

// What the schedule machine asks for, against what the world knows of requests.

extension Life {
  func perform(_ action: ScheduleMachine.Action) {
    guard isAlive else { return }
    record("schedule: \(action)")
    switch action {
    case .begin(let run, let request, let allowance):
      noteBegin(run, request)
      begin(run, request, allowance)
    case .launch(let run):
      requests.launches.append(run)
      serveLaunches()
    case .expire(let run, let reason, let deadline):
      expire(run, reason, deadline)
    case .end(let task):
      taskEnds(task)
    case .fail(let task):
      runFails(task)
    case .allow(let end):
      feed(system.timePassed(now: now))
      extendTrip(to: end)
      if isAlive { feed(system.timeAllowed(until: end, now: now)) }
    }
  }

  // MARK: Beginning

  /// The world judges for itself whether a task may begin (Q3, Q9).
  private func noteBegin(_ number: Int, _ request: TaskRequest) {
    let identifier = request.identifier
    if requests.runs.contains(where: { $0.request.identifier == identifier }) {
      fail(.beginsOnce, "\(identifier) begins beside itself")
    }
    var denials = 0
    if request.kind == .fetch {
      if case .minimum = plan.requests?.fetches ?? .never, let last = requests.lastFetch,
        last.duration(to: wall) < plan.policy.minimumFetchInterval
      {
        fail(.beginsWhenDue, "a fetch \(last.duration(to: wall)) after the one before")
      }
    } else if let index = requests.waiting.firstIndex(where: {
      $0.request.identifier == identifier
    }) {
      let waiting = requests.waiting.remove(at: index)
      denials = waiting.denials
      if let why = obstacle(request) { fail(.beginsWhenDue, "\(identifier) begins, but \(why)") }
      let left = timeLeft(waiting)
      if left > .zero { fail(.beginsWhenDue, "\(identifier) begins \(left) too early") }
    } else {
      fail(.beginsOnce, "\(identifier) begins, for which no request waits")
    }
    requests.runs.append(
      .init(
        number: number, request: request, began: now, formerBegin: requests.lastBegan[identifier],
        denials: denials))
    requests.lastBegan[identifier] = now
  }

  /// What keeps a request waiting beside time, as the world sees it; nil for nothing.
  private func obstacle(_ request: TaskRequest) -> String? {
    switch (heardState, request.kind) {
    case (.background, .refresh), (.suspended, .refresh), (.background, .processing),
      (.suspended, .processing), (.inactive, .continued), (.active, .continued):
      break
    default: return "the application is \(heardState)"
    }
    for requirement in request.requirements where !conditions.meet(requirement) {
      return "\(requirement) is missing"
    }
    if let most = request.mostLoad, conditions.load > most { return "the load is high" }
    return nil
  }

  /// How long time alone keeps a request waiting.
  private func timeLeft(_ waiting: SimulatedRequests.Waiting) -> Duration {
    let identifier = waiting.request.identifier
    let earliest = waiting.request.earliestBegin.map { wall.duration(to: $0) } ?? .zero
    let paced = requests.lastBegan[identifier].map {
      now.duration(to: $0.advanced(by: plan.policy.leastBetweenBegins))
    }
    let retry = waiting.retry.map { now.duration(to: $0) }
    return max(earliest, paced ?? .zero, retry ?? .zero)
  }

  private func begin(_ number: Int, _ request: TaskRequest, _ allowance: Duration) {
    feed(system.timePassed(now: now))
    guard isAlive else { return }
    let (before, deadline) = (system.lifeState, tripDeadline)
    let isDoubled = plant == .taskGetsTwiceTheTime
    let answer = system.systemTaskRequested(
      name: request.identifier, origin: Self.origin,
      allowance: isDoubled ? allowance * 2 : allowance,
      now: now)
    let isWoken = before == .suspended && system.lifeState == .background
    if isWoken { wakeTrip(for: allowance, formerEnd: deadline) }
    if case .granted(let task) = answer.grant {
      if before == .background { extendTrip(to: now.advanced(by: allowance)) }
      tasks.append(
        KnownTask(
          identifier: task, name: request.identifier, delivery: .direct, isWorkers: false,
          isPending: answer.isPending, run: number))
    }
    // The answer and what it sets in motion race for the schedule.
    let isFirst = costs.chance(0.5)
    if isFirst { feed(answer.actions) }
    guard isAlive else { return }
    switch answer.grant {
    case .granted(let task):
      if let index = requests.run(number) { requests.runs[index].task = task }
      if request.kind == .fetch { requests.lastFetch = wall }
      tellSchedule { $0.taskBegan(number, task, now: $1) }
    case .denied(let reason):
      if isWoken { fail(.tripWithinLimits, "a trip begins for a task that is denied") }
      noteDenial(number, reason)
      if plant != .denialIsNotTold { tellSchedule { $0.taskDenied(number, reason, now: $1) } }
    }
    if !isFirst, isAlive { feed(answer.actions) }
  }

  /// A trip begins because a task does, or goes on, where somebody else ends it (Q9).
  private func wakeTrip(for allowance: Duration, formerEnd: Instant) {
    if plan.authority == .remote || isTripRevoked {
      endSuspension()
      if tripDeadline <= now { fail(.tripWithinLimits, "it ended \(tripDeadline)") }
      return
    }
    let start = suspendedSince ?? now
    quotaUsed += max(.zero, tripStart.duration(to: min(start, formerEnd)) - uncountedBefore)
    suspendedAt = nil
    beginTrip(allowing: plan.policy.grant == nil ? nil : allowance)
    if let quota = plan.policy.dailyQuota, quotaUsed >= quota {
      fail(.tripWithinLimits, "\(quotaUsed) of the quota of \(quota) are used")
    }
  }

  /// In a living trip the end moves to the later of the two, as far as the quota goes.
  private func extendTrip(to end: Instant) {
    guard plan.authority == .local, !isTripRevoked, system.lifeState == .background,
      stopDeadline == .distantFuture
    else { return }
    tripDeadline = max(tripDeadline, min(end, quotaEnd))
  }

  private func noteDenial(_ number: Int, _ reason: DenialReason) {
    guard let index = requests.run(number) else { return }
    let run = requests.runs.remove(at: index)
    requests.lastBegan[run.request.identifier] = run.formerBegin
    guard !run.isForgotten, run.request.kind != .fetch else { return }
    let denials = run.denials + 1
    var waiting = SimulatedRequests.Waiting(request: run.request, denials: denials)
    switch reason {
    case .notRunning, .stopping: waiting.retry = .distantFuture
    case .suspended, .tooLittleTime, .tooManyTasks, .refused:
      waiting.retry = now.advanced(by: .seconds(min(900, 1 << min(denials, 10))))
    }
    requests.waiting.append(waiting)
  }

  // MARK: Ends

  private func expire(_ number: Int, _ reason: ExpiryReason, _ deadline: Instant) {
    guard let index = requests.run(number) else {
      return fail(.runEndsOnce, "run \(number) expires, which is over")
    }
    if requests.runs[index].launches == 0 {
      fail(.runIsWarned, "run \(number) expires before its handler was called")
    }
    if requests.runs[index].isWarned { fail(.runIsWarned, "run \(number) expires again") }
    if plant == .runIsNotWarned { return }
    requests.runs[index].isWarned = true
    // A handler that does what it is there for is done in good time.
    let rest = max(.zero, now.duration(to: deadline))
    requests.runs[index].endsAt = min(
      requests.runs[index].endsAt, now.advanced(by: min(rest / 2, plan.work.closing / 4)))
    scheduleRunEnds()
  }

  /// A task of a run is given back: completed, or nobody has heard of it.
  private func taskEnds(_ task: BackgroundTaskIdentifier) {
    if !requests.ended.insert(task).inserted { fail(.runEndsOnce, "\(task) ends twice") }
    let number = tasks.first { $0.identifier == task }?.run
    if let index = requests.runs.firstIndex(where: { $0.task == task || $0.number == number }) {
      let run = requests.runs.remove(at: index)
      if run.launches > 0 {
        fail(.runEndsOnce, "run \(run.number) is given back after its handler was called")
      }
      waitAgain(run)
    }
    endTask(task)
  }

  private func waitAgain(_ run: SimulatedRequests.Run) {
    switch run.request.kind {
    case .refresh, .processing, .continued:
      if !run.isForgotten { requests.waiting.append(.init(request: run.request)) }
    case .fetch, .sessionEvents: break
    }
  }

  /// The system says that the time of a run's task is nearly up.
  func runExpired(_ number: Int, _ reason: ExpiryReason, _ deadline: Instant) {
    if case .denied = reason, let index = requests.run(number) {
      requests.runs[index].isDenied = true
    }
    let isAsking = requests.run(number).map { requests.runs[$0].task == nil } ?? false
    if isAsking, let index = requests.run(number) { waitAgain(requests.runs.remove(at: index)) }
    tellSchedule { $0.taskExpired(number, reason, deadline: deadline, now: $1) }
  }

  /// A run was not completed in its time: the process is terminated once, with that cause (Q4).
  private func runFails(_ task: BackgroundTaskIdentifier) {
    guard let index = requests.runs.firstIndex(where: { $0.task == task }) else {
      return fail(.runEndsOnce, "\(task) fails, whose run is over")
    }
    let run = requests.runs.remove(at: index)
    if !run.isWarned, run.request.kind != .fetch, !run.sawStandstill {
      fail(.runIsWarned, "run \(run.number) fails without a warning")
    }
    if run.launches == 0 {
      fail(.runIsWarned, "run \(run.number) fails before its handler was called")
    }
    // What another process denied holds nothing, so nobody is to blame.
    if !run.isDenied { requests.failed = run.number }
    feed(system.taskNotCompleted(task, now: now))
  }

  // MARK: Checks

  /// After every event that the schedule heard of.
  func checkRequests() {
    guard requests.isChanged else { return }
    requests.isChanged = false
    if let failed = requests.failed {
      fail(.runEndsOnce, "run \(failed) was not completed, and the process lives on")
    }
    let known = requests.waiting.map(\.request.identifier).sorted()
    let pending = scheduler.pending.map(\.identifier).sorted()
    if pending != known { fail(.waitHasReason, "\(known) wait, \(pending) are said to") }
    for waiting in requests.waiting { checkWait(waiting) }
  }

  /// What waits for time alone is looked at when that is over (Q7).
  private func checkWait(_ waiting: SimulatedRequests.Waiting) {
    let identifier = waiting.request.identifier
    if requests.runs.contains(where: { $0.request.identifier == identifier }) { return }
    if obstacle(waiting.request) != nil { return }
    // Whether a denial came before or after a change of state decides how often it counts.
    let left = waiting.retry == nil ? timeLeft(waiting) : max(timeLeft(waiting), .seconds(900))
    let wake = due[Slot.scheduleWake.rawValue]
    if waiting.retry != .distantFuture, wake > now.advanced(by: max(.zero, left) + plan.lateness) {
      fail(.waitHasReason, "\(identifier) waits for \(left), and nobody wakes")
    }
    if isRecording {
      let why = scheduler.why(identifier, now: ScheduleTime(instant: now, wall: wall))
      record(why)
    }
  }
}
