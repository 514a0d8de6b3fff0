extension SystemModel {
  /// The application is launched and told so (L9); for an event straight into the background (L7).
  package mutating func launch(intoBackground: Bool, at now: Int) {
    history.note(intoBackground ? .launchedIntoBackground : .launchedIntoForeground, at: now)
    act(.show(intoBackground ? .background : .inactive))
    act(.tell(.willFinishLaunching, trip: 0))
    act(.tell(.didFinishLaunching, trip: 0))
    if intoBackground { act(.tell(.didEnterBackground, trip: tripNumber)) }
    look(at: now)
  }

  /// L10: memory is short; who runs is told, unless that was said within the interval.
  package mutating func pressMemory(at now: Int) {
    look(at: now)
    switch reading.state {
    case .notRunning, .suspended: return
    case .inactive, .active, .background: break
    }
    for fact in history.life {
      if case .memoryWarned = fact.what, now - fact.at < policy.warningInterval { return }
    }
    history.note(.memoryWarned, at: now)
    act(.tell(.didReceiveMemoryWarning, trip: 0))
  }

  /// L2: willResignActive; the state seen inside is active.
  package mutating func resign(at now: Int) {
    look(at: now)
    guard reading.allows(.resigned) else { return }
    history.note(.resigned, at: now)
    act(.tell(.willResignActive, trip: 0))
    act(.show(.inactive))
    look(at: now)
  }

  /// L2: didEnterBackground; the state seen inside is background, and the trip has begun before it
  /// is told (A9).
  package mutating func enterBackground(
    since start: Int, grant: Int?, isLimited: Bool, at now: Int
  ) {
    look(at: now)
    guard reading.allows(.backgroundEntered) else { return }
    endSpentTasks(at: now)
    if isLimited { endModes(.limited, at: now) }
    history.note(
      .backgroundEntered(since: min(start, now), grant: grant, isLimited: isLimited), at: now)
    act(.show(.background))
    act(.tell(.didEnterBackground, trip: tripNumber))
    look(at: now)
  }

  /// A17: a spent task does not hold the next trip.
  ///
  /// Under a stop it is still saving (W11). A denied task whose call is still on its way is not
  /// spent: A4 promises it that call. A task of the system's has to be completed by its own end
  /// (Q4).
  private mutating func endSpentTasks(at now: Int) {
    let reading = reading
    guard reading.stop == nil else { return }
    for task in reading.tasks
    where (task.isSpent && !task.isSystems) || (task.isDenied && task.waitingCall == nil) {
      say(.spentTaskEnded(name: task.name, place: task.place))
      history.note(.ended(ModelHistory.systemPlace), of: task.id, at: now)
    }
  }

  /// didEnterBackground of a trip has returned; that of an earlier trip says nothing about this
  /// one.
  package mutating func enterReturned(trip number: Int, at now: Int) {
    look(at: now)
    let reading = reading
    guard reading.trip?.number == number, reading.state == .background else { return }
    history.note(.enterReturned, at: now)
    look(at: now)
  }

  /// L2: willEnterForeground; the state seen inside is background.
  package mutating func enterForeground(at now: Int) {
    look(at: now)
    guard reading.allows(.foregroundEntered) else { return }
    if reading.state == .suspended { act(.resume) }
    history.note(.foregroundEntered, at: now)
    act(.tell(.willEnterForeground, trip: 0))
    act(.show(.inactive))
    look(at: now)
  }

  /// L2: didBecomeActive; the state seen inside is active.
  package mutating func becomeActive(at now: Int) {
    look(at: now)
    guard reading.allows(.becameActive) else { return }
    history.note(.becameActive, at: now)
    act(.show(.active))
    act(.tell(.didBecomeActive, trip: 0))
    look(at: now)
  }

  /// A23: a suspended application runs again and stays in the background.
  package mutating func resume(at now: Int) {
    let reading = reading
    // One whose end was only reported has no trip to go on with.
    guard reading.state == .suspended, reading.trip != nil else { return }
    history.note(.resumed, at: now)
    act(.resume)
    look(at: now)
  }

  /// A15: the program has nothing more to do in this trip.
  package mutating func idle(at now: Int) {
    look(at: now)
    guard reading.state == .background, reading.trip != nil else { return }
    history.note(.idled, at: now)
    look(at: now)
  }

  /// A23: the process goes on after it stood still; past its deadline it is terminated, whatever
  /// else was due.
  package mutating func continued(afterStop span: Int, at now: Int) {
    history.note(.stoodStill(span), at: now)
    let reading = reading
    if reading.state != .notRunning, reading.isHeld, now >= reading.deadline {
      act(.terminate(.overrun))
      history.note(.gone, at: now)
    }
    look(at: now)
  }

  /// A18: the rest of the budget is taken back but for the lead; who holds is told at once.
  package mutating func revoke(_ reason: ModelReason, at now: Int) {
    look(at: now)
    guard reading.state == .background else { return }
    let before = reading.deadline
    endModes(.limited, at: now)
    history.note(.revoked(reason), at: now)
    tellNearerDeadline(than: before)
    let reading = reading
    if reading.isHeld { expire(reading.trip?.revocation ?? reason, at: now) }
    look(at: now)
  }

  /// A18: the authority in another process expires the tasks of this trip, whose end it can only
  /// bring nearer.
  package mutating func expiredByAuthority(_ reason: ModelReason, end: Int, at now: Int) {
    look(at: now)
    guard reading.state == .background else { return }
    let before = reading.deadline
    endModes(.limited, at: now)
    history.note(.expiredByAuthority(reason, end: end), at: now)
    tellNearerDeadline(than: before)
    // A choice: it knows why it expires them, whatever took time before.
    if reading.isHeld { expire(reason, at: now) }
    look(at: now)
  }

  /// A10, E1: the trip ends at another instant, and what was due by the former end is not any more.
  package mutating func endMoved(to end: Int, because reason: ModelReason, at now: Int) {
    let before = reading
    guard before.trip != nil else { return }
    endModes(.limited, at: now)
    let former = reading.tripEnd
    history.note(.endMoved(to: end, reason, wasTold: before.expiry != nil), at: now)
    if reading.tripEnd > former {
      if let stop = before.stop {
        // W11: the end of a requested stop never comes later.
        history.note(.stopRequested(stop.reason, end: before.deadline), at: now)
      } else if now < reading.warnTime {
        // A choice: calls that nobody has come to are taken back, as in the foreground (A17).
        history.note(.expiryWithdrawn, at: now)
      }
    }
    tellMovedEnd(than: before.deadline, at: now)
    look(at: now)
  }

  /// Who counts on another end is told, but for those who are called because of it.
  mutating func tellMovedEnd(than before: Int, at now: Int) {
    let reading = reading
    guard reading.state == .background, reading.isHeld else { return }
    if reading.deadline > before {
      act(.deadlineExtended(to: reading.deadline))
    } else if now >= reading.warnTime {
      tellNearerDeadline(than: before)
    } else if reading.deadline < before {
      act(.deadlineMoved(to: reading.deadline))
    }
  }

  /// A18, W11: the process is asked to stop, in whatever state it is; a second request only brings
  /// the end nearer.
  package mutating func requestStop(_ reason: ModelReason, grace: Int, at now: Int) {
    look(at: now)
    let isFirst = reading.stop == nil
    let before = reading.deadline
    history.note(.stopRequested(reason, end: now + grace), at: now)
    tellNearerDeadline(than: before)
    if isFirst {
      // L1: code sees only the middle three states, so only there can anybody be told.
      switch reading.state {
      case .inactive, .active, .background: act(.tell(.willTerminate, trip: 0))
      case .notRunning, .suspended: break
      }
      expire(reason, at: now)
      if reading.state == .notRunning {
        act(.stopCompleted)
        history.note(.stopCompleted, at: now)
      }
    }
    look(at: now)
  }

  /// A12, A18: an owner is called once, so one that was called with a later end has to be told of
  /// the nearer one.
  ///
  /// One whose call still waits for the main queue is not; that is a choice.
  private mutating func tellNearerDeadline(than before: Int) {
    let reading = reading
    guard reading.deadline < before else { return }
    if reading.tasks.contains(where: { $0.holds && $0.isSpent }) {
      act(.deadlineMoved(to: reading.deadline))
    }
  }

  /// The process ends in order; who was asked to stop has been told already.
  package mutating func end(at now: Int) {
    let reading = reading
    guard reading.state != .notRunning else { return }
    if reading.stop == nil, reading.state != .suspended { act(.tell(.willTerminate, trip: 0)) }
    history.note(.gone, at: now)
  }

  /// L6: a suspended application is ended without notice.
  package mutating func killWhileSuspended(at now: Int) {
    guard reading.state == .suspended else { return }
    act(.terminate(.killedWhileSuspended))
    history.note(.gone, at: now)
  }

  /// The termination was only reported: all tasks are ended, and the application is suspended
  /// instead.
  package mutating func terminationReported(at now: Int) {
    let reading = reading
    guard reading.hasLived else { return }
    for task in reading.tasks {
      history.note(.ended(ModelHistory.systemPlace), of: task.id, at: now)
    }
    history.note(.reported, at: now)
    if reading.stop == nil { act(.suspend) }
    look(at: now)
  }
}
