/// A stay in the background, as the history tells it (A9).
///
/// Where a mode comes into use or goes out of it, another part with the same number begins (B5).
struct ModelTrip: Sendable {
  var number: Int
  let start: Int
  /// When the budget is gone.
  var deadline: Int
  /// When didEnterBackground must have returned, and when a trip that needs a task ends without one
  /// (L4).
  var graceEnd: Int
  /// The same without an end of the budget.
  var fullGrace: Int
  /// When the daily quota is used up (A16).
  var quotaEnd: Int
  /// Whether didEnterBackground has returned.
  var enterReturned: Bool
  /// Why the rest of the budget was taken back, if it was (A18).
  var revocation: ModelReason?
  /// Where the history was when the trip began or was resumed: a task that held after that belongs
  /// to it.
  var mark: Int
  /// The time that does not count, where stopped time does not (A23).
  var uncounted = 0
  /// Since when the application is suspended.
  var suspendedAt: Int?
  /// The part of that suspension that was reported as standing still, and so counted already.
  var stoodStill = 0
  /// When it was over.
  var end: Int?
  /// B5: whether a mode is in use, so that it has no end and costs nothing.
  var isFree = false
  /// B5: whether somebody else than the policy said when it ends.
  var isLimited = false
  /// A15, L4: whether it ends when no task is held; else it lasts until its deadline.
  var needsTask: Bool
  /// Whether the program has nothing more to do in it.
  var isIdle = false

  /// The background time that it used of the quota (A16).
  ///
  /// The contract does not say what a suspension costs. Here a trip's clock runs until the trip is
  /// over or its budget is gone; only where stopped time does not count (A23) does a suspension
  /// cost nothing.
  var used: Int { isFree ? 0 : max(0, min(end ?? deadline, deadline) - start - uncounted) }

  /// A16: up to where a suspended application pays.
  ///
  /// What was reported as standing still is already taken off where it does not count.
  func paidUntil(_ policy: ModelPolicy) -> Int? {
    suspendedAt.map { $0 + (policy.stoppedTimeCounts ? 0 : stoodStill) }
  }

  /// How far the end moves when a suspension is over (A23).
  func uncountedSuspension(at now: Int, _ policy: ModelPolicy) -> Int {
    guard !policy.stoppedTimeCounts, let since = suspendedAt else { return 0 }
    return max(0, now - since - stoodStill)
  }
}

extension ModelHistory {
  /// All trips so far, the present one last.
  func trips(_ policy: ModelPolicy) -> [ModelTrip] {
    var trips: [ModelTrip] = []
    var modes: [ModelMode] = []
    for fact in life {
      switch fact.what {
      case .launchedIntoBackground:
        begin(&trips, since: fact.at, policy.grant, fact, policy, isFree: false)
      case .backgroundEntered(let since, let grant, let isLimited):
        begin(
          &trips, since: since, grant ?? policy.grant, fact, policy, isFree: !modes.isEmpty)
        trips[trips.count - 1].isLimited = isLimited
        // A limit that is not the policy's own is there to be used.
        if isLimited { trips[trips.count - 1].needsTask = false }
      case .woken(let allowance):
        // A trip of its own; the one before paid for no time in which it was suspended.
        if let last = trips.last, last.end == nil {
          trips[trips.count - 1].end = last.paidUntil(policy) ?? fact.at
        }
        let grant = policy.grant.map { _ in allowance }
        begin(&trips, since: fact.at, grant, fact, policy, isFree: !modes.isEmpty)
        trips[trips.count - 1].enterReturned = true
      case .modeBegan(let mode):
        modes.append(mode)
        if modes.count == 1 { beginPart(&trips, fact, policy, isFree: true) }
      case .modeEnded(let mode):
        modes.removeAll { $0 == mode }
        if modes.isEmpty { beginPart(&trips, fact, policy, isFree: false) }
      case .foregroundEntered, .gone:
        if case .gone = fact.what { modes = [] }
        guard let trip = trips.last, trip.end == nil else { continue }
        wakeUp(&trips[trips.count - 1], at: fact.at, policy)
        trips[trips.count - 1].end = fact.at
      case .enterReturned, .revoked, .expiredByAuthority, .endMoved, .stoodStill,
        .suspended, .resumed, .timeAllowed, .idled:
        guard let trip = trips.last, trip.end == nil else { continue }
        goOn(&trips[trips.count - 1], fact, policy)
      case .launchedIntoForeground, .resigned, .becameActive, .stopRequested, .stopCompleted,
        .expired, .expiryWithdrawn, .saidUnserved, .memoryWarned, .reported:
        continue
      }
    }
    return trips
  }

  /// A9: the clock starts when the background is entered; a daily quota limits it (A16).
  ///
  /// A quota that is used up leaves the lead, so that A11 holds: whoever is granted a task is
  /// warned before its end.
  private func begin(
    _ trips: inout [ModelTrip], since start: Int, _ grant: Int?, _ fact: Fact<Life>,
    _ policy: ModelPolicy, isFree: Bool
  ) {
    let grant = isFree ? nil : grant
    let quotaEnd = (isFree ? nil : policy.dailyQuota).map { quota in
      start + max(policy.lead, quota - usedOfQuota(at: start, trips))
    }
    let deadline = min(grant.map { start + $0 } ?? never, quotaEnd ?? never)
    // L4: from the entry on, whenever the clock began.
    let fullGrace = fact.at + policy.grace
    trips.append(
      ModelTrip(
        number: (trips.last?.number ?? 0) + 1, start: start, deadline: deadline,
        graceEnd: min(deadline, fullGrace), fullGrace: fullGrace, quotaEnd: quotaEnd ?? never,
        enterReturned: false, mark: fact.order, isFree: isFree, needsTask: policy.suspendsWhenIdle))
  }

  /// B5: a mode lifts the end of the present trip, or it begins again as after entering.
  private func beginPart(
    _ trips: inout [ModelTrip], _ fact: Fact<Life>, _ policy: ModelPolicy, isFree: Bool
  ) {
    guard let before = trips.last, before.end == nil else { return }
    trips[trips.count - 1].end = fact.at
    begin(&trips, since: fact.at, policy.grant, fact, policy, isFree: isFree)
    trips[trips.count - 1].number = before.number
    trips[trips.count - 1].enterReturned = before.enterReturned
  }

  /// A16: the quota is that of 24 hours, which begin with the first trip in them (a choice: the
  /// contract says "daily").
  private func usedOfQuota(at start: Int, _ trips: [ModelTrip]) -> Int {
    let day = 86_400_000_000_000
    var windowStart: Int?
    var used = 0
    for trip in trips where !trip.isFree {
      if windowStart.map({ trip.start - $0 >= day }) ?? true {
        windowStart = trip.start
        used = 0
      }
      used += trip.used
    }
    return windowStart.map { start - $0 >= day } ?? true ? 0 : used
  }

  /// What the quota leaves to a suspended application; nil without a quota.
  func quotaLeft(at now: Int, _ policy: ModelPolicy) -> Int? {
    guard let quota = policy.dailyQuota else { return nil }
    var trips = trips(policy)
    if let last = trips.last, last.end == nil {
      trips[trips.count - 1].end = last.paidUntil(policy)
    }
    return quota - usedOfQuota(at: now, trips)
  }

  private func goOn(_ trip: inout ModelTrip, _ fact: Fact<Life>, _ policy: ModelPolicy) {
    switch fact.what {
    case .enterReturned:
      trip.enterReturned = true
    case .revoked(let reason):
      // A18: now plus the lesser of lead and rest. The first revocation that takes something says
      // why.
      moveEnd(of: &trip, to: min(trip.deadline, fact.at + policy.lead), reason)
      trip.isLimited = true
    case .expiredByAuthority(let reason, let end):
      // An expiry can only take time; one that takes none changes nothing.
      if end < trip.deadline { moveEnd(of: &trip, to: end, reason) }
      trip.isLimited = true
    case .endMoved(let end, let reason, let wasTold):
      // A10, A16, A18: to either side, within the quota. What takes time has a reason, which a
      // later end takes back if nobody was told of it.
      let end = min(end, trip.quotaEnd)
      if end > trip.deadline, !wasTold { trip.revocation = nil }
      moveEnd(of: &trip, to: end, reason)
      trip.graceEnd = min(trip.fullGrace, end)
      trip.isLimited = true
      trip.needsTask = false
    case .timeAllowed(let end):
      // Q9: to the later of the two, within the quota.
      let end = min(end, trip.quotaEnd)
      guard end > trip.deadline else { break }
      trip.deadline = end
      trip.graceEnd = min(trip.fullGrace, end)
    case .stoodStill(let span):
      // A23: stopped time counts, or the deadline moves by it.
      if trip.suspendedAt != nil { trip.stoodStill += span }
      stretch(&trip, by: span, policy)
    case .suspended:
      trip.suspendedAt = fact.at
      trip.stoodStill = 0
    case .resumed:
      // A23: the trip goes on. With a new grace, since L4 knows no trip without one.
      wakeUp(&trip, at: fact.at, policy)
      trip.fullGrace = fact.at + policy.grace
      trip.graceEnd = trip.fullGrace
      trip.enterReturned = true
      trip.isIdle = false
      trip.mark = fact.order
    case .idled:
      trip.isIdle = true
    case .launchedIntoForeground, .launchedIntoBackground, .resigned, .foregroundEntered,
      .becameActive, .backgroundEntered, .woken, .stopRequested, .stopCompleted, .expired,
      .expiryWithdrawn, .saidUnserved, .memoryWarned, .modeBegan, .modeEnded, .gone, .reported:
      break
    }
  }

  /// The budget ends at another instant; the first time that it is an earlier one says why.
  ///
  /// A grace is never longer than the budget (L4).
  private func moveEnd(of trip: inout ModelTrip, to end: Int, _ reason: ModelReason) {
    if end < trip.deadline { trip.revocation = trip.revocation ?? reason }
    trip.deadline = end
    trip.graceEnd = min(trip.graceEnd, end)
  }

  private func wakeUp(_ trip: inout ModelTrip, at now: Int, _ policy: ModelPolicy) {
    guard trip.suspendedAt != nil else { return }
    stretch(&trip, by: trip.uncountedSuspension(at: now, policy), policy)
    trip.suspendedAt = nil
  }

  private func stretch(_ trip: inout ModelTrip, by span: Int, _ policy: ModelPolicy) {
    guard !policy.stoppedTimeCounts else { return }
    trip.deadline = shifted(trip.deadline, span)
    trip.graceEnd = shifted(trip.graceEnd, span)
    trip.fullGrace = shifted(trip.fullGrace, span)
    trip.quotaEnd = shifted(trip.quotaEnd, span)
    trip.uncounted += span
  }
}
