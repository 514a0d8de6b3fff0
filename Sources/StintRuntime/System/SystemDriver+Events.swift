package import StintCore

extension SystemDriver {
  /// Asks for a task (A1 to A4); returns at once.
  ///
  /// - Parameters:
  ///   - name: The task's name; empty for the calling function's.
  ///   - origin: Where it is asked for.
  ///   - handler: How the owner learns of the expiry.
  /// - Returns: The grant, and whether the authority's answer is still to come.
  package func begin(
    named name: String, origin: TaskOrigin, handler: TaskHandler
  ) -> (grant: TaskGrant, isPending: Bool) {
    begin(handler: handler) {
      $0.taskRequested(name: name, origin: origin, delivery: handler.delivery, now: $1)
    }
  }

  @inline(__always)
  private func begin(
    handler: TaskHandler,
    _ event: (inout SystemMachine, Instant) -> SystemMachine.Request
  ) -> (grant: TaskGrant, isPending: Bool) {
    let (grant, isPending, outcome) = state.withActions { state, waiting in
      if let refusal = state.refusal {
        return (TaskGrant.denied(.refused(refusal)), false, Outcome())
      }
      let request = event(&state.machine, environment.now)
      if case .granted(let identifier) = request.grant {
        state.handlers.append(HandlerEntry(identifier: identifier, handler: handler))
      }
      return (request.grant, request.isPending, accept(request.actions, &state, &waiting))
    }
    finish(outcome, performHere: false)
    return (grant, isPending)
  }

  /// The system begins a task by itself, with a time of its own (Q9).
  ///
  /// - Parameters:
  ///   - name: The task's name.
  ///   - origin: Where it is begun.
  ///   - allowance: How long it may take.
  ///   - expired: Called on the system's thread when its time is nearly up.
  /// - Returns: The grant.
  package func beginForSystem(
    named name: String, origin: TaskOrigin, allowance: Duration,
    expired: @escaping @Sendable (Expiry) -> Void
  ) -> TaskGrant {
    begin(handler: .direct(expired)) {
      $0.systemTaskRequested(name: name, origin: origin, allowance: allowance, now: $1)
    }.grant
  }

  /// Ends a task (A5 to A7); returns at once.
  ///
  /// - Parameters:
  ///   - identifier: The task.
  ///   - origin: Where it is ended.
  ///   - quietly: Whether a task that is gone is expected.
  /// - Returns: What came of it.
  @discardableResult
  package func end(
    _ identifier: BackgroundTaskIdentifier, origin: TaskOrigin, quietly: Bool = false
  ) -> EndResult {
    let (result, entry, link, outcome) = state.withActions { state, waiting in
      let ended = state.machine.taskEnded(
        identifier, by: origin, quietly: quietly, now: environment.now)
      // The handler is released outside the lock: what it holds may be anything.
      var entry: HandlerEntry?
      for index in state.handlers.indices where state.handlers[index].identifier == identifier {
        entry = state.handlers.remove(at: index)
        break
      }
      return (ended.result, entry, state.authorityLink, accept(ended.actions, &state, &waiting))
    }
    finish(outcome, performHere: false)
    link?.tasksChanged()
    withExtendedLifetime(entry) {}
    return result
  }

  /// Says what the authority in another process answered.
  package func answer(_ identifier: BackgroundTaskIdentifier, _ answer: TaskAnswer) {
    handle(performHere: true) { $0.taskAnswered(identifier, answer, now: $1) }
  }

  // MARK: Life

  /// Launches the application; false if it was launched before.
  ///
  /// - Parameters:
  ///   - launch: Into which state.
  ///   - start: When the trip's clock began, if that was before now.
  ///   - grant: What the trip is granted, if somebody else than the policy says that.
  /// - Returns: Whether it was not launched before.
  @discardableResult
  package func launch(
    _ launch: SystemMachine.Launch, since start: Instant? = nil, granting grant: Duration? = nil
  ) -> Bool {
    live(.launched) { $0.launched(into: launch, since: start, granting: grant, now: $1) }
  }

  /// Leaves the active state; false if the application is not active.
  @discardableResult
  package func resignActive() -> Bool {
    live(.resigned) { $0.resigned(now: $1) }
  }

  /// Enters the background; false if the application is not inactive.
  ///
  /// - Parameters:
  ///   - start: When the trip's clock began, if that was before now.
  ///   - grant: What this trip is granted, if that differs from the policy.
  ///   - isLimited: Whether somebody else than the policy says when the trip ends, or will say so;
  ///     by default, whether there is a grant.
  /// - Returns: Whether the background was entered.
  @discardableResult
  package func enterBackground(
    since start: Instant? = nil, granting grant: Duration? = nil, isLimited: Bool? = nil
  ) -> Bool {
    live(.backgroundEntered) {
      $0.backgroundEntered(since: start, granting: grant, isLimited: isLimited, now: $1)
    }
  }

  /// Enters the background for a trip that ends at an instant, or has no end yet; false if the
  /// application is not inactive.
  @discardableResult
  package func enterBackground(since start: Instant, until end: Deadline?) -> Bool {
    if let end { state.withLock { $0.endSource = end.source } }
    let grant = end.map { max(.zero, start.duration(to: $0.instant)) }
    return enterBackground(since: start, granting: grant, isLimited: true)
  }

  /// Says that nothing more is to be done in this trip: without a task the application is suspended
  /// now, and not only when the time of the trip is used up.
  package func idle() {
    handle(performHere: true) { $0.idled(now: $1) }
  }

  /// The end of the present trip moves, for a reason that those are told who are warned of it (E1).
  package func moveDeadline(to end: Deadline?, because reason: ExpiryReason) {
    handle(performHere: true) { machine, now in
      machine.deadlineMoved(to: end?.instant ?? .distantFuture, because: reason, now: now)
    }
    if let end { state.withLock { $0.endSource = end.source } }
  }

  /// Leaves the background; false if the application is in the foreground or gone.
  @discardableResult
  package func enterForeground() -> Bool {
    live(.foregroundEntered) { $0.foregroundEntered(now: $1) }
  }

  /// Goes from a suspension to the foreground; in any other state nothing happens.
  ///
  /// Of several workers that begin the next trip together, one does.
  package func leaveSuspension() {
    handle(performHere: true) { machine, now in
      machine.lifeState == .suspended ? machine.foregroundEntered(now: now) : []
    }
  }

  /// Becomes active; false if the application is not inactive.
  @discardableResult
  package func becomeActive() -> Bool {
    live(.becameActive) { $0.becameActive(now: $1) }
  }

  /// Runs again after a suspension, in the background.
  package func resume() {
    handle(performHere: true) { $0.resumed(now: $1) }
  }

  /// Asks the process to stop, in whatever state it is (W11).
  package func requestStop(reason: ExpiryReason, grace: Duration) {
    handle(performHere: true) { $0.stopRequested(reason, grace: grace, now: $1) }
  }

  /// Takes the rest of the budget back but for the lead (A18).
  package func revoke(_ reason: ExpiryReason = .revoked) {
    handle(performHere: true) { $0.revoked(reason, now: $1) }
  }

  /// Says that the process or the machine stood still for so long (A23).
  package func continued(afterStop stopped: Duration) {
    handle(performHere: true) { $0.continued(afterStop: stopped, now: $1) }
  }

  /// Asks the kernel whether memory is short while somebody could hear of it, and not else (L10).
  ///
  /// Two threads may come here in either order, so what counts is who listens now.
  package func listenForMemory() {
    isWatchingMemory.withLock { isWatching in
      let (teller, observers) = state.withLock { ($0.teller, $0.observers) }
      let isHeard = teller?.hearsOfMemory == true || observers.contains(where: \.hearsOfMemory)
      guard isHeard != isWatching else { return }
      isWatching = isHeard
      guard isHeard else { return environment.watchMemory(nil) }
      environment.watchMemory { [weak self] isShort in
        if isShort { self?.pressMemory() }
        // A delegate is not retained: it may be gone since.
        self?.listenForMemory()
      }
    }
  }

  /// Says that memory is short (L10).
  package func pressMemory() {
    handle(performHere: true) { $0.memoryPressed(now: $1) }
  }

  /// Says that the process ends in order.
  package func terminate() {
    handle(performHere: true) { $0.terminated(now: $1) }
  }

  /// Ends a suspended application without notice (L6).
  package func killWhileSuspended() {
    handle(performHere: true) { $0.killedWhileSuspended(now: $1) }
  }

  /// Gives the machine a life event if it is possible now; threads may race for it.
  private func live(
    _ event: SystemMachine.LifeEvent, _ body: (inout SystemMachine, Instant) -> [Action]
  ) -> Bool {
    var isPossible = false
    handle(performHere: true) { machine, now in
      isPossible = machine.allows(event)
      return isPossible ? body(&machine, now) : []
    }
    return isPossible
  }
}
