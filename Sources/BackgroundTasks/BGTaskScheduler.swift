@_exported public import Foundation
import Stint
import StintCore

/// Takes requests for tasks, and begins them: ``TaskScheduler`` under the names of iOS.
///
/// A task is begun when its time has come, what it requires is there, and the application is in the
/// background, where it holds the application like any other task; a suspended application runs
/// again for it. The requests of a program that `main()` of a delegate runs outlive its process,
/// but for continued ones (``Application/keepsRequests``). Any thread may use the scheduler.
open class BGTaskScheduler: NSObject, @unchecked Sendable {
  /// Unchecked: the requests are copies that nobody changes any more.
  private struct State: @unchecked Sendable {
    /// The last request of each identifier that was taken.
    var requests: [String: BGTaskRequest] = [:]
  }

  private let state = Protected(State())
  private weak let application: Application?
  /// Where lists of requests are handed over.
  private let queue = DispatchQueue(label: "stint-background-tasks")

  /// The scheduler of the shared application.
  public static var shared: BGTaskScheduler {
    let application = Application.shared
    return application.attachment.withLock { attachment in
      if let known = attachment as? BGTaskScheduler { return known }
      let scheduler = BGTaskScheduler(application)
      attachment = scheduler
      return scheduler
    }
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
  @_disfavoredOverload
  open func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool {
    take(identifier, queue, .unknown, launchHandler)
  }

  /// Says what begins tasks of an identifier, and remembers where that was.
  ///
  /// iOS raises an exception where a handler is registered twice or after the launch; here that
  /// makes a diagnostic.
  ///
  /// - Parameters:
  ///   - identifier: Names what is to be done.
  ///   - queue: Where the handler is called; nil for a queue of the scheduler.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  ///   - launchHandler: Begins a task.
  /// - Returns: Whether it was taken; false if there is a handler already.
  @preconcurrency @discardableResult
  public final func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    function: String = #function, file: String = #fileID, line: UInt = #line,
    launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool {
    let origin = TaskOrigin(function: function, file: file, line: line)
    return take(identifier, queue, origin, launchHandler)
  }

  private func take(
    _ identifier: String, _ queue: DispatchQueue?, _ origin: TaskOrigin,
    _ launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool {
    guard let application else { return false }
    let registration = application.taskScheduler.take(identifier, on: queue, at: origin) {
      [weak self] task in
      let words = self?.words(of: identifier)
      let begun: BGTask =
        switch task.kind {
        case .refresh: BGAppRefreshTask(task)
        case .processing: BGProcessingTask(task)
        case .continued: BGContinuedProcessingTask(task, words)
        case .fetch, .sessionEvents: BGTask(task)
        }
      launchHandler(begun)
    }
    return registration != .twice
  }

  /// Asks for a task; a waiting request of the same identifier is replaced.
  ///
  /// - Parameter request: What is asked for; a continued task is begun at once, or else waits for
  ///   the next time that the foreground is entered if its strategy is `queue`.
  /// - Throws: ``Error`` with the identifier and the reason if the request is refused.
  open func submit(_ request: BGTaskRequest) throws {
    // What is changed in the request from now on does not count.
    guard let application, let copy = request.copy() as? BGTaskRequest else {
      throw Error(code: .unavailable, reason: "The application is gone.")
    }
    try check(copy)
    // Known before it can begin.
    let former = state.withLock { $0.requests.updateValue(copy, forKey: copy.identifier) }
    do {
      try application.taskScheduler.submit(copy.asked(by: application.taskScheduler.wallTime))
    } catch {
      state.withLock { $0.requests[copy.identifier] = former }
      throw Error(error)
    }
  }

  private func check(_ request: BGTaskRequest) throws {
    guard let request = request as? BGContinuedProcessingTaskRequest,
      !Self.supportedResources.isSuperset(of: request.requiredResources)
    else { return }
    throw Error(
      code: .notPermitted,
      reason: "The request \"\(request.identifier)\" was refused: it requires a resource that is "
        + "not supported; see BGTaskScheduler.supportedResources.")
  }

  /// Takes a request back.
  ///
  /// - Parameter identifier: Names what was to be done.
  open func cancel(taskRequestWithIdentifier identifier: String) {
    application?.taskScheduler.cancel(identifier)
  }

  /// Takes all requests back.
  open func cancelAllTaskRequests() {
    application?.taskScheduler.cancelAll()
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
    guard let scheduler = application?.taskScheduler else { return [] }
    let (waiting, wallTime) = (scheduler.pending, scheduler.wallTime)
    nonisolated(unsafe) let copies = state.withLock { state in
      waiting.compactMap { waiting in
        let known = state.requests[waiting.identifier]?.copy() as? BGTaskRequest
        return known ?? Self.request(for: waiting, by: wallTime)
      }
    }
    return copies
  }

  /// A request that an earlier process of the program left; nil for one without a name there.
  private static func request(for waiting: TaskRequest, by wallTime: WallInstant) -> BGTaskRequest?
  {
    let request: BGTaskRequest
    switch waiting.kind {
    case .refresh: request = BGAppRefreshTaskRequest(identifier: waiting.identifier)
    case .processing:
      let processing = BGProcessingTaskRequest(identifier: waiting.identifier)
      processing.requiresNetworkConnectivity = waiting.requirements.contains(.network)
      processing.requiresExternalPower = waiting.requirements.contains(.externalPower)
      request = processing
    case .continued, .fetch, .sessionEvents: return nil
    }
    request.earliestBeginDate = waiting.earliestBegin.map {
      Date(timeIntervalSinceNow: Double(wallTime.duration(to: $0).nanoseconds) * 1e-9)
    }
    return request
  }

  private func words(of identifier: String) -> (title: String, subtitle: String)? {
    state.withLock { state in
      let request = state.requests[identifier] as? BGContinuedProcessingTaskRequest
      return request.map { ($0.title, $0.subtitle) }
    }
  }

  // MARK: Simulation

  /// Begins a request now, whatever it waits for, as the command of Xcode's debugger does (Q8).
  ///
  /// - Parameter identifier: Names what is to be done.
  open func _simulateLaunchForTaskWithIdentifier(_ identifier: String) {
    application?.taskScheduler.simulateLaunch(of: identifier)
  }

  /// Lets the time of a task be up, as the command of Xcode's debugger does (Q8).
  ///
  /// - Parameter identifier: Names what is done.
  open func _simulateExpirationForTaskWithIdentifier(_ identifier: String) {
    application?.taskScheduler.simulateExpiration(of: identifier)
  }
}

extension BGTaskRequest {
  /// The request in Stint's words.
  ///
  /// Its date is a distance from now, so that it means the same by the wall clock of a test.
  fileprivate func asked(by wallTime: WallInstant) -> TaskRequest {
    let earliest = earliestBeginDate.map {
      wallTime.advanced(by: Duration(clampingSeconds: $0.timeIntervalSinceNow))
    }
    switch self {
    case let request as BGProcessingTaskRequest:
      var asked = TaskRequest(identifier, kind: .processing, earliestBegin: earliest)
      if request.requiresNetworkConnectivity { asked.requirements.insert(.network) }
      if request.requiresExternalPower { asked.requirements.insert(.externalPower) }
      return asked
    case let request as BGContinuedProcessingTaskRequest:
      var asked = TaskRequest(identifier, kind: .continued)
      asked.waitsForRoom = request.strategy == .queue
      return asked
    case _:
      return TaskRequest(identifier, kind: .refresh, earliestBegin: earliest)
    }
  }
}
