extension SystemMachine {
  /// Events of the application's life, for the table of what is possible.
  package enum LifeEvent: String, Hashable, Sendable, CaseIterable {
    case launched
    case resigned
    case backgroundEntered
    case foregroundEntered
    case becameActive
  }

  /// How a program is launched.
  package enum Launch: Hashable, Sendable {
    /// On its way to the active state.
    case foreground
    /// Straight into the background, for an event; no willEnterForeground (L7).
    case background
  }

  /// Whether an event can happen in a state: the one table behind preconditions, drivers and tests.
  package static func allows(_ event: LifeEvent, in state: LifeState) -> Bool {
    switch event {
    case .launched: state == .notRunning
    case .resigned: state == .active
    case .backgroundEntered: state == .inactive
    case .foregroundEntered: state == .background || state == .suspended
    case .becameActive: state == .inactive
    }
  }

  /// Whether an event can happen now.
  package func allows(_ event: LifeEvent) -> Bool {
    Self.allows(event, in: lifeState) && !(event == .launched && isSpent)
  }

  /// The program was launched: its delegate is told, in the state in which it begins (L7, L9).
  package mutating func launched(
    into launch: Launch, since start: Instant? = nil, granting grant: Duration? = nil, now: Instant
  ) -> [Action] {
    precondition(allows(.launched), "An application is launched once.")
    var actions: [Action] = []
    switch launch {
    case .foreground:
      lifeState = .inactive
      actions.append(.show(.inactive))
      tellLaunch(&actions)
    case .background:
      lifeState = .background
      beginTrip(since: min(start ?? now, now), granting: grant ?? policy.grant, now: now)
      if grant != nil { endTripElsewhere() }
      actions.append(.show(.background))
      tellLaunch(&actions)
      actions.append(.tell(.didEnterBackground, trip: tripCount))
    }
    settle(at: now, &actions)
    return actions
  }

  /// The application is about to leave the active state.
  package mutating func resigned(now: Instant) -> [Action] {
    precondition(allows(.resigned), "Only an active application resigns.")
    var actions: [Action] = []
    passTime(to: now, &actions)
    guard lifeState == .active else { return actions }
    lifeState = .inactive
    actions.append(.tell(.willResignActive, trip: 0))
    actions.append(.show(.inactive))
    return actions
  }

  /// The application leaves the foreground: the trip and its clock begin (A9), then its delegate is
  /// told (L2).
  ///
  /// - Parameters:
  ///   - start: When the trip's clock began, if that was before now.
  ///   - grant: What this trip is granted, if that differs from the policy.
  ///   - isLimited: Whether somebody else than the policy says when the trip ends, or will say so;
  ///     by default, whether there is a grant.
  ///   - now: The time.
  /// - Returns: What the driver has to do.
  package mutating func backgroundEntered(
    since start: Instant? = nil, granting grant: Duration? = nil, isLimited: Bool? = nil,
    now: Instant
  ) -> [Action] {
    let isLimited = isLimited ?? (grant != nil)
    precondition(allows(.backgroundEntered), "The background is entered from the inactive state.")
    var actions: [Action] = []
    passTime(to: now, &actions)
    guard lifeState == .inactive else { return actions }
    lifeState = .background
    endSpentTasks(&actions)
    if isLimited { limitTrip(now: now, &actions) }
    beginTrip(since: min(start ?? now, now), granting: grant ?? policy.grant, now: now)
    if isLimited { endTripElsewhere() }
    actions.append(.show(.background))
    actions.append(.tell(.didEnterBackground, trip: tripCount))
    settle(at: now, &actions)
    return actions
  }

  /// The delegate and the observers have returned from didEnterBackground.
  package mutating func didEnterBackgroundReturned(trip number: Int, now: Instant) -> [Action] {
    var actions: [Action] = []
    passTime(to: now, &actions)
    // Race: the foreground was entered, or the process terminated, before they returned.
    guard trip?.number == number, lifeState == .background else { return actions }
    trip?.enterReturned = true
    settle(at: now, &actions)
    return actions
  }

  /// The application goes to the foreground: the trip is over, its hard stop disarmed (A16, A17).
  package mutating func foregroundEntered(now: Instant) -> [Action] {
    precondition(allows(.foregroundEntered), "The foreground is entered from the background.")
    var actions: [Action] = []
    passTime(to: now, &actions)
    guard allows(.foregroundEntered) else { return actions }
    if lifeState == .suspended { actions.append(.resume) }
    lifeState = .inactive
    chargeQuota(now: now)
    trip = nil
    if stop == nil { withdrawAnnouncement() }
    actions.append(.tell(.willEnterForeground, trip: 0))
    actions.append(.show(.inactive))
    settle(at: now, &actions)
    return actions
  }

  /// The application is active.
  package mutating func becameActive(now: Instant) -> [Action] {
    precondition(allows(.becameActive), "An application becomes active from the inactive state.")
    var actions: [Action] = []
    passTime(to: now, &actions)
    guard lifeState == .inactive else { return actions }
    lifeState = .active
    actions.append(.show(.active))
    actions.append(.tell(.didBecomeActive, trip: 0))
    return actions
  }

  /// A suspended application runs again, but stays in the background: the trip goes on, with a new
  /// grace (A23).
  package mutating func resumed(now: Instant) -> [Action] {
    // Race: the foreground was entered first.
    guard lifeState == .suspended, trip != nil else { return [] }
    goOn(now: now)
    var actions: [Action] = [.resume]
    settle(at: now, &actions)
    return actions
  }

  /// The trip of a suspended application goes on, with a new grace.
  mutating func goOn(now: Instant) {
    lifeState = .background
    endSuspension(now: now)
    let graceEnd = now.advanced(by: policy.enterBackgroundGrace)
    trip?.graceEnd = graceEnd
    trip?.fullGraceEnd = graceEnd
    trip?.enterReturned = true
    trip?.hadTask = false
    trip?.isIdle = false
  }

  /// The program has nothing more to do in this trip: it is suspended as soon as no task holds it,
  /// and not only at the trip's deadline (A15).
  package mutating func idled(now: Instant) -> [Action] {
    var actions: [Action] = []
    passTime(to: now, &actions)
    // Race: the trip that was meant is over.
    guard lifeState == .background, trip != nil else { return actions }
    trip?.isIdle = true
    settle(at: now, &actions)
    return actions
  }

  /// Memory is short: code is told, but not again within the policy's interval (L10).
  package mutating func memoryPressed(now: Instant) -> [Action] {
    var actions: [Action] = []
    passTime(to: now, &actions)
    // Suspended or not running, there is nobody who could be told.
    guard lifeState != .notRunning, lifeState != .suspended, now >= nextMemoryWarning else {
      return actions
    }
    nextMemoryWarning = now.advanced(by: policy.memoryWarningInterval)
    actions.append(.tell(.didReceiveMemoryWarning, trip: 0))
    return actions
  }

  /// The process ends in order.
  package mutating func terminated(now: Instant) -> [Action] {
    guard lifeState != .notRunning else { return [] }
    var actions: [Action] = []
    if stop == nil, lifeState != .suspended { actions.append(.tell(.willTerminate, trip: 0)) }
    leave(now: now)
    schedule(&actions)
    return actions
  }

  /// A suspended application is ended without notice (L6).
  package mutating func killedWhileSuspended(now: Instant) -> [Action] {
    // Race: it was resumed before the decision took effect.
    guard lifeState == .suspended else { return [] }
    var actions: [Action] = [.terminate(.killedWhileSuspended)]
    leave(now: now)
    schedule(&actions)
    return actions
  }

  /// The termination was only reported: the system ends all tasks and suspends the application
  /// instead.
  package mutating func terminationReported(now: Instant) -> [Action] {
    guard lifeState == .notRunning, isSpent else { return [] }
    isSpent = false
    while !tasks.isEmpty { forget(at: 0, endedAt: Self.bySystem) }
    lifeState = .suspended
    var actions: [Action] = []
    if stop == nil { actions.append(.suspend) }
    completeIfIdle(now: now, &actions)
    return actions
  }

  private func tellLaunch(_ actions: inout [Action]) {
    actions.append(.tell(.willFinishLaunching, trip: 0))
    actions.append(.tell(.didFinishLaunching, trip: 0))
  }

  /// Starts the clock of a trip with what its grant and the quota leave.
  mutating func beginTrip(
    since start: Instant, granting grant: Duration?, now: Instant
  ) {
    tripCount += 1
    grantCount += 1
    revocation = nil
    startClock(since: start, granting: grant, now: now)
  }

  /// Starts the clock of the present trip; while a mode is in use it has no end (B5).
  mutating func startClock(since start: Instant, granting grant: Duration?, now: Instant) {
    var (end, quotaEnd) = (Instant.distantFuture, Instant.distantFuture)
    if modes.isEmpty {
      if let grant { end = start.advanced(by: grant) }
      if let left = quotaLeft(now: start) { quotaEnd = start.advanced(by: left) }
    }
    trip = Trip(
      number: tripCount, start: start, entered: now, deadline: end, quotaEnd: quotaEnd,
      policy: policy)
    trip?.hadTask = tasks.contains { $0.holds }
    stoppage = Stoppage()
  }

  /// Ends what was warned in an earlier trip; under a stop request they are still saving (A17,
  /// W11), and a task that the system began has an end of its own (Q4).
  private mutating func endSpentTasks(_ actions: inout [Action]) {
    guard stop == nil else { return }
    while let index = tasks.firstIndex(where: { $0.isSpent && !($0.isSystems && $0.holds) }) {
      let task = tasks[index]
      actions.append(.diagnose(.spentTaskEnded(name: task.name, origin: task.origin)))
      forget(at: index, endedAt: Self.bySystem)
    }
  }

  /// Takes back what has not been claimed: those handlers are not called in this trip any more
  /// (A16, A17).
  mutating func withdrawAnnouncement() {
    announcement = nil
    for index in tasks.indices where tasks[index].progress == .called && tasks[index].holds {
      tasks[index].progress = .open
    }
  }

  /// The process is gone for this machine.
  mutating func leave(now: Instant) {
    lifeState = .notRunning
    isSpent = true
    chargeQuota(now: now)
    trip = nil
    modes = []
    announcement = nil
  }

  mutating func chargeQuota(now: Instant) {
    guard policy.dailyQuota != nil else { return }
    endSuspension(now: now)
    quotaUsed += quotaCost(until: now)
  }

  /// What the present trip uses of the quota up to an instant; a free one uses nothing (B5).
  private func quotaCost(until end: Instant) -> Duration {
    guard let trip, modes.isEmpty else { return .zero }
    return max(.zero, trip.start.duration(to: min(end, trip.deadline)) - stoppage.uncounted)
  }

  /// What the quota leaves to a suspended application, or nil without one; it pays for no time in
  /// which it was suspended.
  func quotaLeftWhileSuspended(now: Instant) -> Duration? {
    guard let quota = policy.dailyQuota else { return nil }
    guard let start = quotaWindowStart, start.duration(to: now) < .seconds(86_400) else {
      return quota
    }
    return quota - quotaUsed - (stoppage.chargedUntil.map { quotaCost(until: $0) } ?? .zero)
  }

  /// What the daily quota leaves, or nil without one; a window of 24 hours begins with the first
  /// trip in it.
  ///
  /// Used up, it leaves the lead: with less, an open task would be the end of the process, and
  /// nobody warned (A11).
  private mutating func quotaLeft(now: Instant) -> Duration? {
    guard let quota = policy.dailyQuota else { return nil }
    if let start = quotaWindowStart, start.duration(to: now) < .seconds(86_400) {
      return max(policy.lead, quota - quotaUsed)
    }
    quotaWindowStart = now
    quotaUsed = .zero
    return max(policy.lead, quota)
  }

  /// Moves the trip's instants by time in which nothing ran, where that does not count (A23).
  mutating func stretchTrip(by stopped: Duration) {
    guard policy.stoppedTime == .running, let trip else { return }
    self.trip?.setDeadline(trip.deadline.advanced(by: stopped), policy: policy)
    self.trip?.graceEnd = trip.graceEnd.advanced(by: stopped)
    self.trip?.fullGraceEnd = trip.fullGraceEnd.advanced(by: stopped)
    self.trip?.quotaEnd = trip.quotaEnd.advanced(by: stopped)
    stoppage.uncounted += stopped
  }

  /// A suspension is over; what `continued` has told of it is not stopped time twice.
  private mutating func endSuspension(now: Instant) {
    guard trip != nil, stoppage.suspendedAt != nil else { return }
    stretchTrip(by: uncountedSuspension(now: now))
    stoppage.suspendedAt = nil
  }

  /// How far the trip's end moves when the suspension is over (A23).
  func uncountedSuspension(now: Instant) -> Duration {
    guard policy.stoppedTime == .running, let start = stoppage.suspendedAt else { return .zero }
    return max(.zero, start.duration(to: now) - stoppage.toldSinceSuspension)
  }

  /// Who ended a task that its owner did not.
  static let bySystem = TaskOrigin(function: "the system", file: "Stint", line: 0)
}
