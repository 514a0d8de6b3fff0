@testable import StintCore

/// A schedule machine with a clock: events happen at its time, and what is due on the way happens
/// when it is due.
final class ScheduleProbe {
  typealias Action = ScheduleMachine.Action

  var machine: ScheduleMachine
  var now = ScheduleTime(
    instant: Instant(nanoseconds: 1_000_000_000_000),
    wall: WallInstant(nanoseconds: 1_700_000_000_000_000_000))
  /// Everything that was to be done, in order.
  var log: [Action] = []
  /// The same, of the last event only.
  var last: [Action] = []
  /// Whether every task is granted and every handler called as soon as it is asked for.
  var isWilling = false

  /// The numbers of iOS 13: 30 s with a lead of 5 s, 300 s for processing, 1 s between two begins.
  init(
    _ policy: SystemPolicy = .iOS13, in state: LifeState? = .background,
    registered: [String] = ["r", "s", "c", "d"]
  ) {
    machine = ScheduleMachine(policy: policy)
    for identifier in registered { _ = machine.handlerRegistered(identifier, isLate: false) }
    if let state { enter(state) }
  }

  /// A machine that is granted all that it asks for, and whose handlers are called at once.
  static func willing(
    _ policy: SystemPolicy = .iOS13, in state: LifeState = .background,
    registered: [String] = ["r", "s", "c", "d"]
  ) -> ScheduleProbe {
    let probe = ScheduleProbe(policy, in: state, registered: registered)
    probe.isWilling = true
    return probe
  }

  func event(_ body: (inout ScheduleMachine, ScheduleTime) -> [Action]) {
    last = body(&machine, now)
    log += last
    guard isWilling else { return }
    for action in last {
      if case .begin(let run, _, _) = action { grant(run) }
      if case .launch(let run) = action { _ = claim(run) }
    }
  }

  func enter(_ state: LifeState) { event { $0.lifeChanged(to: state, now: $1) } }

  @discardableResult
  func submit(_ request: TaskRequest) -> TaskRequestError? {
    var refusal: TaskRequestError?
    event { machine, now in
      let submission = machine.requestSubmitted(request, now: now)
      refusal = submission.refusal
      return submission.actions
    }
    return refusal
  }

  /// The system's task of a run; its number is a hundred more.
  static func task(of run: Int) -> BackgroundTaskIdentifier {
    BackgroundTaskIdentifier(rawValue: run + 100)
  }

  func grant(_ run: Int) { event { $0.taskBegan(run, Self.task(of: run), now: $1) } }

  func deny(_ run: Int, _ reason: DenialReason = .refused("no")) {
    event { $0.taskDenied(run, reason, now: $1) }
  }

  /// Grants a run, and calls its handler.
  func start(_ run: Int) {
    grant(run)
    _ = claim(run)
  }

  @discardableResult
  func complete(_ run: Int, _ result: BackgroundFetchResult = .newData) -> Bool {
    var isTaken = false
    event { machine, now in
      let completion = machine.runCompleted(run, result, now: now)
      isTaken = completion.isTaken
      return completion.actions
    }
    return isTaken
  }

  func progress(_ run: Int, to fraction: Double) {
    event { $0.progressed(run, to: fraction, now: $1) }
  }

  // What has an answer besides its actions.

  func register(_ identifier: String, isLate: Bool = false) -> ScheduleMachine.Registration {
    machine.handlerRegistered(identifier, isLate: isLate)
  }

  func takeBackDenial(of identifier: String) -> DenialReason? {
    machine.denialTakenBack(identifier)
  }

  func claim(_ run: Int) -> Bool { machine.launchClaimed(run) }

  /// Whether a request waited whose launch can be simulated.
  func simulateLaunch(_ identifier: String) -> Bool {
    var isFound = false
    event { machine, now in
      let (found, actions) = machine.launchSimulated(identifier, now: now)
      isFound = found
      return actions
    }
    return isFound
  }

  /// Whether a task ran whose expiry can be simulated.
  func simulateExpiry(_ identifier: String) -> Bool {
    var isFound = false
    event { machine, now in
      let (found, actions) = machine.expirySimulated(identifier, now: now)
      isFound = found
      return actions
    }
    return isFound
  }

  /// The number of the run of an event that is simulated.
  @discardableResult
  func simulate(_ identifier: String, kind: ScheduledTaskKind) -> Int {
    var run = 0
    event { machine, now in
      let (number, actions) = machine.eventSimulated(identifier, kind: kind, now: now)
      run = number
      return actions
    }
    return run
  }

  /// Why a request waits.
  func why(_ identifier: String) -> String { machine.why(identifier, now: now) }

  /// Lets time pass by both clocks.
  func advance(_ duration: Duration) {
    let end = now.instant.advanced(by: duration)
    var turns = 0
    while machine.nextWake(now: now) <= end {
      move(to: max(now.instant, machine.nextWake(now: now)))
      event { $0.timePassed(now: $1) }
      turns += 1
      precondition(turns < 1_000, "The machine asks to be woken without end.")
    }
    move(to: end)
  }

  private func move(to instant: Instant) {
    now.wall = now.wall.advanced(by: now.instant.duration(to: instant))
    now.instant = instant
  }

  /// A request for as soon as possible.
  static func request(
    _ identifier: String, _ kind: ScheduledTaskKind = .refresh, after delay: Duration? = nil,
    at now: ScheduleTime? = nil, needing requirements: Set<TaskRequirement> = []
  ) -> TaskRequest {
    var request = TaskRequest(identifier, kind: kind)
    if let delay, let now { request.earliestBegin = now.wall.advanced(by: delay) }
    request.requirements = requirements
    return request
  }

  /// The identifiers of what was begun, in order.
  var begins: [String] {
    log.compactMap { action in
      guard case .begin(_, let request, _) = action else { return nil }
      return request.identifier
    }
  }

  /// The number of the newest run.
  var newest: Int { machine.runCount }
}
