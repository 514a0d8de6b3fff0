import StintCore

// What the system's machine asks for, and the main queue.

extension Life {
  /// Performs actions in the order of the drivers.
  func feed(_ actions: [SystemMachine.Action]) {
    guard isAlive else { return }
    systemQueue.append(actions)
    guard systemQueue.claim() else { return }
    while let action = systemQueue.next() { perform(action) }
  }

  private func perform(_ action: SystemMachine.Action) {
    record("system: \(action)")
    switch action {
    case .wake(let instant):
      schedule(.systemWake, at: instant?.advanced(by: late()))
    case .armHardStop(let instant):
      if plant != .hardStopIsLost { schedule(.hardStop, at: instant) }
    case .show(.background):
      tell(worker.enteredBackground(at: moment))
      scheduleHearsOfLife()
    case .show:
      scheduleHearsOfLife()
    case .tell(.didBecomeActive, _):
      workerBecomesActive()
    case .tell(.didEnterBackground, let trip):
      enqueue(.enterReturned(trip: trip))
    case .tell:
      break
    case .expireDirectly(let identifiers, let reason, let deadline):
      if plant == .expiryIsLost { return }
      for identifier in identifiers { handOver(identifier, reason, deadline) }
    case .deadlineMoved:
      if plant != .nearerDeadlineIsNotTold { tell(worker.timePassed(at: moment)) }
    case .deadlineExtended:
      tell(worker.deadlineExtended(at: moment))
    case .callHandlers(let identifiers, _, _, let epoch):
      if plant == .expiryIsLost { return }
      for identifier in identifiers {
        update(identifier) { $0.isWarned = true }
        enqueue(.handler(identifier, epoch: epoch))
        if plant == .handlerComesTwice { enqueue(.handler(identifier, epoch: epoch)) }
      }
    case .diagnose(.scopeOverran(let name)):
      // Ended by the system, because the scope did not stop (A21).
      tasks.removeAll { $0.name == name }
    case .announceExpiry, .diagnose:
      break
    case .ask(let identifier):
      asked.append(identifier)
      if asked.count == 1 { schedule(.answer, in: plan.scale * costs.scale(0.0001, 0.02)) }
    case .answer(let identifier, let answer):
      answered(identifier, answer)
    case .suspend:
      checkTripLasted()
      isSuspended = true
      suspendedAt = now
      suspendedSince = now
      uncountedBefore = uncounted
      if plant == .chunksGoOnWhileSuspended, current.units < plan.units { startChunk(1) }
      if plant == .ticksGoOnWhileSuspended { schedule(.tick, in: plan.tick) }
      scheduleUser()
      tell(worker.suspended(at: moment))
      if followsRun, !workHasEnded { drive { $0.suspended(now: now) } }
      scheduleHearsOfLife()
    case .resume:
      isSuspended = false
      serveMain()
      scheduleHearsOfLife()
    case .stopCompleted:
      exit(nil)
    case .terminate(let cause):
      terminated(cause)
    }
  }

  /// Timers are as late as a loaded machine makes them.
  func late() -> Duration {
    plan.lateness == .zero ? .zero : plan.lateness * costs.unit()
  }

  func index(of identifier: BackgroundTaskIdentifier) -> Int? {
    tasks.firstIndex { $0.identifier == identifier }
  }

  func update(_ identifier: BackgroundTaskIdentifier, _ body: (inout KnownTask) -> Void) {
    if let index = index(of: identifier) { body(&tasks[index]) }
  }

  /// An owner that does not use the main queue.
  private func handOver(
    _ identifier: BackgroundTaskIdentifier, _ reason: ExpiryReason, _ deadline: Instant
  ) {
    // Ended by an owner that was called before: the driver knows it no more.
    guard let index = index(of: identifier) else { return }
    tasks[index].isWarned = true
    call(index)
    if let run = tasks[index].run {
      if case .denied = reason { tasks[index].isDenied = true }
      return runExpired(run, reason, deadline)
    }
    if case .denied = reason {
      tasks[index].isDenied = true
      if !tasks[index].isWorkers { endTask(identifier) }
      return
    }
    if tasks[index].isWorkers {
      tell(worker.expired(reason, at: moment))
    } else if tasks[index].endsInHandler {
      tasks[index].endsAt = min(tasks[index].endsAt, now.advanced(by: plan.work.closing / 4))
      scheduleApp()
    }
  }

  /// Counts a call of a task's owner.
  private func call(_ index: Int) {
    tasks[index].calls += 1
    if tasks[index].calls > 1 { fail(.handlerOnce, "\(tasks[index].identifier) is called again") }
    if isSuspended { fail(.suspendedDoesNothing, "a handler is called") }
  }

  // MARK: The authority

  func authorityAnswers() {
    guard !asked.isEmpty else { return }
    let identifier = asked.removeFirst()
    if !asked.isEmpty { schedule(.answer, in: plan.scale * 0.001) }
    let isGranted = !costs.chance(0.05)
    if !isGranted { update(identifier) { $0.isDenied = true } }
    feed(system.taskAnswered(identifier, isGranted ? .granted : .denied(.refused("")), now: now))
  }

  private func answered(_ identifier: BackgroundTaskIdentifier, _ answer: TaskAnswer) {
    guard let index = index(of: identifier) else { return }
    tasks[index].isPending = false
    guard tasks[index].isWorkers else { return }
    switch answer {
    case .granted:
      tell(worker.taskGranted(identifier, at: moment))
    case .denied(let reason):
      tell(worker.taskDenied(reason, at: moment))
    }
  }

  // MARK: The main queue

  func enqueue(_ turn: Turn) {
    turns.append(turn)
    serveMain()
  }

  func serveMain() {
    guard !turns.isEmpty, !isSuspended, due[Slot.main.rawValue] == .distantFuture else { return }
    // Mostly at once; now and then something else is in its way.
    schedule(.main, in: costs.chance(0.05) ? plan.policy.lead * (0.2 * costs.unit()) : .zero)
  }

  func mainTurn() {
    guard !turns.isEmpty, !isSuspended else { return }
    switch turns.removeFirst() {
    case .enterReturned(let trip):
      feed(system.didEnterBackgroundReturned(trip: trip, now: now))
    case .handler(let identifier, let epoch):
      let claim = system.handlerClaimed(identifier, epoch: epoch, now: now)
      feed(claim.actions)
      guard isAlive else { return }
      if claim.mayCall || plant == .handlerComesTwice || plant == .handlerComesAfterEnd {
        handlerRuns(identifier)
      }
    case .handlerEnds(let identifier):
      if let index = index(of: identifier), tasks[index].endsInHandler { endTask(identifier) }
      if isAlive { feed(system.handlerReturned(identifier, now: now)) }
    }
    if isAlive { serveMain() }
  }

  private func handlerRuns(_ identifier: BackgroundTaskIdentifier) {
    guard let index = index(of: identifier) else {
      return fail(.handlerOnce, "the handler of \(identifier) is called after its end")
    }
    call(index)
    turns.insert(.handlerEnds(identifier), at: 0)
    schedule(.main, in: plan.policy.lead * (costs.chance(0.1) ? 0.3 * costs.unit() : 0.001))
  }

  // MARK: Ends

  func hardStopFires() {
    checkWarned("the hard stop")
    if isAlive { kill("hard stop") }
  }

  private func terminated(_ cause: TerminationCause) {
    switch cause {
    case .enterBackgroundOverran:
      checkGrace()
    case .overrun, .leakedTask, .handlersOverran:
      checkWarned("\(cause)")
      let deadline = min(tripDeadline, stopDeadline)
      if now > deadline, !stoodStill {
        fail(.noTaskPastItsDeadline, "ended \(deadline.duration(to: now)) after the deadline")
      }
    default: break
    }
    kill("\(cause)")
  }
}
