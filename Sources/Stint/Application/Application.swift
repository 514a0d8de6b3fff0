public import Foundation
public import StintCore

/// The process's view of the system: its state, its tasks, its remaining time.
///
/// The names are UIKit's, so that code written for iOS reads the same. The task functions may be
/// called from any thread and return at once; handlers and the delegate are called on
/// `DispatchQueue.main`.
@preconcurrency
@MainActor
public class Application: NSObject {
  /// The system that grants time to this application.
  package nonisolated let driver: SystemDriver
  private nonisolated let teller: ApplicationTeller

  /// What another module keeps for this application.
  package nonisolated let attachment = Protected<AnyObject?>(nil)

  /// Begins tasks for the application when the system may: refreshes, processing, continued tasks
  /// and fetches (Q1, Q2).
  public nonisolated var taskScheduler: TaskScheduler { driver.taskScheduler }
  /// What is still to be done once the application is active.
  nonisolated let afterLaunch = Protected<(@Sendable () -> Void)?>(nil)
  /// For which of its requests a supervisor launches it into the background; nil if somebody
  /// started the program for its own sake.
  nonisolated let launchReason = Protected<RemoteSystem.Launch?>(nil)

  /// The process's own application, under the policy of iOS 13, without a kill.
  ///
  /// Its first use does not launch it, so that a delegate can be set before: ``launch()`` does, the
  /// `main()` of a delegate type, a worker that is made for it, or the first turn of the main queue
  /// (L9).
  ///
  /// If the process was started by a supervisor that offers its time (`stint exec`), the
  /// application follows the supervisor instead, and its first use removes two variables from the
  /// environment (``RemoteSystem``). A program that wants another policy or a real hard stop makes
  /// its own with `init(system:)`, and puts it here with ``becomeShared()`` (A24).
  public nonisolated static var shared: Application { SharedApplication.current }

  /// Makes the application of a program that works until its time is up: the time of a supervisor
  /// if there is one, else a budget of its own.
  ///
  /// It is active when this returns. Call it early: it may remove two variables from the
  /// environment, and under a supervisor SIGTERM becomes a stop (``RemoteSystem``).
  ///
  /// - Parameters:
  ///   - budget: The background time of one trip if there is no supervisor; nil for no time limit.
  ///   - lead: How long before the deadline the saving begins; nil for a share of the budget.
  ///   - termination: What happens at the deadline if something is still open.
  /// - Returns: The application.
  /// - Throws: ``StintError``: `usage` if the budget cannot be kept, `unavailable` if the kernel's
  ///   timer cannot be made, or a supervisor does not keep its offer.
  public nonisolated static func adopting(
    orBudget budget: Duration?, lead: Duration? = nil,
    termination: InProcessSystem.Termination = .terminate
  ) throws(StintError) -> Application {
    if let application = try adopted(termination: termination) {
      application.launch()
      return application
    }
    let policy = budget.map { SystemPolicy.commandLine.withBudget($0, lead: lead) }
    let application = Application(
      system: try InProcessSystem(policy: policy ?? .commandLine, termination: termination))
    application.launch()
    return application
  }

  /// An application that follows a supervisor once it is launched, or nil if no supervisor offers
  /// its time.
  nonisolated static func adopted(
    termination: InProcessSystem.Termination
  ) throws(StintError) -> Application? {
    guard let remote = try RemoteSystem.adopt(termination: termination) else { return nil }
    let application = Application(system: remote)
    application.launchReason.withLock { $0 = remote.launch }
    application.afterLaunch.withLock {
      $0 = { remote.begin(named: ProcessInfo.processInfo.processName) }
    }
    return application
  }

  /// Creates an application that has not been launched.
  ///
  /// - Parameter system: The system that grants it time; one system serves one application.
  public nonisolated convenience init(system: InProcessSystem) {
    self.init(driver: system.driver)
  }

  /// Creates an application that has not been launched, and whose time another process grants.
  ///
  /// - Parameter system: The system that grants it time; it is obeyed from the moment at which it
  ///   begins.
  public nonisolated convenience init(system: RemoteSystem) {
    self.init(driver: system.driver)
  }

  /// Creates the application of a driver.
  package nonisolated init(driver: SystemDriver) {
    self.driver = driver
    teller = ApplicationTeller()
    super.init()
    teller.adopt(self)
    driver.setTeller(teller)
  }

  /// Is told of transitions before the notifications are posted; not retained.
  public weak var delegate: (any ApplicationDelegate)? {
    didSet {
      teller.setDelegate(delegate)
      driver.listenForMemory()
    }
  }

  /// The state that code observes (L1); any thread may ask.
  public nonisolated var applicationState: ApplicationState { driver.applicationState }

  /// The remaining time in seconds; `Double.greatestFiniteMagnitude` in the foreground (A10).
  ///
  /// In the background without a task it is the time that a task begun now would get. Any thread
  /// may ask at any time: it costs an atomic load and a read of the clock.
  public nonisolated var backgroundTimeRemaining: TimeInterval {
    guard let end = driver.taskTimeEnd else { return .greatestFiniteMagnitude }
    let left = driver.environment.now.duration(to: end)
    return max(0, Double(left.nanoseconds) * 1e-9)
  }

  /// The remaining time as a duration, or `.unlimited` (A10); any thread may ask.
  ///
  /// In the background without a task it is the time until the application is suspended: the rest
  /// of the grace, or of the budget (L4).
  public nonisolated var remainingTime: RemainingTime { driver.remainingTime }

  /// What happens when the application is suspended (A15).
  ///
  /// By default nothing stops code that is not Stint's, because a process that has stopped itself
  /// hears no SIGTERM. Under a supervisor that continues it (`stint exec --suspend`) the default is
  /// ``SuspensionFollowUp/stop``.
  public nonisolated var suspensionFollowUp: SuspensionFollowUp {
    get { driver.suspensionFollowUp }
    set { driver.suspensionFollowUp = newValue }
  }

  /// Says that the program has nothing more to do in this trip: the application is suspended as
  /// soon as no task holds it.
  ///
  /// A trip whose end a budget or a supervisor decides needs no task and lasts until that end,
  /// because another task may be begun in it (A15). A program that is done earlier says so; in the
  /// foreground this does nothing. ``Worker/runStint()`` says it at the end of its stint.
  public nonisolated func suspendWhenIdle() { driver.idle() }

  /// Whether the system would begin work for the application in the background (L11); any thread
  /// may ask.
  public nonisolated var backgroundRefreshStatus: BackgroundRefreshStatus { driver.refreshStatus }

  /// Whether protected files can be read; any thread may ask.
  public nonisolated var isProtectedDataAvailable: Bool { driver.isProtectedDataAvailable }

  /// The tasks that are open, in the order in which they were begun (A22); any thread may ask.
  public nonisolated var openTasks: [OpenTask] { driver.openTasks }

  // MARK: UIKit's task functions

  /// Asks the system not to suspend the application (A1).
  ///
  /// - Parameter handler: Called on the main queue shortly before the time is gone; it must end the
  ///   task.
  /// - Returns: The task's identifier, or `.invalid` if running in the background is impossible
  ///   now.
  @preconcurrency
  @_disfavoredOverload
  public nonisolated func beginBackgroundTask(
    expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> BackgroundTaskIdentifier {
    begin(nil, handler, .unknown)
  }

  /// Asks the system not to suspend the application, under a name (A2).
  ///
  /// - Parameters:
  ///   - taskName: The task's name, for people.
  ///   - handler: Called on the main queue shortly before the time is gone; it must end the task.
  /// - Returns: The task's identifier, or `.invalid` if running in the background is impossible
  ///   now.
  @preconcurrency
  @_disfavoredOverload
  public nonisolated func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> BackgroundTaskIdentifier {
    begin(taskName, handler, .unknown)
  }

  /// Asks the system not to suspend the application, and remembers where that was (A2).
  ///
  /// - Parameters:
  ///   - handler: Called on the main queue shortly before the time is gone; it must end the task.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  /// - Returns: The task's identifier, or `.invalid` if running in the background is impossible
  ///   now.
  @preconcurrency
  public nonisolated func beginBackgroundTask(
    expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil,
    function: String = #function, file: String = #fileID, line: UInt = #line
  ) -> BackgroundTaskIdentifier {
    begin(nil, handler, TaskOrigin(function: function, file: file, line: line))
  }

  /// Asks the system not to suspend the application, under a name, and remembers where that was
  /// (A2).
  ///
  /// - Parameters:
  ///   - taskName: The task's name, for people; nil for the calling function's.
  ///   - handler: Called on the main queue shortly before the time is gone; it must end the task.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  /// - Returns: The task's identifier, or `.invalid` if running in the background is impossible
  ///   now.
  @preconcurrency
  public nonisolated func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil,
    function: String = #function, file: String = #fileID, line: UInt = #line
  ) -> BackgroundTaskIdentifier {
    begin(taskName, handler, TaskOrigin(function: function, file: file, line: line))
  }

  /// Ends a task (A6); ending one that is not open makes a diagnostic and nothing else (A7).
  ///
  /// - Parameter identifier: The task.
  @_disfavoredOverload
  public nonisolated func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
    driver.end(identifier, origin: .unknown)
  }

  /// Ends a task, and remembers where that was (A7).
  ///
  /// - Parameters:
  ///   - identifier: The task.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  public nonisolated func endBackgroundTask(
    _ identifier: BackgroundTaskIdentifier,
    function: String = #function, file: String = #fileID, line: UInt = #line
  ) {
    driver.end(identifier, origin: TaskOrigin(function: function, file: file, line: line))
  }

  /// Begins a task for every form of `beginBackgroundTask`, here and in the module UIKit.
  package nonisolated func begin(
    _ name: String?, _ handler: (@MainActor @Sendable () -> Void)?, _ origin: TaskOrigin
  ) -> BackgroundTaskIdentifier {
    let handler = handler.map { TaskHandler.plain($0) } ?? .none
    let grant = driver.begin(named: name ?? "", origin: origin, handler: handler).grant
    if case .denied(let reason) = grant {
      // This form gives no reason.
      driver.environment.diagnose(
        .taskDenied(name: name ?? origin.function, reason, origin: origin))
    }
    return grant.identifier
  }
}
