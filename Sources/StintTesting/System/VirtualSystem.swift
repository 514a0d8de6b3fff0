public import Stint
public import StintCore

/// The system of a test: the same machine and driver as in real time, on a clock that the test moves.
///
/// Nothing happens by itself. `advance(by:)` moves the clock from one due event to the next and lets the system's thread
/// and the main queue run dry after each; `run()` does so without moving it. To be used on the main actor.
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
    /// Why the process would have been ended, each time.
    public internal(set) var terminations: [TerminationCause] = []
    /// The records of expiries.
    public internal(set) var announcements: [Announcement] = []
    /// The statuses with which the process would have been left.
    public internal(set) var exits: [Int32] = []
    /// How often the process would have been stopped.
    public internal(set) var stops = 0
  }

  /// The clock; `advance(by:)` moves it.
  public nonisolated let clock: VirtualClock
  /// The driver, for workers.
  package nonisolated let driver: SystemDriver
  private nonisolated let environment: VirtualEnvironment

  /// Creates the system of an application that has not been launched.
  ///
  /// - Parameters:
  ///   - policy: The numbers by which time is granted.
  ///   - clock: The clock to use; by default one of its own.
  public convenience init(policy: SystemPolicy = .iOS7, clock: VirtualClock = VirtualClock()) {
    self.init(policy: policy, clock: clock, authority: .local)
  }

  /// Creates a system that answers requests itself or leaves the answers to the test.
  package init(
    policy: SystemPolicy, clock: VirtualClock = VirtualClock(),
    authority: SystemMachine.Authority
  ) {
    self.clock = clock
    environment = VirtualEnvironment(clock: clock)
    driver = SystemDriver(policy: policy, environment: environment, authority: authority)
  }

  deinit {
    // What waits here holds the driver, which holds this environment; nobody can let it run any more.
    environment.dropWork()
    driver.dropHandlers()
  }

  /// What the system has done so far.
  public var record: Record {
    run()
    return environment.state.withLock { $0.record }
  }

  /// When the kernel would end the process, or nil.
  public var hardStop: Instant? {
    environment.state.withLock { $0.hardStop }
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
    let end = clock.now.advanced(by: duration)
    run()
    while let due = environment.takeDue(by: end) {
      clock.move(to: due.at)
      due.work()
      run()
    }
    clock.move(to: end)
    run()
  }

  /// Lets the system's thread and the main queue run until nothing waits.
  public func run() {
    while true {
      if let work = environment.takeSystemWork() {
        work()
      } else if let work = environment.takeMainWork() {
        work()
      } else {
        return
      }
    }
  }

  /// Moves the clock without letting anything run, as a machine that was suspended would.
  ///
  /// - Parameter duration: How long the machine stands still.
  public func standStill(for duration: Duration) {
    run()
    clock.move(to: clock.now.advanced(by: duration))
    driver.continued(afterStop: duration)
    run()
  }

  // MARK: Life

  /// Launches the application and makes it active.
  public func launch() {
    driver.launch(.foreground)
    driver.becomeActive()
    run()
  }

  /// Launches the application straight into the background (L7).
  public func launchIntoBackground() {
    driver.launch(.background)
    run()
  }

  /// Leaves the active state, as for a short interruption (L3).
  public func resignActive() {
    driver.resignActive()
    run()
  }

  /// Becomes active again.
  public func becomeActive() {
    driver.becomeActive()
    run()
  }

  /// Takes the application to the background: a trip begins.
  public func enterBackground() {
    driver.resignActive()
    driver.enterBackground()
    run()
  }

  /// Takes the application to the foreground and makes it active.
  public func enterForeground() {
    driver.enterForeground()
    driver.becomeActive()
    run()
  }

  // MARK: Disturbance

  /// Takes the rest of the budget back but for the lead (A18).
  ///
  /// - Parameter reason: Why.
  public func revoke(_ reason: ExpiryReason = .revoked) {
    driver.revoke(reason)
    run()
  }

  /// Asks the process to stop (W11).
  ///
  /// - Parameters:
  ///   - reason: Why.
  ///   - grace: How long it may take.
  public func requestStop(_ reason: ExpiryReason = .stopRequested, grace: Duration) {
    driver.requestStop(reason: reason, grace: grace)
    run()
  }

  /// Moves the clock to where the handlers are called.
  public func expire() {
    guard case .limited(let left) = driver.remainingTime else { return }
    advance(by: max(.zero, left - driver.policy.lead))
  }

  /// Answers a request that waits for the authority in another process (A4).
  ///
  /// - Parameters:
  ///   - identifier: The task.
  ///   - answer: The answer.
  public func answer(_ identifier: BackgroundTaskIdentifier, _ answer: TaskAnswer) {
    driver.answer(identifier, answer)
    run()
  }

  /// Ends the application while it is suspended, without notice (L6).
  public func killWhileSuspended() {
    driver.killWhileSuspended()
    run()
  }
}

extension Application {
  /// Creates the application of a virtual system.
  ///
  /// - Parameter system: The system; one system serves one application.
  @MainActor
  public convenience init(system: VirtualSystem) {
    self.init(driver: system.driver)
  }
}
