/// Decides what the system does for one application: states, tasks, the trip's budget, termination.
///
/// A value without effects. Each event is one function that gets the time as an argument and
/// returns what is to be done; the driver does it outside its lock, in order. What is due before an
/// event happens first, so a timer that fires late changes nothing. `docs/machines/system.md` has
/// every event in every state, as the tests run them.
package struct SystemMachine: Sendable {
  /// What the driver has to do.
  package enum Action: Equatable, Sendable {
    /// From now on code sees this state.
    case show(ApplicationState)
    /// Tell the delegate, then the observers; report the return of didEnterBackground with the
    /// trip's number.
    case tell(Transition, trip: Int)
    /// Hand the expiry to owners that do not use the main queue, at once.
    case expireDirectly([BackgroundTaskIdentifier], ExpiryReason, deadline: Instant)
    /// The end came nearer than owners count on.
    case deadlineMoved(to: Instant)
    /// The end is later than owners count on; a task that was called stays spent.
    case deadlineExtended(to: Instant)
    /// Make a durable record, so that a run that is then killed can be explained (L8).
    case announceExpiry(ExpiryReason, deadline: Instant, openTasks: [String])
    /// Call the handlers on the main queue, in this order; each call is claimed under this epoch.
    case callHandlers([BackgroundTaskIdentifier], ExpiryReason, deadline: Instant, epoch: Int)
    /// Ask the authority in the other process.
    case ask(BackgroundTaskIdentifier)
    /// The authority's answer, for the owner of the task.
    case answer(BackgroundTaskIdentifier, TaskAnswer)
    /// The application is suspended.
    case suspend
    /// The application runs again after a suspension.
    case resume
    /// The last task is ended after a stop was requested: the process may go.
    case stopCompleted
    /// End the process.
    case terminate(TerminationCause)
    /// Tell the owner of the program.
    case diagnose(Diagnostic)
    /// Report `timePassed` at this instant, or never.
    case wake(at: Instant?)
    /// Let the kernel end the process at this instant, or never.
    case armHardStop(at: Instant?)
  }

  /// Who answers requests for tasks.
  package enum Authority: Hashable, Sendable {
    /// This machine, at once.
    case local
    /// Another process, later.
    case remote
  }

  /// One stay in the background; the budget belongs to it (A9).
  package struct Trip: Equatable, Sendable {
    package let number: Int
    package let start: Instant
    /// When the budget is gone; `.distantFuture` without an end.
    package private(set) var deadline = Instant.distantFuture
    /// When the handlers are called; kept, because every task that comes or goes asks for it.
    private(set) var warnTime = Instant.distantFuture
    /// Up to when a task is granted.
    private(set) var lastGrant = Instant.distantFuture
    /// When didEnterBackground must have returned, and when a trip that needs a task ends without
    /// one (L4).
    package var graceEnd: Instant
    /// The same if the budget had no end: up to here it grows with the budget.
    var fullGraceEnd: Instant
    /// When the daily quota is used up, whatever a source says.
    var quotaEnd: Instant
    package var enterReturned = false
    package var hadTask = false
    /// Whether somebody else than the policy has said when it ends, which no mode lifts (B5).
    var isLimited = false
    /// Whether it ends when no task is held; else it lasts until its deadline (A15, L4).
    package internal(set) var needsTask: Bool
    /// Whether the program has said that it has nothing more to do in it.
    var isIdle = false
    /// When it ends if no task is begun.
    var idleEnd: Instant { needsTask ? graceEnd : deadline }

    /// Begins a trip whose clock may have started before the background was entered.
    init(
      number: Int, start: Instant, entered: Instant, deadline: Instant, quotaEnd: Instant,
      policy: SystemPolicy
    ) {
      self.number = number
      self.start = start
      self.quotaEnd = quotaEnd
      needsTask = policy.suspendsWhenIdle
      fullGraceEnd = entered.advanced(by: policy.enterBackgroundGrace)
      graceEnd = fullGraceEnd
      moveEnd(to: deadline, policy: policy)
    }

    /// Ends the trip at another instant, as far as the quota goes; its grace is never longer (L4).
    mutating func moveEnd(to end: Instant, policy: SystemPolicy) {
      setDeadline(min(end, quotaEnd), policy: policy)
      graceEnd = min(fullGraceEnd, deadline)
    }

    /// Moves the deadline, and with it what counts back from it.
    mutating func setDeadline(_ deadline: Instant, policy: SystemPolicy) {
      self.deadline = deadline
      let hasEnd = deadline != .distantFuture
      warnTime = hasEnd ? deadline.advanced(by: .zero - policy.lead) : .distantFuture
      lastGrant = hasEnd ? deadline.advanced(by: .zero - policy.leastWorthGranting) : .distantFuture
    }
  }

  /// What is known of the time of a trip in which nothing ran; apart from the trip, which every
  /// request for a task looks at.
  struct Stoppage: Equatable, Sendable {
    /// Since when the application is suspended, and how much of that `continued` has told already.
    var suspendedAt: Instant?
    var toldSinceSuspension = Duration.zero
    /// Stopped time that does not count (A23), and so is not charged to the quota.
    var uncounted = Duration.zero
    /// Up to where a suspended application is charged: what was told since does not count either.
    var chargedUntil: Instant? { suspendedAt?.advanced(by: toldSinceSuspension) }
  }

  /// Handlers are being called.
  package struct Announcement: Equatable, Sendable {
    package let epoch: Int
    package let reason: ExpiryReason
    package var anyClaimed = false
    package var unservedSaid = false
  }

  /// A stop was requested; it is never revoked by a change of state (W11).
  package struct Stop: Equatable, Sendable {
    package var reason: ExpiryReason
    package var deadline: Instant
    package var completed = false
  }

  /// A background mode that is in use (B5).
  package struct ModeInUse: Equatable, Sendable {
    /// Counts the uses from 1.
    package var number: Int
    package var mode: BackgroundMode
  }

  /// A task that is gone, remembered for A7.
  package struct EndedTask: Equatable, Sendable {
    package var identifier: BackgroundTaskIdentifier
    package var name: String
    package var endedAt: TaskOrigin
  }

  package let policy: SystemPolicy
  package let authority: Authority
  package internal(set) var lifeState = LifeState.notRunning
  package internal(set) var tasks: [TaskRecord] = []
  package internal(set) var trip: Trip?
  var stoppage = Stoppage()
  /// Why the rest of this trip's budget was taken back, if it was: the reason of all its expiries
  /// (A18).
  ///
  /// Beside the trip and not in it: a reason can hold words, and a trip that is looked at for every
  /// task is to be copied as numbers.
  var revocation: ExpiryReason?
  package internal(set) var announcement: Announcement?
  package internal(set) var stop: Stop?
  /// In the background they leave the trip without an end: what would give it one ends them first.
  package internal(set) var modes: [ModeInUse] = []
  /// The modes that may be used, each with why, for people.
  package internal(set) var declaredModes: [BackgroundMode: String] = [:]
  /// When `timePassed` is due next.
  package internal(set) var nextWake = Instant.distantFuture
  /// When the kernel is to end the process.
  package internal(set) var hardStop: Instant?

  var nextIdentifier = 1
  var modeCount = 0
  var tripCount = 0
  /// How often time was granted: for a trip, or for a task of the system's that moved its end.
  package internal(set) var grantCount = 0
  var epochCount = 0
  var isSpent = false
  var quotaWindowStart: Instant?
  var quotaUsed = Duration.zero
  /// Before this instant no memory warning is told again.
  var nextMemoryWarning = Instant(nanoseconds: .min)
  var recentlyEnded: [EndedTask]
  var recentlyEndedNext = 0

  /// How many ended tasks are remembered by name and place.
  package static let rememberedTasks = 16

  /// Creates the machine of an application that has not been launched.
  package init(policy: SystemPolicy, authority: Authority = .local) {
    self.policy = policy
    self.authority = authority
    let none = EndedTask(identifier: .invalid, name: "", endedAt: .unknown)
    recentlyEnded = Array(repeating: none, count: Self.rememberedTasks)
    tasks.reserveCapacity(8)
  }
}
