@_exported public import Foundation
package import Stint
import StintCore

/// Takes requests for tasks, and begins them while this process lives.
///
/// A task is begun when its time has come and the application is in the background, where it holds
/// the application like any other task; a suspended application is resumed for it. A request does
/// not outlive the process. Any thread may use the scheduler.
open class BGTaskScheduler: NSObject, @unchecked Sendable {
  private struct Handler {
    let queue: DispatchQueue
    let launch: @Sendable (BGTask) -> Void
  }

  /// Unchecked: the request is a copy that nobody changes any more.
  private struct Pending: @unchecked Sendable {
    let request: BGTaskRequest
    let earliest: Instant
  }

  private struct State {
    var handlers: [String: Handler] = [:]
    var pending: [Pending] = []
  }

  /// At most so many requests of a kind wait.
  private static let mostRefreshes = 1, mostProcessings = 10

  private let state = Protected(State())
  private weak let application: Application?
  /// Where handlers are called that named no queue.
  private let queue = DispatchQueue(label: "stint-background-tasks")

  /// The scheduler of the shared application.
  public static var shared: BGTaskScheduler {
    let application = Application.shared
    let (scheduler, isNew) = application.attachment.withLock { attachment in
      if let known = attachment as? BGTaskScheduler { return (known, false) }
      let scheduler = BGTaskScheduler(application)
      attachment = scheduler
      return (scheduler, true)
    }
    if isNew { application.driver.add(scheduler) }
    return scheduler
  }

  /// The resources that continued tasks may ask for beside the processor: none.
  open class var supportedResources: BGContinuedProcessingTaskRequest.Resources { [] }

  private init(_ application: Application) {
    self.application = application
    super.init()
  }

  /// Says what begins tasks of an identifier.
  ///
  /// - Parameters:
  ///   - identifier: Names what is to be done.
  ///   - queue: Where the handler is called; nil for a queue of the scheduler.
  ///   - launchHandler: Begins a task.
  /// - Returns: Whether it was taken; false if there is a handler already.
  @preconcurrency @discardableResult
  open func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool {
    let handler = Handler(queue: queue ?? self.queue, launch: launchHandler)
    return state.withLock { state in
      guard state.handlers[identifier] == nil else { return false }
      state.handlers[identifier] = handler
      return true
    }
  }

  /// Asks for a task; a waiting request of the same identifier is replaced.
  ///
  /// - Parameter request: What is asked for; a continued task is begun at once, or else waits until
  ///   the background is entered if its strategy is `queue`.
  /// - Throws: ``Error`` if the request is refused.
  open func submit(_ request: BGTaskRequest) throws {
    guard let application, application.backgroundRefreshStatus == .available else {
      throw Error(code: .unavailable)
    }
    guard state.withLock({ $0.handlers[request.identifier] }) != nil else {
      throw Error(code: .notPermitted)
    }
    // What is changed in the request from now on does not count.
    guard let copy = request.copy() as? BGTaskRequest else { throw Error(code: .unavailable) }
    if let request = request as? BGContinuedProcessingTaskRequest {
      guard Self.supportedResources.isSuperset(of: request.requiredResources) else {
        throw Error(code: .notPermitted)
      }
      let pending = Pending(request: copy, earliest: application.driver.environment.now)
      if begin(pending, application.driver) { return }
      guard request.strategy == .queue else { throw Error(code: .immediateRunIneligible) }
      cancel(taskRequestWithIdentifier: request.identifier)
      putBack(pending)
      return
    }
    let environment = application.driver.environment
    // A time of day becomes an instant now: a clock that is set later moves no request.
    let wait = max(0, request.earliestBeginDate?.timeIntervalSinceNow ?? 0)
    let earliest = environment.now.advanced(by: .milliseconds(Int64(min(wait, 1e9) * 1e3)))
    let pending = Pending(request: copy, earliest: earliest)
    let isTaken = state.withLock { state in
      let others = state.pending.filter { $0.request.identifier != request.identifier }
      let isRefresh = request is BGAppRefreshTaskRequest
      let same = others.filter { ($0.request is BGAppRefreshTaskRequest) == isRefresh }.count
      guard same < (isRefresh ? Self.mostRefreshes : Self.mostProcessings) else { return false }
      state.pending = others + [pending]
      return true
    }
    guard isTaken else { throw Error(code: .tooManyPendingTaskRequests) }
    environment.schedule(at: earliest) { [weak self] in self?.beginDue() }
  }

  /// Takes a request back.
  ///
  /// - Parameter identifier: Names what was to be done.
  open func cancel(taskRequestWithIdentifier identifier: String) {
    state.withLock { $0.pending.removeAll { $0.request.identifier == identifier } }
  }

  /// Takes all requests back.
  open func cancelAllTaskRequests() {
    state.withLock { $0.pending = [] }
  }

  /// Lists the requests that wait.
  ///
  /// - Parameter completionHandler: Is given them on a queue of the scheduler.
  @preconcurrency
  open func getPendingTaskRequests(
    completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void
  ) {
    queue.async { completionHandler(self.pending()) }
  }

  /// Lists the requests that wait.
  ///
  /// - Returns: Copies of them.
  open func pendingTaskRequests() async -> sending [BGTaskRequest] { pending() }

  /// Copies, which nobody else has.
  private func pending() -> sending [BGTaskRequest] {
    nonisolated(unsafe) let copies = state.withLock { state in
      state.pending.compactMap { $0.request.copy() as? BGTaskRequest }
    }
    return copies
  }

  // MARK: Beginning

  /// Begins what is due, if the application is in the background.
  private func beginDue() {
    guard let application, application.backgroundRefreshStatus == .available else { return }
    let driver = application.driver
    switch driver.lifeState {
    case .notRunning, .inactive, .active: return
    case .background, .suspended: break
    }
    let now = driver.environment.now
    let due = state.withLock { state in
      defer { state.pending.removeAll { $0.earliest <= now } }
      return state.pending.filter { $0.earliest <= now }
    }
    guard !due.isEmpty else { return }
    if driver.lifeState == .suspended { driver.resume() }
    for pending in due where !begin(pending, driver) { putBack(pending) }
  }

  /// Not enough of the trip is left: the next one begins it, unless it was asked for anew.
  private func putBack(_ pending: Pending) {
    state.withLock { state in
      let isNewer = state.pending.contains { $0.request.identifier == pending.request.identifier }
      if !isNewer { state.pending.append(pending) }
    }
  }

  /// Begins a task; false if the system denies it.
  private func begin(_ pending: Pending, _ driver: SystemDriver) -> Bool {
    let request = pending.request
    guard let handler = state.withLock({ $0.handlers[request.identifier] }) else { return false }
    let origin = TaskOrigin(function: request.identifier, file: #fileID, line: #line)
    let endTask: @Sendable (BackgroundTaskIdentifier) -> Void = {
      driver.end($0, origin: origin, quietly: true)
    }
    let task: BGTask =
      switch request {
      case is BGAppRefreshTaskRequest: BGAppRefreshTask(request.identifier, end: endTask)
      case is BGProcessingTaskRequest: BGProcessingTask(request.identifier, end: endTask)
      case let request as BGContinuedProcessingTaskRequest:
        BGContinuedProcessingTask(request, end: endTask)
      default: BGTask(request.identifier, end: endTask)
      }
    // Direct: a task that completes a moment after its handler has returned is no leak (A14).
    let expire: @Sendable (Expiry) -> Void = { _ in
      driver.environment.onMain { task.expire() }
    }
    let grant = driver.begin(
      named: request.identifier, origin: origin, handler: .direct(expire)
    ).grant
    guard case .granted(let identifier) = grant else { return false }
    task.begun(identifier)
    if request is BGAppRefreshTaskRequest {
      let end = driver.environment.now.advanced(by: driver.policy.fetchAllowance)
      driver.environment.schedule(at: end) { [weak task] in
        driver.environment.onMain { task?.expire() }
      }
    }
    handler.queue.async {
      if task.isOpen {
        handler.launch(task)
      } else if !(task is BGContinuedProcessingTask) {
        // Its time was up before anybody could do anything.
        self.putBack(pending)
      }
    }
    return true
  }
}

extension BGTaskScheduler: SystemObserver {
  /// Looks for what is due when the background is entered.
  package func systemDid(_ event: SystemEvent) {
    switch event {
    case .stateChanged(.background): beginDue()
    case .stateChanged, .answered, .expired, .deadlineMoved, .deadlineExtended, .suspended,
      .resumed, .becameActive, .stopCompleted, .terminating, .memoryIsShort:
      break
    }
  }
}
