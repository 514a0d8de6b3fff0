import Glibc
import StintCore
import StintRuntime

// The trips of a batch, what ends them, and the stops of its terminal.

extension BatchSession {
  func systemDid(_ event: SystemEvent) {
    switch event {
    case .suspended: later { $0.suspended() }
    case .stopCompleted: later { $0.endOverdue() }
    case .answered, .expired, .deadlineMoved, .stateChanged, .resumed, .becameActive, .terminating:
      break
    }
  }

  // MARK: Expiry

  /// The warning of a line's task has come.
  ///
  /// When the time is up the process knows that by its own budget; of anything else it has to be told.
  func expired(_ index: Int, _ reason: ExpiryReason) {
    guard machine.lines[index] == .running else { return }
    lines[index].mustEnd = true
    if reason != .timeElapsed { tellToEnd(index) }
    tripExpired(reason)
  }

  /// Lets the process of a line save and end.
  private func tellToEnd(_ index: Int) {
    guard !lines[index].wasTold else { return }
    lines[index].wasTold = true
    runner.send(SIGTERM, to: [index])
  }

  /// The warning of the batch's own task has come.
  func tripExpired(_ reason: ExpiryReason) {
    perform(machine.tripCloses())
  }

  /// The time is gone: what still runs is ended, so that one line that is stuck costs no other anything (A19).
  private func endOverdue() {
    let overdue = lines.indices.filter { machine.lines[$0] == .running }
    for index in overdue {
      lines[index].mustEnd = true
      let job = lines[index].job
      teller.say("Line \(job.number) went on when its time was gone, and was killed: \(job.title)")
    }
    runner.send(SIGKILL, to: overdue)
    guard !overdue.isEmpty else { return }
    // The kernel takes their memory back when the processors have time for it: on a loaded machine, longer than what is kept of the budget.
    if settings.untilDone, stopReason == nil {
      armHardStop(driver.environment.now.advanced(by: settings.stopGrace))
    } else {
      for index in overdue { ended(index, stint: lines[index].stints, .signalled(SIGKILL)) }
    }
  }

  /// Nothing runs and nothing more can be started in this trip.
  func endTrip() {
    // With time left all lines were started, and those that are not finished have left with the status that asks for more.
    hadTimeLeft = driver.remainingTime.duration.map { $0 >= settings.leastRemaining } ?? true
    // Without an end nothing comes after it: what wants to be run again is for the next process.
    guard trip != nil else { return finish() }
    if driver.lifeState == .suspended { return suspended() }
    letGo(&ownTask)
  }

  /// Everything is saved and no task is open.
  private func suspended() {
    if hasEnded { return }
    if hold != nil { return stopProcess() }
    if machine.running > 0 {
      // Race: the next trip may have begun since.
      return driver.lifeState == .suspended ? endOverdue() : ()
    }
    guard machine.phase == .resting, !isResting else { return }
    guard settings.untilDone, hasStartedAny else { return finish() }
    isResting = true
    armHardStop(nil)
    show()
    driver.environment.schedule(at: driver.environment.now.advanced(by: settings.rest)) {
      [weak self] in self?.later { $0.endRest() }
    }
  }

  private func endRest() {
    guard isResting, !hasEnded, hold == nil else { return }
    isResting = false
    if directory.mustStop { return stop(.stopRequested) }
    let now = driver.environment.now
    guard let grant = settings.nextGrant(now), grant > settings.leastRemaining,
      driver.enterForeground(), driver.becomeActive()
    else { return finish() }
    holdOwnTask()
    trip = (now, grant)
    armHardStop(now.advanced(by: grant + settings.reserve))
    driver.resignActive()
    driver.enterBackground(since: now, granting: grant)
    keepTicking()
    perform(machine.tripBegan(remaining: driver.remainingTime))
  }

  // MARK: Stops

  /// Lets every line save and end; it is never revoked (W11).
  func stop(_ reason: ExpiryReason) {
    guard stopReason == nil, !hasEnded else { return }
    stopReason = reason
    isResting = false
    var actions = machine.stopRequested()
    for index in lines.indices where machine.lines[index] == .running {
      lines[index].mustEnd = true
      tellToEnd(index)
    }
    if hold != nil {
      // A process that is stopped takes no signal until it is continued.
      hold = nil
      runner.send(SIGCONT, to: Array(lines.indices))
      actions += machine.released(remaining: .limited(.zero))
    }
    if machine.running > 0 { driver.requestStop(reason: reason, grace: settings.stopGrace) }
    perform(actions)
  }

  // MARK: The terminal's stop

  /// SIGTSTP: every line's process saves and stops, then this one.
  func terminalStops() {
    guard hold == nil, stopReason == nil, !hasEnded else { return }
    hold = .stopping
    machine.held()
    let limit = driver.environment.now.advanced(by: settings.stopGrace)
    runner.stopAll(by: limit) { [weak self] in self?.later { $0.linesHaveStopped() } }
  }

  /// SIGCONT: it counts against a stop that is under way.
  func terminalContinues() {
    if hold != nil { hold = .revoked }
  }

  private func linesHaveStopped() {
    guard hold != nil, !hasEnded else { return }
    if hold == .stopping { hold = .stopped }
    for index in lines.indices { letGo(&lines[index].task) }
    let isSuspendedSoon = trip != nil && driver.lifeState != .suspended
    letGo(&ownTask)
    if !isSuspendedSoon { stopProcess() }
  }

  private func stopProcess() {
    teller.leaveTerminal()
    // Nothing runs while it stands, and the time that passes is nobody's.
    armHardStop(nil)
    if hold != .revoked { driver.environment.stopProcess() }
    goOn()
  }

  /// The process was continued: the trip goes on with what is left of it.
  private func goOn() {
    hold = nil
    if isResting {
      _ = machine.released(remaining: driver.remainingTime)
      return endRest()
    }
    let now = driver.environment.now
    if let trip, driver.lifeState == .suspended {
      let rest = now.duration(to: trip.start.advanced(by: trip.grant))
      if rest > settings.leastRemaining, driver.enterForeground(), driver.becomeActive() {
        armHardStop(trip.start.advanced(by: trip.grant + settings.reserve))
        holdTasks()
        driver.resignActive()
        driver.enterBackground(since: trip.start, granting: trip.grant)
      } else {
        // The lines' own budgets are over too, and they end when they are continued.
        perform(machine.tripCloses())
      }
    } else {
      holdTasks()
    }
    runner.send(SIGCONT, to: Array(lines.indices))
    keepTicking()
    perform(machine.released(remaining: driver.remainingTime))
  }

  private func holdTasks() {
    holdOwnTask()
    for index in lines.indices where machine.lines[index] == .running {
      _ = holdTask(for: index)
    }
  }

  // MARK: The tick

  /// Lets the display follow while anything runs.
  func keepTicking() {
    guard !isTicking else { return }
    isTicking = true
    tickLater()
  }

  private func tickLater() {
    driver.environment.schedule(at: driver.environment.now.advanced(by: settings.tick)) {
      [weak self] in self?.later { $0.tick() }
    }
  }

  private func tick() {
    guard !hasEnded, !isResting, hold == nil else {
      isTicking = false
      return
    }
    if directory.mustStop { stop(.stopRequested) }
    show(isTick: true)
    tickLater()
  }

  /// Shows how the batch stands.
  func show(isTick: Bool = false) {
    guard !hasEnded, hold == nil else { return }
    let now = driver.environment.now
    let rows = lines.indices.filter { machine.lines[$0] == .running }.map { index in
      BatchRow(
        number: lines[index].job.number, title: lines[index].job.title,
        reading: lines[index].reading,
        elapsed: lines[index].startedAt.map { $0.duration(to: now) } ?? .zero)
    }
    let total = BatchTotal(
      progress: progress, remaining: driver.remainingTime, isResting: isResting,
      isClosing: machine.phase == .closing || machine.phase == .stopping)
    teller.show(rows, total, isTick: isTick, now: now)
  }
}
