/// One thing that is due.
enum ModelDue: Sendable {
  case warn
  case endScope(Int)
  case sayUnserved
  case sayOverran(Int)
  case sayLeftOpen(Int)
  case sayHeldTooLong(Int)
  case completeStop
  case suspend
  case terminate(ModelCause)
}

extension ModelReading {
  /// The first thing that is due at an instant; when it is done, the history is read again.
  func due(at now: Int) -> ModelDue? {
    if isStopComplete { return .completeStop }
    // L5: suspended, nothing fires; a process that is gone does nothing.
    if state == .notRunning || state == .suspended { return nil }
    if isWarningDue(at: now) { return .warn }
    for task in tasks where isScopeEndDue(task, at: now) { return .endScope(task.id) }
    if let said = somethingToSay(at: now) { return said }
    if isSuspensionDue(at: now) { return .suspend }
    return terminationDue(at: now).map { .terminate($0) }
  }

  /// Every instant at which something may become due by time alone.
  package var boundaries: [Int] {
    var all = [deadline, warnTime, trip?.graceEnd ?? never, stop?.end ?? never]
    all.append(shifted(deadline, -policy.scopeMargin))
    for task in tasks {
      all.append(shifted(task.claimedAt, policy.allowance))
      all.append(shifted(task.calledAt, policy.allowance))
      if let notice = policy.notice { all.append(max(task.began, trip?.start ?? 0) + notice) }
    }
    return all.filter { $0 != never }.sorted()
  }

  /// W11, A18: a stop is complete when no task is open, or when nothing runs that could hold one.
  ///
  /// A process that was ended with its tasks open has completed nothing; if its end was only
  /// reported, the stop is complete then.
  private var isStopComplete: Bool {
    guard let stop, !stop.isCompleted else { return false }
    return state == .notRunning ? false : !isHeld
  }

  /// Whether tasks are to be called: all that are open at the lead (A12), one begun inside it at
  /// once (A11), all at a stop (A18).
  ///
  /// Who first looks at the deadline or later stood still until then: there is nobody left to warn
  /// (A23).
  private func isWarningDue(at now: Int) -> Bool {
    guard now < deadline else { return false }
    guard now >= warnTime || expiry != nil || stop != nil else { return false }
    // A13: no handler, no call; but the expiry itself is announced once for such tasks too.
    return tasks.contains { task in
      task.state == .granted && (task.delivery != .none || expiry == nil)
    }
  }

  /// A21: a scope ends before the deadline.
  ///
  /// One that was denied holds nothing that could cost the process its life.
  private func isScopeEndDue(_ task: Task, at now: Int) -> Bool {
    guard task.delivery == .scoped, task.isSpent, task.holds, deadline != never else {
      return false
    }
    return now >= deadline - policy.scopeMargin && now < deadline
  }

  private func somethingToSay(at now: Int) -> ModelDue? {
    if isUnservedDue(at: now) { return .sayUnserved }
    for task in tasks {
      // A19: while it still runs; a handler that has ended its task is not watched any more.
      if task.isRunningHandler, !task.overrunSaid, now >= task.claimedAt + policy.allowance {
        return .sayOverran(task.id)
      }
    }
    // A14: all handlers have returned and the task is still open.
    if expiry != nil, !tasks.contains(where: \.awaitsReturn) {
      for task in tasks where task.isLeftOpen && !task.leftOpenSaid { return .sayLeftOpen(task.id) }
    }
    // A22: held in the background for too long, and no warning comes to end it.
    if let notice = policy.notice, let trip {
      for task in tasks where task.holds && !task.heldTooLongSaid {
        if task.delivery != .none, deadline != never { continue }
        if now >= max(task.began, trip.start) + notice { return .sayHeldTooLong(task.id) }
      }
    }
    return nil
  }

  /// A12: an unserved main queue makes one diagnostic after the allowance, counted from a call that
  /// still waits.
  ///
  /// A call that was claimed since the expiry shows that the queue is served. The call of a denial
  /// is not watched: no time is running out.
  private func isUnservedDue(at now: Int) -> Bool {
    guard let expiry, !expiry.unservedSaid else { return false }
    return !isServed
      && tasks.contains { task in
        task.waitingCall != nil && task.holds && now >= task.calledAt + policy.allowance
      }
  }

  /// Whether the time without a task is over (L4), the last task ended of a trip that needs one
  /// (A15), or there is nothing more to do; and didEnterBackground has returned.
  private func isSuspensionDue(at now: Int) -> Bool {
    guard stop == nil, state == .background, !isHeld, !isKept, let trip, trip.enterReturned else {
      return false
    }
    return trip.isIdle || (trip.needsTask && hadTask) || now >= idleEnd
  }

  private func terminationDue(at now: Int) -> ModelCause? {
    // A14, A19: the deadline waits for nobody.
    if isHeld, now >= deadline { return causeAtDeadline }
    guard state == .background, let trip else { return nil }
    // L4: with or without a task. A stop has an end of its own.
    if !trip.enterReturned, now >= trip.graceEnd {
      return stop == nil ? .enterBackgroundOverran : nil
    }
    // A14, as observed on iOS: at the handlers' return.
    if policy.terminatesAtReturn, expiry != nil, !tasks.contains(where: \.awaitsReturn) {
      // A grant that is pending has had no handler that could return.
      for task in tasks where task.isLeftOpen && task.state != .pending {
        if task.delivery == .main || task.delivery == .none { return .leakedTask(name: task.name) }
      }
    }
    return nil
  }

  /// L8: the cause names who is at fault.
  private var causeAtDeadline: ModelCause {
    // Nobody was warned: the process stood still. Who was before an extension has been.
    if expiry == nil, !tasks.contains(where: { $0.holds && $0.isSpent }) { return .overrun }
    // Q4: what the system began is judged first.
    for task in tasks where task.holds && task.isSystems { return .neverCompleted(name: task.name) }
    for task in tasks where task.isHandling {
      // A12: an asynchronous handler that was called counts as returned at the deadline.
      if task.delivery != .mainAsync || !task.isRunningHandler { return .handlersOverran }
    }
    // A stop that took longer than it was given.
    if let stop, stop.end == deadline { return .overrun }
    for task in tasks where task.holds { return .leakedTask(name: task.name) }
    return .overrun
  }
}
