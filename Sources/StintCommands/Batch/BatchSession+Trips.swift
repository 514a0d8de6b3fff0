import Glibc
import StintCore
import StintRuntime

// The trips of a batch, what ends them, and the stops of its terminal.

extension BatchSession {
  func systemDid(_ event: SystemEvent) {
    switch event {
    case .suspended: later { $0.suspended() }
    case .stopCompleted: later { $0.endOverdue() }
    case .answered, .expired, .deadlineMoved, .deadlineExtended, .stateChanged, .resumed,
      .becameActive, .terminating:
      break
    }
  }

  // MARK: Expiry

  /// The warning of a line's task has come.
  ///
  func expired(_ index: Int, _ reason: ExpiryReason) {
    guard machine.lines[index] == .running else { return }
    lines[index].mustEnd = true
    // A process knows its time by its own budget.
    if reason != .timeElapsed || lines[index].isWaiting { tellToEnd(index) }
    tripExpired(reason)
  }

  /// Lets the process of a line save and end; one that waits for its place gives it up.
  private func tellToEnd(_ index: Int) {
    if lines[index].isWaiting { return giveUp(index) }
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
    for index in lines.indices where lines[index].isWaiting { giveUp(index) }
    let overdue = lines.indices.filter { machine.lines[$0] == .running && !lines[$0].isWaiting }
    for index in overdue {
      lines[index].mustEnd = true
      let job = lines[index].job
      teller.say(
        "Line \(job.number) was still running at the deadline and was killed: \(job.title)")
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
    if machine.running > 0 {
      // Race: the next trip may have begun since.
      return driver.lifeState == .suspended ? endOverdue() : ()
    }
    // A stop of the terminal comes first; this is followed up when it is over.
    guard hold == nil, machine.phase == .resting, !isResting else { return }
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
    if lookForStop() { return }
    isResting = false
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

  /// Obeys a stop file, and stops when another process has taken the batch up: no line begins after
  /// that (W11, C6).
  ///
  /// - Returns: Whether the batch is being stopped.
  func lookForStop() -> Bool {
    guard stopReason == nil else { return true }
    loss = directory.loss()
    if loss != nil || directory.mustStop { stop(.stopRequested) }
    return stopReason != nil
  }

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

  enum Hold: Hashable {
    /// The lines' processes are being stopped.
    case stopping
    /// Continued before it had stopped.
    case revoked
  }

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

  /// Every line's process stands still, and this one follows.
  ///
  /// The tasks stay open: a process that was stopped says only later that it has ended its own, and
  /// until then the system would not be suspended.
  private func linesHaveStopped() {
    guard let hold, !hasEnded else { return }
    teller.leaveTerminal()
    // The kernel must not end a process that stands; the lines stand too.
    armHardStop(nil)
    let began = driver.environment.now
    if hold == .stopping { driver.environment.stopProcess() }
    goOn(afterStop: began.duration(to: driver.environment.now))
  }

  /// The process was continued: the trip goes on with what is left of it (A23).
  private func goOn(afterStop stopped: Duration) {
    // Past the deadline this ends the trip, and what still runs with it.
    if driver.lifeState != .suspended { driver.continued(afterStop: stopped) }
    if trip != nil, !isResting {
      // The end has still to be written down.
      let rest = (driver.remainingTime.duration ?? .zero) + settings.reserve
      armHardStop(driver.environment.now.advanced(by: max(rest, settings.stopGrace)))
    }
    if lookForStop() { return }
    hold = nil
    runner.send(SIGCONT, to: Array(lines.indices))
    keepTicking()
    perform(machine.released(remaining: driver.remainingTime))
    guard driver.lifeState == .suspended, machine.running == 0 else { return }
    if isResting { endRest() } else { suspended() }
  }

  // MARK: The tick

  /// Lets the display follow what runs, and a stop be seen.
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
    guard !hasEnded, hold == nil else {
      isTicking = false
      return
    }
    _ = lookForStop()
    endLoud()
    // Nothing moves while it rests.
    if !isResting { show(isTick: true) }
    tickLater()
  }

  /// Ends commands that would fill the disk with what is kept of their output.
  private func endLoud() {
    for index in lines.indices
    where machine.lines[index] == .running && lines[index].job.verb == .exec
      && lines[index].fault == nil
      && directory.outputBytes(of: lines[index].job.key) > BatchVerdict.mostOutputBytes
    {
      lines[index].fault = BatchVerdict.reasonOfOutput
      tellToEnd(index)
    }
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
