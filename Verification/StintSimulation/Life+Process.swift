import StintCore

// From the start of a process to its end.

extension Life {
  static func outlook(_ state: SimulatedDisk.State, _ plan: Plan) -> Outlook {
    let left = plan.units - state.units
    return Outlook(
      progress: WorkProgress(fraction: Double(state.units) / Double(plan.units), phase: ""),
      next: left > 0 ? .init(smallest: 1, largest: Double(left)) : nil,
      remainingCost: Double(left), checkpointBytes: plan.checkpointBytes)
  }

  /// Starts a process: finds the newest checkpoint, launches the application, starts the worker.
  func boot() {
    report.processes += 1
    let expected = disk.newestWhole
    let before = current.workTime
    let restored = disk.restore(plant: plant)
    if restored?.sequence != expected?.sequence {
      fail(.newestIsFound, "\(restored?.sequence ?? 0) instead of \(expected?.sequence ?? 0)")
    }
    if (restored?.state.workTime ?? .zero) < durable.workTime {
      fail(
        .savedSurvives,
        "\(durable.workTime) was saved, \(restored?.state.workTime ?? .zero) is left")
    }
    current = restored?.state ?? SimulatedDisk.State()
    durable = current
    cutOff += before - current.workTime
    var policy = plan.policy
    if plant == .quotaIsForgotten { policy.dailyQuota = nil }
    if plant == .graceIsShorter { policy.enterBackgroundGrace = policy.enterBackgroundGrace / 8 }
    system = SystemMachine(policy: policy, authority: plan.authority)
    worker = WorkerMachine(
      policy: plan.work, lead: plan.policy.lead, outlook: Self.outlook(current, plan),
      restored: restored?.state.workTime, budget: plan.policy.grant)
    isAlive = true
    beginRequests()
    let background = !followsRun && user.chance(0.1)
    if background { beginTrip() }
    feed(system.launched(into: background ? .background : .foreground, now: now))
    if !background { feed(system.becameActive(now: now)) }
    if let rules = plan.run {
      beginRun(rules)
    } else {
      tell(worker.started(isInForeground: !background, at: moment))
      scheduleUser()
    }
    if losesPowerSoon { schedule(.disturbance, in: plan.unitTime * user.unit()) }
  }

  /// The process is gone, whatever it was doing.
  func processEnds() {
    guard isAlive else { return }
    isAlive = false
    for slot in Slot.allCases where slot != .disturbance { cancel(slot) }
    systemQueue.removeAll()
    workerQueue.removeAll()
    runQueue.removeAll()
    scheduleQueue.removeAll()
    requests = SimulatedRequests()
    heardState = .notRunning
    outcome = nil
    turns.removeAll()
    tasks.removeAll()
    asked.removeAll()
    chunk = nil
    save = nil
    isDelivering = false
    isSuspended = false
    isPauseWanted = false
    isStopWanted = false
    stintBegan = nil
    tripDeadline = .distantFuture
    stopDeadline = .distantFuture
    stoodStill = false
    suspendedAt = nil
    resumesAt = .distantFuture
    suspendedSince = nil
    quotaStart = nil
    quotaUsed = .zero
    // The next process comes after a while, unless the work is done.
    if !isOver { schedule(.user, in: plan.rest * user.scale(0.1, 1)) }
  }

  /// SIGKILL: nothing more is done, but the disk's cache stays.
  func kill(_ why: @autoclosure () -> String) {
    record("killed: \(why())")
    report.kills += 1
    disk.processEnded()
    processEnds()
  }

  /// Power is lost.
  func losePower() {
    record("power is lost")
    report.kills += 1
    disk.powerLost(&user)
    processEnds()
  }

  /// The worker has ended for good, or the stop is complete: the process exits in order.
  func exit(_ outcome: WorkerOutcome?) {
    record("exits: \(outcome.map { "\($0)" } ?? "stop completed")")
    if outcome == .finished {
      isOver = true
      report.isFinished = true
      var value = SimulatedDisk.State().value
      for unit in 0..<plan.units { value = Self.step(value, unit) }
      if disk.result != value { fail(.sameResult, "\(disk.result ?? 0) instead of \(value)") }
      let kept = worker.keptWorkTime
      if totalRun != kept + cutOff {
        fail(.accounted, "ran \(totalRun), kept \(kept), cut off \(cutOff)")
      }
    } else if case .failed(let error) = outcome, error.code == .noProgress {
      isOver = true
    }
    disk.processEnded()
    processEnds()
  }

  /// One unit of the work.
  static func step(_ value: UInt64, _ unit: Int) -> UInt64 {
    value &* 6_364_136_223_846_793_005 &+ UInt64(unit)
  }
}
