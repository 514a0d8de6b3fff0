import StintCore

// The command line's own user: the run machine, which lives in half of the lives in the place of
// the random one.

extension Life {
  /// Whether the application's states follow the run machine.
  var followsRun: Bool { plan.run != nil }

  /// The time of a trip whose clock began at an instant.
  private func time(since start: Instant) -> RunMachine.Time {
    plan.policy.grant.map {
      .trip(start: start, end: Deadline(source: "policy", instant: start.advanced(by: $0)))
    } ?? .unlimited
  }

  /// The process has launched its application: the run begins, sometimes long after the launch,
  /// because it read its input or waited for a lock.
  func beginRun(_ rules: RunMachine.Rules) {
    runMachine = RunMachine(rules: rules)
    let delay = user.chance(0.2) ? plan.scale * (0.5 * user.unit()) : .zero
    drive { $0.begun(self.time(since: now.advanced(by: .zero - delay)), now: now) }
  }

  /// Gives the run machine an event; it is followed up when the event that led to it is over, as on
  /// a thread of its own.
  func drive(_ event: (inout RunMachine) -> [RunMachine.Action]) {
    guard isAlive, plant != .runIsNotTold || runMachine.phase == .idle else { return }
    runQueue.append(event(&runMachine))
  }

  /// Performs what the run machine wants.
  func followRun() {
    guard followsRun else { return }
    if runQueue.claim() {
      while let action = runQueue.next() { perform(action) }
    }
    if isAlive, runQueue.isIdle { checkRun() }
  }

  private func perform(_ action: RunMachine.Action) {
    record("run: \(action)")
    switch action {
    case .begin(let time):
      tell(worker.started(isInForeground: true, at: moment))
      if isAlive { enterTrip(time) }
    case .goOn(let time):
      enterForeground()
      guard isAlive else { return }
      enterTrip(time)
      guard isAlive else { return }
      isPauseWanted = false
      tell(worker.resumeRequested(at: moment))
    case .save:
      if system.lifeState == .suspended { return }
      if system.lifeState == .active {
        feed(system.resigned(now: now))
        if isAlive { enterBackground() }
      }
      guard isAlive else { return }
      isPauseWanted = true
      tell(worker.pauseRequested(at: moment))
    case .stopProcess:
      standStill(for: plan.scale * user.scale(0.001, 0.7))
      if isAlive { drive { $0.processContinued(now: now) } }
    case .rest(let end, _):
      schedule(.user, at: end)
    case .pause:
      schedule(.user, in: user.waiting(plan.rest))
    case .endAfterCheckpoint:
      isStopWanted = true
      tell(worker.stopRequested(.afterNextCheckpoint, reason: .stopRequested, at: moment))
    case .requestStop:
      requestStop(grace: plan.policy.lead * user.scale(0.2, 3))
    case .die:
      kill("a second signal")
    case .leave(.timeIsUp):
      exit(nil)
    case .leave(.workEnded):
      exit(outcome)
    case .endWork:
      break
    }
  }

  private func enterTrip(_ time: RunMachine.Time) {
    guard case .trip(let start, let end?) = time else { return }
    feed(system.resigned(now: now))
    feed(system.timePassed(now: now))
    guard isAlive, system.allows(.backgroundEntered) else { return }
    if !isStopWanted { tasks.removeAll(where: \.endsWithTrip) }
    beginTrip(since: start)
    isTripLimited = true
    feed(
      system.backgroundEntered(since: start, granting: start.duration(to: end.instant), now: now))
    if plant == .idlesTooEarly, isAlive { feed(system.idled(now: now)) }
  }

  /// The worker works alone in a trip of the run machine, which is over with its stint.
  func endTripWithStint() {
    let isOver = worker.phase.isBetweenStints || workHasEnded
    defer { wasStintOver = isOver }
    guard followsRun, isOver, !wasStintOver else { return }
    isIdle = true
    feed(system.idled(now: now))
  }

  /// A rest or a pause is over.
  func runWaitEnds() {
    switch runMachine.phase {
    case .resting:
      if user.chance(0.05) { return feed(system.killedWhileSuspended(now: now)) }
      drive { $0.restEnded(self.time(since: now), now: now) }
    case .paused:
      drive { $0.pauseEnded(now: now) }
    // Race: a stop of the terminal ended the wait.
    case .idle, .working, .saving, .stopped, .ending, .ended:
      break
    }
  }

  /// The terminal's keys: a stop, which is sometimes taken back at once.
  func terminalStops(_ draw: inout SplitMix64) {
    record("SIGTSTP")
    drive { $0.terminalStopCame() }
    if draw.chance(0.2) { drive { $0.terminalContinueCame() } }
  }

  var workHasEnded: Bool {
    if case .ended = worker.phase { true } else { false }
  }

  /// Suspended, the process waits for something or is about to end.
  private func checkRun() {
    guard isSuspended, !workHasEnded else { return }
    switch runMachine.phase {
    case .working, .saving:
      fail(.suspensionIsFollowedUp, "suspended in the phase \(runMachine.phase)")
    case .idle, .stopped, .resting, .paused, .ending, .ended:
      break
    }
  }
}
