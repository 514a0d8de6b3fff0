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
      .becameActive, .terminating, .memoryIsShort:
      break
    }
  }

  // MARK: Expiry

  /// The warning of a line's task has come.
  func expired(_ index: Int, _ reason: ExpiryReason) {
    guard machine.lines[index] == .running else { return }
    active[index]?.mustEnd = true
    // Other processes know their time by their own budget.
    guard let line = active[index] else { return }
    let isPlain = line.job.plainCommand != nil
    if reason == .timeElapsed, isPlain, !line.wasTold { active[index]?.wasToldInTime = true }
    if reason != .timeElapsed || line.isWaiting || isPlain { tellToEnd(index) }
    tripExpired()
  }

  /// Lets the process of a line save and end; one that waits for its place gives it up.
  func tellToEnd(_ index: Int) {
    guard let line = active[index], !line.wasTold else { return }
    if line.isWaiting { return giveUp(index) }
    active[index]?.wasTold = true
    runner.send(SIGTERM, to: [index])
  }

  /// The warning of the batch's own task has come.
  func tripExpired() {
    perform(machine.tripCloses())
  }

  /// The time is gone: what still runs is ended, so that one line that is stuck costs no other
  /// anything (A19).
  private func endOverdue() {
    for (index, line) in active where line.isWaiting { giveUp(index) }
    let overdue = active.filter { !$1.isWaiting && !$1.isKilled && machine.lines[$0] == .running }
      .keys.sorted()
    for index in overdue {
      active[index]?.mustEnd = true
      active[index]?.isKilled = true
      teller.say(
        "Line \(lines.number(of: index)) was still running at the deadline and was killed: "
          + lines.title(of: index))
    }
    guard !overdue.isEmpty else { return }
    let stints = overdue.map { Int(accounts[$0].stints) }
    runner.kill(overdue) { [weak self] in
      self?.later { session in
        // The kernel takes their memory back when the processors have time for it: on a loaded
        // machine, longer than what is kept of the budget.
        guard !session.settings.untilDone || session.stopReason != nil else { return }
        for (index, stint) in zip(overdue, stints) {
          session.ended(index, stint: stint, .signalled(SIGKILL))
        }
      }
    }
    if settings.untilDone, stopReason == nil {
      host.armHardStop(at: driver.environment.now.advanced(by: settings.stopGrace))
    }
  }

  /// Nothing runs and nothing more can be started in this trip.
  func endTrip() {
    // With time left all lines were started, and those that are not finished have left with the
    // status that asks for more.
    hadTimeLeft = driver.remainingTime.duration.map { $0 >= settings.leastRemaining } ?? true
    // Without an end nothing comes after it: what wants to be run again is for the next process.
    guard trip != nil else { return finish() }
    follower.tripEnded()
    if driver.lifeState == .suspended { return suspended() }
    letGo(&ownTask)
    driver.idle()
  }

  /// Everything is saved and no task is open.
  private func suspended() {
    // The terminal has stopped the batch with its lines; this is called again when it continues.
    guard host.life.machine.phase == .working else { return }
    if machine.running > 0 {
      // Race: the next trip may have begun since.
      return driver.lifeState == .suspended ? endOverdue() : ()
    }
    guard machine.phase == .resting else { return }
    synchronize()
    handle {
      $0.suspended(mayRest: self.hasStartedAny || self.wasHeldUp, now: self.driver.environment.now)
    }
  }

  private func rest(_ wait: Int, until end: Instant) {
    letLinesGo()
    host.armHardStop(at: nil)
    show()
    driver.environment.schedule(at: end) { [weak self] in self?.later { $0.endRest(wait) } }
  }

  private func endRest(_ wait: Int) {
    guard host.life.machine.isAwaited(wait), !lookForStop() else { return }
    let now = driver.environment.now
    var next = settings.time(ofTripSince: now)
    if case .trip(_, let end?)? = next, now.duration(to: end.instant) <= settings.leastRemaining {
      next = nil
    }
    handle { $0.restEnded(next, now: now) }
  }

  /// Goes on with the trip from which the process was stopped, or begins another one.
  private func goOn(_ time: RunMachine.Time) {
    guard case .trip(let start, let end) = time, start != trip?.start else { return letLinesGo() }
    guard driver.enterForeground(), driver.becomeActive() else { return finish() }
    holdOwnTask()
    trip = (start, end)
    host.armHardStop(at: end?.instant.advanced(by: settings.reserve))
    driver.resignActive()
    driver.enterBackground(since: start, until: end)
    follower.tripBegan(at: start, end: settings.sources.end(ofTripSince: start), of: self)
    keepTicking()
    perform(machine.tripBegan(remaining: driver.remainingTime))
  }

  // MARK: The end that moves

  /// The end of the trip has moved; on the lane.
  private func tripEndMoved(to end: Deadline?, because reason: ExpiryReason) {
    guard trip != nil, driver.lifeState == .background, !hasEnded else { return }
    trip?.end = end
    handle { $0.deadlineMoved(to: end) }
    driver.moveDeadline(to: end, because: reason)
    guard stopReason == nil else { return }
    host.armHardStop(at: end?.instant.advanced(by: settings.reserve))
    let left = driver.remainingTime.duration
    guard machine.phase == .closing, left.map({ $0 > settings.lead }) ?? true else { return }
    // A task is warned once: the batch's own one is replaced. Lines that were told to end stay
    // told.
    var former = ownTask
    holdOwnTask()
    letGo(&former)
    for (index, line) in active where !line.wasTold { active[index]?.mustEnd = false }
    perform(machine.tripExtended(remaining: driver.remainingTime))
  }

  // MARK: The run machine

  /// Gives the run machine an event, and performs what it wants; on the lane.
  func handle(_ event: (inout RunMachine) -> [RunMachine.Action]) {
    host.life.handle(event) { perform($0) }
  }

  /// Whether the last words are being written.
  var hasEnded: Bool { host.life.machine.phase == .ended }

  /// What the run machine wants; on the lane.
  func perform(_ action: RunMachine.Action) {
    switch action {
    case .begin(let time): begin(time)
    case .goOn(let time): goOn(time)
    case .save: stopLines()
    // Race: it was asked for just before the lines began.
    case .stopProcess where machine.running > 0 && !machine.isHeld:
      handle { $0.terminalStopCame() }
    case .stopProcess: stopProcess()
    case .rest(let end, let wait): rest(wait, until: end)
    case .endAfterCheckpoint: stop(.stopRequested)
    case .requestStop(let number): stop(.signal(number))
    case .leave: conclude()
    case .die(let number): runner.kill(nil) { SignalWatch.die(of: number) }
    // Nobody pauses a batch, and it has no authority.
    case .pause, .endWork: break
    }
  }

  // MARK: Stops

  /// Obeys a stop file, and stops when another process has taken the batch up: no line begins after
  /// that (W11, C6); true while the batch is being stopped.
  func lookForStop() -> Bool {
    guard stopReason == nil else { return true }
    loss = directory.loss()
    if loss != nil || directory.mustStop { handle { $0.stopRequested() } }
    return stopReason != nil
  }

  /// Lets every line save and end; it is never revoked (W11).
  private func stop(_ reason: ExpiryReason) {
    guard stopReason == nil, !hasEnded else { return }
    stopReason = reason
    var actions = machine.stopRequested()
    for index in active.keys.sorted() where machine.lines[index] == .running {
      active[index]?.mustEnd = true
      tellToEnd(index)
    }
    if machine.isHeld {
      // A process that is stopped takes no signal until it is continued.
      runner.send(SIGCONT, to: active.keys.sorted())
      actions += machine.released(remaining: .limited(.zero))
    }
    if machine.running > 0 { driver.requestStop(reason: reason, grace: settings.stopGrace) }
    perform(actions)
  }

  // MARK: The terminal's stop

  /// Every line's process saves and stops, then this one.
  ///
  /// The tasks stay open: a process that was stopped says only later that it has ended its own, and
  /// until then the system would not be suspended.
  private func stopLines() {
    machine.held()
    let limit = driver.environment.now.advanced(by: settings.stopGrace)
    runner.stopAll(by: limit) { [weak self] in
      self?.later { session in
        session.teller.leaveTerminal()
        // The kernel must not end a process that stands; the lines stand too.
        session.host.armHardStop(at: nil)
        session.handle { $0.suspended(now: session.driver.environment.now) }
      }
    }
  }

  private func stopProcess() {
    teller.leaveTerminal()
    host.armHardStop(at: nil)
    let began = driver.environment.now
    driver.environment.stopProcess()
    let stopped = began.duration(to: driver.environment.now)
    // The trip goes on with what is left of it (A23). Past the deadline this ends the trip, and
    // what still runs with it.
    if driver.lifeState != .suspended { driver.continued(afterStop: stopped) }
    handle { $0.processContinued(now: self.driver.environment.now) }
  }

  /// The lines go on after a stop of the terminal.
  private func letLinesGo() {
    guard machine.isHeld else { return }
    if trip != nil {
      // The end has still to be written down.
      let rest = (driver.remainingTime.duration ?? .zero) + settings.reserve
      host.armHardStop(at: driver.environment.now.advanced(by: max(rest, settings.stopGrace)))
    }
    if lookForStop() { return }
    runner.send(SIGCONT, to: active.keys.sorted())
    keepTicking()
    perform(machine.released(remaining: driver.remainingTime))
    if driver.lifeState == .suspended, machine.running == 0 { suspended() }
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
    guard !hasEnded, !machine.isHeld else {
      isTicking = false
      return
    }
    _ = lookForStop()
    endLoud()
    // Nothing moves while it rests.
    if host.life.machine.phase != .resting { show(isTick: true) }
    tickLater()
  }

  /// Ends commands that would fill the disk with what is kept of their output.
  private func endLoud() {
    for (index, line) in active
    where machine.lines[index] == .running && line.job.verb == .exec && line.fault == nil
      && directory.outputBytes(of: line.job.key) > BatchVerdict.mostOutputBytes
    {
      active[index]?.fault = .output
      tellToEnd(index)
    }
  }

  var progress: BatchProgress {
    BatchProgress(
      machine, fractions: active.values.compactMap { $0.reading?.fraction },
      startFraction: startFraction,
      elapsed: settings.launchedAt.duration(to: driver.environment.now))
  }

  func show(isTick: Bool = false) {
    guard !hasEnded, !machine.isHeld else { return }
    let now = driver.environment.now
    let rows = active.filter { machine.lines[$0.key] == .running }.sorted { $0.key < $1.key }
      .map { _, line in
        BatchRow(
          number: line.job.number, title: line.job.title, reading: line.reading,
          elapsed: line.startedAt.map { $0.duration(to: now) } ?? .zero)
      }
    let total = BatchTotal(
      progress: progress, remaining: driver.remainingTime,
      isResting: host.life.machine.phase == .resting,
      isClosing: machine.phase == .closing || machine.phase == .stopping)
    teller.show(rows, total, isTick: isTick, now: now)
  }
}

extension BatchSession: BudgetClient {
  func endMoved(
    to end: Deadline?, because reason: ExpiryReason, then moved: @escaping @Sendable () -> Void
  ) {
    let end = end.map(settings.kept)
    later {
      $0.tripEndMoved(to: end, because: reason)
      moved()
    }
  }

  func recordMovedEnd(_ end: Deadline?) {
    directory.record(.deadlineMoved(to: end.map(settings.kept)), durably: true)
  }
}
