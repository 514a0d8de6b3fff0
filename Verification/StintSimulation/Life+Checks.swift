import StintCore

// The invariants, by what the world itself has seen.

extension Life {
  /// After every event.
  func check() {
    let deadline = min(tripDeadline, stopDeadline)
    let warned = tripDeadline.advanced(by: plan.lateness - plan.policy.lead)
    let isInBackground = system.lifeState == .background
    var held = 0
    for task in tasks where !task.isDenied {
      if task.isWorkers { held += 1 }
      if now > deadline {
        fail(.noTaskPastItsDeadline, "\(task.name) is open \(deadline.duration(to: now)) later")
      }
      if isInBackground, now > warned, now < deadline, !stoodStill, !task.isPending,
        !task.isWarned, task.delivery != .none
      {
        fail(.handlerInTime, "\(task.name) was not called by \(warned)")
      }
    }
    if held > 1 { fail(.registersOnce, "the worker holds \(held) tasks") }
    checkRemaining(deadline)
    checkLiveness()
    if plan.requests != nil { checkRequests() }
  }

  /// A10: never more than what is left.
  private func checkRemaining(_ deadline: Instant) {
    guard case .limited(var remaining) = system.remaining(at: now) else {
      if deadline < .distantFuture, system.lifeState == .background {
        fail(.remainingIsTrue, "unlimited with a deadline at \(deadline)")
      }
      return
    }
    if plant == .remainingIsDoubled { remaining = remaining * 2 }
    if remaining < .zero || remaining > max(.zero, now.duration(to: deadline)) {
      let end = tripStart.advanced(by: plan.policy.enterBackgroundGrace)
      // Without a task it is the rest of the grace; a resumed application has a new one.
      if deadline < .distantFuture || now.advanced(by: remaining) < end {
        fail(
          .remainingIsTrue, "\(remaining) is told, the end is \(now.duration(to: deadline)) away")
      }
    }
  }

  /// Something is under way or asked for (W5).
  private func checkLiveness() {
    guard isAlive, chunk == nil, save == nil, !isDelivering else { return }
    let isAwaited = tasks.contains { $0.isWorkers && $0.isPending }
    if isAwaited || due[Slot.workerWake.rawValue] < .distantFuture { return }
    switch worker.phase {
    case .working, .closing, .delivering, .registering:
      fail(.neverStuck, "\(worker.phase) with nothing under way")
    case .parked:
      if system.lifeState == .active, !isStopWanted, !isPauseWanted {
        fail(.neverStuck, "parked while active")
      }
    case .idle, .paused, .ended:
      break
    }
  }

  /// Who is terminated at the deadline was warned, and the worker is not to blame.
  func checkWarned(_ cause: @autoclosure () -> String) {
    guard !stoodStill else { return }
    let isAtDeadline = now >= min(tripDeadline, stopDeadline)
    for task in tasks where !task.isDenied && !task.isPending && task.delivery != .none {
      if !task.isWarned {
        fail(.handlerInTime, "\(task.name) was never called before \(cause())")
      } else if task.isWorkers, isAtDeadline {
        fail(.endsInTime, "the worker's task was open at \(cause()) in \(worker.phase)")
      }
    }
  }

  /// Whoever is terminated because didEnterBackground has not returned had the whole grace.
  func checkGrace() {
    let end = enteredAt.advanced(by: plan.policy.enterBackgroundGrace)
    if now < min(end, tripDeadline), !stoodStill {
      fail(.tripLasts, "the grace ended \(now.duration(to: end)) early")
    }
  }

  /// A trip with an end of its own is cut short only when there is nothing more to do.
  func checkTripLasted() {
    if isTripLimited, !isIdle, now < tripDeadline {
      fail(.tripLasts, "suspended \(now.duration(to: tripDeadline)) early in \(worker.phase)")
    }
  }

  /// What counts as saved is on the disk, whatever happens.
  func checkSaved() {
    guard isAlive, disk.result == nil else { return }
    let left = disk.survivor?.workTime ?? .zero
    if worker.savedWorkTime > left {
      fail(.savedSurvives, "\(worker.savedWorkTime) counts as saved, \(left) would be left")
    }
  }

  /// The account of a stint adds up.
  func check(_ summary: StintSummary) {
    var summary = summary
    if plant == .lossIsNotTold { summary.lost = .zero }
    defer { stintBegan = nil }
    guard let began = stintBegan else {
      return fail(.accounted, "a stint ended that had not begun")
    }
    if summary.elapsed != began.duration(to: now) {
      fail(.accounted, "\(summary.elapsed) instead of \(began.duration(to: now))")
    }
    if summary.end == .finished { return }
    if savedAtBegin + summary.saved != durable.workTime {
      fail(.accounted, "saved \(summary.saved), from \(savedAtBegin) to \(durable.workTime)")
    }
    // After an end that was moved the work goes on in the next stint, so nothing is lost.
    let left = summary.end == .extended ? durable.workTime : current.workTime
    if durable.workTime + summary.lost != left {
      fail(.accounted, "lost \(summary.lost), from \(durable.workTime) to \(current.workTime)")
    }
  }

  func tick() {
    switch worker.phase {
    case .working, .closing, .delivering, .registering: break
    case .idle, .parked, .paused, .ended: if plant != .ticksGoOnWhileSuspended { return }
    }
    if isSuspended { return fail(.suspendedDoesNothing, "a tick") }
    var shown = worker.progress.fraction
    if plant == .progressRunsAhead, let chunk { shown += Double(chunk.units) / Double(plan.units) }
    let units: Int =
      switch worker.phase {
      case .parked, .paused, .ended(.stopped), .ended(.failed): durable.units
      case .idle, .registering, .working, .closing, .delivering, .ended(.finished): current.units
      }
    if shown > Double(units) / Double(plan.units) {
      fail(.progressIsTrue, "\(shown) is shown, \(units) of \(plan.units) are done")
    }
    schedule(.tick, in: plan.tick)
  }
}
