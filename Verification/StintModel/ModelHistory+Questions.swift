extension ModelHistory {
  /// L1: the state that the latest step of the life led to.
  var state: ModelState {
    for fact in life.reversed() {
      switch fact.what {
      case .launchedIntoForeground, .resigned, .foregroundEntered: return .inactive
      case .becameActive: return .active
      case .launchedIntoBackground, .backgroundEntered, .resumed, .woken: return .background
      case .suspended, .reported: return .suspended
      case .gone: return .notRunning
      case .enterReturned, .idled, .stoodStill, .revoked, .expiredByAuthority, .endMoved,
        .timeAllowed,
        .expiryWithdrawn, .stopRequested, .stopCompleted, .expired, .saidUnserved, .memoryWarned,
        .modeBegan, .modeEnded:
        continue
      }
    }
    return .notRunning
  }

  /// The stop that was requested: the first reason, the earliest end; no change of state revokes it
  /// (W11).
  var stop: ModelReading.Stop? {
    var stop: ModelReading.Stop?
    for fact in life {
      switch fact.what {
      case .stopRequested(let reason, let end):
        let earlier = stop ?? ModelReading.Stop(reason: reason, end: end)
        stop = earlier
        stop?.end = min(earlier.end, end)
      case .stopCompleted:
        stop?.isCompleted = true
      case .launchedIntoForeground, .launchedIntoBackground, .resigned, .foregroundEntered,
        .becameActive, .backgroundEntered, .enterReturned, .idled, .suspended, .resumed, .woken,
        .timeAllowed,
        .stoodStill,
        .revoked, .expiredByAuthority, .endMoved, .expiryWithdrawn, .expired, .saidUnserved,
        .memoryWarned, .modeBegan, .modeEnded, .gone, .reported:
        continue
      }
    }
    return stop
  }

  /// The modes that are in use (B5): no state ends them, only the end of the process.
  var modes: [ModelMode] {
    var modes: [ModelMode] = []
    for fact in life {
      switch fact.what {
      case .modeBegan(let mode): modes.append(mode)
      case .modeEnded(let mode): modes.removeAll { $0 == mode }
      case .gone: modes = []
      case .launchedIntoForeground, .launchedIntoBackground, .resigned, .foregroundEntered,
        .becameActive, .backgroundEntered, .enterReturned, .idled, .suspended, .resumed, .woken,
        .timeAllowed,
        .stoodStill,
        .revoked, .expiredByAuthority, .endMoved, .expiryWithdrawn, .stopRequested, .stopCompleted,
        .expired, .saidUnserved, .memoryWarned, .reported:
        continue
      }
    }
    return modes
  }

  /// The expiry that is under way.
  ///
  /// A17: going to the foreground takes it back, unless a stop was requested; so does an end that
  /// is far enough away again. It is over with the trip.
  var expiry: ModelReading.Expiry? {
    var expiry: ModelReading.Expiry?
    var isStopping = false
    for fact in life {
      switch fact.what {
      case .expired(let reason): expiry = ModelReading.Expiry(reason: reason, order: fact.order)
      case .saidUnserved: expiry?.unservedSaid = true
      case .stopRequested: isStopping = true
      case .foregroundEntered: if !isStopping { expiry = nil }
      case .suspended, .gone, .expiryWithdrawn: expiry = nil
      case .launchedIntoForeground, .launchedIntoBackground, .resigned, .becameActive,
        .backgroundEntered, .enterReturned, .idled, .resumed, .woken, .timeAllowed, .stoodStill,
        .revoked,
        .expiredByAuthority,
        .endMoved, .stopCompleted, .memoryWarned, .modeBegan, .modeEnded, .reported:
        continue
      }
    }
    return expiry
  }

  /// A17: whether a call that was on its way was dropped, because the foreground was entered since,
  /// or there was time again.
  func wasDropped(callAt order: Int) -> Bool {
    for fact in life.reversed() {
      if fact.order < order { return false }
      if case .expiryWithdrawn = fact.what { return true }
      if case .foregroundEntered = fact.what { return !wasStopping(at: fact.order) }
    }
    return false
  }

  private func wasStopping(at order: Int) -> Bool {
    for fact in life where fact.order < order {
      if case .stopRequested = fact.what { return true }
    }
    return false
  }

  /// A task as its story tells it, or nil if it was ended.
  func openTask(_ story: Story) -> ModelReading.Task? {
    var task = ModelReading.Task(
      id: story.id, name: story.name, place: story.place, delivery: story.delivery,
      began: story.began, isSystems: story.isSystems, state: .pending)
    for fact in story.facts {
      switch fact.what {
      case .ended:
        return nil
      case .granted:
        task.state = .granted
      case .denied:
        task.state = .denied
        task.isDenied = true
      case .called(let number):
        // A17: a stale call is dropped. A denial is told, whatever the state (A4).
        if !task.isDenied, wasDropped(callAt: fact.order) { continue }
        task.waitingCall = number
        task.calledAt = fact.at
        task.state = task.isDenied ? .denied : .warned
      case .claimed:
        task.waitingCall = nil
        task.claimedAt = fact.at
        task.isRunningHandler = true
        task.isSpent = true
        task.state = task.isDenied ? .denied : .handling
      case .returned:
        task.isRunningHandler = false
        task.state = task.isDenied ? .denied : .spent
      case .handed:
        task.isSpent = true
        task.state = task.isDenied ? .denied : .spent
      case .saidOverran: task.overrunSaid = true
      case .saidLeftOpen: task.leftOpenSaid = true
      case .saidHeldTooLong: task.heldTooLongSaid = true
      }
    }
    return task
  }

  /// L4, A15: whether a task held in the trip: one begun in it, or one that was open when it began
  /// (or was resumed).
  func hadTask(since mark: Int) -> Bool {
    stories.contains { story in
      for fact in story.facts where fact.order < mark {
        switch fact.what {
        case .ended, .denied: return false
        case .granted, .called, .claimed, .returned, .handed, .saidOverran, .saidLeftOpen,
          .saidHeldTooLong:
          continue
        }
      }
      return true
    }
  }

  /// A12: whether the main queue came to a call since.
  func wasClaimed(since order: Int) -> Bool {
    for story in stories {
      for fact in story.facts where fact.order > order {
        if case .claimed = fact.what { return true }
      }
    }
    return false
  }
}
