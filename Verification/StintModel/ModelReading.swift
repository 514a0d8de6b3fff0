/// What a history says about the present, read afresh each time it is asked.
package struct ModelReading: Sendable {
  /// A stop that was requested.
  struct Stop: Sendable {
    let reason: ModelReason
    /// The earliest end that was asked for.
    var end: Int
    var isCompleted = false
  }

  /// An expiry that has been announced and not been taken back.
  struct Expiry: Sendable {
    let reason: ModelReason
    /// Where it stands in the history.
    let order: Int
    var unservedSaid = false
  }

  /// A task that is open.
  struct Task: Sendable {
    let id: Int
    let name: String
    let place: Int
    let delivery: ModelDelivery
    let began: Int
    let isSystems: Bool
    var state: ModelTaskState
    var isDenied = false
    /// The call that is on its way to the main queue.
    var waitingCall: Int?
    var calledAt = never
    var claimedAt = never
    var isRunningHandler = false
    var isSpent = false
    var overrunSaid = false
    var leftOpenSaid = false
    var heldTooLongSaid = false

    /// Whether it keeps the application alive: a pending grant does (L4), a denied one does not
    /// (A4).
    var holds: Bool { !isDenied }

    /// Whether somebody still works on the expiry: A12 for handlers, and a direct owner has
    /// "returned" when it ends its task.
    var isHandling: Bool {
      guard holds else { return false }
      return waitingCall != nil || isRunningHandler || (isSpent && !delivery.needsMain)
    }

    /// A14: whether it holds up the handlers' return; a handler that may suspend, and an owner away
    /// from main, do not.
    var awaitsReturn: Bool { isHandling && delivery == .main }

    /// A14: whether nobody works on its end.
    var isLeftOpen: Bool { holds && !isHandling }
  }

  let policy: ModelPolicy
  /// L1: one of five.
  package let state: ModelState
  let hasLived: Bool
  let trip: ModelTrip?
  let stop: Stop?
  let expiry: Expiry?
  /// In order of creation.
  let tasks: [Task]
  /// B5: the modes that are in use.
  package let modes: [ModelMode]
  /// Whether a task held in the trip since it began or was resumed (L4, A15).
  let hadTask: Bool
  /// Whether a call was claimed since the expiry was announced (A12).
  let isServed: Bool

  /// Reads a history.
  init(_ history: ModelHistory, _ policy: ModelPolicy) {
    self.policy = policy
    state = history.state
    if case .gone? = history.life.last(where: { $0.what.isLifeOrDeath })?.what {
      hasLived = true
    } else {
      hasLived = false
    }
    let trip = history.trips(policy).last
    self.trip = trip?.end == nil ? trip : nil
    stop = history.stop
    expiry = history.expiry
    modes = history.modes
    tasks = history.stories.compactMap(history.openTask)
    hadTask = self.trip.map { history.hadTask(since: $0.mark) } ?? false
    isServed = expiry.map { history.wasClaimed(since: $0.order) } ?? false
  }

  /// The earliest end that is set, the trip's or the stop's.
  var deadline: Int { min(trip?.deadline ?? never, stop?.end ?? never) }

  /// When the trip ends, or never.
  package var tripEnd: Int { trip?.deadline ?? never }

  /// A12: when handlers are called.
  var warnTime: Int { shifted(trip?.deadline ?? never, -policy.lead) }

  /// Whether a task keeps the application from being suspended (A15).
  var isHeld: Bool {
    for task in tasks where task.holds { return true }
    return false
  }

  /// B5: whether a mode keeps the application from being suspended; a stop waits for none.
  var isKept: Bool { !modes.isEmpty && stop == nil }

  /// A10: when the usable time is over, or never.
  var usableUntil: Int {
    switch state {
    case .notRunning: hasLived ? 0 : never
    case .suspended: 0
    case .inactive, .active: stop?.end ?? never
    // In the background without a task it is the rest of the grace, if the trip needs one.
    case .background: isHeld || isKept ? deadline : min(deadline, idleEnd)
    }
  }

  /// When the trip ends if no task is begun: after the grace (L4), or with its time (A15).
  var idleEnd: Int { trip.map { $0.needsTask ? $0.graceEnd : $0.deadline } ?? never }

  /// A10: when the time is over that a task begun now would get, or never.
  var taskTimeUntil: Int { state == .background ? deadline : usableUntil }

  /// A19: when the kernel ends the process: at the deadline while a task is open.
  package var hardStop: Int { state != .notRunning && isHeld ? deadline : never }
}

extension ModelHistory.Life {
  /// Whether a process begins, ends, or turns out not to have ended.
  var isLifeOrDeath: Bool {
    switch self {
    case .launchedIntoForeground, .launchedIntoBackground, .gone, .reported: true
    case .resigned, .foregroundEntered, .becameActive, .backgroundEntered, .enterReturned,
      .suspended, .resumed, .woken, .timeAllowed, .idled, .stoodStill, .revoked,
      .expiredByAuthority, .endMoved,
      .expiryWithdrawn,
      .stopRequested, .stopCompleted, .expired, .saidUnserved, .memoryWarned, .modeBegan,
      .modeEnded:
      false
    }
  }
}
