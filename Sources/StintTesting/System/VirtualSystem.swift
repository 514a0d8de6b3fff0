public import Stint
public import StintCore

/// The system of a test: the same machine and driver as in real time, on a clock that the test
/// moves.
///
/// Nothing happens by itself. ``advance(by:)`` moves the clock from one due event to the next and
/// lets the system's thread, the main queue and the lanes of workers run dry after each; ``run()``
/// does so without moving it. To be used on the main actor.
///
/// One system is one process. After ``kill()`` nothing of it runs; the next process is another
/// system on the same clock.
@MainActor
public final class VirtualSystem {
  /// A durable record of an expiry, made before its handlers were called.
  public struct Announcement: Hashable, Sendable {
    /// Why.
    public var reason: ExpiryReason
    /// When the process would be terminated.
    public var deadline: Instant
    /// The names of the tasks that were open.
    public var openTasks: [String]
  }

  /// What the system did to the process.
  public struct Record: Sendable {
    /// What the owner of the program was told.
    public internal(set) var diagnostics: [Diagnostic] = []
    /// Why the process was ended, or would have been, each time.
    public internal(set) var terminations: [TerminationCause] = []
    /// The records of expiries.
    public internal(set) var announcements: [Announcement] = []
    /// The statuses with which the process would have been left.
    public internal(set) var exits: [Int32] = []
    /// How often the process would have been stopped.
    public internal(set) var stops = 0
  }

  /// Who answers requests for tasks, and when.
  public enum Answers: Hashable, Sendable {
    /// The system, at once.
    case atOnce
    /// The test, with ``VirtualSystem/answer(_:_:)``.
    case whenAnswered
  }

  /// The clock; ``advance(by:)`` moves it.
  public nonisolated let clock: VirtualClock
  /// The driver, for workers.
  package nonisolated let driver: SystemDriver
  nonisolated let environment: VirtualEnvironment
  /// The application that was made for this system.
  weak var application: Application?
  /// Since when the process stands still.
  var standingSince: Instant?
  /// How many due events the clock went to so far: what virtual time costs, whatever its length.
  public private(set) var steps = 0

  /// Creates the system of an application that has not been launched.
  ///
  /// - Parameters:
  ///   - policy: The numbers by which time is granted.
  ///   - clock: The clock to use; by default one of its own.
  ///   - termination: Whether a process that must end is killed, or goes on and only ``record``
  ///     tells.
  ///   - answers: Who answers requests for tasks.
  public init(
    policy: SystemPolicy = .iOS7, clock: VirtualClock = VirtualClock(),
    termination: InProcessSystem.Termination = .report, answers: Answers = .atOnce
  ) {
    self.clock = clock
    environment = VirtualEnvironment(clock: clock, termination: termination)
    driver = SystemDriver(
      policy: policy, environment: environment,
      authority: answers == .atOnce ? .local : .remote)
    driver.add(HistoryObserver(environment))
  }

  deinit {
    // What waits here holds the driver, which holds this environment; nobody can let it run any
    // more.
    environment.dropWork()
    driver.dropHandlers()
    Application.withdrawShared(driver)
  }

  // MARK: What can be seen

  /// What the system has done so far.
  public var record: Record {
    run()
    return environment.state.withLock { $0.record }
  }

  /// When the kernel would end the process, or nil.
  public var hardStop: Instant? {
    environment.state.withLock { $0.hardStop }
  }

  /// Whether the process has not been killed.
  public nonisolated var isAlive: Bool { environment.isAlive }

  /// The state of the application, with the two that code cannot observe.
  public var lifeState: LifeState { driver.lifeState }

  /// What is left of the budget at this instant (A10).
  public var remainingTime: RemainingTime { driver.remainingTime }

  /// What is open (A22).
  public var openTasks: [OpenTask] { driver.openTasks }

  /// What happened so far, a line each with its time in seconds since the start of this process;
  /// the same seeds give the same text to the byte.
  public var history: String {
    environment.state.withLock { $0.history.lines }.map { $0 + "\n" }.joined()
  }

  /// Whether ``history`` is kept; a long simulation need not.
  public var keepsHistory: Bool {
    get { environment.state.withLock { $0.keepsHistory } }
    set { environment.state.withLock { $0.keepsHistory = newValue } }
  }

  /// Whether the main queue is served; if not, its work waits (A12).
  public var isMainServed: Bool {
    get { environment.state.withLock { $0.isMainServed } }
    set { environment.state.withLock { $0.isMainServed = newValue } }
  }

  // MARK: Time

  /// Moves the clock, event by event.
  ///
  /// - Parameter duration: How far.
  public func advance(by duration: Duration) {
    advance(atMost: duration) { false }
  }

  /// Moves the clock from event to event until a condition holds.
  ///
  /// - Parameters:
  ///   - limit: How far at most.
  ///   - condition: Asked before the first and after each event.
  /// - Returns: Whether it came to hold; if not, the clock is at the limit.
  @discardableResult
  public func advance(atMost limit: Duration, until condition: () -> Bool) -> Bool {
    let end = clock.now.advanced(by: limit)
    run()
    while !condition() {
      guard isAlive, standingSince == nil, let due = environment.takeDue(by: end) else {
        if standingSince != nil { stand(until: end) }
        clock.move(to: end)
        run()
        return condition()
      }
      clock.move(to: due.at)
      steps += 1
      due.work()
      run()
    }
    return true
  }

  /// Lets the system's thread and the main queue run until nothing waits.
  public func run() {
    while isAlive, standingSince == nil {
      if let work = environment.takeSystemWork() {
        work()
      } else if let work = environment.takeMainWork() {
        work()
      } else {
        return
      }
    }
  }

  func makeHost(costs: VirtualCosts) -> SystemWorkerHost {
    VirtualLanes(environment: environment, costs: costs).makeHost(driver)
  }

  /// The kernel's timer kills a process that stands still, too.
  private func stand(until end: Instant) {
    if environment.termination == .terminate, let hardStop, hardStop <= end {
      clock.move(to: hardStop)
      environment.terminate(.overrun)
    }
  }
}

extension Application {
  /// Creates the application of a virtual system.
  ///
  /// - Parameter system: The system; one system serves one application.
  @MainActor
  public convenience init(system: VirtualSystem) {
    self.init(driver: system.driver)
    system.application = self
  }
}
