import StintCore

// What outlives the process (Q6).

extension TaskScheduler {
  /// How often, and how long after each other, a place that another process has is asked for: one
  /// that looks at it is soon done.
  private static let (asksForPlace, asksEvery) = (20, Duration.milliseconds(50))

  /// Lets requests outlive this process: takes over what an earlier one has left, and writes down
  /// from now on what changes.
  ///
  /// To be called before the launch. Nothing that was left begins before ``launchEnded()``.
  package func keep(with keeper: any ScheduleKeeper) {
    let keeping = ScheduleKeeping(keeper)
    state.withLock { $0.keeping = keeping }
    keeper.listen { [weak self] in self?.simulate($0) }
    take(keeping, asks: Self.asksForPlace)
  }

  private func take(_ keeping: ScheduleKeeping, asks: Int) {
    switch keeping.take() {
    case .success(.absent): break
    case .success(.taken(let record)): restore(record)
    case .success(.held):
      guard asks > 0 else {
        if keeping.stopAsking() { diagnose(.requestsNotKept(ScheduleKeeping.held)) }
        return
      }
      schedule(at: now.instant.advanced(by: Self.asksEvery)) { [weak self] in
        self?.take(keeping, asks: asks - 1)
      }
    case .failure(let error): diagnose(.requestsNotKept(error))
    }
  }

  private func restore(_ record: ScheduleRecord) {
    var setAside: [String] = []
    handle { machine, now in
      let (identifiers, actions) = machine.recordRead(record, now: now)
      setAside = identifiers
      return actions
    }
    for identifier in setAside {
      diagnose(.requestSetAside(identifier: identifier, ScheduleMachine.manyDeaths))
    }
    if state.withLock({ $0.hasLaunched }) { launchEnded() }
  }

  /// didFinishLaunching has returned: what an earlier process left waits again.
  package func launchEnded() {
    state.withLock { $0.hasLaunched = true }
    var setAside: [String] = []
    handle { machine, now in
      let (identifiers, actions) = machine.handlersRegistered(now: now)
      setAside = identifiers
      return actions
    }
    for identifier in setAside {
      diagnose(
        .requestSetAside(
          identifier: identifier,
          "no handler is registered for it; register one before didFinishLaunching returns"))
    }
  }

  /// Writes down what has changed, before anybody acts on it.
  func keepChanges(_ keeping: ScheduleKeeping) {
    switch keeping.write({ state.withLock { ($0.machine.record, $0.changes) } }) {
    case .done: break
    case .found(let record): restore(record)
    case .failed(let error): diagnose(.requestsNotKept(error))
    }
  }

  /// The application was launched for what is due: it is suspended when that is done.
  package func launchedByAuthority() {
    state.withLock { $0.isContinued = true }
    rest()
  }

  /// Does what somebody simulates from outside (Q8).
  package func simulate(_ simulation: ScheduleSimulation) {
    switch simulation {
    case .launch(let identifier):
      if let identifier = identifier ?? pending.first?.identifier {
        simulateLaunch(of: identifier)
      }
    case .expiry(let identifier):
      if let identifier = identifier ?? firstRunning { simulateExpiration(of: identifier) }
    case .lossOfRequirement(let identifier):
      if let identifier = identifier ?? firstRunning { simulateLoss(of: identifier) }
    case .fetch: simulateFetch()
    }
  }

  private var firstRunning: String? {
    state.withLock { $0.tasks.min { $0.key < $1.key }?.value.identifier }
  }
}
