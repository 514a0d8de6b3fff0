// From the request for a task to its end: registration, expiry, changes of state, requests to pause
// and stop.

extension WorkerMachine {
  /// The worker is started: it registers before its first chunk (W1).
  package mutating func started(isInForeground: Bool, at moment: Moment) -> [Action] {
    precondition(phase == .idle, "a worker is started once")
    registration.applicationMoved(toForeground: isInForeground)
    work.began(at: moment.now)
    return register()
  }

  /// The system granted the task that was asked for.
  package mutating func taskGranted(
    _ task: BackgroundTaskIdentifier, at moment: Moment
  ) -> [Action] {
    if let former = registration.granted(task) { return succeed(former, at: moment) }
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
  package mutating func taskDenied(_ reason: DenialReason, at moment: Moment) -> [Action] {
    registration.denied()
    // The stint goes on under the task that it has.
    if case .spent = registration.hold { return [] }
    switch phase {
    case .registering:
      if registration.isInForeground, reason != .stopping {
        return [.notice(.unprotected(reason))] + beginStint(at: moment)
      }
      // Nothing was run since the state was made or read, so nothing is to be saved.
      return [.notice(.denied(reason))] + settle(.denied)
    case .working:
      if registration.isInForeground { return [.notice(.unprotected(reason))] }
      return [.notice(.denied(reason))] + close(.denied, at: moment)
    case .delivering:
      return registration.isInForeground ? [.notice(.unprotected(reason))] : []
    case .closing, .idle, .parked, .paused, .ended:
      // The denial crossed an end of the stint, which needs no task.
      return []
    }
  }

  /// The expiration handler was called (W4).
  ///
  /// When only time has passed, chunks that fit go on; the state is made durable at once as a
  /// precaution, unless that would cost the time of a chunk, and the end came as it was told or the
  /// running chunk is worth waiting for. Asked to stop, the worker closes.
  package mutating func expired(_ reason: ExpiryReason, at moment: Moment) -> [Action] {
    registration.expired()
    switch phase {
    case .idle, .paused, .ended:
      // The expiry crossed the end of the stint.
      return []
    case .parked:
      return endTask()
    case .registering:
      // Expired before the registration was answered: the answer finds a worker that has nothing to
      // save.
      if isStop(reason), ends.stop == nil { ends.stopRequested(.now, reason: reason) }
      return []
    case .closing, .delivering:
      stint?.announced(reason)
      if isStop(reason), ends.stop == nil { ends.stopRequested(.now, reason: reason) }
      return freshTask(at: moment) + advance(at: moment)
    case .working:
      stint?.announced(reason)
      if isStop(reason) { return stopRequested(.now, reason: reason, at: moment) }
      let replacement = freshTask(at: moment)
      // A call that was on its way when the application became active: there is no hurry any more
      // (A17).
      if !replacement.isEmpty { return replacement + advance(at: moment) }
      let isPrecaution =
        policy.worksWhileSaving || (reason != .timeElapsed && !awaitsChunk(at: moment))
      return (isPrecaution ? saveIfNeeded(at: moment) : []) + advance(at: moment)
    }
  }

  /// Whether waiting for the running chunk is expected to save more than a checkpoint at once.
  func awaitsChunk(at moment: Moment) -> Bool {
    guard let chunk = running.chunk, !chunk.isGivenUp, running.save == nil else { return false }
    return fitTest.expectsMore(
      ofChunk: chunk.cost, ran: chunk.startedAt.duration(to: moment.now),
      bytes: work.outlook.checkpointBytes, situation: situation(at: moment))
  }

  /// The process, or the whole machine, stood still for so long.
  ///
  /// In every phase; nothing else follows from it.
  package mutating func stoodStill(for length: Duration) {
    lateness.stoodStill()
    running.stoodStill(for: length)
  }

  /// The application entered the background.
  ///
  /// Work that went on without a task asks once more: in the background it is protected, or it is
  /// saved and stops (W1).
  package mutating func enteredBackground(at moment: Moment) -> [Action] {
    registration.applicationMoved(toForeground: false)
    switch phase {
    case .working, .delivering:
      let mustAsk = registration.hold == .none && ends.stop == nil
      return (mustAsk ? registerAgain() : []) + advance(at: moment)
    case .idle, .registering, .closing, .parked, .paused, .ended:
      return advance(at: moment)
    }
  }

  /// The application was suspended while the worker, without a task of its own, still worked: the
  /// stint ends as it stands (L5).
  package mutating func suspended(at moment: Moment) -> [Action] {
    // News of a suspension that crossed the way back to the foreground.
    if registration.isInForeground { return [] }
    let end = min(moment.deadline ?? moment.now, moment.now)
    return advance(at: Moment(now: moment.now, deadline: end))
  }

  /// The application became active: registers again if work remains and the task is not valid or
  /// spent, exactly once (W5).
  package mutating func becameActive(at moment: Moment) -> [Action] {
    registration.applicationMoved(toForeground: true)
    switch phase {
    case .idle, .paused, .ended:
      return []
    case .registering:
      // Asked already; the answer is on its way.
      return []
    case .parked:
      // A requested stop is never revoked by a change of state (W11).
      if ends.stop != nil { return [] }
      return register()
    case .working, .delivering:
      return registerAgain() + advance(at: moment)
    case .closing(let end):
      if ends.stop != nil || ends.pause || end == .failed { return [] }
      phase = .working
      return registerAgain() + advance(at: moment)
    }
  }

  /// A stop was requested (W11).
  ///
  /// A second request can only make it sooner.
  package mutating func stopRequested(
    _ mode: StopMode, reason: ExpiryReason, at moment: Moment
  ) -> [Action] {
    ends.stopRequested(mode, reason: reason)
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
  package mutating func pauseRequested(at moment: Moment) -> [Action] {
    switch phase {
    case .ended, .paused:
      return []
    case .idle, .registering:
      // The answer to the registration takes it up.
      ends.pauseRequested()
      return []
    case .parked:
      phase = .paused
      return []
    case .closing, .delivering:
      ends.pauseRequested()
      return advance(at: moment)
    case .working:
      ends.pauseRequested()
      return close(.paused, at: moment)
    }
  }

  /// Goes on after a pause, from where it stood (W7).
  package mutating func resumeRequested(at moment: Moment) -> [Action] {
    let wasRequested = ends.pause
    ends.resumeRequested()
    switch phase {
    case .paused:
      return register()
    case .closing(let end) where wasRequested && ends.stop == nil && end != .failed:
      // The pause had not taken effect yet. Another end stands, unless the application became
      // active since.
      guard end == .paused || registration.isInForeground else { return [] }
      phase = .working
      return (registration.isInForeground ? registerAgain() : []) + advance(at: moment)
    case .idle, .registering, .working, .closing, .delivering, .parked, .ended:
      return []
    }
  }

  // MARK: Steps

  mutating func register() -> [Action] {
    phase = .registering
    switch registration.hold {
    case .pending, .pendingSpent:
      // Asked for while the stint before still worked; the answer is on its way.
      return []
    case .none, .held, .spent:
      let ends = endTask()
      registration.asked()
      return ends + [.beginTask]
    }
  }

  /// Replaces a task that is spent while the application is active and nothing limits its time: an
  /// expiry that was on its way when it became so (W5).
  mutating func freshTask(at moment: Moment) -> [Action] {
    guard registration.isInForeground, moment.deadline == nil, ends.stop == nil,
      case .spent = registration.hold
    else { return [] }
    return registerAgain()
  }

  /// Replaces a task that is not valid any more, while work goes on.
  private mutating func registerAgain() -> [Action] {
    switch registration.hold {
    case .held, .pending, .pendingSpent:
      // Pending: the answer is on its way, and the next activation sees what it was.
      return []
    case .none:
      registration.asked()
      return [.beginTask]
    case .spent(let task):
      registration.asked()
      stint?.announced(nil)
      return [.endTask(task), .beginTask]
    }
  }

  mutating func endTask() -> [Action] {
    registration.ended().map { .endTask($0) }
  }

  mutating func beginStint(at moment: Moment) -> [Action] {
    if ends.stop != nil {
      phase = .parked(.stopRequested)
      return endTask() + endIfStopped()
    }
    if ends.pause {
      phase = .paused
      return endTask()
    }
    phase = .working
    lateness.stintBegan(probes: policy.wakeProbes)
    stint = StintTally(
      beganAt: moment.now, workTimeAtBegin: work.durableWorkTime,
      cleanAt: work.isDurable && running.save == nil ? moment.now : nil)
    return [.stintBegan] + advance(at: moment)
  }

  mutating func close(_ end: StintEnd, at moment: Moment) -> [Action] {
    phase = .closing(end)
    var actions: [Action] = []
    if running.chunk != nil, end != .didNotFit {
      actions.append(.raiseStopFlag)
      running.chunkGivenUp()
    }
    return actions + advance(at: moment)
  }

  /// The notice that the size of its chunks cost a stint a large part of its time, the first time
  /// that it did.
  private mutating func largeChunk(_ summary: StintSummary, had: Duration?) -> [Action] {
    guard let had, [.didNotFit, .expired].contains(summary.end), summary.saved > .zero,
      let next = work.outlook.next
    else { return [] }
    let bytes = work.outlook.checkpointBytes
    let chunk = fitTest.chunks.expected(cost: next.smallest)
    let unused =
      had - summary.saved - fitTest.expectedCheckpoint(bytes: bytes) * summary.checkpoints
    let large = had * policy.largeChunkShare
    guard chunk >= large, unused >= large, doubts.saysLargeChunk() else { return [] }
    return [.notice(.chunkTooLargeForBudget(chunk: chunk, budget: had, unused: unused))]
  }

  /// Writes the account, ends the task, and decides what comes next, in that order (W4).
  mutating func endStint(_ end: StintEnd, at moment: Moment) -> [Action] {
    var actions = wake(nil, at: moment)
    let wasFruitless = stint?.isFruitless == true
    let had = stint.flatMap { stint in moment.deadline.map { stint.beganAt.duration(to: $0) } }
    defer { doubts.stintIsOver() }
    if let stint {
      schedule.observed(ran: stint.beganAt.duration(to: moment.now))
      actions += nearMiss(at: moment)
      if work.durable == nil, stint.chunks > 0, end != .finished {
        actions.append(.notice(.neverSaved))
      }
      var summary = stint.summary(end, of: work, at: moment)
      summary.leastBudget = fitTest.leastBudget(of: work.outlook)
      actions += largeChunk(summary, had: had)
      actions.append(.stintEnded(summary))
    }
    stint = nil
    switch end {
    case .finished:
      phase = .ended(.finished)
      return actions + endTask() + [.ended(.finished)]
    case .didNotFit, .expired:
      let counts =
        wasFruitless
        && doubts.stintWasFruitless(
          had: had, least: fitTest.leastBudget(of: work.outlook), repeats: budget != nil)
      if counts, doubts.fruitlessStints >= policy.stintsWithoutProgress, ends.stop == nil {
        let error = noProgress(at: moment)
        phase = .ended(.failed(error))
        if running.chunk?.isGivenUp == false { actions.append(.raiseStopFlag) }
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
    let cost = work.outlook.hardest ?? work.outlook.next?.smallest ?? 0
    let learnt = fitTest.leastBudget(chunkCost: cost, checkpointBytes: work.outlook.checkpointBytes)
    // A chunk that was given up took longer than it was given; nothing was learnt from it but that.
    let ran = running.chunk.map { $0.startedAt.duration(to: moment.now) } ?? .zero
    let least = max(learnt, ran * 2, (budget ?? .zero) * 2)
    return StintError(
      .noProgress,
      "\(doubts.fruitlessStints) stints in a row saved nothing new; the next step needs a budget of "
        + "at least about \(least.compactText).")
  }

  private func nearMiss(at moment: Moment) -> [Action] {
    // A stop has its own grace, which the lead does not limit.
    guard let left = moment.remaining, lead > .zero, let reason = stint?.expiryAnnounced,
      !isStop(reason), left.inSeconds < (1 - policy.nearMissShare) * lead.inSeconds
    else { return [] }
    return [.notice(.nearMiss(left: left, lead: lead))]
  }

  /// Between two stints: ended if a stop was requested, paused if a pause was, else ready for the
  /// next activation.
  private mutating func settle(_ end: StintEnd) -> [Action] {
    phase = ends.pause || end == .paused ? .paused : .parked(end)
    return endIfStopped()
  }

  private mutating func endIfStopped() -> [Action] {
    guard let stop = ends.stop else { return [] }
    phase = .ended(.stopped(stop.reason))
    return [.ended(.stopped(stop.reason))]
  }

  /// An error ends the worker; nothing more is saved.
  mutating func fail(with error: StintError, at moment: Moment) -> [Action] {
    var actions = wake(nil, at: moment)
    if running.chunk?.isGivenUp == false {
      running.chunkGivenUp()
      actions.append(.raiseStopFlag)
    }
    if let stint { actions.append(.stintEnded(stint.summary(.failed, of: work, at: moment))) }
    stint = nil
    phase = .ended(.failed(error))
    return actions + endTask() + [.ended(.failed(error))]
  }

  /// Whether a reason asks to stop rather than to use what is left.
  private func isStop(_ reason: ExpiryReason) -> Bool {
    switch reason {
    case .stopRequested, .signal: true
    case .timeElapsed, .revoked, .denied, .engineEndTime, .requirementLost, .leastProgress: false
    }
  }
}
