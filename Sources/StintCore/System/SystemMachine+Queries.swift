extension SystemMachine {
  /// When the time that code may use is over: nil for no end (A10).
  ///
  /// The remaining time is the distance from now to this instant, and never negative.
  package var usableUntil: Instant? {
    switch lifeState {
    case .notRunning:
      return isSpent ? Instant(nanoseconds: .min) : nil
    case .suspended:
      return Instant(nanoseconds: .min)
    case .inactive, .active:
      return stop?.deadline
    case .background:
      let idleEnd = isHeld || isKept ? Instant.distantFuture : (trip?.idleEnd ?? .distantFuture)
      let end = min(deadline, idleEnd)
      return end == .distantFuture ? nil : end
    }
  }

  /// When the time is over that a task gets if it is begun now: nil for no end (A10).
  ///
  /// The grace ends sooner, but a caller that asks before it begins a task needs this number.
  package var taskTimeUntil: Instant? {
    guard lifeState == .background else { return usableUntil }
    return deadline == .distantFuture ? nil : deadline
  }

  /// The remaining time now (A10).
  package func remaining(at now: Instant) -> RemainingTime {
    RemainingTime(until: usableUntil, at: now)
  }

  /// What is open (A22).
  package func openTasks(at now: Instant) -> [OpenTask] {
    tasks.map { task in
      OpenTask(
        identifier: task.identifier, name: task.name, age: task.began.duration(to: now),
        origin: task.origin, state: task.listed)
    }
  }
}
