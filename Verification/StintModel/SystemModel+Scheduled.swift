// Q9: what the system begins by itself.

extension SystemModel {
  /// The system begins a task with a time of its own: in a trip that it begins for that, or in the
  /// living one, whose end moves to the later of the two.
  package mutating func beginForSystem(
    name: String, place: Int, allowance: Int, at now: Int
  ) -> Grant {
    look(at: now)
    let state = reading.state
    if reading.stop == nil, state == .suspended || state == .background,
      reading.tasks.count >= policy.maximumTasks
    {
      // What is denied begins no trip and moves no end (A8).
      return .denied(.tooManyTasks(maximum: policy.maximumTasks))
    }
    if reading.stop == nil, state == .suspended {
      if let denial = denialOfTrip(at: now) { return .denied(denial) }
      // A choice: a limit that is not the policy's own allows no trip beside its own.
      let isLimited = endsElsewhere
      history.note(isLimited ? .resumed : .woken(allowance: allowance), at: now)
      if isLimited { history.note(.idled, at: now) }
      act(.resume)
    } else {
      allow(until: now + allowance, at: now)
      let end = reading.tripEnd
      if reading.stop == nil, reading.trip != nil, end != never, end - now < leastOfSystem {
        look(at: now)
        return .denied(denial(end - now))
      }
    }
    // Nothing can happen between: a grace may be over at once.
    let grant = ask(name: name, place: place, delivery: .direct, isSystems: true, at: now)
    look(at: now)
    return grant
  }

  /// Q5: what the system began may go on for longer.
  package mutating func allowTime(until end: Int, at now: Int) {
    look(at: now)
    allow(until: end, at: now)
    look(at: now)
  }

  /// B2, Q4: what the system began was not completed in its time.
  package mutating func notCompleted(_ id: Int, at now: Int) {
    look(at: now)
    let reading = reading
    guard reading.state != .notRunning, let task = reading.tasks.first(where: { $0.id == id }),
      task.holds
    else { return }
    act(.terminate(.neverCompleted(name: task.name)))
    history.note(.gone, at: now)
    look(at: now)
  }

  private var endsElsewhere: Bool {
    isRemote || !policy.grantsModes || reading.trip?.isLimited == true
  }

  /// Never beyond a budget, another process's time, or a daily quota.
  private func denialOfTrip(at now: Int) -> ModelDenial? {
    let trip = reading.trip
    if endsElsewhere {
      guard let trip else { return .suspended }
      if trip.deadline == never { return nil }
      let left = trip.deadline + trip.uncountedSuspension(at: now, policy) - now
      return left < leastOfSystem ? denial(left) : nil
    }
    guard let left = history.quotaLeft(at: now, policy), left < leastOfSystem else { return nil }
    return denial(left)
  }

  /// A choice: with less, nobody could be warned and still have something to do.
  private var leastOfSystem: Int { policy.lead + policy.leastWorthGranting }

  private func denial(_ left: Int) -> ModelDenial {
    .tooLittleTime(left: max(0, left), least: leastOfSystem)
  }

  private mutating func allow(until end: Int, at now: Int) {
    let before = reading
    guard before.stop == nil, before.state == .background, !endsElsewhere, end > before.tripEnd
    else { return }
    history.note(.timeAllowed(to: end), at: now)
    guard reading.tripEnd > before.tripEnd else { return }
    if now < reading.warnTime { history.note(.expiryWithdrawn, at: now) }
    tellMovedEnd(than: before.deadline, at: now)
  }
}
