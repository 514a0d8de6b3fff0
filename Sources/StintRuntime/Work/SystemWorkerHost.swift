package import StintCore

/// Lets a worker run under a ``SystemDriver``, whatever its environment is.
package final class SystemWorkerHost: WorkerHost {
  private struct State {
    var client: (any WorkerHostClient)?
    /// What the driver tells of changes of state, while there is a client.
    var observer: Observer?
    /// Tasks whose answer comes from an authority in another process.
    var pending: Set<BackgroundTaskIdentifier> = []
    /// Answers that came while a request was being made, before its identifier was known.
    var early: [BackgroundTaskIdentifier: TaskAnswer] = [:]
    var isRequesting = false
    /// Tasks that the client has not ended.
    var open: Set<BackgroundTaskIdentifier> = []
  }

  /// Makes a lane of this name; the second value is whether it must be woken soon.
  package typealias LaneMaker = @Sendable (String, Bool) -> any WorkerLane

  private let driver: SystemDriver
  private let laneMaker: LaneMaker?
  private let state = Protected(State())

  /// Creates the host of a worker of an application's driver.
  ///
  /// - Parameters:
  ///   - driver: The driver.
  ///   - laneMaker: Makes the worker's lanes; nil for threads.
  package init(_ driver: SystemDriver, laneMaker: LaneMaker? = nil) {
    self.driver = driver
    self.laneMaker = laneMaker
  }

  /// The worker, while it is told of the system.
  package var client: (any WorkerHostClient)? { state.withLock { $0.client } }

  package var now: Instant { driver.environment.now }
  package var machineSuspended: Duration { driver.environment.machineSuspended }
  package var deadline: Instant? { driver.usableTimeEnd }

  package var isInForeground: Bool { driver.lifeState.isInForeground }
  package var grant: (budget: Duration?, lead: Duration) {
    let policy = driver.policy
    return (policy.grant, policy.lead)
  }

  package var tripEnd: Deadline? { driver.tripEnd }
  package var trip: Int? { driver.grantNumber }
  package var stopReason: ExpiryReason? { driver.stopReason }

  package func requestTask(named name: String, for client: any WorkerHostClient) {
    let handler = TaskHandler.direct { [weak self, weak client] expiry in
      // A denial that comes late is answered as one, not expired.
      if case .denied = expiry.reason { return }
      // A call that was on its way when the client ended this task must not reach the next one.
      guard self?.isUnended(expiry.task) ?? false else { return }
      client?.taskExpired(expiry.reason)
    }
    state.withLock { $0.isRequesting = true }
    let (grant, isPending) = driver.begin(
      named: name, origin: TaskOrigin(function: name, file: #fileID, line: #line), handler: handler)
    let answer = state.withLock { state -> TaskGrant? in
      state.isRequesting = false
      let early = exchange(&state.early, with: [:])
      guard case .granted(let task) = grant else { return grant }
      state.open.insert(task)
      if !isPending { return grant }
      if let answer = early[task] { return Self.grant(of: task, answer) }
      state.pending.insert(task)
      return nil
    }
    if let answer { client.taskAnswered(answer) }
  }

  private static func grant(of task: BackgroundTaskIdentifier, _ answer: TaskAnswer) -> TaskGrant {
    switch answer {
    case .granted: .granted(task)
    case .denied(let reason): .denied(reason)
    }
  }

  /// Whether an expiry of this task still concerns the client; true while its identifier is not
  /// known yet.
  private func isUnended(_ task: BackgroundTaskIdentifier) -> Bool {
    state.withLock { $0.isRequesting || $0.open.contains(task) }
  }

  package func hold(named name: String) -> @Sendable () -> Void {
    let origin = TaskOrigin(function: name, file: #fileID, line: #line)
    let (grant, _) = driver.begin(
      named: name, origin: origin,
      handler: .direct { [weak driver] in
        driver?.end($0.task, origin: origin, quietly: true)
        driver?.idle()
      })
    return { [driver] in driver.end(grant.identifier, origin: origin, quietly: true) }
  }

  package func endTask(_ task: BackgroundTaskIdentifier) {
    state.withLock { _ = $0.open.remove(task) }
    driver.end(
      task, origin: TaskOrigin(function: #function, file: #fileID, line: #line), quietly: true)
  }

  package func enterTrip(_ prepare: () -> Void) {
    guard !driver.isRemote else { return prepare() }
    driver.launch(.foreground)
    // Not out of a trip that lasts: it would begin anew for all who share it (A9).
    driver.leaveSuspension()
    driver.becomeActive()
    prepare()
    driver.resignActive()
    driver.enterBackground()
  }

  /// Not where that stops the process, which may be about to end by itself.
  package func idle() {
    if !driver.stopsByDefault { driver.idle() }
  }

  package func attach(_ client: any WorkerHostClient) {
    let observer = Observer(self)
    state.withLock { state in
      state.client = client
      state.observer = observer
    }
    driver.add(observer)
  }

  package func detach(_ client: any WorkerHostClient) {
    let (unanswered, observer) = state.withLock { state in
      state.client = nil
      return (exchange(&state.pending, with: []), state.observer.take())
    }
    // Nobody hears the answer any more; a grant would stay open.
    for task in unanswered { endTask(task) }
    if let observer { driver.remove(observer) }
  }

  package func makeTimer() -> any WorkerTimer {
    EnvironmentTimer(driver.environment)
  }

  package func makeLane(named name: String, isPrompt: Bool) -> any WorkerLane {
    laneMaker?(name, isPrompt) ?? ThreadLane(name: name, isPrompt: isPrompt) { self.now }
  }

  fileprivate func systemDid(_ event: SystemEvent) {
    guard let client else { return }
    switch event {
    case .answered(let task, let answer):
      let isAwaited = state.withLock { state in
        if state.isRequesting { state.early[task] = answer }
        return state.pending.remove(task) != nil
      }
      if isAwaited { client.taskAnswered(Self.grant(of: task, answer)) }
    case .becameActive:
      client.applicationBecameActive()
    case .stateChanged(.background):
      client.applicationEnteredBackground()
    case .deadlineMoved:
      client.deadlineMoved()
    case .deadlineExtended:
      client.deadlineExtended()
    case .suspended:
      // Who was told before may have made the application active again.
      guard driver.lifeState == .suspended else { return }
      client.applicationSuspended()
    case .memoryIsShort:
      client.memoryIsShort()
    case .terminating, .stopCompleted:
      // The first comes to all who run, the second also if the application is suspended.
      if let reason = driver.stopReason { client.stopWasRequested(reason) }
    case .stateChanged, .expired, .resumed, .refreshStatusChanged, .terminated:
      break
    }
  }

  /// What the driver holds, so that it does not hold the host.
  private final class Observer: SystemObserver {
    private weak let host: SystemWorkerHost?
    let hearsOfMemory = true

    init(_ host: SystemWorkerHost) {
      self.host = host
    }

    func systemDid(_ event: SystemEvent) {
      host?.systemDid(event)
    }
  }
}

/// A timer on the clock of an environment.
///
/// A call is scheduled only if none is due early enough, so that a worker that sets the same timer
/// before every chunk does not pile up calls. A call that comes too early schedules itself again.
private final class EnvironmentTimer: WorkerTimer {
  private struct State {
    /// When to call, and what.
    var wanted: (at: Instant, body: @Sendable () -> Void)?
    /// When the environment will call.
    var scheduled: Instant?
  }

  private let environment: any SystemEnvironment
  private let state = Protected(State())

  init(_ environment: any SystemEnvironment) {
    self.environment = environment
  }

  func set(_ instant: Instant?, _ body: @escaping @Sendable () -> Void) {
    let mustSchedule = state.withLock { state in
      state.wanted = instant.map { ($0, body) }
      guard let instant, instant < state.scheduled ?? .distantFuture else { return false }
      state.scheduled = instant
      return true
    }
    if mustSchedule, let instant { schedule(at: instant) }
  }

  private func schedule(at instant: Instant) {
    environment.schedule(at: instant) { [weak self] in self?.fire(scheduledAt: instant) }
  }

  private func fire(scheduledAt instant: Instant) {
    let now = environment.now
    let (body, next) = state.withLock { state -> ((@Sendable () -> Void)?, Instant?) in
      // An earlier call was scheduled since; that one has taken or will take care.
      guard state.scheduled == instant else { return (nil, nil) }
      state.scheduled = nil
      guard let wanted = state.wanted else { return (nil, nil) }
      if wanted.at <= now {
        state.wanted = nil
        return (wanted.body, nil)
      }
      state.scheduled = wanted.at
      return (nil, wanted.at)
    }
    if let next { schedule(at: next) }
    body?()
  }
}
