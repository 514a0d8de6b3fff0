public import Dispatch
import StintCore

/// Is called again and again, as long as the application is not suspended.
///
/// ``Application/addPeriodicObserver(every:using:)`` makes it. Ticks that come while a call is on
/// its way, or while nothing ran, are dropped: after a suspension there is at most one late call.
public final class PeriodicObserver: Sendable {
  /// Where the calls are made.
  enum Body: Sendable {
    case onMain(@MainActor @Sendable () -> Void)
    case on(DispatchQueue, @Sendable () -> Void)
  }

  private struct State {
    var ticks: PeriodicTicks
    var hasTimer = false
    /// Nil once the observer is removed: a function may hold its own observer, to remove it.
    var body: Body?
    weak var driver: SystemDriver?
  }

  private let state: Protected<State>
  private let environment: any SystemEnvironment

  /// Creates an observer that the driver holds until it is removed.
  init(every period: Duration, of driver: SystemDriver, body: Body) {
    environment = driver.environment
    let ticks = PeriodicTicks(every: period, from: environment.now)
    state = Protected(State(ticks: ticks, body: body, driver: driver))
    driver.add(self)
    // The lock keeps a resumption that comes now from being told before the suspension.
    state.withLock { if driver.lifeState == .suspended { $0.ticks.suspended() } }
    setTimer()
  }

  /// Calls no more and lets go of the function; a call that runs now is not waited for.
  public func remove() {
    let (driver, body) = state.withLock { state in
      state.ticks.removed()
      return (state.driver, state.body.take())
    }
    driver?.remove(self)
    // What the function holds does not go under the lock.
    withExtendedLifetime(body) {}
  }

  private func setTimer() {
    let next = state.withLock { state -> Instant? in
      let next = state.ticks.nextWake
      guard !state.hasTimer, next != .distantFuture else { return nil }
      state.hasTimer = true
      return next
    }
    if let next { environment.schedule(at: next) { [weak self] in self?.timePassed() } }
  }

  private func timePassed() {
    let mustCall = state.withLock { state in
      state.hasTimer = false
      return state.ticks.timePassed(now: environment.now)
    }
    if mustCall { call() }
    setTimer()
  }

  private func call() {
    switch state.withLock({ $0.body }) {
    case .onMain(let body):
      environment.onMain { if self.isClaimed() { body(); self.returned() } }
    case .on(let queue, let body):
      environment.on(queue) { if self.isClaimed() { body(); self.returned() } }
    case nil:
      break
    }
  }

  private func isClaimed() -> Bool { state.withLock { $0.ticks.callClaimed() } }

  private func returned() { state.withLock { $0.ticks.callReturned() } }
}

extension PeriodicObserver: SystemObserver {
  package func systemDid(_ event: SystemEvent) {
    switch event {
    case .suspended:
      state.withLock { $0.ticks.suspended() }
    case .resumed:
      state.withLock { $0.ticks.resumed(now: environment.now) }
      setTimer()
    case .answered, .expired, .deadlineMoved, .deadlineExtended, .stateChanged, .becameActive,
      .memoryIsShort, .refreshStatusChanged, .terminated, .stopCompleted, .terminating:
      break
    }
  }
}

extension Application {
  /// Calls a function on the main queue again and again, also in the background (B5).
  ///
  /// It is called as long as the application is not suspended, and until the observer is removed.
  /// Ticks are dropped where the main queue is busy, and never made up for.
  ///
  /// - Parameters:
  ///   - period: The time from call to call, 10 ms at least; the first one comes after one period.
  ///   - body: What is called.
  /// - Returns: The observer, which ``PeriodicObserver/remove()`` ends.
  @discardableResult
  public nonisolated func addPeriodicObserver(
    every period: Duration, using body: @escaping @MainActor @Sendable () -> Void
  ) -> PeriodicObserver {
    PeriodicObserver(every: period, of: driver, body: .onMain(body))
  }

  /// Calls a function on a queue again and again, also in the background (B5).
  ///
  /// It is called as long as the application is not suspended, and until the observer is removed.
  /// Ticks are dropped where the queue is busy, and never made up for.
  ///
  /// - Parameters:
  ///   - period: The time from call to call, 10 ms at least; the first one comes after one period.
  ///   - queue: Where it is called.
  ///   - body: What is called.
  /// - Returns: The observer, which ``PeriodicObserver/remove()`` ends.
  @discardableResult
  public nonisolated func addPeriodicObserver(
    every period: Duration, on queue: DispatchQueue, using body: @escaping @Sendable () -> Void
  ) -> PeriodicObserver {
    PeriodicObserver(every: period, of: driver, body: .on(queue, body))
  }
}
