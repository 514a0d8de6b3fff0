extension SystemMachine {
  /// Whether a handler may be called now, and what is to be done.
  package struct Claim: Equatable, Sendable {
    package var mayCall: Bool
    package var actions: [Action]
  }

  /// The main queue has come to a handler: its call is claimed or dropped (A5, A12, A17).
  package mutating func handlerClaimed(
    _ identifier: BackgroundTaskIdentifier, epoch: Int, now: Instant
  ) -> Claim {
    var actions: [Action] = []
    passTime(to: now, &actions)
    // Races: the task was ended by another handler or thread, or the application is active again
    // and the expiry stale.
    guard let index = index(of: identifier), tasks[index].progress == .called,
      tasks[index].epoch == epoch
    else { return Claim(mayCall: false, actions: actions) }
    tasks[index].progress = .claimed
    tasks[index].calledAt = now
    announcement?.anyClaimed = true
    schedule(&actions)
    return Claim(mayCall: true, actions: actions)
  }

  /// A handler has returned; its task may have been ended inside it.
  package mutating func handlerReturned(
    _ identifier: BackgroundTaskIdentifier, now: Instant
  ) -> [Action] {
    var actions: [Action] = []
    passTime(to: now, &actions)
    // No race but the normal case: the handler ended its task.
    guard let index = index(of: identifier), tasks[index].progress == .claimed else {
      if !isQuiet { settle(at: now, &actions) }
      return actions
    }
    tasks[index].progress = .returned
    settle(at: now, &actions)
    return actions
  }

  /// Time has passed; what is due is done.
  package mutating func timePassed(now: Instant) -> [Action] {
    var actions: [Action] = []
    settle(at: now, &actions)
    return actions
  }

  /// The rest of the trip's budget is taken back but for the lead (A18).
  package mutating func revoked(_ reason: ExpiryReason, now: Instant) -> [Action] {
    shortenTrip(to: now.advanced(by: policy.lead), because: reason, isRevoked: true, now: now)
  }

  /// Expires the tasks of this trip.
  ///
  /// - Parameters:
  ///   - end: When the time is over; it never moves the deadline to a later instant.
  ///   - reason: Why.
  ///   - isRevoked: Whether the reason of an earlier revocation holds for this one too.
  ///   - now: The time.
  /// - Returns: What the driver has to do.
  mutating func shortenTrip(
    to end: Instant, because reason: ExpiryReason, isRevoked: Bool, now: Instant
  ) -> [Action] {
    var actions: [Action] = []
    passTime(to: now, &actions)
    // Race: the trip that was meant is over.
    guard lifeState == .background else { return actions }
    let before = deadline
    limitTrip(now: now, &actions)
    guard let trip else { return actions }
    // The lesser of end and rest; a resumed trip may be past its deadline, and gets no later one.
    let end = min(trip.deadline, end)
    if isRevoked || end < trip.deadline {
      self.trip?.setDeadline(end, policy: policy)
      self.trip?.graceEnd = min(trip.graceEnd, end)
    }
    // The first one that takes something is the reason for who comes later too.
    if end < trip.deadline, revocation == nil { revocation = reason }
    tellNearerDeadline(than: before, &actions)
    if tasks.contains(where: { $0.holds }) {
      announce(isRevoked ? revocation ?? reason : reason, now: now, &actions)
    }
    settle(at: now, &actions)
    return actions
  }

  /// The process is asked to stop, in whatever state it is (W11).
  package mutating func stopRequested(
    _ reason: ExpiryReason, grace: Duration, now: Instant
  ) -> [Action] {
    var actions: [Action] = []
    passTime(to: now, &actions)
    let end = now.advanced(by: grace)
    let before = deadline
    if let earlier = stop {
      // A second request only brings the end nearer.
      stop?.deadline = min(earlier.deadline, end)
      tellNearerDeadline(than: before, &actions)
    } else {
      stop = Stop(reason: reason, deadline: end)
      tellNearerDeadline(than: before, &actions)
      if lifeState.runs { actions.append(.tell(.willTerminate, trip: 0)) }
      announce(reason, now: now, &actions)
      if lifeState == .notRunning { completeStop(&actions) }
    }
    settle(at: now, &actions)
    return actions
  }

  /// The process goes on after it or the machine stood still (A23).
  package mutating func continued(afterStop stopped: Duration, now: Instant) -> [Action] {
    var actions: [Action] = []
    if policy.stoppedTime == .running, stoppage.suspendedAt != nil {
      stoppage.toldSinceSuspension += stopped
    }
    stretchTrip(by: stopped)
    if now >= deadline, tasks.contains(where: { $0.holds }), lifeState != .notRunning {
      terminate(.overrun, now: now, &actions)
    }
    settle(at: now, &actions)
    return actions
  }

  /// An owner is called once, so one that was called before the end came nearer has to be told
  /// (A12, A18).
  func tellNearerDeadline(than before: Instant, _ actions: inout [Action]) {
    if deadline < before, tasks.contains(where: { $0.holds && $0.isSpent }) {
      actions.append(.deadlineMoved(to: deadline))
    }
  }

  /// Calls the handlers of all tasks that have not been called (A12).
  mutating func announce(_ reason: ExpiryReason, now: Instant, _ actions: inout [Action]) {
    let isNew = announcement == nil
    if isNew {
      epochCount += 1
      announcement = Announcement(epoch: epochCount, reason: reason)
    }
    guard let epoch = announcement?.epoch, let reason = announcement?.reason else { return }
    var direct: [BackgroundTaskIdentifier] = []
    var onMain: [BackgroundTaskIdentifier] = []
    for index in tasks.indices where tasks[index].progress == .open && tasks[index].holds {
      switch tasks[index].delivery {
      case .none:
        break
      case .mainQueue, .mainQueueAsync:
        tasks[index].progress = .called
        tasks[index].calledAt = now
        tasks[index].epoch = epoch
        onMain.append(tasks[index].identifier)
      case .direct, .scoped:
        tasks[index].progress = .handed
        direct.append(tasks[index].identifier)
      }
    }
    // The record is synchronous I/O; who saves work does not wait for it, handlers do.
    if !direct.isEmpty { actions.append(.expireDirectly(direct, reason, deadline: deadline)) }
    let open = tasks.filter(\.holds).map(\.name)
    if isNew, !open.isEmpty {
      actions.append(.announceExpiry(reason, deadline: deadline, openTasks: open))
    }
    if !onMain.isEmpty {
      actions.append(.callHandlers(onMain, reason, deadline: deadline, epoch: epoch))
    }
  }

  /// Ends the process as far as this machine goes.
  mutating func terminate(
    _ cause: TerminationCause, now: Instant, _ actions: inout [Action]
  ) {
    leave(now: now)
    actions.append(.terminate(cause))
  }
}
