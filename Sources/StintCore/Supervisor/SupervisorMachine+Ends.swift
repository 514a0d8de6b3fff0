// What the command's end means.

extension SupervisorMachine {
  /// The command's own process has ended.
  ///
  /// - Parameters:
  ///   - end: How.
  ///   - familyRemains: Whether descendants of it are still there.
  ///   - evidence: What its files say.
  ///   - now: The time.
  /// - Returns: What is to be done.
  package mutating func commandEnded(
    _ end: CommandEnd, familyRemains: Bool, evidence: CommandEvidence = CommandEvidence(),
    now: Instant
  ) -> [Action] {
    self.evidence = evidence
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
      vanishEnd = max(vanishEnd, now.advanced(by: SupervisorRules.lastVanishing))
      return [.killAll, .wake(at: vanishEnd)]
    }
  }

  /// What the command left behind is gone too.
  ///
  /// - Parameters:
  ///   - evidence: What the command's files say now; nil if they say what they said.
  ///   - now: The time.
  /// - Returns: What is to be done.
  package mutating func familyEnded(
    evidence: CommandEvidence? = nil, now: Instant
  ) -> [Action] {
    switch phase {
    // Races: it was looked for when the stint was over.
    case .idle, .running, .expiring, .suspended, .resting, .ended:
      return []
    case .emptying, .killed:
      guard let end else { return [] }
      self.evidence = evidence ?? self.evidence
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
      began = now
      return [.start]
    case .suspended:
      guard hasTime else { return [.say(.timeIsOver)] + killed(now: now) }
      phase = .running
      began = now
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
    // What was not told of it has no reason to go on.
    let hasDeadline =
      rules.style == .budget && deadline != .distantFuture && !rules.signalsLeaderOnly
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
    count(outcome)
    var actions: [Action] = [.wake(at: nil), .endStint(outcome)]
    if case .signalled(_, dumpedCore: true) = end { actions.append(.say(.dumpedCore)) }
    if end == .exited(0) { actions += remark(on: outcome) }
    let obstacle = obstacle(after: outcome)
    if mayRestart, obstacle == nil, outcome.leavesWork {
      return actions + restart(after: outcome)
    }
    phase = .ended
    if let obstacle { actions.append(.say(obstacle)) }
    let status = exit(
      end, outcome, hasExpired: hasExpired, askedBy: askedBy, obstacle: obstacle)
    return actions + [.leave(status)]
  }

  private func outcome(of end: CommandEnd) -> StintOutcome {
    let outcome = outcomeOfEnd(end)
    guard outcome.leavesWork, !outcome.isCrash else { return outcome }
    // Its work was done before its time was up.
    return rules.hasDoneFile && evidence.isDone ? .finished : outcome
  }

  private func outcomeOfEnd(_ end: CommandEnd) -> StintOutcome {
    if wasKilled, end.isDeath(ofAnyOf: [SupervisorRules.kill]) { return .killed }
    if expiry != nil || askedBy != nil || hint != nil {
      var sent = [askedBy, hint]
      if expiry != nil || askedBy != nil { sent += [rules.stopSignal, rules.warnSignal] }
      if end.isDeath(ofAnyOf: sent.compactMap(\.self)) { return .stoppedInTime(end) }
    }
    switch end {
    case .exited(0): return isUnfinishedDespiteZero ? .leftUnfinished : .finished
    // New content is better evidence than the status of a command that was told to end.
    case .exited(rules.unfinishedStatus)
    where rules.hasCheckpointFile && expiry != nil && !hasProgressed:
      return .stoppedInTime(end)
    case .exited(rules.unfinishedStatus): return .asksAgain
    case .exited where rules.isResumable && wasWarned: return .leftUnfinished
    case .exited(let status): return .failed(status)
    case .signalled(let number, _) where diesOfAsking(number): return .interrupted(number)
    case .signalled(let number, let dumpedCore): return .crashed(number, dumpedCore: dumpedCore)
    }
  }

  /// Whether it was told that its time ends; one that is to be suspended is not.
  private var wasWarned: Bool {
    hint != nil || askedBy != nil || expiry != nil && (!rules.suspends || rules.warnSignal != nil)
  }

  /// Whether an exit status of 0 says nothing of the work: many programs save when they are warned,
  /// and exit with 0.
  private var isUnfinishedDespiteZero: Bool {
    guard rules.style == .budget else { return false }
    if rules.hasDoneFile { return !evidence.isDone }
    return wasWarned && heardWarning
      && rules.meaningAfterWarning(of: evidence.progress) == .unfinished
  }

  /// Whether it may have ended because it was warned: it has no other words for that, and did not
  /// ignore the signal.
  private var heardWarning: Bool { !spoke && !evidence.ignoredSignal }

  /// What the user should know of an exit status of 0.
  private func remark(on outcome: StintOutcome) -> [Action] {
    switch outcome {
    case .leftUnfinished where rules.hasDoneFile && !wasWarned:
      return [.say(.notDone(isOld: evidence.hasOldDoneFile))]
    case .finished
    where rules.style == .budget && wasWarned && heardWarning
      && rules.meaningAfterWarning(of: evidence.progress) == nil:
      return [.say(.takenForFinished)]
    case _: return []
    }
  }

  /// Whether another stint is wished for, if this one left work.
  private var mayRestart: Bool { rules.untilDone && askedBy == nil && !isLastStint }

  /// Why there is no further stint, where one was wished for.
  private func obstacle(after outcome: StintOutcome) -> Message? {
    if isWithoutProgress(after: outcome) { return .noProgress(after: outcome) }
    if hasNoStintsLeft(after: outcome) { return .noStintsLeft(after: stints) }
    guard mayRestart else { return nil }
    if wasStalled(outcome) {
      return stallRestarts < rules.maximumRestarts ? nil : .stalledTooOften
    }
    guard countsAsRestart(after: outcome) else { return nil }
    return restarts < rules.maximumRestarts ? nil : .noRestartsLeft(outcome)
  }

  private func countsAsRestart(after outcome: StintOutcome) -> Bool {
    outcome.isCrash || outcome == .killed && !rules.isResumable
  }

  /// The actions that lead to another stint.
  private mutating func restart(after outcome: StintOutcome) -> [Action] {
    var actions: [Action] = []
    if wasStalled(outcome) {
      stallRestarts += 1
    } else if countsAsRestart(after: outcome) {
      restarts += 1
      let left = rules.maximumRestarts - restarts
      actions.append(.say(.startedAgain(after: outcome, restartsLeft: left)))
    }
    phase = .resting
    expiry = nil
    hasStalled = false
    deadline = .distantFuture
    stopDue = .distantFuture
    killDue = .distantFuture
    emptyingEnd = .distantFuture
    vanishEnd = .distantFuture
    self.end = nil
    wasKilled = false
    isAdopted = false
    spoke = false
    hint = nil
    evidence = CommandEvidence()
    isStopped = false
    hasProgressed = false
    return actions + [.rest(rules.rest)]
  }

  /// Counts a stint that left the work unfinished without a sign that anything was kept (W13, X4).
  private mutating func count(_ outcome: StintOutcome) {
    stints += 1
    // Who stops it from outside, and a stall, say nothing of the time that it has.
    guard askedBy == nil, !hasStalled else { return }
    if outcome == .asksAgain || outcome == .leftUnfinished, !rules.showsContent {
      fruitlessStints = 0
    }
    if mustShowProgress(outcome), !hasProgressed, !evidence.isUnseen { fruitlessStints += 1 }
  }

  private func isWithoutProgress(after outcome: StintOutcome) -> Bool {
    rules.isJob && askedBy == nil && !hasStalled
      && fruitlessStints >= SupervisorRules.attempts && mustShowProgress(outcome)
  }

  /// Whether a stint that ended so must have brought something new.
  ///
  /// Of a command without a checkpoint or done file, only its restarts after crashes are counted:
  /// to one that crashed no budget is long enough.
  private func mustShowProgress(_ outcome: StintOutcome) -> Bool {
    switch outcome {
    case .stoppedInTime, .killed: rules.showsContent || !rules.isResumable
    case .asksAgain, .leftUnfinished, .crashed: rules.showsContent
    case .finished, .failed, .interrupted, .notRun: false
    }
  }

  /// Whether the stint was ended because it had stalled.
  private func wasStalled(_ outcome: StintOutcome) -> Bool {
    hasStalled && outcome.leavesWork && !outcome.isCrash
  }

  private func hasNoStintsLeft(after outcome: StintOutcome) -> Bool {
    guard rules.isJob, let most = rules.maximumStints, stints >= most,
      !(askedBy.map { diesOfAsking($0) } ?? false)
    else { return false }
    return outcome.leavesWork
  }

  /// The status of a command that is not finished and was not killed.
  var unfinishedStatus: Int32 {
    rules.isJob || rules.untilDone ? rules.unfinishedStatus : SupervisorExit.timedOut
  }

  private func exit(
    _ end: CommandEnd, _ outcome: StintOutcome, hasExpired: Bool, askedBy: Int32?,
    obstacle: Message?
  ) -> SupervisorExit {
    if let obstacle, obstacle != .noRestartsLeft(outcome) {
      return .status(SupervisorExit.noProgress)
    }
    if let askedBy { return exitWhenAsked(by: askedBy, end, outcome) }
    if rules.style == .budget, !rules.preservesStatus {
      if outcome == .leftUnfinished { return .status(rules.unfinishedStatus) }
      if outcome == .finished { return .status(0) }
      if case .stoppedInTime = outcome, hasExpired || rules.isJob {
        return .status(unfinishedStatus)
      }
    }
    guard hasExpired else {
      if case .signalled(let number, _) = end { return .signal(number) }
      return .status(end.shellStatus)
    }
    if rules.preservesStatus { return .status(end.shellStatus) }
    // It saves by itself, so a kill leaves it unfinished like any other end of its time.
    if outcome == .killed, rules.isResumable { return .status(rules.unfinishedStatus) }
    if end == .signalled(SupervisorRules.kill, dumpedCore: false) {
      return .status(SupervisorExit.killed)
    }
    switch (rules.style, outcome) {
    case (.timeout, _): return .status(SupervisorExit.timedOut)
    case (.budget, .crashed(let number, _)), (.budget, .interrupted(let number)):
      return .signal(number)
    case (.budget, .finished), (.budget, .failed), (.budget, .asksAgain), (.budget, .killed),
      (.budget, .leftUnfinished), (.budget, .stoppedInTime), (.budget, .notRun):
      return .status(end.shellStatus)
    }
  }

  private func exitWhenAsked(
    by number: Int32, _ end: CommandEnd, _ outcome: StintOutcome
  ) -> SupervisorExit {
    let preserves = rules.preservesStatus && !diesOfAsking(number)
    if rules.style == .budget, outcome != .finished, !preserves {
      if diesOfAsking(number) { return .signal(number) }
      if case .stoppedInTime = outcome, rules.isJob || rules.untilDone {
        return .status(rules.unfinishedStatus)
      }
      if outcome == .leftUnfinished { return .status(rules.unfinishedStatus) }
    }
    if rules.style == .budget, outcome == .finished, !preserves { return .status(0) }
    if case .signalled(let number, _) = end { return .signal(number) }
    return .status(end.shellStatus)
  }
}
