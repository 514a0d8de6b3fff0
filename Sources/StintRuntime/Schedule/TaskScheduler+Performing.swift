import StintCore

extension TaskScheduler {
  func perform(_ action: Action) {
    // What follows may suspend or end the process.
    if let keeping = state.withLock({ $0.keeping }) { keepChanges(keeping) }
    switch action {
    case .begin(let run, let request, let allowance):
      begin(run, request, allowance)
    case .launch(let run):
      launch(run)
    case .expire(let run, let reason, _):
      expire(run, reason)
    case .end(let task):
      driver?.end(task, origin: Self.system, quietly: true)
      rest()
    case .fail(let task):
      driver?.handle(performHere: true) { $0.taskNotCompleted(task, now: $1) }
    case .allow(let end):
      driver?.handle(performHere: false) { $0.timeAllowed(until: end, now: $1) }
    }
  }

  /// What the application was continued for is done: it is to be suspended again.
  func rest() {
    let isDone = state.withLock { state in
      guard state.tasks.isEmpty else { return false }
      return exchange(&state.isContinued, with: false)
    }
    if isDone { driver?.idle() }
  }

  /// Who began a task that the program did not.
  private static var system: TaskOrigin {
    TaskOrigin(function: "the system", file: #fileID, line: #line)
  }

  private func begin(_ run: Int, _ request: TaskRequest, _ allowance: Duration) {
    // Before the grant: the time of the task may be up before this call returns.
    let task = ScheduledTask(request, run: run, scheduler: self)
    state.withLock { $0.tasks[run] = $0.tasks[run] ?? task }
    guard let driver else { return }
    let grant = driver.beginForSystem(
      named: request.identifier, origin: Self.system, allowance: allowance
    ) { [weak self] expiry in
      self?.handle {
        $0.taskExpired(run, expiry.reason, deadline: expiry.deadline, now: $1)
      }
    }
    switch grant {
    case .granted(let identifier): handle { $0.taskBegan(run, identifier, now: $1) }
    case .denied(let reason):
      forget(run)
      handle { $0.taskDenied(run, reason, now: $1) }
      rest()
    }
    if request.kind == .continued { driver.listenForMemory() }
  }

  private func launch(_ run: Int) {
    guard let driver, let task = state.withLock({ $0.tasks[run] }) else { return }
    switch task.kind {
    case .refresh, .processing, .continued:
      guard let handler = state.withLock({ $0.handlers[task.identifier] }) else { return }
      driver.environment.on(handler.queue) {
        if task.claimLaunch() { handler.launch(task) }
      }
    case .fetch:
      driver.post(.fetch(task))
    case .sessionEvents:
      driver.post(.sessionEvents(task))
    }
  }

  private func expire(_ run: Int, _ reason: ExpiryReason) {
    guard let task = state.withLock({ $0.tasks[run] }) else { return }
    guard let handler = task.expirationHandler else { return task.completeBySystem() }
    driver?.environment.onMain {
      // Completed meanwhile, it is not called any more (A5).
      if !task.isCompleted { handler(reason) }
    }
  }

  // MARK: What tasks tell

  func claimLaunch(_ run: Int) -> Bool {
    let (isClaimed, keeping) = state.withLock { state in
      state.changes += 1
      return (state.machine.launchClaimed(run), state.keeping)
    }
    // Begun, before the handler can do anything.
    if let keeping { keepChanges(keeping) }
    // Nobody will hear of it.
    if !isClaimed {
      forget(run)
      rest()
    }
    return isClaimed
  }

  /// Lets go of a task outside of the lock: what its handler holds may be anything.
  @discardableResult
  private func forget(_ run: Int) -> ScheduledTask? {
    state.withLock { $0.tasks.removeValue(forKey: run) }
  }

  func completed(_ run: Int, _ result: BackgroundFetchResult) {
    let task = forget(run)
    handle { $0.runCompleted(run, result, now: $1).actions }
    if task?.kind == .continued { driver?.listenForMemory() }
  }

  func progressed(_ run: Int, to fraction: Double) {
    handle { $0.progressed(run, to: fraction, now: $1) }
  }

  func diagnose(_ diagnostic: Diagnostic) {
    driver?.environment.diagnose(diagnostic)
  }
}

extension TaskScheduler: SystemObserver {
  package var hearsOfMemory: Bool { state.withLock { $0.machine.continuedRuns.count > 1 } }

  package func systemDid(_ event: SystemEvent) {
    switch event {
    case .stateChanged, .suspended, .resumed:
      let isContinued = event == .resumed && driver?.lifeState == .background
      state.withLock { $0.isContinued = isContinued }
      // The present state, and not the one of the event: it may have changed since.
      if state.withLock({ $0.machine.needsConditions(now: now) }) { look() }
      guard let driver else { return }
      handle { $0.lifeChanged(to: driver.lifeState, now: $1) }
    case .refreshStatusChanged(let status):
      handle { $0.statusChanged(to: status, now: $1) }
    case .memoryIsShort:
      for task in state.withLock({ Array($0.tasks.values) }) {
        if let fraction = task.readFraction { progressed(task.run, to: fraction) }
      }
      handle { $0.memoryPressed(now: $1) }
    case .terminated:
      let tasks = state.withLock { exchange(&$0.tasks, with: [:]) }
      handle { $0.terminated(now: $1) }
      withExtendedLifetime(tasks) {}
    case .answered, .expired, .deadlineMoved, .deadlineExtended, .becameActive, .stopCompleted,
      .terminating:
      break
    }
  }
}
