package import StintCore

/// Lets a worker run under a ``SystemDriver``, whatever its environment is.
package final class SystemWorkerHost: WorkerHost {
  private struct State {
    var client: (any WorkerHostClient)?
    /// Tasks whose answer comes from an authority in another process.
    var pending: Set<BackgroundTaskIdentifier> = []
  }

  private let driver: SystemDriver
  private let state = Protected(State())
  private let observer = LateBound<Observer>()

  /// Creates a host for workers of an application's driver.
  package init(_ driver: SystemDriver) {
    self.driver = driver
  }

  package var now: Instant { driver.environment.now }
  package var deadline: Instant? { driver.usableTimeEnd }

  package var isInForeground: Bool {
    switch driver.lifeState {
    case .active, .inactive: true
    case .notRunning, .background, .suspended: false
    }
  }

  package var grant: (budget: Duration?, lead: Duration) {
    let policy = driver.policy
    return (policy.grant, policy.lead)
  }

  package func requestTask(named name: String, for client: any WorkerHostClient) {
    let handler = TaskHandler.direct { [weak client] expiry in
      // A denial that comes late is answered as one, not expired.
      if case .denied = expiry.reason { return }
      client?.taskExpired(expiry.reason)
    }
    let (grant, isPending) = driver.begin(
      named: name, origin: TaskOrigin(function: name, file: #fileID, line: #line), handler: handler)
    switch grant {
    case .denied(let reason): client.taskAnswered(.denied(reason))
    case .granted(let task) where isPending: state.withLock { _ = $0.pending.insert(task) }
    case .granted(let task): client.taskAnswered(.granted(task))
    }
  }

  package func endTask(_ task: BackgroundTaskIdentifier) {
    driver.end(
      task, origin: TaskOrigin(function: #function, file: #fileID, line: #line), quietly: true)
  }

  package func attach(_ client: any WorkerHostClient) {
    state.withLock { $0.client = client }
    let observer = Observer(self)
    self.observer.bind(observer)
    driver.add(observer)
  }

  package func detach(_ client: any WorkerHostClient) {
    state.withLock { $0.client = nil }
    if let observer = observer() { driver.remove(observer) }
  }

  package func makeTimer(_ body: @escaping @Sendable () -> Void) -> any WorkerTimer {
    EnvironmentTimer(driver.environment, body)
  }

  fileprivate func systemDid(_ event: SystemEvent) {
    guard let client = state.withLock({ $0.client }) else { return }
    switch event {
    case .answered(let task, let answer):
      guard state.withLock({ $0.pending.remove(task) }) != nil else { return }
      switch answer {
      case .granted: client.taskAnswered(.granted(task))
      case .denied(let reason): client.taskAnswered(.denied(reason))
      }
    case .becameActive:
      client.applicationBecameActive()
    case .stateChanged(.background):
      client.applicationEnteredBackground()
    case .stateChanged, .expired, .suspended, .resumed, .stopCompleted, .terminating:
      break
    }
  }

  /// What the driver holds, so that it does not hold the host.
  private final class Observer: SystemObserver {
    private weak let host: SystemWorkerHost?

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
/// A call is scheduled only when none is due early enough: a worker that sets the same timer before every chunk leaves nothing
/// behind. A call that comes too early sets itself anew.
private final class EnvironmentTimer: WorkerTimer {
  private struct State {
    /// When the body is to be called.
    var wanted: Instant?
    /// When the environment will call.
    var scheduled: Instant?
  }

  private let environment: any SystemEnvironment
  private let body: @Sendable () -> Void
  private let state = Protected(State())

  init(_ environment: any SystemEnvironment, _ body: @escaping @Sendable () -> Void) {
    self.environment = environment
    self.body = body
  }

  func set(_ instant: Instant?) {
    let mustSchedule = state.withLock { state in
      state.wanted = instant
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
    let (isDue, next) = state.withLock { state -> (Bool, Instant?) in
      // An earlier call was scheduled since; that one has taken or will take care.
      guard state.scheduled == instant else { return (false, nil) }
      state.scheduled = nil
      guard let wanted = state.wanted else { return (false, nil) }
      if wanted <= now {
        state.wanted = nil
        return (true, nil)
      }
      state.scheduled = wanted
      return (false, wanted)
    }
    if let next { schedule(at: next) }
    if isDue { body() }
  }
}
