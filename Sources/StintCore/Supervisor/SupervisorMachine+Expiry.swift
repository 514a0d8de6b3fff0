// Warning, stopping, killing and suspending.

extension SupervisorMachine {
  /// The command's task expires: its time ends at the deadline.
  package mutating func expired(
    _ reason: ExpiryReason, deadline: Instant, now: Instant
  ) -> [Action] {
    switch phase {
    // Races: the command has just ended, or was suspended or killed, and its task is about to be
    // ended.
    case .idle, .suspended, .emptying, .killed, .resting, .ended:
      return []
    case .expiring:
      return deadlineMoved(to: deadline, now: now)
    case .running:
      break
    }
    return expire(reason, deadline: deadline, now: now)
  }

  /// Neither its progress nor its checkpoint has moved for as long as it may (X6): its time ends as
  /// if its budget were used up.
  ///
  /// - Parameters:
  ///   - lead: How long it has to save.
  ///   - now: The time.
  /// - Returns: What is to be done.
  package mutating func stalled(lead: Duration, now: Instant) -> [Action] {
    // Races: its time is up anyway, or it has ended.
    guard isInItsOwnTime else { return [] }
    // It is told by signals: one that speaks may have stalled because it does not listen.
    isAdopted = false
    hasStalled = true
    killDue = now.advanced(by: lead)
    let actions = expire(.revoked, deadline: killDue, now: now)
    return [.say(.stalled)] + actions + [.wake(at: min(stopDue, killDue))]
  }

  private mutating func expire(
    _ reason: ExpiryReason, deadline: Instant, now: Instant
  ) -> [Action] {
    phase = .expiring
    expiry = reason
    self.deadline = deadline
    // Who asked has had its signal forwarded already.
    if askedBy != nil || isAdopted { return [] }
    if let warnSignal = rules.warnSignal {
      if !rules.suspends { stopDue = stopTime }
      guard stopDue > now else { return stopNow() }
      return sending(warnSignal) + wakeForStop()
    }
    return rules.suspends ? [] : stopNow()
  }

  /// The end of an expiry came nearer.
  package mutating func deadlineMoved(to deadline: Instant, now: Instant) -> [Action] {
    switch phase {
    // Race: what it was for is over.
    case .idle, .running, .suspended, .killed, .resting, .ended:
      return []
    case .emptying:
      self.deadline = min(self.deadline, deadline)
      return []
    case .expiring:
      // One that has stalled has its own end, and the later one kills it all the same.
      guard !hasStalled else { return [] }
      self.deadline = min(self.deadline, deadline)
      guard stopDue != .distantFuture else { return [] }
      stopDue = min(stopDue, stopTime)
      return stopDue > now ? wakeForStop() : stopNow()
    }
  }

  /// The deadline moved later during an expiry: the command was told to stop and is not told
  /// otherwise, but it has more time.
  package mutating func deadlineExtended(to deadline: Instant, now: Instant) -> [Action] {
    switch phase {
    // Race: what it was for is over. One that runs was told of no end.
    case .idle, .running, .suspended, .killed, .resting, .ended:
      return []
    case .emptying, .expiring:
      guard !hasStalled else { return [] }
      self.deadline = deadline
      guard stopDue != .distantFuture else { return [] }
      // Never would mean that it is sent.
      stopDue = min(stopTime, Instant(nanoseconds: .max - 1))
      return [.wake(at: deadline == .distantFuture ? nil : stopDue)]
    }
  }

  /// The deadline has come and something of the command is still there.
  ///
  /// - Parameters:
  ///   - tripEnd: When the command's own time is over; the deadline of a stop comes before it.
  ///   - now: The time.
  /// - Returns: What is to be done.
  package mutating func deadlineCame(tripEnd: Instant, now: Instant) -> [Action] {
    switch phase {
    // Races: it ended at the same moment, or is frozen or killed already.
    case .idle, .suspended, .killed, .resting, .ended:
      return []
    case .running, .expiring:
      if expiry == nil { expiry = .timeElapsed }
      // Asked to end from outside, nobody would ever continue it.
      if rules.suspends, askedBy == nil {
        phase = .suspended
        stopDue = .distantFuture
        return [.wake(at: nil), .freeze, .rest(rules.rest)]
      }
      guard let signal = takeOwedSignal(), now < tripEnd else { return killedByForce(now: now) }
      // It did not end when it was told; from here on it is one that does not speak.
      killDue = min(tripEnd, now.advanced(by: rules.stopGrace ?? .zero))
      return sending(signal) + [.wake(at: killDue)]
    case .emptying:
      return killed(now: now)
    }
  }

  /// The signal that is still to be sent, which is not to be sent twice.
  mutating func takeOwedSignal() -> Int32? {
    defer { owedSignal = nil }
    return owedSignal
  }

  /// Says so, and kills whatever is there.
  mutating func killedByForce(now: Instant) -> [Action] {
    [.say(.sending(SupervisorRules.kill))] + killed(now: now)
  }

  /// Kills whatever is there.
  mutating func killed(now: Instant) -> [Action] {
    wasKilled = wasKilled || end == nil
    phase = .killed
    stopDue = .distantFuture
    killDue = .distantFuture
    let isLast = !rules.untilDone || askedBy != nil
    vanishEnd = now.advanced(
      by: isLast ? SupervisorRules.lastVanishing : SupervisorRules.vanishing)
    return [.killAll, .wake(at: end == nil ? nil : vanishEnd)]
  }

  private var stopTime: Instant {
    deadline == .distantFuture
      ? .distantFuture : deadline.advanced(by: .zero - rules.stopLead)
  }

  mutating func stopNow() -> [Action] {
    stopDue = .distantFuture
    return sending(rules.stopSignal)
  }

  private func wakeForStop() -> [Action] {
    stopDue == .distantFuture ? [] : [.wake(at: stopDue)]
  }
}
