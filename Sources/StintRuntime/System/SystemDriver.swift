import Glibc
package import StintCore
import Synchronization

/// Drives a ``SystemMachine``: event under the lock, actions outside it, in order.
///
/// All functions may be called from any thread. Life events perform what they cause before they
/// return, except that delegates and observers are told on the main queue; task events leave it to
/// the system's thread and return at once.
package final class SystemDriver: Sendable {
  typealias Action = SystemMachine.Action

  struct HandlerEntry {
    let identifier: BackgroundTaskIdentifier
    let handler: TaskHandler
  }

  struct State {
    var machine: SystemMachine
    /// One entry for each task of the machine.
    var handlers: [HandlerEntry] = []
    var observers: [any SystemObserver] = []
    /// What the program has chosen for a suspension; nil for the default.
    var followUp: SuspensionFollowUp?
    var defaultFollowUp = SuspensionFollowUp.park
    weak var teller: (any TransitionTeller)?
    /// Tells the authority in another process of the tasks.
    weak var link: (any AuthorityLink)?
    /// Why every request for a task is refused.
    var refusal: String?
    /// Whose word the end of the present trip is.
    var endSource: String
    var modeConditions: [BackgroundMode: ModeConditions] = [:]
    var refreshStatus = BackgroundRefreshStatus.available
    var isProtectedDataAvailable = true
    /// Whether a delegate has returned from didFinishLaunching.
    var isDelegateLaunched = false
  }

  /// What is told in order on the main queue, with the states that are seen inside.
  enum Mail {
    case show(ApplicationState)
    case tell(Transition, trip: Int)
    case news(ApplicationNews)
    case call(@Sendable () -> Void)
  }

  struct MailState {
    var waiting: [Mail] = []
    var isDelivering = false
    /// How often something was delivered.
    var deliveries = 0
    /// Whether somebody looks after a while if the main queue was served; until it was, nobody
    /// looks again.
    var isWatched = false
  }

  private struct Timers {
    var wake: Instant?
    var hardStop: Instant?
  }

  package let environment: any SystemEnvironment
  let state: MachineDriver<State, Action>
  let mail = Protected(MailState())
  private let timers = Protected(Timers())
  let isWatchingMemory = Protected(false)
  /// What begins tasks for the application, once somebody has asked for it.
  let scheduler = Protected<AnyObject?>(nil)
  private let usableUntil = Atomic<Int64>(.max)
  private let taskTimeUntil = Atomic<Int64>(.max)
  /// The same two in the foreground, where only a stop ends the time.
  private let foregroundUntil = Atomic<Int64>(.max)
  let shownState = Atomic<Int>(ApplicationState.inactive.rawValue)
  /// The state that belongs to what is told now, and the thread on which it is told; 0 for none.
  let toldState = Atomic<Int>(ApplicationState.inactive.rawValue)
  let tellingThread = Atomic<UInt>(0)

  /// Creates the driver of an application that has not been launched.
  package init(
    policy: SystemPolicy, environment: any SystemEnvironment,
    authority: SystemMachine.Authority = .local
  ) {
    self.environment = environment
    // Another process says no more than when the time ends.
    let source = authority == .local ? "policy" : "supervisor"
    state = MachineDriver(
      State(machine: SystemMachine(policy: policy, authority: authority), endSource: source))
    state.withLock { $0.handlers.reserveCapacity(8) }
  }

  /// The numbers by which time is granted.
  package var policy: SystemPolicy { state.withLock { $0.machine.policy } }

  /// The state that code sees; no lock is taken.
  ///
  /// It changes with the event. Who is told of a transition later sees the state that belongs to
  /// that one (L2).
  package var applicationState: ApplicationState {
    let shown = isTold ? toldState.load(ordering: .relaxed) : shownState.load(ordering: .acquiring)
    return ApplicationState(rawValue: shown) ?? .inactive
  }

  /// Whether the caller is being told something, in the state that belongs to that.
  private var isTold: Bool { tellingThread.load(ordering: .relaxed) == pthread_self() }

  /// Whether the caller is told of the foreground, which may be over meanwhile.
  private var isToldOfForeground: Bool {
    isTold && toldState.load(ordering: .relaxed) != ApplicationState.background.rawValue
  }

  /// All five states, as the machine has them.
  package var lifeState: LifeState { state.withLock { $0.machine.lifeState } }

  /// When the usable time is over, or nil for never; no lock is taken.
  ///
  /// Like the state, it belongs to what the caller is told of (A10).
  package var usableTimeEnd: Instant? {
    let end =
      isToldOfForeground
      ? foregroundUntil.load(ordering: .acquiring) : usableUntil.load(ordering: .acquiring)
    return end == .max ? nil : Instant(nanoseconds: end)
  }

  /// When the time of a task that is begun now is over, or nil for never (A10); no lock is taken.
  package var taskTimeEnd: Instant? {
    let end =
      isToldOfForeground
      ? foregroundUntil.load(ordering: .acquiring) : taskTimeUntil.load(ordering: .acquiring)
    return end == .max ? nil : Instant(nanoseconds: end)
  }

  /// The remaining time (A10); no lock is taken.
  package var remainingTime: RemainingTime {
    RemainingTime(until: usableTimeEnd, at: environment.now)
  }

  /// When the present trip ends, and whose word that is; nil without an end.
  package var tripEnd: Deadline? {
    state.withLock { state in
      guard let end = state.machine.trip?.deadline, end != .distantFuture else { return nil }
      return Deadline(source: state.endSource, instant: end)
    }
  }

  /// The number of the latest grant of time, counted from 1; nil outside of a trip.
  ///
  /// Each trip is one, and so is each task of the system's that moves its end.
  package var grantNumber: Int? {
    state.withLock { $0.machine.lifeState == .background ? $0.machine.grantCount : nil }
  }

  /// Whether a delegate has returned from didFinishLaunching, after which a handler that is
  /// registered makes a diagnostic (Q1).
  package var isDelegateLaunched: Bool { state.withLock { $0.isDelegateLaunched } }

  /// Why the process was asked to stop; nil if it was not.
  package var stopReason: ExpiryReason? { state.withLock { $0.machine.stop?.reason } }

  /// What is open (A22).
  package var openTasks: [OpenTask] {
    state.withLock { $0.machine.openTasks(at: environment.now) }
  }

  /// What happens after a suspension.
  package var suspensionFollowUp: SuspensionFollowUp {
    get { state.withLock { $0.followUp ?? $0.defaultFollowUp } }
    set { state.withLock { $0.followUp = newValue } }
  }

  /// What happens after a suspension unless the program says it.
  package var defaultFollowUp: SuspensionFollowUp {
    get { state.withLock { $0.defaultFollowUp } }
    set { state.withLock { $0.defaultFollowUp = newValue } }
  }

  /// Whether a suspension stops the process although the program has not asked for that.
  package var stopsByDefault: Bool {
    state.withLock { $0.followUp == nil && $0.defaultFollowUp == .stop }
  }

  /// Why every request for a task is refused, in words; nil, which is usual, leaves it to the
  /// policy.
  package var refusal: String? {
    get { state.withLock { $0.refusal } }
    set { state.withLock { $0.refusal = newValue } }
  }

  /// Whether the system would begin work in the background (L11); a change is told.
  package var refreshStatus: BackgroundRefreshStatus {
    get { state.withLock { $0.refreshStatus } }
    set {
      let before = state.withLock { exchange(&$0.refreshStatus, with: newValue) }
      guard newValue != before else { return }
      postIfRunning(.backgroundRefreshStatusChanged)
      notify(.refreshStatusChanged(newValue))
    }
  }

  /// Whether protected files can be read; a change is told.
  package var isProtectedDataAvailable: Bool {
    get { state.withLock { $0.isProtectedDataAvailable } }
    set {
      let before = state.withLock { exchange(&$0.isProtectedDataAvailable, with: newValue) }
      guard newValue != before else { return }
      postIfRunning(
        newValue ? .protectedDataDidBecomeAvailable : .protectedDataWillBecomeUnavailable)
    }
  }

  /// An application that does not run, or is suspended, hears nothing (L5).
  private func postIfRunning(_ news: ApplicationNews) {
    if lifeState.runs { post(news) }
  }

  /// Registers an observer until it is removed.
  package func add(_ observer: any SystemObserver) {
    state.withLock { $0.observers.append(observer) }
    if observer.hearsOfMemory { listenForMemory() }
  }

  /// Removes an observer; a call that is under way is not waited for (W6).
  package func remove(_ observer: any SystemObserver) {
    let before = state.withLock { state in
      let before = state.observers
      state.observers.removeAll { $0 === observer }
      return before
    }
    withExtendedLifetime(before) {}
    if observer.hearsOfMemory { listenForMemory() }
  }

  /// Lets go of the handlers of open tasks; for a system that ends before them.
  package func dropHandlers() {
    let dropped = state.withLock { exchange(&$0.handlers, with: []) }
    withExtendedLifetime(dropped) {}
  }

  /// Sets who is told of transitions.
  package func setTeller(_ teller: any TransitionTeller) {
    state.withLock { $0.teller = teller }
  }

  // MARK: Events

  /// Gives the machine an event and performs what it causes.
  func handle(
    performHere: Bool, _ event: (inout SystemMachine, Instant) -> [Action]
  ) {
    let outcome = state.withActions { state, waiting in
      let actions = event(&state.machine, environment.now)
      return accept(actions, &state, &waiting)
    }
    finish(outcome, performHere: performHere)
  }

  /// What an event left to be done outside the lock.
  struct Outcome {
    var mustPerform = false
    var timersMoved = false
    var released: [HandlerEntry] = []
    /// Whom the tasks that were ended concern, if they are another process's to grant.
    var link: (any AuthorityLink)?
  }

  /// Takes over the actions of an event; to be called under the lock.
  @inline(__always)
  func accept(
    _ actions: [Action], _ state: inout State, _ waiting: inout ActionQueue<Action>
  ) -> Outcome {
    if actions.isEmpty && state.handlers.count == state.machine.tasks.count
      && SystemMachine.isUnmoved(&state.machine)
    {
      return Outcome()
    }
    return acceptSlowly(actions, &state, &waiting)
  }

  private func acceptSlowly(
    _ actions: [Action], _ state: inout State, _ waiting: inout ActionQueue<Action>
  ) -> Outcome {
    var outcome = Outcome()
    let performed = actions.filter { !$0.movesTimer }
    outcome.timersMoved = performed.count < actions.count
    waiting.append(performed)
    usableUntil.store(
      state.machine.usableUntil?.nanoseconds ?? .max, ordering: .releasing)
    taskTimeUntil.store(
      state.machine.taskTimeUntil?.nanoseconds ?? .max, ordering: .releasing)
    foregroundUntil.store(
      state.machine.stop?.deadline.nanoseconds ?? .max, ordering: .releasing)
    if state.handlers.count > state.machine.tasks.count {
      // The system ended tasks by itself; their handlers are released outside the lock.
      let open = Set(state.machine.tasks.map(\.identifier))
      outcome.released = state.handlers.filter { !open.contains($0.identifier) }
      state.handlers.removeAll { !open.contains($0.identifier) }
      outcome.link = state.authorityLink
    }
    outcome.mustPerform = waiting.claim()
    return outcome
  }

  /// Does outside the lock what an event left.
  @inline(__always)
  func finish(_ outcome: Outcome, performHere: Bool) {
    if outcome.timersMoved { synchronizeTimers() }
    if outcome.mustPerform {
      if performHere { perform() } else { environment.onSystemThread { self.perform() } }
    }
    outcome.link?.tasksChanged()
    withExtendedLifetime(outcome.released) {}
  }

  /// Brings the timers to where the machine wants them now.
  ///
  /// Two threads may come here in either order, so what counts is the machine's present wish, not
  /// the event's.
  private func synchronizeTimers() {
    let failure = timers.withLock { timers -> StintError? in
      let (wake, hardStop) = state.withLock { state in
        let wake = state.machine.nextWake
        return (wake == .distantFuture ? nil : wake, state.machine.hardStop)
      }
      var failure: StintError?
      if hardStop != timers.hardStop {
        do throws(StintError) {
          try environment.armHardStop(at: hardStop)
          timers.hardStop = hardStop
        } catch {
          failure = error
        }
      }
      if wake != timers.wake {
        timers.wake = wake
        environment.setWake(at: wake) { [weak self] in self?.timePassed() }
      }
      return failure
    }
    if let failure { environment.diagnose(.hardStopNotArmed(errno: failure.errno)) }
  }

  private func timePassed() {
    timers.withLock { $0.wake = nil }
    handle(performHere: true) { $0.timePassed(now: $1) }
    // Woken early (a clock that rounds), the machine has not moved its wish, so it is set again
    // here.
    synchronizeTimers()
  }
}

extension SystemMachine.Action {
  /// Whether it only says that a timer is to move, which the machine also keeps.
  fileprivate var movesTimer: Bool {
    switch self {
    case .wake, .armHardStop: true
    case .show, .tell, .expireDirectly, .deadlineMoved, .deadlineExtended, .announceExpiry,
      .callHandlers, .ask, .answer, .suspend, .resume, .stopCompleted, .terminate, .diagnose:
      false
    }
  }
}
