import Glibc
import StintCore
import StintRuntime

// When the next line of a batch is started, how long it may run, and what follows a failure.

extension BatchDriver {
  /// How often it is looked whether a line may be started.
  private static let looksEvery = Duration.milliseconds(200)

  /// Starts the next line as soon as it may be started.
  func askForStart() {
    let now = driver.environment.now
    let due = lastStart.map { $0.advanced(by: settings.options.pace.delay) } ?? now
    guard due <= now else { return askAgain(after: now.duration(to: due)) }
    // What is too late by now is told to the machine at once.
    let isTooLate = driver.remainingTime.duration.map { $0 < settings.leastRemaining } ?? false
    if !isTooLate, machine.phase == .working, let obstacle = settings.options.pace.obstacle {
      if !hasToldObstacle { teller.tell("Lines wait to be started: \(obstacle).") }
      (hasToldObstacle, wasHeldUp) = (true, true)
      return askAgain(after: Self.looksEvery)
    }
    hasToldObstacle = false
    lastStart = now
    perform(machine.mayStart(remaining: driver.remainingTime))
  }

  private func askAgain(after time: Duration) {
    after(time) { $0.askForStart() }
  }

  /// Lets a line that has failed be run again after its delay.
  func retryLater(_ index: Int) {
    after(settings.options.pace.retryDelay) { batch in
      batch.perform(batch.machine.retryIsDue(index, remaining: batch.driver.remainingTime))
    }
  }

  /// Ends the process of a line when it has run for too long.
  func limitTime(of index: Int, stint: Int) {
    guard let line = active[index], let limit = settings.options.pace.timeout(ofRun: line.run)
    else {
      return
    }
    after(limit) { $0.timeIsUp(index, stint: stint) }
  }

  private func timeIsUp(_ index: Int, stint: Int) {
    guard let line = active[index], accounts[index].stints == stint, line.fault == nil,
      !line.wasTold, !line.mustEnd, !hasEnded
    else { return }
    active[index]?.fault = .timeout
    tellToEnd(index)
    after(settings.stopGrace) { batch in
      guard batch.active[index] != nil, batch.accounts[index].stints == stint else { return }
      batch.runner.kill([index]) {}
    }
  }

  /// Ends the lines that run, because too many have failed.
  func endRunning() {
    for index in active.keys where machine.lines[index] == .running {
      active[index]?.mustEnd = true
      tellToEnd(index)
    }
    after(settings.stopGrace) { batch in
      batch.runner.kill(batch.active.filter { !$1.isWaiting }.keys.sorted()) {}
    }
  }

  func sayHalted() {
    let failed = machine.count(of: .failed)
    teller.say(
      "\(BatchAccount.lines(failed)) failed, so no more lines are started (--halt)"
        + (active.isEmpty ? "." : "; \(BatchAccount.lines(active.count)) still run."))
  }
}
