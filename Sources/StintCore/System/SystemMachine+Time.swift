extension SystemMachine {
  /// Does what was due before an event that happens now.
  @inline(__always)
  mutating func passTime(to now: Instant, _ actions: inout [Action]) {
    if now >= nextWake { settle(at: now, &actions) }
  }

  /// Whether no clock runs: in the foreground, with no stop requested.
  var isQuiet: Bool {
    // Not `trip == nil`, which copies the trip to compare it.
    guard case .none = trip, case .none = stop else { return false }
    return true
  }

  /// Does all that is due and says when more will be.
  mutating func settle(at now: Instant, _ actions: inout [Action]) {
    switch lifeState {
    case .inactive, .active, .background:
      announceIfDue(now: now, &actions)
      // After it: a scope that is told within its margin is ended at the same instant.
      endScopesNearDeadline(now: now, &actions)
      noticeHandlers(now: now, &actions)
      noticeLongHeld(now: now, &actions)
      completeIfIdle(now: now, &actions)
      terminateIfDue(now: now, &actions)
    case .suspended:
      completeIfIdle(now: now, &actions)
    case .notRunning:
      break
    }
    schedule(&actions)
  }

  /// The same after a task came or went, which moves no clock: mostly nothing can be due but a
  /// suspension.
  mutating func settleTasks(at now: Instant, _ actions: inout [Action]) {
    guard now < nextWake, announcement == nil, stop == nil, now < warnTime else {
      settle(at: now, &actions)
      return
    }
    if timersStand { return }
    completeIfIdle(now: now, &actions)
    schedule(&actions)
  }

  /// Whether a task that came or went without an action left both timers and the usable time where
  /// they were.
  ///
  /// It takes the machine in place although it changes nothing: to ask a getter, a caller in
  /// another module copies the machine.
  package static func isUnmoved(_ machine: inout SystemMachine) -> Bool {
    machine.isQuiet || machine.timersStand
  }

  /// Whether a task that came or went beside another one leaves both timers where they are.
  ///
  /// They stand at the warning and at the deadline as long as a task is open that can be warned.
  private var timersStand: Bool {
    // Inlined, because calling it would copy the machine.
    @inline(__always) get {
      guard let trip, trip.enterReturned, policy.heldTooLongNotice == nil else { return false }
      return hardStop == trip.deadline && nextWake == trip.warnTime
        && tasks.contains { $0.progress == .open && $0.holds }
    }
  }

  /// The earliest end that is set: the trip's or the stop's.
  var deadline: Instant {
    min(trip?.deadline ?? .distantFuture, stop?.deadline ?? .distantFuture)
  }

  /// Whether any task keeps the application from being suspended.
  var isHeld: Bool {
    tasks.contains { $0.holds }
  }

  /// When the handlers of the trip are called.
  var warnTime: Instant {
    trip?.warnTime ?? .distantFuture
  }

  private func scopeEnd(of task: TaskRecord) -> Instant {
    // A scope that was refused holds nothing, so it costs nobody the process's life.
    guard task.delivery == .scoped, task.progress == .handed, task.holds,
      deadline != .distantFuture
    else { return .distantFuture }
    return deadline.advanced(by: .zero - policy.scopeMargin)
  }

  private func noticeTime(of task: TaskRecord) -> Instant {
    guard let notice = policy.heldTooLongNotice, let trip, task.holds, !task.heldTooLongSaid,
      // Who will be warned in time holds its task in order.
      task.delivery == .none || deadline == .distantFuture
    else { return .distantFuture }
    return max(task.began, trip.start).advanced(by: notice)
  }

  private func overrunTime(of task: TaskRecord) -> Instant {
    guard task.progress == .claimed, !task.overrunSaid else { return .distantFuture }
    return task.calledAt.advanced(by: policy.handlerAllowance)
  }

  private var unservedTime: Instant {
    guard let announcement, !announcement.anyClaimed, !announcement.unservedSaid else {
      return .distantFuture
    }
    var first = Instant.distantFuture
    for task in tasks where task.progress == .called && task.epoch == announcement.epoch {
      first = min(first, task.calledAt)
    }
    return first.advanced(by: policy.handlerAllowance)
  }

  /// A scope that did not stop is ended just before it would cost the process its life (A21).
  private mutating func endScopesNearDeadline(now: Instant, _ actions: inout [Action]) {
    while let index = tasks.firstIndex(where: { now >= scopeEnd(of: $0) }), now < deadline {
      actions.append(.diagnose(.scopeOverran(name: tasks[index].name)))
      forget(at: index, endedAt: Self.bySystem)
    }
  }

  /// Past the lead every task is warned, one that was begun there at once (A11, A12).
  private mutating func announceIfDue(now: Instant, _ actions: inout [Action]) {
    // Who first looks at the deadline or later stood still until then: there is nobody left to
    // warn.
    guard now < deadline else { return }
    let isDue = now >= warnTime || announcement != nil || stop != nil
    guard isDue, tasks.contains(where: { $0.progress == .open && $0.holds }) else { return }
    let needsCall = tasks.contains { $0.progress == .open && $0.holds && $0.delivery != .none }
    guard needsCall || announcement == nil else { return }
    announce(stop?.reason ?? revocation ?? .timeElapsed, now: now, &actions)
  }

  private mutating func noticeHandlers(now: Instant, _ actions: inout [Action]) {
    if now >= unservedTime {
      announcement?.unservedSaid = true
      actions.append(.diagnose(.mainQueueUnserved(allowance: policy.handlerAllowance)))
    }
    for index in tasks.indices where now >= overrunTime(of: tasks[index]) {
      tasks[index].overrunSaid = true
      actions.append(
        .diagnose(
          .handlerOverran(name: tasks[index].name, allowance: policy.handlerAllowance)))
    }
    guard announcement != nil, !tasks.contains(where: \.awaitsReturn) else { return }
    for index in tasks.indices where tasks[index].isLeftOpen && !tasks[index].leftOpenSaid {
      tasks[index].leftOpenSaid = true
      let task = tasks[index]
      actions.append(
        .diagnose(
          .leftOpen(name: task.name, age: task.began.duration(to: now), origin: task.origin)))
    }
  }

  private mutating func noticeLongHeld(now: Instant, _ actions: inout [Action]) {
    guard policy.heldTooLongNotice != nil, let start = trip?.start else { return }
    for index in tasks.indices where now >= noticeTime(of: tasks[index]) {
      tasks[index].heldTooLongSaid = true
      let task = tasks[index]
      let held = max(task.began, start).duration(to: now)
      actions.append(.diagnose(.heldTooLong(name: task.name, held: held, origin: task.origin)))
    }
  }

  /// Without a task the application is suspended, or the stop is complete (A15, L4); a trip that
  /// needs no task lasts until its deadline.
  mutating func completeIfIdle(now: Instant, _ actions: inout [Action]) {
    guard !isHeld else { return }
    if stop != nil {
      completeStop(&actions)
      return
    }
    guard lifeState == .background, !isKept, let trip, trip.enterReturned else { return }
    let isOver = trip.isIdle || (trip.needsTask && trip.hadTask)
    guard isOver || now >= trip.idleEnd else { return }
    lifeState = .suspended
    stoppage.suspendedAt = now
    stoppage.toldSinceSuspension = .zero
    announcement = nil
    actions.append(.suspend)
  }

  /// Says once that the process may go.
  mutating func completeStop(_ actions: inout [Action]) {
    guard stop?.completed == false else { return }
    stop?.completed = true
    actions.append(.stopCompleted)
  }

  /// The process is terminated when its time is gone and something still holds it (A14, A19, L4).
  private mutating func terminateIfDue(now: Instant, _ actions: inout [Action]) {
    if isHeld, now >= deadline {
      terminate(causeAtDeadline, now: now, &actions)
    } else if lifeState == .background, let trip, !trip.enterReturned, now >= trip.graceEnd {
      if stop == nil { terminate(.enterBackgroundOverran, now: now, &actions) }
    } else if policy.terminationPoint == .handlersReturn, announcement != nil,
      lifeState == .background, !tasks.contains(where: \.awaitsReturn),
      let leaked = tasks.first(where: \.isJudgedAtReturn)
    {
      terminate(.leakedTask(name: leaked.name), now: now, &actions)
    }
  }

  /// Whose fault it is that the deadline has come with a task open.
  private var causeAtDeadline: TerminationCause {
    // Of a trip that was extended those that were warned before are left.
    guard announcement != nil || tasks.contains(where: { $0.holds && $0.isSpent }) else {
      return .overrun
    }
    if let task = tasks.first(where: { $0.holds && $0.isSystems }) {
      return .neverCompleted(name: task.name)
    }
    let overran = tasks.contains { task in
      task.isHandling && !(task.delivery == .mainQueueAsync && task.progress == .claimed)
    }
    if overran { return .handlersOverran }
    if let stop, stop.deadline <= deadline { return .overrun }
    return tasks.first { $0.holds }.map { .leakedTask(name: $0.name) } ?? .overrun
  }

  /// Brings the two timers to where they belong, before anything else is done.
  mutating func schedule(_ actions: inout [Action]) {
    let wake = wakeNeeded
    if wake != nextWake {
      nextWake = wake
      // In place of an earlier order of the same event.
      actions.removeAll { if case .wake = $0 { true } else { false } }
      actions.insert(.wake(at: wake == .distantFuture ? nil : wake), at: 0)
    }
    let kill = lifeState != .notRunning && deadline != .distantFuture && isHeld ? deadline : nil
    if kill != hardStop {
      hardStop = kill
      actions.removeAll { if case .armHardStop = $0 { true } else { false } }
      actions.insert(.armHardStop(at: kill), at: 0)
    }
  }

  private var wakeNeeded: Instant {
    // L5: suspended, nothing fires.
    guard lifeState != .notRunning, lifeState != .suspended else { return .distantFuture }
    var next = Instant.distantFuture
    if lifeState == .background, stop == nil, let trip, !trip.enterReturned || !(isHeld || isKept) {
      next = min(next, trip.enterReturned ? trip.idleEnd : trip.graceEnd)
    }
    guard !tasks.isEmpty else { return next }
    if isHeld { next = min(next, deadline) }
    // A pending task cannot be warned; this is settled when it is granted.
    if announcement == nil, tasks.contains(where: { $0.progress == .open && $0.holds }) {
      next = min(next, warnTime)
    }
    next = min(next, unservedTime)
    for index in tasks.indices {
      next = min(
        next, scopeEnd(of: tasks[index]), noticeTime(of: tasks[index]),
        overrunTime(of: tasks[index]))
    }
    return next
  }
}
