// From the request for a task to its end: registration, expiry, changes of state, requests to pause and stop.

extension WorkerMachine {
  /// The worker is started: it registers before its first chunk (W1).
  public mutating func started(isInForeground: Bool, at moment: Moment) -> [Action] {
    precondition(phase == .idle, "a worker is started once")
    self.isInForeground = isInForeground
    savedAt = moment.now
    return register()
  }

  /// The system granted the task that was asked for.
  public mutating func taskGranted(
    _ task: BackgroundTaskIdentifier, at moment: Moment
  ) -> [Action] {
    registration = registration == .pendingSpent ? .spent(task) : .held(task)
    if let predecessor { return succeed(predecessor, at: moment) }
    switch phase {
    case .registering:
      // Expired before it was heard of, and active again meanwhile: only a fresh task protects.
      let replacement = freshTask(at: moment)
      return replacement.isEmpty ? beginStint(at: moment) : replacement
    case .working, .delivering:
      // The answer to a registration made while work went on.
      return freshTask(at: moment)
    case .closing:
      // Ended with the stint.
      return []
    case .idle, .parked, .paused, .ended:
      // The grant crossed an end of the stint: nothing needs the task any more.
      return endTask()
    }
  }

  /// The system denied the task that was asked for (A4, W1).
  public mutating func taskDenied(_ reason: DenialReason, at moment: Moment) -> [Action] {
    registration = .none
    if let predecessor {
      // The stint goes on under the task that it has.
      self.predecessor = nil
      registration = .spent(predecessor)
      return []
    }
    switch phase {
    case .registering:
      if isInForeground, reason != .stopping {
        return [.notice(.unprotected(reason))] + beginStint(at: moment)
      }
      // Nothing was run since the state was made or read, so nothing is to be saved.
      return [.notice(.denied(reason))] + settle(.denied)
    case .working:
      if isInForeground { return [.notice(.unprotected(reason))] }
      return [.notice(.denied(reason))] + close(.denied, at: moment)
    case .delivering:
      return isInForeground ? [.notice(.unprotected(reason))] : []
    case .closing, .idle, .parked, .paused, .ended:
      // The denial crossed an end of the stint, which needs no task.
      return []
    }
  }

  /// The expiration handler was called (W4).
  ///
  /// When only time has passed, chunks that fit go on; the state is made durable at once as a precaution. Asked to
  /// stop, the worker closes.
  public mutating func expired(_ reason: ExpiryReason, at moment: Moment) -> [Action] {
    if let task = registration.task {
      registration = .spent(task)
    } else if registration == .pending {
      registration = .pendingSpent
    }
    switch phase {
    case .idle, .paused, .ended:
      // The expiry crossed the end of the stint.
      return []
    case .parked:
      return endTask()
    case .registering:
      // Expired before the registration was answered: the answer finds a worker that has nothing to save.
      if isStop(reason), stop == nil { stop = StopRequest(reason: reason, mode: .now) }
      return []
    case .closing, .delivering:
      stint?.expiryAnnounced = reason
      if isStop(reason), stop == nil { stop = StopRequest(reason: reason, mode: .now) }
      return freshTask(at: moment) + advance(at: moment)
    case .working:
      stint?.expiryAnnounced = reason
      if isStop(reason) { return stopRequested(.now, reason: reason, at: moment) }
      let replacement = freshTask(at: moment)
      // A call that was on its way when the application became active: there is no hurry any more (A17).
      if !replacement.isEmpty { return replacement + advance(at: moment) }
      return saveIfNeeded(at: moment) + advance(at: moment)
    }
  }

  /// The application entered the background.
  ///
  /// Work that went on without a task asks once more: in the background it is protected, or it is saved and stops (W1).
  public mutating func enteredBackground(at moment: Moment) -> [Action] {
    isInForeground = false
    switch phase {
    case .working, .delivering:
      return (registration == .none && stop == nil ? registerAgain() : []) + advance(at: moment)
    case .idle, .registering, .closing, .parked, .paused, .ended:
      return advance(at: moment)
    }
  }

  /// The application was suspended while the worker, without a task of its own, still worked: the stint ends as it stands (L5).
  public mutating func suspended(at moment: Moment) -> [Action] {
    // News of a suspension that crossed the way back to the foreground.
    if isInForeground { return [] }
    let end = min(moment.deadline ?? moment.now, moment.now)
    return advance(at: Moment(now: moment.now, deadline: end))
  }

  /// The application became active: registers again if work remains and the task is not valid or spent, exactly once (W5).
  public mutating func becameActive(at moment: Moment) -> [Action] {
    isInForeground = true
    switch phase {
    case .idle, .paused, .ended:
      return []
    case .registering:
      // Asked already; the answer is on its way.
      return []
    case .parked:
      // A requested stop is never revoked by a change of state (W11).
      if stop != nil { return [] }
      return register()
    case .working, .delivering:
      return registerAgain() + advance(at: moment)
    case .closing(let end):
      if stop != nil || pauseRequested || end == .failed { return [] }
      phase = .working
      return registerAgain() + advance(at: moment)
    }
  }

  /// A stop was requested (W11).
  ///
  /// A second request can only make it sooner.
  public mutating func stopRequested(
    _ mode: StopMode, reason: ExpiryReason, at moment: Moment
  ) -> [Action] {
    if stop == nil || mode == .now {
      stop = StopRequest(reason: stop?.reason ?? reason, mode: mode)
    }
    switch phase {
    case .idle, .registering, .ended:
      // Registering: the answer ends it. Idle: the start does.
      return []
    case .parked, .paused:
      return endIfStopped()
    case .closing, .delivering:
      return advance(at: moment)
    case .working:
      return mode == .now ? close(.stopRequested, at: moment) : advance(at: moment)
    }
  }

  /// A pause was requested: ends the tick and the task (W7).
  public mutating func pauseRequested(at moment: Moment) -> [Action] {
    switch phase {
    case .ended, .paused:
      return []
    case .idle, .registering:
      // The answer to the registration takes it up.
      pauseRequested = true
      return []
    case .parked:
      phase = .paused
      return []
    case .closing, .delivering:
      pauseRequested = true
      return advance(at: moment)
    case .working:
      pauseRequested = true
      return close(.paused, at: moment)
    }
  }

  /// Goes on after a pause, from where it stood (W7).
  public mutating func resumeRequested(at moment: Moment) -> [Action] {
    let wasRequested = pauseRequested
    pauseRequested = false
    switch phase {
    case .paused:
      return register()
    case .closing(let end) where wasRequested && stop == nil && end != .failed:
      // The pause had not taken effect yet. Another end stands, unless the application became active since.
      guard end == .paused || isInForeground else { return [] }
      phase = .working
      return (isInForeground ? registerAgain() : []) + advance(at: moment)
    case .idle, .registering, .working, .closing, .delivering, .parked, .ended:
      return []
    }
  }

  // MARK: Steps

  mutating func register() -> [Action] {
    phase = .registering
    switch registration {
    case .pending, .pendingSpent:
      // Asked for while the stint before still worked; the answer is on its way.
      return []
    case .none, .held, .spent:
      let ends = endTask()
      registration = .pending
      return ends + [.beginTask]
    }
  }

  /// Replaces a task that is spent while the application is active and nothing limits its time: an expiry that was on
  /// its way when it became so (W5).
  mutating func freshTask(at moment: Moment) -> [Action] {
    guard isInForeground, moment.deadline == nil, stop == nil, case .spent = registration
    else { return [] }
    return registerAgain()
  }

  /// Replaces a task that is not valid any more, while work goes on.
  private mutating func registerAgain() -> [Action] {
    switch registration {
    case .held, .pending, .pendingSpent:
      // Pending: the answer is on its way, and the next activation sees what it was.
      return []
    case .none:
      registration = .pending
      return [.beginTask]
    case .spent(let task):
      registration = .pending
      stint?.expiryAnnounced = nil
      return [.endTask(task), .beginTask]
    }
  }

  mutating func endTask() -> [Action] {
    let tasks = [predecessor, registration.task].compactMap { $0 }
    predecessor = nil
    if registration.task != nil { registration = .none }
    return tasks.map { .endTask($0) }
  }

  mutating func beginStint(at moment: Moment) -> [Action] {
    if stop != nil {
      phase = .parked(.stopRequested)
      return endTask() + endIfStopped()
    }
    if pauseRequested {
      phase = .paused
      return endTask()
    }
    phase = .working
    probesLeft = policy.wakeProbes
    stint = StintAccount(
      beganAt: moment.now, workTimeAtBegin: durableWorkTime,
      cleanAt: isDurable && save == nil ? moment.now : nil)
    return [.stintBegan] + advance(at: moment)
  }

  mutating func close(_ end: StintEnd, at moment: Moment) -> [Action] {
    phase = .closing(end)
    var actions: [Action] = []
    if chunk != nil, end != .didNotFit {
      actions.append(.raiseStopFlag)
      chunk?.isGivenUp = true
    }
    return actions + advance(at: moment)
  }

  /// Writes the account, ends the task, and decides what comes next, in that order (W4).
  mutating func endStint(_ end: StintEnd, at moment: Moment) -> [Action] {
    var actions = wake(nil, at: moment)
    let wasFruitless = stint?.checkpoints == 0 && stint?.keptProgress == false
    if let stint {
      schedule.observed(ran: stint.beganAt.duration(to: moment.now))
      actions += nearMiss(at: moment)
      if durable == nil, stint.chunks > 0, end != .finished { actions.append(.notice(.neverSaved)) }
      actions.append(
        .stintEnded(
          StintSummary(
            end: end, saved: durableWorkTime - stint.workTimeAtBegin,
            lost: workTime - durableWorkTime, elapsed: stint.beganAt.duration(to: moment.now),
            chunks: stint.chunks, checkpoints: stint.checkpoints, unused: moment.remaining,
            isFruitless: wasFruitless && [.didNotFit, .expired].contains(end))))
    }
    stint = nil
    switch end {
    case .finished:
      phase = .ended(.finished)
      return actions + endTask() + [.ended(.finished)]
    case .didNotFit, .expired:
      if wasFruitless { fruitlessStints += 1 }
      if fruitlessStints >= policy.stintsWithoutProgress, stop == nil {
        let error = noProgress(at: moment)
        phase = .ended(.failed(error))
        if chunk?.isGivenUp == false { actions.append(.raiseStopFlag) }
        return actions + endTask() + [.ended(.failed(error))]
      }
      return actions + endTask() + settle(end)
    case .denied, .stopRequested, .paused:
      return actions + endTask() + settle(end)
    case .failed:
      preconditionFailure("a failure ends through fail(with:at:), which knows the error")
    case .extended:
      preconditionFailure("an extended stint ends when the next one has its task")
    }
  }

  /// The error of a job that never progresses (W13).
  private func noProgress(at moment: Moment) -> StintError {
    let cost = outlook.hardest ?? outlook.next?.smallest ?? 0
    let learnt = fitTest.leastBudget(chunkCost: cost, checkpointBytes: outlook.checkpointBytes)
    // A chunk that was given up took longer than it was given; nothing was learnt from it but that.
    let ran = chunk.map { $0.startedAt.duration(to: moment.now) } ?? .zero
    let least = max(learnt, ran * 2, (budget ?? .zero) * 2)
    return StintError(
      .noProgress,
      "\(fruitlessStints) stints in a row saved nothing new; the next step needs a budget of at least "
        + "about \(least.compactText).")
  }

  private func nearMiss(at moment: Moment) -> [Action] {
    // A stop gives its own grace, of which the lead says nothing.
    guard let left = moment.remaining, lead > .zero, let reason = stint?.expiryAnnounced,
      !isStop(reason), left.inSeconds < (1 - policy.nearMissShare) * lead.inSeconds
    else { return [] }
    return [.notice(.nearMiss(left: left, lead: lead))]
  }

  /// Between two stints: ended if a stop was requested, paused if a pause was, else ready for the next activation.
  private mutating func settle(_ end: StintEnd) -> [Action] {
    phase = pauseRequested || end == .paused ? .paused : .parked(end)
    return endIfStopped()
  }

  private mutating func endIfStopped() -> [Action] {
    guard let stop else { return [] }
    phase = .ended(.stopped(stop.reason))
    return [.ended(.stopped(stop.reason))]
  }

  /// An error ends the worker: what is complete stays as durable as it is.
  mutating func fail(with error: StintError, at moment: Moment) -> [Action] {
    var actions = wake(nil, at: moment)
    if chunk?.isGivenUp == false {
      chunk?.isGivenUp = true
      actions.append(.raiseStopFlag)
    }
    if let stint {
      actions.append(
        .stintEnded(
          StintSummary(
            end: .failed, saved: durableWorkTime - stint.workTimeAtBegin,
            lost: workTime - durableWorkTime, elapsed: stint.beganAt.duration(to: moment.now),
            chunks: stint.chunks, checkpoints: stint.checkpoints, unused: moment.remaining)))
    }
    stint = nil
    phase = .ended(.failed(error))
    return actions + endTask() + [.ended(.failed(error))]
  }

  /// Whether a reason asks to stop rather than to use what is left.
  private func isStop(_ reason: ExpiryReason) -> Bool {
    switch reason {
    case .stopRequested, .signal: true
    case .timeElapsed, .revoked, .denied, .engineEndTime: false
    }
  }
}
