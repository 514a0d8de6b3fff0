@testable import StintRuntime

/// A system that does what the test says.
///
/// Its timers never fire by themselves.
final class FakeHost: WorkerHost {
  private struct State {
    var deadline: Instant?
    var isInForeground = true
    var nextTask = 1
    var openTasks: Set<Int> = []
    var ended: [Int] = []
    var holds = 0
    var idles = 0
    var denial: DenialReason?
    var client: (any WorkerHostClient)?
    var timers: [FakeTimer] = []
    var skipped: Duration = .zero
    var suspended: Duration = .zero
  }

  private let state = Protected(State())
  let grant: (budget: Duration?, lead: Duration)

  init(budget: Duration? = nil, lead: Duration = .seconds(1)) {
    grant = (budget, lead)
  }

  var now: Instant { BootClock.now.advanced(by: state.withLock { $0.skipped }) }
  var machineSuspended: Duration { state.withLock { $0.suspended } }
  var deadline: Instant? { state.withLock { $0.deadline } }
  var tripEnd: Deadline? { deadline.map { Deadline(source: "test", instant: $0) } }
  var isInForeground: Bool { state.withLock { $0.isInForeground } }
  var openTasks: Set<Int> { state.withLock { $0.openTasks } }
  /// The tasks that were ended, in order.
  var ended: [Int] { state.withLock { $0.ended } }
  /// How many holds nobody has let go of.
  var holds: Int { state.withLock { $0.holds } }
  var requested: Int { state.withLock { $0.nextTask - 1 } }
  var isAttached: Bool { state.withLock { $0.client != nil } }

  func deny(_ reason: DenialReason?) { state.withLock { $0.denial = reason } }

  func requestTask(named name: String, for client: any WorkerHostClient) {
    let answer: TaskGrant = state.withLock { state in
      if let denial = state.denial { return .denied(denial) }
      defer { state.nextTask += 1 }
      state.openTasks.insert(state.nextTask)
      return .granted(BackgroundTaskIdentifier(rawValue: state.nextTask))
    }
    client.taskAnswered(answer)
  }

  func hold(named name: String) -> @Sendable () -> Void {
    state.withLock { $0.holds += 1 }
    return { self.state.withLock { $0.holds -= 1 } }
  }

  func endTask(_ task: BackgroundTaskIdentifier) {
    state.withLock { state in
      state.openTasks.remove(task.rawValue)
      state.ended.append(task.rawValue)
    }
  }

  func enterTrip(_ prepare: () -> Void) {
    prepare()
    enterBackground(deadline: now.advanced(by: grant.budget ?? .seconds(3_600)))
  }

  func idle() { state.withLock { $0.idles += 1 } }

  func attach(_ client: any WorkerHostClient) { state.withLock { $0.client = client } }
  func detach(_ client: any WorkerHostClient) { state.withLock { $0.client = nil } }

  func makeLane(named name: String, isPrompt: Bool) -> any WorkerLane {
    ThreadLane(name: name, isPrompt: isPrompt) { self.now }
  }

  func makeTimer() -> any WorkerTimer {
    let timer = FakeTimer()
    state.withLock { $0.timers.append(timer) }
    return timer
  }

  // What a test can make happen.

  /// The clock goes on by so much, and nothing else does.
  func skip(_ duration: Duration) { state.withLock { $0.skipped += duration } }

  /// The whole machine is suspended for so long.
  func suspendMachine(for duration: Duration) {
    state.withLock { state in
      state.skipped += duration
      state.suspended += duration
    }
  }

  func enterBackground(deadline: Instant) {
    let client = state.withLock { state in
      state.deadline = deadline
      state.isInForeground = false
      return state.client
    }
    client?.applicationEnteredBackground()
  }

  func becomeActive() {
    let client = state.withLock { state in
      state.deadline = nil
      state.isInForeground = true
      return state.client
    }
    client?.applicationBecameActive()
  }

  func expire(_ reason: ExpiryReason) {
    state.withLock { $0.client }?.taskExpired(reason)
  }

  /// Fires every timer whose instant has come at this one.
  func fireTimers(at instant: Instant) {
    for timer in state.withLock({ $0.timers }) { timer.fire(at: instant) }
  }
}

final class FakeTimer: WorkerTimer {
  private let wanted = Protected<(at: Instant, body: @Sendable () -> Void)?>(nil)

  func set(_ instant: Instant?, _ body: @escaping @Sendable () -> Void) {
    wanted.withLock { $0 = instant.map { ($0, body) } }
  }

  func fire(at now: Instant) {
    let due = wanted.withLock { wanted -> (@Sendable () -> Void)? in
      guard let due = wanted, due.at <= now else { return nil }
      wanted = nil
      return due.body
    }
    due?()
  }
}
