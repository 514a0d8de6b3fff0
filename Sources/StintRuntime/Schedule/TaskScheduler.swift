public import Dispatch
public import StintCore

/// Begins tasks for an application when the system may: refreshes, processing, continued tasks and
/// background fetches (B1 to B4, Q1 to Q5, Q9).
///
/// A handler is registered for an identifier, and a request for that identifier is submitted. When
/// the time of the request has come, what it requires is there, and the application is in the
/// background, the system begins a task and calls the handler. A suspended application runs again
/// for it. Requests live as long as the process; those of a program that `main()` of a delegate
/// runs outlive it, but for continued ones (Q6). Any thread may use the scheduler.
public final class TaskScheduler: Sendable {
  typealias Action = ScheduleMachine.Action

  /// What begins the tasks of an identifier.
  public typealias Handler = @Sendable (ScheduledTask) -> Void

  struct State {
    var machine: ScheduleMachine
    var handlers: [String: (queue: DispatchQueue, launch: Handler)] = [:]
    /// The tasks that were begun, by the number of their run.
    var tasks: [Int: ScheduledTask] = [:]
    /// The earliest call of `timePassed` that is on its way.
    var wake: Instant?
    /// Whether a supervisor has continued the application, which is to be suspended again.
    var isContinued = false
    /// Writes down what outlives the process; nil if nothing does.
    var keeping: ScheduleKeeping?
    /// How often the machine may have changed.
    var changes = 0
    /// Whether a delegate has returned from didFinishLaunching.
    var hasLaunched = false
  }

  /// How often the machine is looked at while something waits for its conditions.
  private static let looksEvery = Duration.seconds(5)
  /// How often the wall clock is looked at while something waits for it: it may be set.
  private static let asksClockEvery = Duration.seconds(60)

  /// The system, which owns this scheduler; a task that outlives it has nobody to tell.
  weak let driver: SystemDriver?
  private let environment: any SystemEnvironment
  let state: MachineDriver<State, Action>
  /// Where handlers are called that named no queue.
  private let queue = DispatchQueue(label: "stint-background-tasks")

  /// Creates the scheduler of a system, which tells it of the application's life.
  package init(_ driver: SystemDriver) {
    self.driver = driver
    environment = driver.environment
    state = MachineDriver(State(machine: ScheduleMachine(policy: driver.policy)))
    driver.add(self)
    handle { $0.statusChanged(to: driver.refreshStatus, now: $1) }
    if let told = environment.toldConditions { conditionsChanged(to: told) }
    handle { $0.lifeChanged(to: driver.lifeState, now: $1) }
  }

  /// The wall clock of this system.
  public var wallTime: WallInstant { environment.wallTime }

  // MARK: Requests

  /// Says what begins tasks of an identifier (Q1).
  ///
  /// A program with a delegate registers its handlers before didFinishLaunching returns; one that
  /// is registered later is taken, and makes a diagnostic.
  ///
  /// - Parameters:
  ///   - identifier: Names what is to be done.
  ///   - queue: Where the handler is called; nil for a queue of the scheduler.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  ///   - handler: Begins a task, and completes it in the end.
  /// - Throws: ``StintError`` with the code `usage` if there is a handler already.
  public func register(
    _ identifier: String, on queue: DispatchQueue? = nil,
    function: String = #function, file: String = #fileID, line: UInt = #line,
    handler: @escaping Handler
  ) throws(StintError) {
    let origin = TaskOrigin(function: function, file: file, line: line)
    guard take(identifier, on: queue, at: origin, handler: handler) != .twice else {
      throw StintError(
        .usage, "\(Diagnostic.registeredTwice(identifier: identifier, by: origin))")
    }
  }

  /// The same, with a diagnostic where there is a handler already.
  package func take(
    _ identifier: String, on queue: DispatchQueue?, at origin: TaskOrigin,
    handler: @escaping Handler
  ) -> ScheduleMachine.Registration {
    let isLate = driver?.isDelegateLaunched ?? false
    let registration = state.withLock { state in
      let registration = state.machine.handlerRegistered(identifier, isLate: isLate)
      if registration != .twice {
        state.handlers[identifier] = (queue ?? self.queue, handler)
      }
      return registration
    }
    switch registration {
    case .taken: break
    case .twice: diagnose(.registeredTwice(identifier: identifier, by: origin))
    case .late: diagnose(.registeredLate(identifier: identifier, by: origin))
    }
    return registration
  }

  /// Asks for a task; a request of the same identifier that waits is replaced (Q2).
  ///
  /// - Parameter request: What is asked for.
  /// - Throws: ``TaskRequestError`` if the request is refused.
  public func submit(_ request: TaskRequest) throws(TaskRequestError) {
    if request.hasConditions { look() }
    let now = now
    var refusal: TaskRequestError?
    handle { machine, _ in
      let submission = machine.requestSubmitted(request, now: now)
      refusal = submission.refusal
      return submission.actions
    }
    if let refusal { throw refusal }
    guard !request.waitsForRoom else { return }
    let (denial, keeping) = state.withLock { state in
      state.changes += 1
      return (state.machine.denialTakenBack(request.identifier), state.keeping)
    }
    if let keeping { keepChanges(keeping) }
    if let denial {
      throw .cannotBegin(request.identifier, denial)
    }
  }

  /// Takes a request back; a task that has begun goes on.
  ///
  /// - Parameter identifier: Names what was to be done.
  public func cancel(_ identifier: String) {
    handle { machine, _ in
      machine.requestCancelled(identifier)
      return []
    }
  }

  /// Takes all requests back; tasks that have begun go on.
  public func cancelAll() {
    handle { machine, _ in
      machine.allCancelled()
      return []
    }
  }

  /// The requests that wait, in the order in which they were submitted.
  public var pending: [TaskRequest] { state.withLock { $0.machine.pending } }

  /// Says in one sentence why the request of an identifier waits, or that its task runs (Q7).
  ///
  /// - Parameter identifier: Names what is to be done.
  /// - Returns: A full sentence.
  public func why(_ identifier: String) -> String {
    let now = now
    return state.withLock { $0.machine.why(identifier, now: now) }
  }

  /// How often the delegate may fetch: never, unless the application says something else (B1).
  public var fetchInterval: FetchInterval {
    get { state.withLock { $0.machine.plan.interval } }
    set { handle { $0.fetchIntervalSet(newValue, now: $1) } }
  }

  /// In which hours the application was used, as far as this process knows (B3).
  public var usage: UsageHistory { state.withLock { $0.machine.plan.usage } }

  // MARK: Simulation

  /// Begins a request now, whatever it waits for, as Xcode's debugger can (Q8).
  ///
  /// - Parameter identifier: Names what is to be done.
  /// - Returns: Whether such a request waited and none of the identifier runs.
  @discardableResult
  public func simulateLaunch(of identifier: String) -> Bool {
    simulate { $0.launchSimulated(identifier, now: $1) }
  }

  /// Lets the time of a task be up (Q8).
  ///
  /// - Parameter identifier: Names what is done.
  /// - Returns: Whether such a task runs.
  @discardableResult
  public func simulateExpiration(of identifier: String) -> Bool {
    simulate { $0.expirySimulated(identifier, now: $1) }
  }

  /// Lets a task lose what it requires, or its time be up if it requires nothing (Q8).
  ///
  /// - Parameter identifier: Names what is done.
  /// - Returns: Whether such a task runs.
  @discardableResult
  public func simulateLoss(of identifier: String) -> Bool {
    simulate { $0.lossSimulated(identifier, now: $1) }
  }

  private func simulate(
    _ event: (inout ScheduleMachine, ScheduleTime) -> (isFound: Bool, actions: [Action])
  ) -> Bool {
    var isFound = false
    handle { machine, now in
      let (found, actions) = event(&machine, now)
      isFound = found
      return actions
    }
    return isFound
  }

  /// Begins a background fetch now (B4).
  ///
  /// An application in the foreground goes to the background first; one that was not launched is
  /// launched straight into the background.
  ///
  /// - Returns: The task of the fetch, which the delegate may have completed already; nil if the
  ///   system denied it.
  @discardableResult
  public func simulateFetch() -> ScheduledTask? {
    driver?.resignActive()
    driver?.enterBackground()
    return simulateEvent(ScheduleMachine.fetchName, kind: .fetch)
  }

  /// Begins a task of the system's own.
  package func simulateEvent(_ identifier: String, kind: ScheduledTaskKind) -> ScheduledTask? {
    driver?.launch(.background)
    let now = now
    var made: ScheduledTask?
    state.handle(
      { state in
        state.changes += 1
        let (run, actions) = state.machine.eventSimulated(identifier, kind: kind, now: now)
        let task = ScheduledTask(TaskRequest(identifier, kind: kind), run: run, scheduler: self)
        state.tasks[run] = task
        made = task
        return actions
      }, perform: perform)
    setWake()
    guard let made else { return nil }
    let isThere = made.isCompleted || state.withLock { $0.tasks[made.run] } != nil
    return isThere ? made : nil
  }

  // MARK: Time

  var now: ScheduleTime {
    ScheduleTime(instant: environment.now, wall: environment.wallTime)
  }

  /// Asks the machine what it offers, where that is found out by asking.
  func look() {
    if environment.toldConditions == nil { conditionsChanged(to: .read()) }
  }

  /// The machine offers something else than before.
  package func conditionsChanged(to conditions: MachineConditions) {
    handle { $0.conditionsChanged(to: conditions, now: $1) }
  }

  /// The wall clock was set.
  package func clockWasSet() {
    handle { $0.timePassed(now: $1) }
  }

  /// Gives the machine an event and performs what it causes.
  func handle(_ event: (inout ScheduleMachine, ScheduleTime) -> [Action]) {
    let now = now
    var keeping: ScheduleKeeping?
    state.handle(
      { state in
        state.changes += 1
        keeping = state.keeping
        return event(&state.machine, now)
      }, perform: perform)
    if let keeping { keepChanges(keeping) }
    setWake()
  }

  /// Sets the timer for what is due next, unless an earlier one is on its way.
  private func setWake() {
    let now = now
    // Only another process continues this one for what is due.
    if let driver, driver.isRemote {
      let next = state.withLock { $0.machine.nextBegin(now: now) }
      driver.setNextBegin(at: next == .distantFuture ? nil : next)
    }
    let asks = environment.toldConditions == nil
    let wake = state.withLock { state -> Instant? in
      var wake = state.machine.nextWake(now: now)
      if asks, state.machine.needsConditions(now: now) {
        wake = min(wake, now.instant.advanced(by: Self.looksEvery))
      }
      if asks, state.machine.needsWallClock(now: now) {
        wake = min(wake, now.instant.advanced(by: Self.asksClockEvery))
      }
      guard wake < state.wake ?? .distantFuture else { return nil }
      state.wake = wake
      return wake
    }
    guard let wake else { return }
    environment.schedule(at: wake) { [weak self] in self?.timeCame(wake) }
  }

  func schedule(at instant: Instant, _ body: @escaping @Sendable () -> Void) {
    environment.schedule(at: instant, body)
  }

  private func timeCame(_ wake: Instant) {
    let now = now
    let (isLooking, continued) = state.withLock { state in
      // A timer that was set before an earlier one says nothing new.
      if state.wake == wake { state.wake = nil }
      let runs = state.machine.continuedRuns
      return (
        state.machine.needsConditions(now: now),
        runs.compactMap { run in state.tasks[run].map { (run, $0) } }
      )
    }
    if isLooking { look() }
    for (run, task) in continued {
      if let fraction = task.readFraction { progressed(run, to: fraction) }
    }
    handle { $0.timePassed(now: $1) }
  }
}

extension SystemDriver {
  /// What begins tasks for the application; made when it is first asked for.
  package var taskScheduler: TaskScheduler {
    scheduler.withLock { scheduler in
      if let made = scheduler as? TaskScheduler { return made }
      let made = TaskScheduler(self)
      scheduler = made
      return made
    }
  }
}
