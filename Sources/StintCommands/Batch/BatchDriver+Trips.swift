import Glibc
import StintCore
import StintRuntime

// The trips of a batch, what ends them, and the stops of its terminal.

extension BatchDriver {
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
  func endOverdue() {
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
    runner.kill(overdue) { [weak confined] in
      confined?.later { batch in
        // The kernel takes their memory back when the processors have time for it: on a loaded
        // machine, longer than what is kept of the budget.
        guard !batch.settings.options.time.untilDone || batch.stopReason != nil else { return }
        for (index, stint) in zip(overdue, stints) {
          batch.ended(index, stint: stint, .signalled(SIGKILL))
        }
      }
    }
    if settings.options.time.untilDone, stopReason == nil {
      life.setHardStop(driver.environment.now.advanced(by: settings.stopGrace))
    }
  }

  /// Nothing runs and nothing more can be started in this trip.
  func endTrip() {
    // With time left all lines were started, and those that are not finished have left with the
    // status that asks for more.
    hadTimeLeft = driver.remainingTime.duration.map { $0 >= settings.leastRemaining } ?? true
    // Without an end nothing comes after it: what wants to be run again is for the next process.
    guard life.hasTrip else { return finish() }
    if driver.lifeState == .suspended { return suspended() }
    letGo(&ownTask)
    driver.idle()
  }

  /// Everything is saved and no task is open.
  func suspended() {
    // The terminal has stopped the batch with its lines; this is called again when it continues.
    guard life.machine.phase == .working else { return }
    if machine.running > 0 {
      // Race: the next trip may have begun since.
      return driver.lifeState == .suspended ? endOverdue() : ()
    }
    guard machine.phase == .resting else { return }
    synchronize()
    life.suspended(mayRest: hasStartedAny || wasHeldUp)
  }

  /// Rests until another trip.
  func rest() {
    letLinesGo()
    life.setHardStop(nil)
    show()
  }

  /// Goes on with the trip from which the process was stopped, or begins another one.
  func goOn(inAnotherTrip isAnother: Bool) {
    guard isAnother else { return letLinesGo() }
    keepTicking()
    perform(machine.tripBegan(remaining: driver.remainingTime))
  }

  // MARK: The end that moves

  /// The end of the trip is another one by now.
  func tripEndMoved() {
    let left = driver.remainingTime.duration
    guard stopReason == nil, driver.lifeState == .background, !hasEnded, machine.phase == .closing,
      left.map({ $0 > settings.lead }) ?? true
    else { return }
    // A task is warned once: the batch's own one is replaced. Lines that were told to end stay
    // told.
    var former = exchange(&ownTask, with: nil)
    holdOwnTask()
    letGo(&former)
    for (index, line) in active where !line.wasTold { active[index]?.mustEnd = false }
    perform(machine.tripExtended(remaining: driver.remainingTime))
  }

  // MARK: Stops

  /// Stops if somebody asks for it: no line begins after that.
  ///
  /// - Returns: Whether the batch is being stopped.
  func lookForStop() -> Bool {
    guard life.obeyStopFile() else { return false }
    stop(.stopRequested)
    return true
  }

  /// Whether a stop file is there, or another process has taken the batch up (W11, C6).
  var isStopAsked: Bool {
    guard stopReason == nil else { return true }
    loss = directory.loss()
    return loss != nil || directory.mustStop
  }

  /// Lets every line save and end; it is never revoked (W11).
  func stop(_ reason: ExpiryReason) {
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
  func stopLines() {
    machine.held()
    let limit = driver.environment.now.advanced(by: settings.stopGrace)
    runner.stopAll(by: limit) { [weak confined] in
      confined?.later { batch in
        batch.teller.leaveTerminal()
        // The kernel must not end a process that stands; the lines stand too.
        batch.life.setHardStop(nil)
        batch.life.handle { $0.suspended(now: batch.driver.environment.now) }
      }
    }
  }

  /// The lines go on after a stop of the terminal.
  private func letLinesGo() {
    guard machine.isHeld else { return }
    if life.hasTrip {
      // The end has still to be written down.
      let rest = (driver.remainingTime.duration ?? .zero) + settings.reserve
      life.setHardStop(driver.environment.now.advanced(by: max(rest, settings.stopGrace)))
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
    after(settings.options.time.tick) { $0.tick() }
  }

  private func tick() {
    guard !machine.isHeld else {
      isTicking = false
      return
    }
    _ = lookForStop()
    endLoud()
    // Nothing moves while it rests.
    if life.machine.phase != .resting { show(isTick: true) }
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
      machine, fractions: active.values.compactMap { $0.reading?.progress.fraction },
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
      isResting: life.machine.phase == .resting,
      isClosing: machine.phase == .closing || machine.phase == .stopping)
    teller.show(rows, total, isTick: isTick, now: now)
  }
}
