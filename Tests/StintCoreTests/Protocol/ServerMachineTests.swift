import StintCore
import Testing

@Suite("The server's machine")
struct ServerMachineTests {
  static let policy = SystemPolicy(name: "test", grant: .seconds(30), lead: .seconds(5))
  let start = Instant(nanoseconds: 1_000_000_000_000)
  let deadline = Instant(nanoseconds: 1_030_000_000_000)

  private func task(_ number: Int) -> BackgroundTaskIdentifier {
    BackgroundTaskIdentifier(rawValue: number)
  }

  private func view(
    _ state: LifeState, trip number: Int? = nil, deadline: Instant? = nil,
    stop: ServerMachine.Expired? = nil, needsTask: Bool = true
  ) -> ServerMachine.View {
    ServerMachine.View(
      lifeState: state,
      trip: number.map { .init(number: $0, start: start, deadline: deadline ?? self.deadline) },
      stop: stop, needsTask: needsTask)
  }

  /// A child in the background that is there under the identifier 100.
  private func started(
    _ view: ServerMachine.View? = nil, speaks: Bool = true
  ) -> ServerMachine {
    var machine = ServerMachine(policy: Self.policy)
    _ = machine.started(view ?? self.view(.background, trip: 1), pid: 5, now: start)
    _ = machine.presenceGranted(task(100))
    if speaks { _ = machine.received(.hello(version: 1, pid: 9, name: "c"), now: start) }
    return machine
  }

  /// The same one with a task, which the system knows under the identifier 101.
  private func withTask(tripNeedsTask: Bool = true) -> ServerMachine {
    var machine = started(view(.background, trip: 1, needsTask: tripNeedsTask))
    _ = machine.received(.begin(task: 1, name: "save"), now: start)
    _ = machine.taskGranted(1, task(101))
    return machine
  }

  @Test("the welcome waits for the child with the state, the trip and the policy")
  func welcome() {
    var machine = ServerMachine(policy: Self.policy)
    let view = view(.background, trip: 1)
    #expect(
      machine.started(view, pid: 5, now: start) == [
        .beginPresence,
        .send(.welcome(.init(pid: 5, policy: Self.policy, state: .background, trip: view.trip))),
      ])
    #expect(machine.phase == .silent)
  }

  @Test("A3 A4 a task that the child begins is asked for, granted and ended")
  func task() {
    var machine = started()
    #expect(
      machine.received(.begin(task: 1, name: "save"), now: start) == [.beginTask(1, name: "save")])
    #expect(machine.taskGranted(1, task(101)) == [.send(.granted(task: 1))])
    #expect(machine.openTasks == 1)
    #expect(machine.received(.end(task: 1), now: start).last == .end(task(101)))
    #expect(machine.received(.end(task: 1), now: start) == [], "ended twice, nothing changes")
    #expect(machine.openTasks == 0)
  }

  @Test("A4 a denial is passed on with its reason, and the number may be used again")
  func denial() {
    var machine = started()
    _ = machine.received(.begin(task: 1, name: ""), now: start)
    #expect(
      machine.taskDenied(1, .suspended, now: start).first
        == .send(.denied(task: 1, .suspended)))
    #expect(machine.received(.begin(task: 1, name: ""), now: start) == [.beginTask(1, name: "")])
  }

  @Test("A8 more tasks than the policy allows are denied without asking the system")
  func maximum() {
    var policy = Self.policy
    policy.maximumTasks = 2
    var machine = ServerMachine(policy: policy)
    _ = machine.started(view(.active), pid: 5, now: start)
    _ = machine.received(.hello(version: 1, pid: 9, name: "c"), now: start)
    for number in 1...2 { _ = machine.received(.begin(task: number, name: ""), now: start) }
    #expect(
      machine.received(.begin(task: 3, name: ""), now: start)
        == [.send(.denied(task: 3, .tooManyTasks(maximum: 2)))])
  }

  @Test("an expiry that comes before the grant is told after it")
  func earlyExpiry() {
    var machine = started()
    _ = machine.received(.begin(task: 1, name: ""), now: start)
    #expect(machine.expired(1, .revoked, deadline: deadline, now: start) == [])
    #expect(
      machine.taskGranted(1, task(101)) == [
        .send(.granted(task: 1)),
        .send(.expire(task: 1, .revoked, trip: 1, deadline: deadline)),
      ])
  }

  @Test("A12 a child that does not speak is warned, one that speaks is told of each task")
  func warning() {
    var silent = started(speaks: false)
    #expect(
      silent.expired(nil, .timeElapsed, deadline: deadline, now: start)
        == [.warn(.timeElapsed, deadline: deadline)])
    var speaking = withTask()
    #expect(speaking.expired(nil, .timeElapsed, deadline: deadline, now: start) == [])
    #expect(
      speaking.expired(1, .timeElapsed, deadline: deadline, now: start)
        == [.send(.expire(task: 1, .timeElapsed, trip: 1, deadline: deadline))])
  }

  @Test(
    "a child that breaks the rules loses its voice, and nothing else",
    arguments: [
      [ChildMessage.begin(task: 1, name: "")], [.end(task: 1)],
      [.hello(version: 2, pid: 1, name: "")],
      [.hello(version: 1, pid: 1, name: ""), .hello(version: 1, pid: 1, name: "")],
      [
        .hello(version: 1, pid: 1, name: ""), .begin(task: 1, name: ""), .begin(task: 1, name: ""),
      ],
    ])
  func broken(messages: [ChildMessage]) {
    var machine = started(speaks: false)
    var last: [ServerMachine.Action] = []
    for message in messages {
      last = machine.received(message, now: start)
      if last == [.beginTask(1, name: "")] { _ = machine.taskGranted(1, task(101)) }
    }
    guard case .hangUp? = last.first else {
      Issue.record("it is hung up on: \(last)")
      return
    }
    #expect(machine.phase == .plain)
    #expect(machine.openTasks == 0)
    #expect(machine.received(.end(task: 1), now: start) == [], "what comes after that is not heard")
    #expect(
      machine.expired(nil, .timeElapsed, deadline: deadline, now: start)
        == [.warn(.timeElapsed, deadline: deadline)])
  }

  @Test("a child that does not speak and is refused a presence is warned of a deadline")
  func refusedPresence() {
    for (view, warning) in [
      (view(.background, trip: 1), [ServerMachine.Action.warn(.timeElapsed, deadline: deadline)]),
      (view(.active), []),
    ] {
      var machine = ServerMachine(policy: Self.policy)
      _ = machine.started(view, pid: 5, now: start)
      _ = machine.conversationEnded("the child does not read")
      #expect(machine.presenceGranted(nil) == warning)
    }
  }

  @Test("A6 an expiry that crosses the end of its task, or of the child, says nothing")
  func crossing() {
    var machine = withTask()
    _ = machine.received(.end(task: 1), now: start)
    #expect(machine.expired(1, .timeElapsed, deadline: deadline, now: start) == [])
    _ = machine.childEnded()
    #expect(machine.expired(nil, .timeElapsed, deadline: deadline, now: start) == [])
  }

  @Test("a child that falls silent after its expiry is warned at once, and its tasks are ended")
  func silence() {
    var machine = withTask()
    _ = machine.expired(nil, .timeElapsed, deadline: deadline, now: start)
    #expect(
      machine.conversationEnded("gone") == [
        .hangUp("gone"), .warn(.timeElapsed, deadline: deadline), .end(task(101)),
      ])
    #expect(machine.conversationEnded("again") == [])
  }

  @Test("a child that has ended its tasks and goes is sent no signal on its way out")
  func leaving() {
    var machine = withTask()
    _ = machine.expired(nil, .timeElapsed, deadline: deadline, now: start)
    _ = machine.received(.end(task: 1), now: start)
    #expect(machine.conversationEnded("gone") == [.hangUp("gone")])
    var silent = started(speaks: false)
    _ = silent.expired(nil, .timeElapsed, deadline: deadline, now: start)
    #expect(silent.conversationEnded("gone") == [.hangUp("gone")], "it was warned before")
  }

  @Test(
    "A15 one that has ended its last task has a grace to exit, and is not killed at the deadline")
  func grace() {
    var machine = withTask()
    let ended = start.advanced(by: .seconds(1))
    let graceEnd = ended.advanced(by: .seconds(5))
    #expect(
      machine.received(.end(task: 1), now: ended) == [.wake(at: graceEnd), .end(task(101))])
    #expect(machine.timePassed(now: ended) == [.wake(at: graceEnd)])
    #expect(machine.timePassed(now: graceEnd) == [.end(task(100))])
    #expect(machine.timePassed(now: graceEnd) == [])
  }

  @Test("A15 in a trip that needs no task it may begin another one until shortly before the end")
  func betweenTasks() {
    var machine = withTask(tripNeedsTask: false)
    let ended = start.advanced(by: .seconds(1))
    let lastEnd = deadline.advanced(by: .zero - Self.policy.scopeMargin)
    #expect(machine.received(.end(task: 1), now: ended) == [.wake(at: lastEnd), .end(task(101))])
    #expect(machine.timePassed(now: ended.advanced(by: .seconds(6))) == [.wake(at: lastEnd)])
    #expect(machine.timePassed(now: lastEnd) == [.end(task(100))])
    var endless = started(
      ServerMachine.View(
        lifeState: .background, trip: .init(number: 1, start: start, deadline: nil), stop: nil,
        needsTask: false))
    #expect(endless.timePassed(now: deadline) == [], "there is no end to watch")
  }

  @Test("A15 a grace never lasts until the deadline, however late the last task is ended")
  func lateGrace() {
    for left in [Duration.seconds(4), .milliseconds(900), .milliseconds(1)] {
      var machine = withTask()
      let ended = deadline.advanced(by: .zero - left)
      guard case .wake(let end)? = machine.received(.end(task: 1), now: ended).first else {
        Issue.record("the end of the grace is watched")
        return
      }
      #expect(end > ended)
      #expect(end < deadline)
      #expect(machine.timePassed(now: end) == [.end(task(100))])
    }
  }

  @Test("a task begun within the grace ends the waiting")
  func begunInGrace() {
    var machine = started()
    _ = machine.received(.begin(task: 1, name: ""), now: start)
    #expect(machine.timePassed(now: deadline) == [])
  }

  @Test("L2 the child is told every step of the way, also those between two looks")
  func steps() {
    var machine = started(view(.active))
    let background = view(.background, trip: 1)
    #expect(
      machine.systemChanged(to: background, now: start).filter(\.isSend) == [
        .send(.transition(.willResignActive, trip: nil)),
        .send(.transition(.didEnterBackground, trip: background.trip)),
      ])
    #expect(machine.systemChanged(to: background, now: start) == [], "nothing has changed")
    let next = view(.background, trip: 2)
    #expect(
      machine.systemChanged(to: next, now: start).filter(\.isSend) == [
        .send(.transition(.willEnterForeground, trip: nil)),
        .send(.transition(.didBecomeActive, trip: nil)),
        .send(.transition(.willResignActive, trip: nil)),
        .send(.transition(.didEnterBackground, trip: next.trip)),
      ])
    let moved = view(.background, trip: 2, deadline: start)
    #expect(
      machine.systemChanged(to: moved, now: start).filter(\.isSend)
        == [.send(.deadline(trip: 2, start))])
    let suspended = view(.suspended, trip: 2, deadline: start)
    #expect(machine.systemChanged(to: suspended, now: start) == [.send(.suspending)])
    #expect(
      machine.resumed(to: moved, now: start).filter(\.isSend) == [.send(.resumed)])
    #expect(
      machine.systemChanged(to: view(.inactive), now: start).filter(\.isSend)
        == [.send(.transition(.willEnterForeground, trip: nil))])
  }

  @Test(
    "L5 suspended at the deadline, the child stays in the background, and nothing of it is open")
  func suspendedAtDeadline() {
    var machine = withTask()
    #expect(machine.systemChanged(to: view(.suspended), now: deadline) == [.send(.suspending)])
    #expect(machine.openTasks == 0)
    #expect(
      machine.systemChanged(to: view(.inactive), now: deadline)
        == [.send(.transition(.willEnterForeground, trip: nil)), .beginPresence])
  }

  @Test("W11 a stop is told once with its reason and its deadline")
  func stop() {
    var machine = started(view(.active))
    let stop = ServerMachine.Expired(reason: .signal(15), deadline: deadline)
    #expect(
      machine.systemChanged(to: view(.active, stop: stop), now: start)
        == [.send(.stop(.signal(15), deadline: deadline))])
    #expect(machine.systemChanged(to: view(.active, stop: stop), now: start) == [])
  }

  @Test("A17 a presence that was warned is asked for anew in the next trip")
  func renewed() {
    var machine = started(speaks: false)
    _ = machine.expired(nil, .timeElapsed, deadline: deadline, now: start)
    #expect(
      machine.systemChanged(to: view(.inactive), now: start).filter { !$0.isSend }
        == [.beginPresence, .end(task(100))])
  }

  @Test("a supervisor with a task of its own for the child is left to it")
  func foreignPresence() {
    var machine = ServerMachine(policy: Self.policy, holdsPresence: false)
    let actions =
      machine.started(view(.background, trip: 1), pid: 5, now: start)
      + machine.received(.hello(version: 1, pid: 1, name: ""), now: start)
      + machine.systemChanged(to: view(.active), now: start) + machine.conversationEnded("gone")
    #expect(!actions.contains(.beginPresence))
  }

  @Test("a child that has ended has nothing open, and says nothing more")
  func ended() {
    var machine = withTask()
    _ = machine.received(.begin(task: 2, name: ""), now: start)
    #expect(
      machine.childEnded() == [.end(task(101)), .end(task(100)), .hangUp("the child has ended")])
    #expect(
      machine.taskGranted(2, task(102)) == [.end(task(102))], "a grant on its way is returned")
    #expect(machine.systemChanged(to: view(.active), now: start) == [])
    #expect(machine.childEnded() == [])
  }
}

extension ServerMachine.Action {
  fileprivate var isSend: Bool {
    if case .send = self { true } else { false }
  }
}
