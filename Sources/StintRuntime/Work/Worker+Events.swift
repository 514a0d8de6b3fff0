import StintCore

// Events go into the machine; its actions come out, each with the state that it is about.

extension Worker {
  var moment: Moment { Moment(now: host.now, deadline: host.deadline) }

  /// Feeds the machine one event, which brings a new state if a chunk has finished.
  func handle(
    newState: Work.State? = nil, _ event: (inout WorkerMachine, Moment) -> [Action]
  ) {
    core.handle(
      { core in
        core.heed(machineSuspended: host.machineSuspended, at: host.now)
        guard var machine = core.machine.take() else { return [] }
        // Read in the order of the events: an older moment after a newer event would bring a
        // deadline back that is gone.
        let moment = moment
        if let newState { core.state = newState }
        let wasBetween = machine.phase.isBetweenStints
        let actions = event(&machine, moment)
        if machine.phase.isBetweenStints, !wasBetween { core.pauses += 1 }
        core.machine = machine
        guard let state = core.state else { return [] }
        return actions.map { Step(action: $0, state: state) }
      }, perform: perform)
    if core.isIdle { tellPause() }
  }

  private func perform(_ step: Step) {
    switch step.action {
    case .beginTask:
      host.requestTask(named: options.taskName, for: self)
    case .endTask(let task):
      host.endTask(task)
    case .stintBegan:
      stintBegan()
    case .runChunk(let cost):
      stopFlag.lower()
      useStore(on: compute, .chunk(cost: cost)) { began in
        self.runChunk(from: step.state, atMost: cost, began: began)
      }
    case .raiseStopFlag:
      stopFlag.raise()
      compute.stopFlagRaised()
    case .save:
      let bytes = work.outlook(of: step.state).checkpointBytes
      useStore(on: saver, .save(bytes: bytes)) { began in self.save(step.state, began: began) }
    case .deliver:
      useStore(on: compute, .deliver) { _ in self.deliverResult(of: step.state) }
    case .wake(let instant):
      wakeTimer.set(instant) { [weak self] in self?.handle { $0.timePassed(at: $1) } }
    case .stintEnded(let summary):
      if summary.isFruitless {
        (work.base as? any DivertibleComputation<Computation.State>)?
          .stintWasFruitless(at: step.state.base, in: store.workspace)
      }
      stintEnded(summary)
    case .notice(let notice):
      tell(notice)
    case .ended(let outcome):
      ended(outcome)
    }
  }

  private func stintBegan() {
    let (restored, workTime) = core.withLock { core in
      core.stints += 1
      return (core.restoredSequence, core.machine?.savedWorkTime ?? .zero)
    }
    store.record(
      .stintBegan(
        budget: host.grant.budget, end: host.tripEnd, restoredSequence: restored,
        workTime: workTime),
      durably: false)
    tick()
  }

  private func stintEnded(_ summary: StintSummary) {
    ticker.stop()
    store.record(
      .stintEnded(
        reason: summary.end, saved: summary.saved, lost: summary.lost,
        leastBudget: summary.leastBudget, measured: summary.measured), durably: false)
    report()
  }

  func tell(_ notice: WorkerNotice) {
    if case .stepTooLong(let expected, _) = notice {
      store.record(.stepTooLong(expected: expected), durably: false)
    }
    store.record(.notice(notice.description), durably: false)
    if let onNotice = options.onNotice {
      reporter.enqueue(.report) { _ in onNotice(notice) }
    }
  }

  func ended(_ outcome: WorkerOutcome) {
    let isFirst = core.withLock { core in
      defer { core.end = core.end ?? outcome }
      return core.end == nil
    }
    guard isFirst else { return }
    ticker.stop()
    wakeTimer.stop()
    host.detach(self)
    endTrip()
    report()
    // Whoever waits sees every report first.
    reporter.enqueue(.report) { _ in
      self.letGoOfStore()
      self.reportContinuation.finish()
      let (waiters, stintWaiters) = self.core.withLock { core in
        core.outcome = outcome
        return (exchange(&core.waiters, with: []), exchange(&core.stintWaiters, with: []))
      }
      for waiter in waiters { waiter.resume(returning: outcome) }
      for waiter in stintWaiters { waiter.resume(with: Self.result(of: outcome)) }
      self.options.onEnd?(outcome)
    }
  }
}

extension Worker: WorkerHostClient {
  package func taskAnswered(_ answer: TaskGrant) {
    switch answer {
    case .granted(let task): handle { $0.taskGranted(task, at: $1) }
    case .denied(let reason):
      // A stop that came before this task was asked for has no other way to be heard of.
      if reason == .stopping, let stop = host.stopReason { stopWasRequested(stop) }
      handle { $0.taskDenied(reason, at: $1) }
    }
  }

  package func taskExpired(_ reason: ExpiryReason) {
    handle { $0.expired(reason, at: $1) }
  }

  package func applicationBecameActive() {
    handle { $0.becameActive(at: $1) }
  }

  package func deadlineMoved() {
    handle { $0.timePassed(at: $1) }
  }

  package func deadlineExtended() {
    handle { $0.deadlineExtended(at: $1) }
  }

  package func applicationSuspended() {
    // The time was up while the job was still being loaded.
    core.withLock { core in
      if core.machine == nil, core.end == nil { core.pauses += 1 }
    }
    handle { $0.suspended(at: $1) }
    tellPause()
    // A stint that was asked for in the trip of the one before begins the next trip.
    if core.withLock({ !$0.stintWaiters.isEmpty && $0.machine?.phase.isBetweenStints == true }) {
      goOn()
    }
  }

  package func stopWasRequested(_ reason: ExpiryReason) {
    // A supervisor may give another reason: it takes its time back, and the job goes on later.
    switch reason {
    case .stopRequested, .signal: stop(reason: reason)
    case .timeElapsed, .revoked, .denied, .engineEndTime, .requirementLost, .leastProgress: break
    }
  }

  package func memoryIsShort() {
    // On a thread of the worker's own: to give memory back takes a moment.
    reporter.enqueue(.report) { _ in
      self.work.memoryIsShort()
      MemoryPools.giveBack()
    }
  }

  package func applicationEnteredBackground() {
    handle { $0.enteredBackground(at: $1) }
    report()
  }
}
