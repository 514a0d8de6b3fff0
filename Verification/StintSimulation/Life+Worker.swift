import StintCore

// What the worker's machine asks for, and the two lanes.

extension Life {
  static let origin = TaskOrigin(function: "life", file: "Life", line: 0)

  /// Performs the worker's actions in the order of the drivers.
  func tell(_ actions: [WorkerMachine.Action]) {
    guard isAlive else { return }
    workerQueue.append(actions)
    if workerQueue.claim() {
      while let action = workerQueue.next() { perform(action) }
    }
    if isAlive, workerQueue.isIdle { endTripWithStint() }
    if isAlive, plan.requests != nil { endRunWithStint() }
  }

  private func perform(_ action: WorkerMachine.Action) {
    record("worker: \(action)")
    switch action {
    case .beginTask:
      if plant == .registrationIsLost, isBecomingActive { return }
      requestTask()
      if plant == .registersTwice, isAlive { requestTask() }
    case .endTask(let identifier):
      if plant != .taskIsNotEnded { endTask(identifier) }
    case .stintBegan:
      stintBegan = now
      savedAtBegin = durable.workTime
      report.stints += 1
      schedule(.tick, in: plan.tick)
    case .runChunk(let cost):
      startChunk(max(1, min(plan.units - current.units, Int(min(cost, 1e6)))))
    case .raiseStopFlag:
      let seen = now.advanced(by: plan.flagLatency)
      if chunk != nil, seen < due[Slot.chunk.rawValue] {
        chunk?.isFlagged = true
        schedule(.chunk, at: seen)
      }
    case .save:
      startSave()
    case .deliver:
      isDelivering = true
      schedule(.delivery, in: plan.deliveryTime * costs.spread(plan.checkpointSpread))
    case .wake(let instant):
      if plant != .wakeIsLost { schedule(.workerWake, at: instant?.advanced(by: late())) }
    case .stintEnded(let summary):
      cancel(.tick)
      check(summary)
    case .notice:
      break
    case .ended(let outcome):
      guard followsRun else { return exit(outcome) }
      self.outcome = outcome
      drive { $0.workEnded() }
    }
  }

  // MARK: Tasks

  private func requestTask() {
    registrations += 1
    let request = system.taskRequested(
      name: "run", origin: Self.origin, delivery: .direct, now: now)
    switch request.grant {
    case .denied(let reason):
      feed(request.actions)
      if isAlive { tell(worker.taskDenied(reason, at: moment)) }
    case .granted(let identifier):
      tasks.append(
        KnownTask(
          identifier: identifier, name: "run", delivery: .direct, isWorkers: true,
          isPending: request.isPending))
      // The answer and what it sets in motion race for the worker.
      if request.isPending || costs.chance(0.3) {
        feed(request.actions)
        if isAlive, !request.isPending { tell(worker.taskGranted(identifier, at: moment)) }
      } else {
        tell(worker.taskGranted(identifier, at: moment))
        if isAlive { feed(request.actions) }
      }
    }
  }

  func endTask(_ identifier: BackgroundTaskIdentifier) {
    tasks.removeAll { $0.identifier == identifier }
    feed(system.taskEnded(identifier, by: Self.origin, quietly: true, now: now).actions)
  }

  /// The application became active: the worker registers exactly once, or not at all (W5).
  func workerBecomesActive() {
    let isValid = tasks.contains {
      $0.isWorkers && !$0.isDenied && ($0.calls == 0 || $0.isPending)
    }
    let before = registrations
    isBecomingActive = true
    tell(worker.becameActive(at: moment))
    isBecomingActive = false
    guard isAlive, !isStopWanted, !isPauseWanted else { return }
    switch worker.phase {
    case .idle, .paused, .ended, .closing(.failed), .closing(.stopRequested): return
    case .registering, .working, .closing, .delivering, .parked: break
    }
    let made = registrations - before
    if made != (isValid ? 0 : 1) {
      fail(.registersOnce, "\(made) requests, the task was \(isValid ? "valid" : "not valid")")
    }
  }

  // MARK: Chunks

  func startChunk(_ units: Int) {
    if isSuspended { return fail(.suspendedDoesNothing, "a chunk begins") }
    if chunk != nil { return fail(.sameResult, "two chunks at once") }
    var took = plan.unitTime * (Double(units) * costs.spread(plan.chunkSpread))
    if plan.overrunChance > 0, costs.chance(plan.overrunChance) { took = took * 10 }
    chunk = (units, took, false)
    schedule(.chunk, in: took)
  }

  func chunkEnds() {
    guard let done = chunk else { return }
    chunk = nil
    if done.isFlagged { return tell(worker.chunkGaveUp(at: moment)) }
    let first = current.units + (plant == .skipsAUnit && report.processes > 1 ? 1 : 0)
    for unit in first..<first + done.units { current.value = Self.step(current.value, unit) }
    current.units += done.units
    current.workTime += done.took
    totalRun += done.took
    let outlook = Self.outlook(current, plan)
    tell(
      worker.chunkFinished(
        took: done.took, cost: Double(done.units), outlook: outlook, at: moment))
  }

  // MARK: Checkpoints

  private func startSave() {
    if isSuspended { return fail(.suspendedDoesNothing, "a checkpoint begins") }
    if save != nil { return fail(.savedSurvives, "two checkpoints at once") }
    var state = current
    if plant == .savesAHalfDoneChunk, chunk != nil { state.value ^= 1 }
    let fails = plan.faultShare > 0 && costs.chance(plan.faultShare)
    save = (state, 0, now, fails)
    let time = plan.checkpointTime * costs.spread(plan.checkpointSpread)
    saveStep = time / SimulatedDisk.Step.allCases.count
    schedule(.save, in: saveStep)
  }

  func saveStepEnds() {
    guard let running = save, let step = SimulatedDisk.Step(rawValue: running.step) else { return }
    if running.fails, step == .verify {
      save = nil
      disk.abandon()
      return tell(worker.saveFailed(StintError(.io, "the disk is full", errno: 28), at: moment))
    }
    disk.perform(step, of: running.state, plant: plant)
    if killsAt == step { return endDuringCheckpoint() }
    let isLast = step == .prune
    guard isLast || (plant == .savedBeforeItIsDurable && step == .write) else {
      save?.step += 1
      return schedule(.save, in: saveStep)
    }
    save = nil
    durable = running.state
    report.checkpoints += 1
    tell(worker.saved(took: running.began.duration(to: now), at: moment))
    checkSaved()
  }

  /// The end comes in the middle of a commit, and perhaps another one soon after the next start.
  private func endDuringCheckpoint() {
    killsAt = nil
    if user.chance(0.4) { return losePower() }
    losesPowerSoon = user.chance(0.5)
    kill("signal 9 during a checkpoint")
  }

  func deliveryEnds() {
    guard isDelivering else { return }
    isDelivering = false
    if plan.faultShare > 0, costs.chance(plan.faultShare / 2) {
      return tell(worker.deliveryFailed(StintError(.io, "the disk is full", errno: 28), at: moment))
    }
    disk.result = current.value
    tell(worker.delivered(at: moment))
  }
}
