import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("A child and its supervisor")
@MainActor
struct RemotePairTests {
  @Test("A3 A4 a child's task is the supervisor's, granted later and ended with it")
  func task() {
    let pair = RemotePair()
    pair.speak()
    let task = pair.begin("save")
    #expect(pair.child.openTasks.map(\.state) == [.pending])
    pair.settle()
    #expect(pair.child.openTasks.map(\.state) == [.granted])
    #expect(pair.heldNames == ["save"])
    pair.end(task)
    pair.settle()
    #expect(pair.heldNames == [])
    #expect(pair.supervisor.openTasks.map(\.name) == ["child"])
  }

  @Test("A12 events that waited for a listener are told before one that comes meanwhile")
  func order() {
    let pair = RemotePair()
    let causes: [TerminationCause] = [.overrun, .crash, .signal(15)]
    let link = RemoteLink(
      driver: pair.child.driver, transport: pair.pipe.child,
      welcome: .init(pid: 1, policy: pair.child.driver.policy, state: .active, trip: nil)
    ) {}
    let lines = causes.map { Array(SystemMessage.terminating($0).line.utf8.dropLast()) }
    for line in lines.dropLast() { link.received(line) }
    let told = Protected<[RemoteLink.Event]>([])
    link.listen { [unowned link] event in
      told.withLock { $0.append(event) }
      if event == .terminating(causes[0]) { link.received(lines[2]) }
    }
    #expect(told.withLock { $0 } == causes.map { .terminating($0) })
  }

  @Test("L2 A9 the child's state and deadline follow the supervisor's")
  func following() {
    let pair = RemotePair()
    pair.speak()
    #expect(pair.child.driver.applicationState == .active)
    let task = pair.begin("work")
    pair.settle()
    pair.supervisor.enterBackground()
    pair.settle()
    #expect(pair.child.driver.applicationState == .background)
    #expect(pair.child.driver.usableTimeEnd == pair.supervisor.driver.usableTimeEnd)
    pair.supervisor.enterForeground()
    pair.settle()
    #expect(pair.child.driver.applicationState == .active)
    #expect(pair.child.remainingTime == .unlimited)
    pair.end(task)
  }

  @Test("A12 a child that was started in the background is warned at the lead and ends in time")
  func expiry() {
    let pair = RemotePair(inBackground: true)
    let calls = Protected<[Expiry]>([])
    pair.speak()
    let task = pair.begin("work") { expiry in calls.withLock { $0.append(expiry) } }
    pair.settle()
    pair.advance(by: .milliseconds(7_999))
    #expect(calls.withLock { $0.isEmpty })
    pair.advance(by: .milliseconds(1))
    #expect(calls.withLock { $0.map(\.reason) } == [.timeElapsed])
    #expect(pair.warnings.withLock { $0.isEmpty }, "one that speaks needs no signal")
    pair.end(task)
    pair.settle()
    pair.advance(by: .seconds(5), steps: 50)
    #expect(pair.supervisor.record.terminations == [])
    #expect(pair.supervisor.lifeState == .suspended)
  }

  @Test("A14 a task that the child never ends costs it its life at the deadline")
  func overrun() {
    let pair = RemotePair(inBackground: true)
    pair.speak()
    _ = pair.begin("stuck")
    pair.settle()
    pair.advance(by: .milliseconds(9_999), steps: 10)
    #expect(pair.supervisor.record.terminations == [])
    pair.advance(by: .milliseconds(1))
    #expect(pair.supervisor.record.terminations.count == 1)
  }

  @Test("A18 a revocation and a stop reach the child with their reasons")
  func reasons() {
    let pair = RemotePair(inBackground: true)
    let reasons = Protected<[ExpiryReason]>([])
    pair.speak()
    let task = pair.begin("work") { expiry in reasons.withLock { $0.append(expiry.reason) } }
    pair.settle()
    pair.advance(by: .seconds(1))
    pair.supervisor.driver.revoke()
    pair.settle()
    #expect(reasons.withLock { $0 } == [.revoked])
    #expect(pair.child.driver.usableTimeEnd == pair.clock.now.advanced(by: .seconds(2)))
    pair.supervisor.driver.requestStop(reason: .signal(15), grace: .seconds(1))
    pair.settle()
    let end = pair.clock.now.advanced(by: .seconds(1))
    #expect(pair.events.withLock { $0 } == [.stop(.signal(15), deadline: end)])
    #expect(pair.child.driver.usableTimeEnd == end)
    pair.end(task)
  }

  @Test("A11 a task that is begun too late is denied by the supervisor, and its handler says so")
  func denial() {
    let pair = RemotePair(inBackground: true)
    pair.speak()
    let task = pair.begin("work")
    pair.settle()
    pair.supervisor.advance(by: .milliseconds(9_900))
    // The child's clock is the same, so it is asked before its own machine could know.
    let reasons = Protected<[ExpiryReason]>([])
    #expect(pair.begin("late") { _ in } == .invalid, "the child knows the deadline by itself")
    pair.end(task)
    let other = RemotePair(
      SystemPolicy(name: "few", grant: .seconds(10), lead: .seconds(2), maximumTasks: 2))
    other.speak()
    _ = other.begin("one")
    let second = other.begin("two") { expiry in reasons.withLock { $0.append(expiry.reason) } }
    other.settle()
    #expect(reasons.withLock { $0 } == [.denied(.tooManyTasks(maximum: 2))], "with its presence")
    #expect(other.heldNames == ["one"])
    other.end(second)
  }

  @Test("a child that does not speak is warned by other means")
  func plain() {
    let pair = RemotePair(inBackground: true)
    pair.advance(by: .seconds(8))
    #expect(pair.warnings.withLock { $0.count } == 1)
    pair.server.childEnded()
    #expect(pair.supervisor.openTasks.isEmpty)
  }

  @Test("a child that vanishes has nothing open any more, and its presence is warned in time")
  func vanishedChild() {
    let pair = RemotePair(inBackground: true)
    pair.speak()
    _ = pair.begin("work")
    pair.settle()
    pair.pipe.server.hangUp()
    pair.supervisor.run()
    #expect(pair.heldNames == [])
    pair.advance(by: .seconds(8))
    #expect(pair.warnings.withLock { $0.count } == 1)
  }

  @Test("A18 a supervisor that vanishes has taken its time back, but for the lead")
  func vanishedSupervisor() {
    for inBackground in [false, true] {
      let pair = RemotePair(inBackground: inBackground)
      let reasons = Protected<[ExpiryReason]>([])
      pair.speak()
      let task = pair.begin("work") { expiry in reasons.withLock { $0.append(expiry.reason) } }
      pair.settle()
      let unanswered = pair.begin("more")
      pair.pipe.child.hangUp()
      pair.child.run()
      #expect(pair.child.driver.applicationState == .background)
      #expect(
        pair.child.driver.usableTimeEnd == pair.clock.now.advanced(by: .seconds(2)),
        "a lead to save in")
      #expect(reasons.withLock { $0 } == [.revoked])
      #expect(pair.begin("new") == .invalid, "nobody is left who could grant it")
      #expect(pair.events.withLock { $0 } == [.vanished("the other end closed it")])
      pair.end(task)
      pair.end(unanswered)
      pair.child.run()
      #expect(pair.child.lifeState == .suspended)
    }
  }

  @Test("what cannot be understood ends the conversation, at either end")
  func garbage() {
    let pair = RemotePair()
    pair.speak()
    pair.pipe.child.enqueue("{\"type\":\"begin\"}\n")
    pair.settle()
    #expect(pair.server.phase == .plain)
    #expect(pair.pipe.server.isClosed)
    let other = RemotePair()
    other.speak()
    other.pipe.server.enqueue("so\n")
    other.settle()
    #expect(other.pipe.child.isClosed)
    #expect(other.events.withLock { $0.count } == 1)
  }

  @Test("A16 suspended at the deadline instead of killed, both go on with a new trip")
  func nextTrip() {
    let pair = RemotePair(inBackground: true)
    let calls = Protected(0)
    pair.speak()
    _ = pair.begin("stuck") { _ in calls.withLock { $0 += 1 } }
    pair.settle()
    pair.advance(by: .seconds(10), steps: 10)
    #expect(pair.supervisor.lifeState == .suspended)
    #expect(pair.child.lifeState == .suspended)
    pair.advance(by: .seconds(1))
    pair.supervisor.enterForeground()
    pair.settle()
    #expect(pair.child.lifeState == .active)
    let next = pair.begin("next") { _ in calls.withLock { $0 += 1 } }
    pair.settle()
    #expect(pair.heldNames == ["next"])
    pair.supervisor.enterBackground()
    pair.settle()
    #expect(
      pair.child.driver.usableTimeEnd == pair.clock.now.advanced(by: .seconds(10)))
    pair.advance(by: .seconds(8))
    #expect(calls.withLock { $0 } == 2)
    pair.end(next)
  }

  @Test("L8 a child that is being ended is told the cause, if it still reads")
  func terminating() {
    let pair = RemotePair(inBackground: true)
    pair.speak()
    pair.server.terminating(.leakedTask(name: "save"))
    pair.settle()
    #expect(pair.events.withLock { $0 } == [.terminating(.leakedTask(name: "save"))])
  }

  @Test("A23 stopped time that does not count moves the child's deadline too")
  func stretched() {
    var policy = SystemPolicy(name: "test", grant: .seconds(10), lead: .seconds(2))
    policy.stoppedTime = .running
    let pair = RemotePair(policy, inBackground: true)
    pair.speak()
    let task = pair.begin("work")
    pair.settle()
    pair.supervisor.driver.continued(afterStop: .seconds(3))
    pair.server.followSystem()
    pair.settle()
    #expect(pair.child.driver.usableTimeEnd == pair.supervisor.driver.usableTimeEnd)
    #expect(pair.child.driver.usableTimeEnd == pair.clock.now.advanced(by: .seconds(13)))
    pair.end(task)
  }
}
