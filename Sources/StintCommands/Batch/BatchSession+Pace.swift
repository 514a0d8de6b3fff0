import Glibc
import StintCore
import StintRuntime

// When the next line of a batch is started, how long it may run, and what follows a failure.

extension BatchSession {
  /// How often it is looked whether a line may be started.
  private static let looksEvery = Duration.milliseconds(200)

  /// Starts the next line as soon as it may be started.
  func askForStart() {
    let now = driver.environment.now
    let due = lastStart.map { $0.advanced(by: settings.pace.delay) } ?? now
    guard due <= now else { return askAgain(at: due) }
    // What is too late by now is told to the machine at once.
    let isTooLate = driver.remainingTime.duration.map { $0 < settings.leastRemaining } ?? false
    if !isTooLate, machine.phase == .working, let obstacle = settings.pace.obstacle {
      if !hasToldObstacle { teller.tell("Lines wait to be started: \(obstacle).") }
      (hasToldObstacle, wasHeldUp) = (true, true)
      return askAgain(at: now.advanced(by: Self.looksEvery))
    }
    hasToldObstacle = false
    lastStart = now
    perform(machine.mayStart(remaining: driver.remainingTime))
  }

  private func askAgain(at instant: Instant) {
    driver.environment.schedule(at: instant) { [weak self] in
      self?.later { session in
        guard !session.hasEnded else { return }
        session.askForStart()
      }
    }
  }

  /// Lets a line that has failed be run again after its delay.
  func retryLater(_ index: Int) {
    driver.environment.schedule(at: driver.environment.now.advanced(by: settings.pace.retryDelay)) {
      [weak self] in
      self?.later { session in
        guard !session.hasEnded else { return }
        session.perform(
          session.machine.retryIsDue(index, remaining: session.driver.remainingTime))
      }
    }
  }

  /// Ends the process of a line when it has run for too long.
  func limitTime(of index: Int, stint: Int) {
    guard let line = active[index], let limit = settings.pace.timeout(ofRun: line.run) else {
      return
    }
    driver.environment.schedule(at: driver.environment.now.advanced(by: limit)) { [weak self] in
      self?.later { $0.timeIsUp(index, stint: stint) }
    }
  }

  private func timeIsUp(_ index: Int, stint: Int) {
    guard let line = active[index], accounts[index].stints == stint, line.fault == nil,
      !line.wasTold, !line.mustEnd, !hasEnded
    else { return }
    active[index]?.fault = .timeout
    tellToEnd(index)
    driver.environment.schedule(at: driver.environment.now.advanced(by: settings.stopGrace)) {
      [weak self] in
      self?.later { session in
        guard session.active[index] != nil, session.accounts[index].stints == stint else { return }
        session.runner.kill([index]) {}
      }
    }
  }

  /// Ends the lines that run, because too many have failed.
  func endRunning() {
    for index in active.keys where machine.lines[index] == .running {
      active[index]?.mustEnd = true
      tellToEnd(index)
    }
    driver.environment.schedule(at: driver.environment.now.advanced(by: settings.stopGrace)) {
      [weak self] in
      self?.later { session in
        guard !session.hasEnded else { return }
        session.runner.kill(session.active.filter { !$1.isWaiting }.keys.sorted()) {}
      }
    }
  }

  func sayHalted() {
    let failed = machine.count(of: .failed)
    teller.say(
      "\(BatchAccount.lines(failed)) failed, so no more lines are started (--halt)"
        + (active.isEmpty ? "." : "; \(BatchAccount.lines(active.count)) still run."))
  }
}
