// What the command's end means.

extension SupervisorMachine {
  /// The command's own process has ended.
  ///
  /// - Parameters:
  ///   - end: How.
  ///   - familyRemains: Whether descendants of it are still there.
  ///   - now: The time.
  /// - Returns: What is to be done.
  package mutating func commandEnded(
    _ end: CommandEnd, familyRemains: Bool, now: Instant
  ) -> [Action] {
    switch phase {
    case .idle, .emptying, .resting, .ended:
      preconditionFailure("A command ends once a stint.")
    case .running:
      // In its own time it may leave behind what it likes; asked to end, it may not.
      return askedBy == nil || !familyRemains || rules.isForeground
        ? conclude(end, now: now) : leaving(end, now: now)
    case .expiring:
      return familyRemains && !rules.isForeground
        ? leaving(end, now: now) : conclude(end, now: now)
    case .suspended:
      // It was killed from outside while suspended; its suspended descendants would wait for ever.
      guard familyRemains else { return conclude(end, now: now) }
      self.end = end
      return killed(now: now)
    case .killed:
      precondition(self.end == nil, "A command ends once a stint.")
      self.end = end
      guard familyRemains, !rules.isForeground else { return conclude(end, now: now) }
      return [.killAll, .wake(at: vanishEnd)]
    }
  }

  /// What the command left behind is gone too.
  package mutating func familyEnded(now: Instant) -> [Action] {
    switch phase {
    // Races: it was looked for when the stint was over.
    case .idle, .running, .expiring, .suspended, .resting, .ended:
      return []
    case .emptying, .killed:
      guard let end else { return [] }
      return conclude(end, now: now)
    }
  }

  /// The rest between two stints is over.
  ///
  /// - Parameters:
  ///   - hasTime: Whether another stint can be granted.
  ///   - now: The time.
  /// - Returns: What is to be done.
  package mutating func restEnded(hasTime: Bool, now: Instant) -> [Action] {
    switch phase {
    // Races: it ended, or somebody asked it to end, while it rested.
    case .idle, .running, .expiring, .emptying, .killed, .ended:
      return []
    case .resting:
      guard hasTime else {
        phase = .ended
        return [.say(.timeIsOver), .leave(.status(unfinishedStatus))]
      }
      phase = .running
      return [.start]
    case .suspended:
      guard hasTime else { return [.say(.timeIsOver)] + killed(now: now) }
      phase = .running
      expiry = nil
      deadline = .distantFuture
      return [.thaw(withGrant: true)]
    }
  }

  private mutating func leaving(_ end: CommandEnd, now: Instant) -> [Action] {
    self.end = end
    phase = .emptying
    // Processes that were told a deadline have until then. Others are hardly waited for, as with
    // `timeout`.
    let hasDeadline = rules.style == .budget && deadline != .distantFuture
    emptyingEnd =
      hasDeadline ? killDue : now.advanced(by: SupervisorRules.emptyingWithoutDeadline)
    // What it left behind does not speak.
    return (takeOwedSignal().map(sending) ?? [])
      + [.wake(at: emptyingEnd == .distantFuture ? nil : emptyingEnd)]
  }

  /// The stint is over: what it was, and what follows.
  mutating func conclude(_ end: CommandEnd, now: Instant) -> [Action] {
    let outcome = outcome(of: end)
    let askedBy = askedBy
    let hasExpired = expiry != nil
    if askedBy == nil { count(outcome) }
    var actions: [Action] = [.wake(at: nil), .endStint(outcome)]
    if case .signalled(_, dumpedCore: true) = end { actions.append(.say(.dumpedCore)) }
    let next = askedBy == nil && !isLastStint ? restart(after: outcome) : nil
    if let next {
      actions += next
    } else {
      phase = .ended
      actions += refusal(after: outcome)
      actions.append(.leave(exit(end, outcome, hasExpired: hasExpired, askedBy: askedBy)))
    }
    return actions
  }

  private func outcome(of end: CommandEnd) -> StintOutcome {
    if wasKilled, end.isDeath(ofAnyOf: [SupervisorRules.kill]) { return .killed }
    if expiry != nil || askedBy != nil {
      let sent = [rules.stopSignal, rules.warnSignal, askedBy].compactMap { $0 }
      if end.isDeath(ofAnyOf: sent) { return .stoppedInTime(end) }
    }
    switch end {
    case .exited(0): return .finished
    // The checkpoint file is better evidence than the status of a command that was told to end.
    case .exited(rules.unfinishedStatus)
    where rules.hasCheckpointFile && expiry != nil && !hasProgressed:
      return .stoppedInTime(end)
    case .exited(rules.unfinishedStatus): return .asksAgain
    case .exited(let status): return .failed(status)
    case .signalled(let number, _) where diesOfAsking(number): return .interrupted(number)
    case .signalled(let number, let dumpedCore): return .crashed(number, dumpedCore: dumpedCore)
    }
  }

  /// The actions that lead to another stint; nil if there is none.
  private mutating func restart(after outcome: StintOutcome) -> [Action]? {
    guard rules.untilDone, !isWithoutProgress(after: outcome) else { return nil }
    var actions: [Action] = []
    switch outcome {
    case .finished, .failed, .interrupted, .notRun:
      return nil
    case .asksAgain, .stoppedInTime:
      break
    case .killed, .crashed:
      guard restarts < rules.maximumRestarts else { return nil }
      restarts += 1
      let left = rules.maximumRestarts - restarts
      actions.append(.say(.startedAgain(after: outcome, restartsLeft: left)))
    }
    phase = .resting
    expiry = nil
    deadline = .distantFuture
    stopDue = .distantFuture
    emptyingEnd = .distantFuture
    vanishEnd = .distantFuture
    self.end = nil
    wasKilled = false
    isAdopted = false
    isStopped = false
    hasProgressed = false
    return actions + [.rest(rules.rest)]
  }

  /// Counts a stint that our stop ended without a sign that anything was kept (W13).
  private mutating func count(_ outcome: StintOutcome) {
    if outcome == .asksAgain { fruitlessStints = 0 }
    if wasStopped(outcome), !hasProgressed { fruitlessStints += 1 }
  }

  private func isWithoutProgress(after outcome: StintOutcome) -> Bool {
    rules.isJob && fruitlessStints >= SupervisorRules.attempts && wasStopped(outcome)
  }

  /// Whether more time could have brought a checkpoint; to one that crashed no budget is long
  /// enough.
  private func wasStopped(_ outcome: StintOutcome) -> Bool {
    switch outcome {
    case .stoppedInTime, .killed: true
    case .finished, .failed, .asksAgain, .crashed, .interrupted, .notRun: false
    }
  }

  /// Why there is no further stint, where one was wished for.
  private func refusal(after outcome: StintOutcome) -> [Action] {
    guard askedBy == nil else { return [] }
    if isWithoutProgress(after: outcome) { return [.say(.noProgress)] }
    switch outcome {
    case .killed, .crashed:
      return rules.untilDone && !isLastStint ? [.say(.noRestartsLeft(outcome))] : []
    case .finished, .failed, .asksAgain, .stoppedInTime, .interrupted, .notRun: return []
    }
  }

  /// The status of a command that is not finished and was not killed.
  var unfinishedStatus: Int32 {
    rules.isJob || rules.untilDone ? rules.unfinishedStatus : SupervisorExit.timedOut
  }

  private func exit(
    _ end: CommandEnd, _ outcome: StintOutcome, hasExpired: Bool, askedBy: Int32?
  ) -> SupervisorExit {
    if let askedBy { return exitWhenAsked(by: askedBy, end, outcome) }
    if isWithoutProgress(after: outcome) { return .status(SupervisorExit.noProgress) }
    guard hasExpired else {
      if case .signalled(let number, _) = end { return .signal(number) }
      return .status(end.shellStatus)
    }
    if rules.preservesStatus { return .status(end.shellStatus) }
    if end == .signalled(SupervisorRules.kill, dumpedCore: false) {
      return .status(SupervisorExit.killed)
    }
    switch (rules.style, outcome) {
    case (.timeout, _): return .status(SupervisorExit.timedOut)
    case (.budget, .stoppedInTime): return .status(unfinishedStatus)
    case (.budget, .crashed(let number, _)), (.budget, .interrupted(let number)):
      return .signal(number)
    case (.budget, .finished), (.budget, .failed), (.budget, .asksAgain), (.budget, .killed),
      (.budget, .notRun):
      return .status(end.shellStatus)
    }
  }

  private func exitWhenAsked(
    by number: Int32, _ end: CommandEnd, _ outcome: StintOutcome
  ) -> SupervisorExit {
    if rules.style == .budget, outcome != .finished {
      if diesOfAsking(number) { return .signal(number) }
      if case .stoppedInTime = outcome, rules.isJob || rules.untilDone {
        return .status(rules.unfinishedStatus)
      }
    }
    if case .signalled(let number, _) = end { return .signal(number) }
    return .status(end.shellStatus)
  }
}
