// What has begun, from the system's grant to its completion.

extension ScheduleMachine {
  /// What came of completing a run.
  package struct Completion: Sendable {
    /// Whether the run was there.
    package var isTaken: Bool
    package var actions: [Action]
  }

  /// Begins all that waits for nothing.
  mutating func beginDue(now: ScheduleTime) -> [Action] {
    let candidates = candidates
    if candidates.isEmpty { return [] }
    var actions: [Action] = []
    var running = running
    var begun: Set<String> = []
    for candidate in candidates where wait(of: candidate, now: now, running: running) == nil {
      let identifier = candidate.request.identifier
      running.insert(identifier)
      // A fetch does not wait there, but a request may have its name.
      if candidate.request.kind != .fetch { begun.insert(identifier) }
      actions += begin(candidate, now: now)
    }
    if !begun.isEmpty { waiting.removeAll { begun.contains($0.request.identifier) } }
    return actions
  }

  private mutating func begin(_ waiting: Waiting, now: ScheduleTime) -> [Action] {
    let request = waiting.request
    runCount += 1
    let beganBefore = lastBegan.updateValue(now.instant, forKey: request.identifier)
    let allowance = policy.allowance(of: request.kind)
    let isUnlimited = request.kind == .continued && lifeState.isInForeground
    runs.append(
      Run(
        number: runCount, request: request, began: now.instant, beganWall: now.wall,
        denials: waiting.denials, isForced: waiting.isForced, beganBefore: beganBefore,
        end: isUnlimited ? .distantFuture : now.instant.advanced(by: allowance)))
    watchRequirements(now: now)
    return [.begin(run: runCount, request, allowance: allowance)]
  }

  /// The system granted the task of a run.
  package mutating func taskBegan(
    _ number: Int, _ task: BackgroundTaskIdentifier, now: ScheduleTime
  ) -> [Action] {
    // Race: the process was terminated, or time was up, before this was known.
    guard let index = index(of: number), runs[index].phase == .asking else { return [.end(task)] }
    runs[index].task = task
    runs[index].phase = .launching
    if runs[index].request.kind == .fetch {
      // One that was denied has not begun.
      plan.since = now.wall
      fetchDenials.forgetDenials()
    }
    return [.launch(run: number)] + settle(now: now)
  }

  /// The system denied the task of a run, which waits again.
  package mutating func taskDenied(
    _ number: Int, _ reason: DenialReason, now: ScheduleTime
  ) -> [Action] {
    guard let index = index(of: number), runs[index].phase == .asking else { return [] }
    let run = runs.remove(at: index)
    lastBegan[run.request.identifier] = run.beganBefore
    if run.request.kind == .fetch {
      fetchDenials.denials = max(fetchDenials.denials, run.denials)
      fetchDenials.denied(reason, now: now.instant, policy)
    } else if mayWaitAgain(run) {
      var again = Waiting(request: run.request, isForced: run.isForced, denials: run.denials)
      again.denied(reason, now: now.instant, policy)
      waiting.append(again)
    }
    return settle(now: now)
  }

  /// The queue has come to the handler of a run: whether it may be called.
  ///
  /// Its time may have been up before.
  package mutating func launchClaimed(_ number: Int) -> Bool {
    guard let index = index(of: number), runs[index].phase == .launching else { return false }
    runs[index].phase = .running
    begins += 1
    return true
  }

  /// The system says that the time of a run's task is nearly up.
  package mutating func taskExpired(
    _ number: Int, _ reason: ExpiryReason, deadline: Instant, now: ScheduleTime
  ) -> [Action] {
    guard let index = index(of: number) else { return [] }
    switch runs[index].phase {
    case .asking:
      // The grant is not known here yet; it is given back when it is.
      let run = runs.remove(at: index)
      waitAgain(run)
      return settle(now: now)
    case .launching, .running:
      // The system ends the process at the deadline by itself.
      return expire(at: index, reason, until: deadline, now: now) + settle(now: now)
    case .expiring:
      return settle(now: now)
    }
  }

  /// The program says that a run is done.
  ///
  /// - Parameters:
  ///   - number: The run.
  ///   - result: What came of it.
  ///   - now: The time.
  /// - Returns: Whether it was there, and what is to be done.
  package mutating func runCompleted(
    _ number: Int, _ result: BackgroundFetchResult, now: ScheduleTime
  ) -> Completion {
    // Race: the process was to be terminated because of it.
    guard let index = index(of: number) else { return Completion(isTaken: false, actions: []) }
    let run = runs.remove(at: index)
    noteEnd(of: run, result, now: now)
    deaths[run.request.identifier] = nil
    // First what is due, so that the next task joins the trip before this one lets go of it.
    let next = settle(now: now)
    return Completion(isTaken: true, actions: next + (run.task.map { [.end($0)] } ?? []))
  }

  /// A continued task tells how far it is; it may go on while that moves (Q5).
  package mutating func progressed(
    _ number: Int, to fraction: Double, now: ScheduleTime
  ) -> [Action] {
    guard let index = index(of: number), fraction.isFinite else { return [] }
    // It falls where the work turns out to be more; from there on it counts anew.
    let isForward = fraction > runs[index].fraction
    runs[index].fraction = fraction
    guard isForward, runs[index].request.kind == .continued, runs[index].end != .distantFuture,
      runs[index].phase == .running
    else { return [] }
    let end = now.instant.advanced(by: policy.continuedAllowance)
    // Each time by a part of it that is worth an event.
    guard runs[index].end.duration(to: end) * 8 >= policy.continuedAllowance else { return [] }
    runs[index].end = end
    return [.allow(until: end)] + settle(now: now)
  }

  /// The runs whose progress is asked for before time is judged.
  package var continuedRuns: [Int] {
    runs.filter { $0.request.kind == .continued }.map(\.number)
  }

  // MARK: Simulation (Q8)

  /// A request begins now, whatever it waits for; false if none waits or it runs already.
  package mutating func launchSimulated(
    _ identifier: String, now: ScheduleTime
  ) -> (isFound: Bool, actions: [Action]) {
    guard let index = waiting.firstIndex(where: { $0.request.identifier == identifier }),
      !runs.contains(where: { $0.request.identifier == identifier })
    else { return (false, []) }
    waiting[index].forgetDenials()
    waiting[index].isForced = true
    return (true, settle(now: now))
  }

  /// The time of a run is up; false if none of the identifier runs.
  package mutating func expirySimulated(
    _ identifier: String, now: ScheduleTime
  ) -> (isFound: Bool, actions: [Action]) {
    guard let index = indexToExpire(identifier) else { return (false, []) }
    return (true, expire(at: index, .revoked, now: now) + settle(now: now))
  }

  /// A run has lost what it requires; false if none of the identifier runs.
  package mutating func lossSimulated(
    _ identifier: String, now: ScheduleTime
  ) -> (isFound: Bool, actions: [Action]) {
    guard let index = indexToExpire(identifier) else { return (false, []) }
    let requirement = TaskRequirement.allCases.first {
      runs[index].request.requirements.contains($0)
    }
    let reason = requirement.map { ExpiryReason.requirementLost($0) } ?? .revoked
    return (true, expire(at: index, reason, now: now) + settle(now: now))
  }

  private func indexToExpire(_ identifier: String) -> Int? {
    runs.firstIndex { run in
      run.request.identifier == identifier && run.request.kind.hasExpirationHandler
        && (run.phase == .running || run.phase == .launching)
    }
  }

  /// A fetch, or what a session has to tell, begins now, beside any other; the number of its run.
  package mutating func eventSimulated(
    _ identifier: String, kind: ScheduledTaskKind, now: ScheduleTime
  ) -> (run: Int, actions: [Action]) {
    let actions = begin(Waiting(request: TaskRequest(identifier, kind: kind)), now: now)
    return (runCount, actions)
  }

  // MARK: Ends

  /// The expiration handler of a run is called, or the run is given back if nobody has heard of it.
  mutating func expire(
    at index: Int, _ reason: ExpiryReason, until deadline: Instant? = nil, now: ScheduleTime
  ) -> [Action] {
    if runs[index].phase == .launching { return giveBack(at: index) }
    guard runs[index].request.kind.hasExpirationHandler else { return [] }
    runs[index].phase = .expiring
    let end = min(runs[index].end, deadline ?? now.instant.advanced(by: policy.lead))
    runs[index].end = end
    return [.expire(run: runs[index].number, reason, deadline: end)]
  }

  /// A run whose handler was never called: its request waits again.
  mutating func giveBack(at index: Int) -> [Action] {
    let run = runs.remove(at: index)
    waitAgain(run)
    return run.task.map { [.end($0)] } ?? []
  }

  /// A run that nobody has heard of leaves its request waiting.
  mutating func waitAgain(_ run: Run) {
    if mayWaitAgain(run) { waiting.append(Waiting(request: run.request)) }
  }

  /// Whether the request of a run may wait again: it was neither taken back nor asked for anew.
  func mayWaitAgain(_ run: Run) -> Bool {
    switch run.request.kind {
    case .refresh, .processing, .continued:
      !run.isTakenBack && !waiting.contains { $0.request.identifier == run.request.identifier }
    case .fetch, .sessionEvents: false
    }
  }

  mutating func noteEnd(of run: Run, _ result: BackgroundFetchResult?, now: ScheduleTime) {
    guard run.request.kind == .fetch else { return }
    plan.ended(result, after: run.began.duration(to: now.instant), policy)
  }

  /// In the background a continued task has time only while it moves.
  mutating func limitContinued(now: ScheduleTime) -> [Action] {
    var actions: [Action] = []
    for index in runs.indices where runs[index].request.kind == .continued {
      guard runs[index].phase != .expiring else { continue }
      if lifeState.isInForeground {
        runs[index].end = .distantFuture
      } else if lifeState == .background, runs[index].end == .distantFuture {
        runs[index].end = now.instant.advanced(by: policy.continuedAllowance)
        actions.append(.allow(until: runs[index].end))
      }
    }
    return actions
  }
}

extension SystemPolicy {
  /// How long a task of a kind may take; a continued one, without progress.
  package func allowance(of kind: ScheduledTaskKind) -> Duration {
    switch kind {
    case .refresh, .fetch, .sessionEvents: fetchAllowance
    case .processing: processingAllowance
    case .continued: continuedAllowance
    }
  }
}
