/// Decides what a supervisor does for one child that may or may not speak the protocol.
///
/// The system's own machine decides what is granted; this one keeps the child's tasks apart from
/// the supervisor's own claim that the child is there (its *presence*): a child that does not
/// speak, or not yet, lives under that alone and is warned by whatever the supervisor has for it.
/// Trust goes one way: nothing that a child says can do more than end its own conversation.
package struct ServerMachine: Sendable {
  /// The system as the child is told of it.
  package struct View: Hashable, Sendable {
    package var lifeState: LifeState
    package var trip: SystemMessage.Trip?
    package var stop: Expired?
    /// Whether the trip ends when no task is held (A15); the child is not told.
    package var needsTask: Bool

    package init(
      lifeState: LifeState, trip: SystemMessage.Trip?, stop: Expired?, needsTask: Bool = true
    ) {
      self.lifeState = lifeState
      self.trip = trip
      self.stop = stop
      self.needsTask = needsTask
    }
  }

  /// An expiry that the system told, or a stop that was requested.
  package struct Expired: Hashable, Sendable {
    package var reason: ExpiryReason
    package var deadline: Instant

    package init(reason: ExpiryReason, deadline: Instant) {
      self.reason = reason
      self.deadline = deadline
    }
  }

  /// Whether the child speaks.
  package enum Phase: Hashable, Sendable {
    /// The child has said nothing yet; it is told everything all the same.
    case silent
    /// It said hello.
    case speaking
    /// It does not speak, or not any more.
    case plain
    /// It has ended.
    case gone
  }

  /// What the driver has to do, in this order.
  package enum Action: Equatable, Sendable {
    /// Tell the child.
    case send(SystemMessage)
    /// Say no more, and listen no more, for this reason.
    case hangUp(String)
    /// Ask the system for a task of the child's; answer with `taskGranted` or `taskDenied`.
    case beginTask(Int, name: String)
    /// Ask the system for the presence; answer with `presenceGranted`.
    case beginPresence
    /// End a task.
    case end(BackgroundTaskIdentifier)
    /// Warn a child that does not speak.
    case warn(ExpiryReason, deadline: Instant)
    /// Report `timePassed` at this instant.
    case wake(at: Instant)
    /// Continue the child's process, which has stopped itself.
    case continueChild
  }

  /// A task of the child's.
  enum ChildTask: Hashable {
    /// The system is being asked; it may expire the task before the answer is known here.
    case asking(expiry: Expired?)
    case held(BackgroundTaskIdentifier)
  }

  package let policy: SystemPolicy
  /// Whether the presence is held here; a supervisor may have one of its own.
  package let holdsPresence: Bool
  /// Whether a child that stops itself when it is suspended is continued.
  package let continuesChild: Bool
  /// For what the child is launched; nil if somebody started it for its own sake.
  let launch: SystemMessage.Launch?
  package internal(set) var phase = Phase.silent
  var tasks: [Int: ChildTask] = [:]
  var presence: BackgroundTaskIdentifier?
  var isAskingForPresence = false
  /// The presence's expiry in this trip; a stop's stays.
  var presenceExpiry: Expired?
  /// The trip whose presence was given up because the child had nothing open.
  var idleTrip: Int?
  /// Since when a speaking child has had nothing open in the background.
  var idleSince: Instant?
  /// When the child's next request may begin; nil for none.
  var nextBegin: Instant?
  /// The trip in which the child was suspended and has stopped itself, or is about to.
  var standsInTrip: Int?
  /// Whether its process stands still.
  var hasStopped = false
  /// When `timePassed` was last asked for because of the next request.
  var beginWake: Instant?
  var view = View(lifeState: .notRunning, trip: nil, stop: nil)

  /// Creates the machine of a child that has not been started.
  ///
  /// - Parameters:
  ///   - policy: The numbers by which the system grants time.
  ///   - holdsPresence: Whether the presence is held here; else the supervisor holds and warns the
  ///     child by itself.
  ///   - continuesChild: Whether the driver continues a child that stops itself.
  ///   - launch: For what the child is launched; nil if somebody started it for its own sake.
  package init(
    policy: SystemPolicy, holdsPresence: Bool = true, continuesChild: Bool = false,
    launch: SystemMessage.Launch? = nil
  ) {
    self.policy = policy
    self.launch = launch
    self.holdsPresence = holdsPresence
    self.continuesChild = continuesChild
  }

  /// The tasks that the child holds or has asked for.
  package var openTasks: Int { tasks.count }

  // MARK: The child's life

  /// The child is about to be started.
  ///
  /// - Parameters:
  ///   - view: The system as it is now.
  ///   - pid: The supervisor's process.
  ///   - now: The time.
  /// - Returns: What the driver has to do.
  package mutating func started(_ view: View, pid: Int32, now: Instant) -> [Action] {
    self.view = view
    isAskingForPresence = holdsPresence
    let welcome = SystemMessage.Welcome(
      pid: pid, policy: policy, state: view.lifeState.toldState, trip: view.trip,
      continuesChild: continuesChild, launch: launch)
    return (holdsPresence ? [.beginPresence] : []) + [.send(.welcome(welcome))]
  }

  /// The child has ended: it has nothing open any more.
  package mutating func childEnded() -> [Action] {
    guard phase != .gone else { return [] }
    phase = .gone
    var actions = endTasks()
    if let presence { actions.append(.end(presence)) }
    presence = nil
    standsInTrip = nil
    return actions + [.hangUp("the child has ended")]
  }

  /// The conversation is over: the child closed its end, does not read, or said what cannot be
  /// understood.
  package mutating func conversationEnded(_ why: String) -> [Action] {
    switch phase {
    case .plain, .gone: return []
    case .silent, .speaking: break
    }
    // One that ended its tasks is about to exit; one that was silent has been warned.
    let isAtWork = !tasks.isEmpty
    phase = .plain
    idleSince = nil
    var actions: [Action] = [.hangUp(why)]
    // Before its tasks are ended: nothing must be suspended between.
    if holdsPresence, presence == nil, !isAskingForPresence {
      isAskingForPresence = true
      actions.append(.beginPresence)
    } else if isAtWork, let presenceExpiry {
      actions.append(.warn(presenceExpiry.reason, deadline: presenceExpiry.deadline))
    }
    return actions + endTasks() + leaveStanding()
  }

  // MARK: What the child says

  /// The child said something.
  package mutating func received(_ message: ChildMessage, now: Instant) -> [Action] {
    switch (phase, message) {
    case (.plain, _), (.gone, _):
      // Race: it had been said before the conversation was over.
      return []
    case (.silent, .hello(let version, _, _)):
      guard version == SystemProtocol.version else {
        return conversationEnded(
          "the child speaks version \(version) and not \(SystemProtocol.version)")
      }
      phase = .speaking
      return watchIdleness(now: now)
    case (.silent, .begin), (.silent, .end), (.silent, .due), (.silent, .suspended):
      return conversationEnded("the child did not say hello first")
    case (.speaking, .hello):
      return conversationEnded("the child said hello twice")
    case (.speaking, .begin(let task, let name)):
      guard tasks[task] == nil else {
        return conversationEnded("the child began task \(task) twice")
      }
      guard tasks.count < policy.maximumTasks else {
        return [.send(.denied(task: task, .tooManyTasks(maximum: policy.maximumTasks)))]
      }
      tasks[task] = .asking(expiry: nil)
      idleSince = nil
      return [.beginTask(task, name: name)]
    case (.speaking, .end(let task)):
      // Race: it was denied, or the system ended it.
      guard case .held(let identifier)? = tasks.removeValue(forKey: task) else { return [] }
      // Before the end, so that the wake-up is set when the system looks for what still holds.
      return watchIdleness(now: now) + [.end(identifier)]
    case (.speaking, .due(let begin)):
      nextBegin = begin
      return continueIfDue(now: now)
    case (.speaking, .suspended(let trip)):
      standsInTrip = trip
      return continueIfDue(now: now)
    }
  }

  /// The system granted a task of the child's.
  package mutating func taskGranted(_ task: Int, _ identifier: BackgroundTaskIdentifier)
    -> [Action]
  {
    // Race: the conversation ended while the system was asked.
    guard case .asking(let expiry)? = tasks[task] else { return [.end(identifier)] }
    tasks[task] = .held(identifier)
    return [.send(.granted(task: task))] + (expiry.map { [expire(task, $0)] } ?? [])
  }

  /// The system denied a task of the child's.
  package mutating func taskDenied(_ task: Int, _ reason: DenialReason, now: Instant) -> [Action] {
    guard tasks.removeValue(forKey: task) != nil else { return [] }
    return [.send(.denied(task: task, reason))] + watchIdleness(now: now)
  }

  // MARK: What the system says

  /// The system granted the presence, or nil if it did not.
  package mutating func presenceGranted(_ identifier: BackgroundTaskIdentifier?) -> [Action] {
    isAskingForPresence = false
    guard phase != .gone else { return identifier.map { [.end($0)] } ?? [] }
    presence = identifier
    guard identifier == nil, phase == .plain, let deadline = view.trip?.deadline else { return [] }
    // Too late for a task, but not for a warning.
    return [.warn(.timeElapsed, deadline: deadline)]
  }

  /// The system expires a task of the child's, or the presence (nil).
  package mutating func expired(
    _ task: Int?, _ reason: ExpiryReason, deadline: Instant, now: Instant
  ) -> [Action] {
    let expired = Expired(reason: reason, deadline: deadline)
    guard let task else {
      presenceExpiry = expired
      switch phase {
      case .silent, .plain: return [.warn(reason, deadline: deadline)]
      case .speaking: return watchIdleness(now: now)
      case .gone: return []
      }
    }
    switch tasks[task] {
    case .asking:
      tasks[task] = .asking(expiry: expired)
      return []
    case .held:
      return [expire(task, expired)]
    case nil:
      // Race: the child has ended it.
      return []
    }
  }

  private func expire(_ task: Int, _ expired: Expired) -> Action {
    let deadline = expired.deadline == .distantFuture ? nil : expired.deadline
    return .send(
      .expire(task: task, expired.reason, trip: view.trip?.number ?? 0, deadline: deadline))
  }

  private mutating func endTasks() -> [Action] {
    let held = tasks.sorted { $0.key < $1.key }.compactMap { task -> Action? in
      if case .held(let identifier) = task.value { .end(identifier) } else { nil }
    }
    tasks = [:]
    return held
  }
}

extension LifeState {
  /// The state that code observes, and a child is told (L1).
  package var toldState: ApplicationState {
    switch self {
    case .notRunning, .inactive: .inactive
    case .active: .active
    case .background, .suspended: .background
    }
  }

  /// Whether it is in the foreground.
  package var isInForeground: Bool {
    switch self {
    case .active, .inactive: true
    case .notRunning, .background, .suspended: false
    }
  }

  /// Whether code of the application runs and hears of news (L5).
  package var runs: Bool {
    switch self {
    case .inactive, .active, .background: true
    case .notRunning, .suspended: false
    }
  }
}
