// Tasks that the system begins by itself: background tasks and fetches (Q9).

extension SystemMachine {
  /// The system begins a task for the program, with a time of its own.
  ///
  /// A suspended application runs again. Its task gets a trip of its own; only a trip whose end
  /// somebody else decides goes on with what is left of it. In a living trip the task joins, and
  /// the end moves to the later of the two.
  ///
  /// - Parameters:
  ///   - name: The task's name.
  ///   - origin: Where it was asked for.
  ///   - allowance: How long it may take.
  ///   - now: The time.
  /// - Returns: The grant and what is to be done.
  package mutating func systemTaskRequested(
    name: String, origin: TaskOrigin, allowance: Duration, now: Instant
  ) -> Request {
    var actions: [Action] = []
    passTime(to: now, &actions)
    // A task that is denied begins no trip and moves no end.
    if stop == nil, lifeState == .suspended || lifeState == .background,
      tasks.count >= policy.maximumTasks
    {
      let denial = DenialReason.tooManyTasks(maximum: policy.maximumTasks)
      return Request(grant: .denied(denial), isPending: false, actions: actions)
    }
    if stop == nil, lifeState == .suspended {
      if let denial = denialOfTrip(now: now) {
        return Request(grant: .denied(denial), isPending: false, actions: actions)
      }
      wakeUp(for: allowance, now: now, &actions)
    } else {
      allowTime(until: now.advanced(by: allowance), now: now, &actions)
      if stop == nil, let end = trip?.deadline, now.duration(to: end) < leastOfSystem {
        // It would be warned before it could do anything.
        settle(at: now, &actions)
        let denial = denial(ofRest: now.duration(to: end))
        return Request(grant: .denied(denial), isPending: false, actions: actions)
      }
    }
    var request = taskRequested(name: name, origin: origin, delivery: .direct, now: now)
    actions += request.actions
    if case .granted(let task) = request.grant, let index = index(of: task) {
      tasks[index].isSystems = true
    } else {
      settle(at: now, &actions)
    }
    request.actions = actions
    return request
  }

  /// A task that the system began makes progress, so its time goes on (Q5).
  ///
  /// - Parameters:
  ///   - end: Up to when it may run at least.
  ///   - now: The time.
  /// - Returns: What the driver has to do.
  package mutating func timeAllowed(until end: Instant, now: Instant) -> [Action] {
    var actions: [Action] = []
    passTime(to: now, &actions)
    let former = trip?.deadline
    allowTime(until: end, now: now, &actions)
    if trip?.deadline != former { settle(at: now, &actions) }
    return actions
  }

  /// A task that the system began was not completed in its time (B2, Q4).
  package mutating func taskNotCompleted(
    _ identifier: BackgroundTaskIdentifier, now: Instant
  ) -> [Action] {
    var actions: [Action] = []
    passTime(to: now, &actions)
    // Race: it was completed, or the process was terminated for another reason.
    guard lifeState != .notRunning, let index = index(of: identifier), tasks[index].holds else {
      return actions
    }
    terminate(.neverCompleted(name: tasks[index].name), now: now, &actions)
    schedule(&actions)
    return actions
  }

  /// Whether somebody else than the numbers of a preset says when the trip ends (A15, B5).
  var endsElsewhere: Bool {
    authority == .remote || !policy.grantsModes || trip?.isLimited == true
  }

  /// Why a suspended application cannot run again for a task, or nil.
  private func denialOfTrip(now: Instant) -> DenialReason? {
    if endsElsewhere {
      guard let trip else { return .suspended }
      let end = trip.deadline
      if end == .distantFuture { return nil }
      let left = now.duration(to: end.advanced(by: uncountedSuspension(now: now)))
      return left < leastOfSystem ? denial(ofRest: left) : nil
    }
    guard let left = quotaLeftWhileSuspended(now: now), left < leastOfSystem else { return nil }
    return denial(ofRest: left)
  }

  /// The least time in which the system begins a task: one that is warned at once can do nothing.
  private var leastOfSystem: Duration { policy.lead + policy.leastWorthGranting }

  private func denial(ofRest left: Duration) -> DenialReason {
    .tooLittleTime(remaining: max(.zero, left), least: leastOfSystem)
  }

  /// The application runs again: in a new trip, or in what is left of the one it was in.
  private mutating func wakeUp(for allowance: Duration, now: Instant, _ actions: inout [Action]) {
    if endsElsewhere {
      // Not settled before the task holds it; after the task it is suspended again.
      goOn(now: now)
      trip?.isIdle = true
    } else {
      if trip != nil { chargeQuota(now: stoppage.chargedUntil ?? now) }
      lifeState = .background
      beginTrip(since: now, granting: policy.grant.map { _ in allowance }, now: now)
      trip?.enterReturned = true
    }
    actions.append(.resume)
  }

  /// The present trip ends no sooner than that, as far as the quota goes.
  private mutating func allowTime(until end: Instant, now: Instant, _ actions: inout [Action]) {
    guard stop == nil, lifeState == .background, !endsElsewhere, let former = trip?.deadline,
      end > former
    else { return }
    let before = deadline
    trip?.moveEnd(to: end, policy: policy)
    guard let later = trip?.deadline, later > former else { return }
    grantCount += 1
    if now < warnTime { withdrawAnnouncement() }
    tellMovedEnd(from: before, isWarning: now >= warnTime, &actions)
  }
}
