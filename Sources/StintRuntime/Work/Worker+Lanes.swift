import StintCore

// What runs on the worker's lanes: loading, chunks, checkpoints, the result, reports.

extension Worker {
  /// On the compute thread.
  func load() {
    do {
      try heldStore?.hold(for: self)
      // A store that records the end itself has also checked the result itself.
      if options.finishRecord == nil, store.isFinished {
        return storeIsUsed { self.ended(.finished) }
      }
      let history = store.workHistory
      let restored = try store.restore { try work.decode($0, in: store.workspace) }
      let state = try restored?.state ?? work.start(in: store.workspace)
      let outlook = work.outlook(of: state)
      try outlook.check()
      let grant = host.grant
      let machine = WorkerMachine(
        policy: options.policy.fitted(to: grant.lead), lead: grant.lead,
        outlook: outlook,
        restored: restored?.workTime, budget: grant.budget,
        fruitlessStints: store.stintsWithoutProgress, history: history,
        stagger: store.stagger)
      let requests = core.withLock { core in
        core.machine = machine
        core.state = state
        core.stints = history.stints
        core.restoredSequence = restored?.sequence
        core.unprovedSequence = restored?.sequence
        return exchange(&core.requests, with: [])
      }
      storeIsUsed {
        self.handle { $0.started(isInForeground: self.host.isInForeground, at: $1) }
        for request in requests { self.deliver(request) }
      }
    } catch {
      storeIsUsed {
        self.ended(.failed(StintError(wrapping: error, while: "loading the job")))
      }
    }
  }

  /// How long something took that began at an instant: it takes no longer for a stop of the
  /// process.
  private func runningTime(since began: Instant) -> Duration {
    let now = host.now
    return core.withLock { core in
      core.heed(machineSuspended: host.machineSuspended, at: now)
      return core.stops.runningTime(from: began, to: now)
    }
  }

  /// Takes note that the whole process, a running chunk included, is about to stand still;
  /// ``wasStopped(for:)`` follows.
  package func willBeStopped() {
    let now = host.now
    core.withLock { core in
      core.stops.announce(at: now)
      core.machine?.stoodStill(for: .zero)
    }
  }

  /// Takes note that the whole process, a running chunk included, stood still for a while.
  ///
  /// Any thread, as soon as it goes on.
  package func wasStopped(for duration: Duration) {
    let now = host.now
    core.withLock { $0.stoodStill(for: duration, at: now) }
  }

  /// On the compute thread.
  func runChunk(from state: Work.State, atMost cost: Double, began: Instant) {
    let context = ChunkContext(
      stopFlag: stopFlag, workspace: store.workspace, threads: options.threads,
      onKeptProgress: { self.progressKept() })
    do {
      guard let chunk = try work.run(from: state, atMost: cost, in: context) else {
        return storeIsUsed { self.handle { $0.chunkGaveUp(at: $1) } }
      }
      let took = runningTime(since: began)
      let outlook = work.outlook(of: chunk.state)
      let before = core.withLock { $0.machine?.outlook }
      try chunk.check(atMost: cost, from: before ?? outlook, to: outlook)
      work.measured(took, of: chunk.cost)
      if !chunk.isTrial { proveRestore() }
      storeIsUsed {
        self.handle(newState: chunk.state) {
          $0.chunkFinished(
            took: took, cost: chunk.cost, outlook: outlook, isTrial: chunk.isTrial, at: $1)
        }
      }
    } catch {
      let error = StintError(wrapping: error, while: "computing")
      storeIsUsed { self.handle { $0.chunkFailed(error, at: $1) } }
    }
  }

  /// On the compute thread: the running chunk made a part of the result durable (W13).
  private func progressKept() {
    let isFirst = core.withLock { $0.machine?.progressKept() ?? false }
    if isFirst { store.record(.progressKept, durably: false) }
  }

  /// On the saver's thread.
  func save(_ state: Work.State, began: Instant) {
    let workTime = core.withLock { $0.machine?.workTimeOfSave ?? .zero }
    do {
      var payload = CheckpointPayload()
      try work.encode(state, into: &payload)
      let outlook = work.outlook(of: state)
      _ = try store.commit(payload, workTime: workTime, progress: outlook.progress)
      let took = runningTime(since: began)
      storeIsUsed {
        self.handle { $0.saved(took: took, checkpointBytes: outlook.checkpointBytes, at: $1) }
      }
    } catch {
      let error = StintError(wrapping: error, while: "writing a checkpoint")
      storeIsUsed { self.handle { $0.saveFailed(error, at: $1) } }
    }
  }

  /// On the compute thread.
  func deliverResult(of state: Work.State) {
    do {
      try work.finish(state, in: store.workspace)
      recordFinish()
      storeIsUsed { self.handle { $0.delivered(at: $1) } }
    } catch {
      let error = StintError(wrapping: error, while: "delivering the result")
      storeIsUsed { self.handle { $0.deliveryFailed(error, at: $1) } }
    }
  }

  /// On the compute thread: the result is durable, and from now on the job says so (W9).
  private func recordFinish() {
    let workTime = core.withLock { $0.machine?.completedWorkTime ?? .zero }
    guard let finishRecord = options.finishRecord else {
      return store.recordFinish(workTime: workTime)
    }
    if let event = finishRecord(workTime) { store.record(event, durably: true) }
  }

  /// The first chunk after a restore is done: the checkpoint does not crash the restart (C7).
  private func proveRestore() {
    let sequence = core.withLock { $0.unprovedSequence.take() }
    if let sequence { store.record(.restoreProved(sequence: sequence), durably: false) }
  }

  // MARK: Reports

  /// On the timers' thread: one report, and the next tick an interval from now, so that a stop
  /// makes no burst (L5).
  func tick() {
    let isTicking = core.withLock { core in
      switch core.machine?.phase {
      case .working, .closing, .delivering, .registering: true
      case .idle, .parked, .paused, .ended, nil: false
      }
    }
    guard isTicking else { return }
    report()
    ticker.set(host.now.advanced(by: options.tick)) { [weak self] in self?.tick() }
  }

  /// Hands a report over to the reports' thread.
  func report() {
    guard let report = statusReport() else { return }
    reporter.enqueue(.report) { _ in
      self.reportContinuation.yield(report)
      self.options.onReport?(report)
    }
  }

  /// What the worker says of itself now; nil before the state is loaded.
  public func statusReport() -> StatusReport? {
    let now = host.now
    let remaining = RemainingTime(until: host.deadline, at: now)
    return core.withLock { core in
      guard let machine = core.machine, let startedAt = core.startedAt else { return nil }
      return StatusReport(
        state: machine.reportState,
        progress: machine.progress,
        remaining: remaining,
        nextCheckpointIn: machine.nextCheckpointInstant.map { max(.zero, now.duration(to: $0)) },
        checkpointAge: machine.lastDurable.map { $0.duration(to: now) },
        estimateToFinish: machine.estimateToFinish,
        speed: machine.speed,
        stint: core.stints,
        workTime: machine.keptWorkTime,
        elapsed: startedAt.duration(to: now))
    }
  }
}

extension StintError {
  /// The error itself, or any other error as one with a sentence, which keeps it.
  package init(wrapping error: any Error, while activity: String) {
    if let error = error as? StintError {
      self = error
    } else {
      self.init(.io, "An error occurred while \(activity): \(error).", underlying: error)
    }
  }
}
