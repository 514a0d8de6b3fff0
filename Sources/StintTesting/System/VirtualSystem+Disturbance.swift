import Stint
public import StintCore

extension VirtualSystem {
  /// Refuses every request for a task from now on; nil grants again (A4).
  ///
  /// - Parameter words: Why, in the system's words.
  public func deny(_ words: String?) {
    environment.note { words.map { "tasks are denied: \($0)" } ?? "tasks are granted again" }
    driver.refusal = words
  }

  /// Takes the rest of the budget back but for the lead: expiry comes early (A18).
  ///
  /// - Parameter reason: Why.
  public func revoke(_ reason: ExpiryReason = .revoked) {
    driver.revoke(reason)
    run()
  }

  /// Asks the process to stop (W11).
  ///
  /// - Parameters:
  ///   - reason: Why.
  ///   - grace: How long it may take.
  public func requestStop(_ reason: ExpiryReason = .stopRequested, grace: Duration) {
    driver.requestStop(reason: reason, grace: grace)
    run()
  }

  /// Moves the clock to where the handlers are called.
  public func expire() {
    guard case .limited(let left) = driver.remainingTime else { return }
    advance(by: max(.zero, left - driver.policy.lead))
  }

  /// Answers a request that waits for the authority in another process (A4).
  ///
  /// - Parameters:
  ///   - identifier: The task.
  ///   - answer: The answer.
  public func answer(_ identifier: BackgroundTaskIdentifier, _ answer: TaskAnswer) {
    driver.answer(identifier, answer)
    run()
  }

  // MARK: The end

  /// Ends the application while it is suspended, without notice (L6).
  public func killWhileSuspended() {
    driver.killWhileSuspended()
    run()
  }

  /// Kills the process at this instant (SIGKILL): whatever waits or was under way never happens.
  public func kill() {
    guard isAlive else { return }
    environment.kill()
    driver.dropHandlers()
    standingSince = nil
  }

  /// Says that the process of a file system is this one: if either is killed, so is the other.
  ///
  /// - Parameter fileSystem: Where the process's jobs are.
  public func share(processOf fileSystem: FaultyFileSystem) {
    fileSystem.setOnEnd { [weak environment] in environment?.kill() }
    environment.state.withLock { $0.onKill.append { fileSystem.killProcess() } }
  }
}
