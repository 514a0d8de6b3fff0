import StintCore

// The user, the application's other tasks, and everything that can go wrong.

extension Life {
  // MARK: The user

  func scheduleUser() {
    if followsRun { return }
    let share: Double =
      switch system.lifeState {
      case .notRunning: 0.1
      case .active: 0.15
      case .inactive: 0.01
      case .background: 1.2
      case .suspended: 0
      }
    let mean = system.lifeState == .suspended ? plan.rest : plan.scale * share
    schedule(.user, in: user.waiting(mean))
  }

  func userActs() {
    guard isAlive else { return boot() }
    if followsRun { return runWaitEnds() }
    switch system.lifeState {
    case .notRunning:
      break
    case .active:
      feed(system.resigned(now: now))
    case .inactive:
      if user.chance(0.2) {
        feed(system.becameActive(now: now))
      } else {
        enterBackground()
      }
    case .background:
      enterForeground()
    case .suspended:
      if user.chance(0.1) {
        feed(system.killedWhileSuspended(now: now))
      } else if user.chance(0.1) {
        endSuspension()
        feed(system.resumed(now: now))
      } else {
        enterForeground()
      }
    }
    if isAlive { scheduleUser() }
  }

  func enterBackground() {
    feed(system.timePassed(now: now))
    guard isAlive, system.allows(.backgroundEntered) else { return }
    if !isStopWanted { tasks.removeAll(where: \.endsWithTrip) }
    beginTrip()
    feed(system.backgroundEntered(now: now))
  }

  func enterForeground() {
    feed(system.timePassed(now: now))
    guard isAlive, system.allows(.foregroundEntered) else { return }
    endSuspension()
    quotaUsed += max(.zero, tripStart.duration(to: min(now, tripDeadline)) - uncounted)
    tripDeadline = .distantFuture
    if !isStopWanted {
      for index in tasks.indices where tasks[index].calls == 0 { tasks[index].isWarned = false }
    }
    feed(system.foregroundEntered(now: now))
    guard isAlive, system.allows(.becameActive) else { return }
    feed(system.becameActive(now: now))
  }

  /// The world's own clock of the trip (A9, A16).
  func beginTrip(since start: Instant? = nil, allowing allowance: Duration? = nil) {
    report.trips += 1
    tripStart = start ?? now
    enteredAt = now
    isTripLimited = !plan.policy.suspendsWhenIdle
    isIdle = false
    isTripRevoked = false
    stoodStill = false
    uncounted = .zero
    var grant = allowance ?? plan.policy.grant
    quotaEnd = .distantFuture
    if let quota = plan.policy.dailyQuota {
      if quotaStart.map({ $0.duration(to: now) >= .seconds(86_400) }) ?? true {
        quotaStart = now
        quotaUsed = .zero
      }
      let left = max(.zero, quota - quotaUsed)
      let most = max(left, plan.policy.lead)
      grant = min(grant ?? most, most)
      quotaEnd = tripStart.advanced(by: most)
    }
    tripDeadline = grant.map { tripStart.advanced(by: $0) } ?? .distantFuture
  }

  /// Where stopped time does not count, the trip's end moves by it (A23).
  private func stretchTrip(by duration: Duration) {
    guard plan.policy.stoppedTime == .running, system.trip != nil else { return }
    uncounted += duration
    if tripDeadline < .distantFuture { tripDeadline = tripDeadline.advanced(by: duration) }
    if quotaEnd < .distantFuture { quotaEnd = quotaEnd.advanced(by: duration) }
  }

  func endSuspension() {
    guard let start = suspendedAt else { return }
    suspendedAt = nil
    stretchTrip(by: start.duration(to: now))
  }

  // MARK: The application's own tasks

  func scheduleApp() {
    var next = resumesAt
    for task in tasks where !task.isPending { next = min(next, task.endsAt) }
    schedule(.app, at: next)
  }

  func appTaskEnds() {
    for task in tasks where task.endsAt <= now && !task.isPending && isAlive {
      endTask(task.identifier)
    }
    guard isAlive else { return }
    if resumesAt <= now {
      resumesAt = .distantFuture
      isPauseWanted = false
      tell(worker.resumeRequested(at: moment))
    }
    if isAlive { scheduleApp() }
  }

  private func beginAppTask(_ draw: inout SplitMix64) {
    let deliveries: [TaskDelivery] = [
      .none, .mainQueue, .mainQueue, .mainQueueAsync, .direct, .scoped,
    ]
    let delivery = deliveries[draw.below(deliveries.count)]
    let isLeaked = draw.chance(plan.leakShare)
    let name = "task \(disturbances)"
    let request = system.taskRequested(
      name: name, origin: Self.origin, delivery: delivery, now: now)
    if case .granted(let identifier) = request.grant {
      var task = KnownTask(
        identifier: identifier, name: name, delivery: delivery, isWorkers: false,
        isPending: request.isPending)
      task.endsInHandler = !isLeaked
      if !isLeaked { task.endsAt = now.advanced(by: plan.scale * draw.scale(0.01, 0.6)) }
      tasks.append(task)
    }
    feed(request.actions)
    if isAlive { scheduleApp() }
  }

  // MARK: Disturbances

  func nextDisturbance() -> Duration {
    var draw = SplitMix64(seed: seed, part: 1_000 + UInt64(disturbances))
    return draw.waiting(plan.disturbance)
  }

  /// The next thing that goes wrong.
  ///
  /// Each is drawn from a seed of its own, so that one can be left out without changing the others.
  func disturb() {
    var draw = SplitMix64(seed: seed, part: 1_000_000 + UInt64(disturbances))
    let isSuppressed = suppressed.contains(disturbances)
    disturbances += 1
    schedule(.disturbance, in: nextDisturbance())
    guard isAlive, !isSuppressed else { return }
    if losesPowerSoon {
      losesPowerSoon = false
      return losePower()
    }
    if stopDeadline < .distantFuture, draw.chance(0.7) {
      // Who stops a process often does so twice.
      return draw.chance(0.5) ? requestStop(&draw) : revoke()
    }
    switch draw.below(20) {
    case 0, 1:
      revoke()
    case 2:
      requestStop(&draw)
    case 3 where followsRun:
      drive { $0.stopRequested() }
    case 4 where followsRun, 5 where followsRun:
      record("pause")
      drive { $0.pauseRequested() }
    case 6 where followsRun:
      terminalStops(&draw)
    case 3:
      tell(worker.stopRequested(.afterNextCheckpoint, reason: .stopRequested, at: moment))
      if isAlive { isStopWanted = true }
    case 4, 5:
      record("pause")
      isPauseWanted = true
      resumesAt = now.advanced(by: plan.scale * draw.scale(0.01, 1))
      scheduleApp()
      tell(worker.pauseRequested(at: moment))
    case 6, 7:
      standStill(for: plan.scale * draw.scale(0.001, 0.7))
    case 8:
      kill("signal 9")
    case 9:
      losePower()
    case 10:
      disk.damageNewest()
      // What was found whole before may be damaged now; nobody promised that the newest stays.
      losePower()
      durable = disk.newestWhole?.state ?? SimulatedDisk.State()
    case 13:
      killsAt = SimulatedDisk.Step(rawValue: draw.below(SimulatedDisk.Step.allCases.count))
    case 11:
      tell(worker.timePassed(at: moment))
    case 12:
      feed(system.timePassed(now: now))
    default:
      beginAppTask(&draw)
    }
  }

  private func revoke() {
    record("revoke")
    feed(system.timePassed(now: now))
    guard isAlive else { return }
    if system.lifeState == .background {
      isTripRevoked = true
      tripDeadline = min(tripDeadline, now.advanced(by: plan.policy.lead))
    }
    feed(system.revoked(.revoked, now: now))
  }

  private func requestStop(_ draw: inout SplitMix64) {
    let grace = plan.policy.lead * draw.scale(0.2, 3)
    schedule(.disturbance, in: grace * draw.unit())
    if followsRun { return drive { $0.signalCame(15, now: now) } }
    requestStop(grace: grace)
  }

  func requestStop(grace: Duration) {
    record("stop within \(grace)")
    isStopWanted = true
    stopDeadline = min(stopDeadline, now.advanced(by: grace))
    feed(system.stopRequested(.signal(15), grace: grace, now: now))
    if isAlive { tell(worker.stopRequested(.now, reason: .signal(15), at: moment)) }
  }

  /// The machine is suspended, or the process stopped: nothing happens, the clock goes on (A23).
  func standStill(for duration: Duration) {
    record("stands still for \(duration)")
    now = now.advanced(by: duration)
    for slot in [Slot.chunk, .save, .delivery, .main, .launch, .runEnds]
    where due[slot.rawValue] < .distantFuture {
      due[slot.rawValue] = due[slot.rawValue].advanced(by: duration)
    }
    if let running = save { save?.began = running.began.advanced(by: duration) }
    stoodStill = true
    for index in requests.runs.indices { requests.runs[index].sawStandstill = true }
    if let start = suspendedAt {
      suspendedAt = start.advanced(by: duration)
    }
    stretchTrip(by: duration)
    feed(system.continued(afterStop: duration, now: now))
  }
}
