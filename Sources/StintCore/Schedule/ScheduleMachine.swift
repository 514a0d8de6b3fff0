/// Decides when tasks begin for one application, and when the system is done with them: refreshes,
/// processing, continued tasks and fetches (B1 to B4, Q1 to Q5, Q9).
///
/// A value without effects, like ``SystemMachine``: each event gets the time as an argument and
/// returns what is to be done. That machine grants the time, this one decides what begins. What of
/// it outlives the process is its ``record``.
package struct ScheduleMachine: Equatable, Sendable {
  /// What the driver has to do.
  package enum Action: Equatable, Sendable {
    /// Ask the system for the task of a run; answer with `taskBegan` or `taskDenied`.
    case begin(run: Int, TaskRequest, allowance: Duration)
    /// Call the handler of a run's beginning on its queue, which asks `launchClaimed` first.
    case launch(run: Int)
    /// Call the expiration handler of a run; one that has none is completed without success.
    case expire(run: Int, ExpiryReason, deadline: Instant)
    /// End the system's task.
    case end(BackgroundTaskIdentifier)
    /// The run was not completed: end the process.
    case fail(BackgroundTaskIdentifier)
    /// The run may go on up to an instant at least.
    case allow(until: Instant)
  }

  /// A request that waits.
  struct Waiting: Hashable, Sendable {
    var request: TaskRequest
    /// Whether it begins whatever the conditions are, because that is simulated (Q8).
    var isForced = false
    /// Why the system denied it when it was last asked for, and how often it has.
    var denial: DenialReason?
    var denials = 0
    /// Before this instant the system is not asked again.
    var retry: Instant?
  }

  /// How far a run is.
  package enum Phase: Hashable, Sendable {
    /// The system is being asked for a task.
    case asking
    /// The system's task holds; the handler has not been called yet.
    case launching
    /// The handler has been called.
    case running
    /// The expiration handler has been called.
    case expiring
  }

  /// A task that was begun and has not been completed.
  struct Run: Hashable, Sendable {
    let number: Int
    let request: TaskRequest
    let began: Instant
    /// The same by the wall clock.
    let beganWall: WallInstant
    var phase = Phase.asking
    var task: BackgroundTaskIdentifier?
    /// How often the system had denied it.
    var denials: Int
    /// Whether its begin was simulated (Q8).
    var isForced: Bool
    /// Whether its request was taken back meanwhile, so that it does not wait again.
    var isTakenBack = false
    /// When the one of the same identifier before it began.
    var beganBefore: Instant?
    /// When it must have been completed; `.distantFuture` for no end of its own.
    var end: Instant
    /// The share that is done, as far as it has told.
    var fraction = 0.0
    /// Since when each requirement has been missing.
    var missingSince: [TaskRequirement: Instant] = [:]
  }

  package let policy: SystemPolicy
  /// The identifiers that have a handler.
  var registered: Set<String> = []
  package internal(set) var lifeState = LifeState.notRunning
  package internal(set) var status = BackgroundRefreshStatus.available
  package internal(set) var conditions = MachineConditions()
  /// In the order in which they were submitted.
  var waiting: [Waiting] = []
  /// In the order of their numbers.
  var runs: [Run] = []
  /// When an identifier was last begun.
  var lastBegan: [String: Instant] = [:]
  package internal(set) var plan = FetchPlan()
  /// Before this instant no fetch is asked for again, because the system denied one.
  var fetchDenials = Waiting(request: TaskRequest(Self.fetchName, kind: .fetch))
  var runCount = 0
  /// What is kept and neither waits nor runs: what an earlier process left, until the handlers are
  /// registered; what was set aside; what was not completed in its time (Q6).
  var parked: [ScheduleRecord.Kept] = []
  /// How often in a row a program ended before the task of an identifier was completed.
  var deaths: [String: ScheduleRecord.Death] = [:]
  /// How many tasks have begun, in earlier processes too.
  var begins = 0
  /// Whether an earlier process left something, and this one has not registered its handlers.
  var isLaunching = false

  /// The name of fetches.
  package static let fetchName = "background fetch"

  /// Creates the machine of an application that has not been launched.
  package init(policy: SystemPolicy) {
    self.policy = policy
  }

  // MARK: What it hears

  /// The application is in another state.
  package mutating func lifeChanged(to state: LifeState, now: ScheduleTime) -> [Action] {
    guard state != lifeState else { return [] }
    let wasGone = lifeState == .notRunning
    lifeState = state
    if state == .active { plan.usage.used(at: now.wall) }
    if wasGone || state == .background || state.isInForeground {
      // What was denied in one trip may begin in the next.
      for index in waiting.indices { waiting[index].forgetDenials() }
      fetchDenials.forgetDenials()
    }
    return limitContinued(now: now) + settle(now: now)
  }

  /// The user or the system decided otherwise about work in the background (L11).
  package mutating func statusChanged(
    to status: BackgroundRefreshStatus, now: ScheduleTime
  ) -> [Action] {
    self.status = status
    return settle(now: now)
  }

  /// The machine offers something else than before (Q3).
  package mutating func conditionsChanged(
    to conditions: MachineConditions, now: ScheduleTime
  ) -> [Action] {
    self.conditions = conditions
    return settle(now: now)
  }

  /// Time has passed, or a clock was set; what is due is done.
  package mutating func timePassed(now: ScheduleTime) -> [Action] {
    settle(now: now)
  }

  /// The process was to be terminated, so nothing runs any more.
  package mutating func terminated(now: ScheduleTime) -> [Action] {
    for run in runs {
      switch run.phase {
      case .asking, .launching: waitAgain(run)
      case .running, .expiring:
        noteEnd(of: run, nil, now: now)
        park(run)
      }
    }
    runs = []
    // If that was only reported, the application lives on: its state is told next.
    lifeState = .notRunning
    return settle(now: now)
  }

  /// Memory is short: of two or more continued tasks the one with the least progress goes (Q5).
  package mutating func memoryPressed(now: ScheduleTime) -> [Action] {
    let candidates = runs.filter { $0.request.kind == .continued && $0.phase == .running }
    // Of two that are as far, the later one.
    guard candidates.count > 1,
      let last = candidates.min(by: { ($0.fraction, -$0.number) < ($1.fraction, -$1.number) }),
      let index = index(of: last.number)
    else { return settle(now: now) }
    return expire(at: index, .leastProgress, now: now) + settle(now: now)
  }

  /// The application says how often it may fetch (B1).
  package mutating func fetchIntervalSet(
    _ interval: FetchInterval, now: ScheduleTime
  ) -> [Action] {
    plan.interval = interval
    if interval != .never, plan.since == nil { plan.since = now.wall }
    fetchDenials.forgetDenials()
    return settle(now: now)
  }

  // MARK: What is due

  /// Does all that is due.
  mutating func settle(now: ScheduleTime) -> [Action] {
    var actions: [Action] = []
    watchRequirements(now: now)
    var index = 0
    while index < runs.count {
      let number = runs[index].number
      actions += judge(at: index, now: now)
      // Where one is over, the next one stands now.
      if index < runs.count, runs[index].number == number { index += 1 }
    }
    return actions + beginDue(now: now)
  }

  /// Notes since when something is missing that a run needs.
  mutating func watchRequirements(now: ScheduleTime) {
    for index in runs.indices {
      for requirement in runs[index].request.requirements {
        if conditions.meet(requirement) {
          runs[index].missingSince[requirement] = nil
        } else if runs[index].missingSince[requirement] == nil {
          runs[index].missingSince[requirement] = now.instant
        }
      }
    }
  }

  /// What the time says of a run.
  private mutating func judge(at index: Int, now: ScheduleTime) -> [Action] {
    let run = runs[index]
    guard let task = run.task else { return [] }
    if now.instant >= run.end {
      // Nobody had heard of it, so nobody is to blame.
      if run.phase == .launching { return giveBack(at: index) }
      runs.remove(at: index)
      noteEnd(of: run, nil, now: now)
      park(run)
      return [.fail(task)]
    }
    guard run.phase == .running || run.phase == .launching else { return [] }
    if let lost = run.lossEnd(policy), now.instant >= lost.end {
      return expire(at: index, .requirementLost(lost.requirement), now: now)
    }
    if let warning = run.warning(policy), now.instant >= warning {
      return expire(at: index, .timeElapsed, now: now)
    }
    return []
  }

  /// When `timePassed` is due next, as far as time alone makes something due.
  package func nextWake(now: ScheduleTime) -> Instant {
    var next = nextBegin(now: now)
    for run in runs where run.task != nil {
      next = min(next, run.end)
      guard run.phase == .running || run.phase == .launching else { continue }
      next = min(
        next, run.warning(policy) ?? .distantFuture, run.lossEnd(policy)?.end ?? .distantFuture)
    }
    return next
  }

  /// When the next request may begin, as far as that is a matter of time.
  package func nextBegin(now: ScheduleTime) -> Instant {
    var next = Instant.distantFuture
    for wait in waits(now: now) {
      if let wait {
        if let left = wait.left { next = min(next, now.instant.advanced(by: left)) }
      } else {
        next = now.instant
      }
    }
    return next
  }

  /// Whether something waits for a condition of the machine, or would be expired for want of one.
  package func needsConditions(now: ScheduleTime) -> Bool {
    runs.contains { !$0.request.requirements.isEmpty }
      || waits(now: now).contains { $0?.isForConditions == true }
  }

  /// Whether a clock that is set could make something due.
  package func needsWallClock(now: ScheduleTime) -> Bool {
    waits(now: now).contains { $0?.isForWallClock == true }
  }

  /// Where a run stands; they are many at times.
  func index(of run: Int) -> Int? {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].number < run { low = middle + 1 } else { high = middle }
    }
    return low < runs.count && runs[low].number == run ? low : nil
  }
}

extension ScheduleMachine.Run {
  /// When its expiration handler is called; nil for a fetch, which has none, and without an end.
  func warning(_ policy: SystemPolicy) -> Instant? {
    guard end != .distantFuture, request.kind.hasExpirationHandler else { return nil }
    let allowance = policy.allowance(of: request.kind)
    // A lead that leaves nothing of it is one for longer times.
    return end.advanced(by: .zero - (policy.lead < allowance ? policy.lead : allowance / 4))
  }

  /// When it is expired because a requirement has been missing for too long, the first one.
  func lossEnd(_ policy: SystemPolicy) -> (requirement: TaskRequirement, end: Instant)? {
    guard request.kind.hasExpirationHandler,
      let first = missingSince.min(by: { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
      )
    else { return nil }
    return (first.key, first.value.advanced(by: policy.requirementLossAllowance))
  }
}

extension ScheduledTaskKind {
  /// Whether its owner can be warned; who fetches only has to be done in time (B2).
  var hasExpirationHandler: Bool {
    switch self {
    case .refresh, .processing, .continued: true
    case .fetch, .sessionEvents: false
    }
  }
}

extension ScheduleMachine.Waiting {
  mutating func forgetDenials() {
    (denial, denials, retry) = (nil, 0, nil)
  }

  /// The system denied it: it is asked again after a while, and after twice as long each time.
  mutating func denied(_ reason: DenialReason, now: Instant, _ policy: SystemPolicy) {
    denial = reason
    denials += 1
    switch reason {
    // The next change of the application's state decides.
    case .notRunning, .stopping: retry = nil
    case .suspended, .tooLittleTime, .tooManyTasks, .refused:
      // Beyond a million times nothing is doubled any more.
      let distance = policy.denialRetry * (1 << min(denials - 1, 20))
      retry = now.advanced(by: min(distance, policy.longestDenialRetry))
    }
  }
}
