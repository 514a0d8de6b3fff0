// Signals from outside, and the terminal's stop.

extension SupervisorMachine {
  /// A signal came to the supervisor.
  ///
  /// - Parameters:
  ///   - number: The signal.
  ///   - reachedCommand: Whether the command got the same one already, as a terminal sends it to a
  ///     whole group.
  ///   - now: The time.
  /// - Returns: What is to be done.
  package mutating func signalCame(
    _ number: Int32, reachedCommand: Bool, now: Instant
  ) -> [Action] {
    guard rules.asksToEnd(number) else { return passOn(number, reachedCommand: reachedCommand) }
    // Race: nothing is left that could be asked.
    if phase == .ended { return [] }
    let isFirst = askedBy == nil
    if isFirst {
      askedBy = number
      askedAt = now
    }
    switch phase {
    case .idle, .ended:
      phase = .ended
      return [.leave(.signal(number))]
    case .resting:
      phase = .ended
      return [.leave(diesOfAsking(number) ? .signal(number) : .status(unfinishedStatus))]
    case .suspended:
      phase = .running
      return [.thaw(withGrant: false)] + asked(number, reachedCommand: false)
    case .running, .expiring:
      guard isFirst else { return askedAgain(now: now) }
      return asked(number, reachedCommand: reachedCommand)
    case .emptying, .killed:
      // What is left is to go as soon as it can; the leader has been told.
      guard isFirst else { return askedAgain(now: now) }
      return [.requestStop(signal: number, grace: rules.stopGrace)]
    }
  }

  /// Somebody asked for an end that may wait for the command's next checkpoint: no further stint
  /// begins.
  package mutating func stopRequested(now: Instant) -> [Action] {
    isLastStint = true
    switch phase {
    // It goes on until it has saved, or until its stint ends.
    case .idle, .running, .expiring, .emptying, .killed, .ended:
      return []
    case .resting:
      phase = .ended
      return [.leave(.status(unfinishedStatus))]
    // It would save nothing before its next stint.
    case .suspended:
      return signalCame(SupervisorRules.terminate, reachedCommand: false, now: now)
    }
  }

  /// The terminal's keys, or somebody else, stopped the command.
  package mutating func commandStopped(now: Instant) -> [Action] {
    switch phase {
    // Races: the stop may be the one of our own suspension, or the command may have been killed
    // meanwhile.
    case .idle, .suspended, .emptying, .killed, .resting, .ended:
      return []
    case .running, .expiring:
      guard !isStopped else { return [] }
      isStopped = true
      return [.stopSelf(wholeGroup: true)]
    }
  }

  /// SIGTSTP came to the supervisor itself.
  package mutating func stopAsked(reachedCommand: Bool, now: Instant) -> [Action] {
    switch phase {
    case .running, .expiring:
      guard !isStopped else { return [] }
      isStopped = true
      let pass = reachedCommand ? [] : [Action.signal(Self.terminalStop)]
      return pass + [.stopSelf(wholeGroup: false)]
    // Nothing runs that would go on meanwhile.
    case .idle, .suspended, .resting:
      return [.stopSelf(wholeGroup: false)]
    // It is over in a moment.
    case .emptying, .killed, .ended:
      return []
    }
  }

  /// The supervisor goes on after its stop.
  package mutating func continued(now: Instant) -> [Action] {
    let wasStopped = isStopped
    isStopped = false
    switch phase {
    case .running, .expiring:
      return wasStopped ? [.signal(SupervisorRules.goOn)] : []
    // Nothing of it was stopped, or it is over.
    case .idle, .suspended, .emptying, .killed, .resting, .ended:
      return []
    }
  }

  /// SIGTSTP on Linux.
  static let terminalStop: Int32 = 20

  /// Whether a signal of a terminal's keys asked for the end: a shell's loop around this process is
  /// to stop as well.
  func diesOfAsking(_ number: Int32) -> Bool {
    number == SupervisorRules.interrupt || number == SupervisorRules.quit
  }

  private mutating func passOn(_ number: Int32, reachedCommand: Bool) -> [Action] {
    switch phase {
    case .running, .expiring, .emptying:
      if SupervisorRules.hints.contains(number) || number == rules.warnSignal { hint = number }
      return reachedCommand ? [] : [.signal(number)]
    // Nobody is there to hear it.
    case .idle, .suspended, .killed, .resting, .ended:
      return []
    }
  }

  /// Asks the command to end, one that speaks in words: the signal could end it before it has read
  /// them.
  ///
  /// One that is stopped reads nothing, so it is continued.
  private mutating func asked(_ number: Int32, reachedCommand: Bool) -> [Action] {
    var actions: [Action] = []
    if isAdopted, !reachedCommand {
      owedSignal = number
      actions = [.signal(SupervisorRules.goOn)]
    } else if !reachedCommand {
      actions = sending(number)
    }
    return actions + [.requestStop(signal: number, grace: rules.stopGrace)]
  }

  /// Asked again, it is ended at once (W11).
  private mutating func askedAgain(now: Instant) -> [Action] {
    guard askedAt.duration(to: now) >= SupervisorRules.leastBetweenSignals else { return [] }
    // What does not vanish after SIGKILL is no reason to stay.
    guard phase != .killed else {
      return [.say(.leftBehind)]
        + conclude(end ?? .signalled(SupervisorRules.kill, dumpedCore: false), now: now)
    }
    return killedByForce(now: now)
  }
}
