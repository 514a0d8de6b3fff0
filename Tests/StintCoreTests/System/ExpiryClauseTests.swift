import StintCore
import Testing

@Suite("System machine: expiry")
struct ExpiryClauseTests {
  @Test("A12 at the lead all handlers are called in order of creation, each at most once")
  func order() {
    let probe = MachineProbe.active()
    let tasks = ["a", "b", "c"].map { probe.begin($0) }
    let worker = probe.begin("worker", .direct)
    probe.enterBackground()
    let deadline = probe.now.advanced(by: .seconds(30))
    probe.advance(.milliseconds(24_999))
    #expect(probe.called.isEmpty)
    probe.advance(.milliseconds(1))
    #expect(
      probe.last == [
        .expireDirectly([worker], .timeElapsed, deadline: deadline),
        .announceExpiry(
          .timeElapsed, deadline: deadline, openTasks: ["a", "b", "c", "worker"]),
        .callHandlers(tasks, .timeElapsed, deadline: deadline, epoch: probe.lastEpoch),
      ])
    probe.advance(.seconds(1))
    #expect(probe.called == tasks)
    #expect(probe.handed == [worker])
    #expect(probe.claim(tasks[0]))
    probe.end(tasks[1])
    #expect(!probe.claim(tasks[1]), "a handler that ends another task spares that one its call")
  }

  @Test("A12 a main queue that nobody serves makes a diagnostic after the allowance")
  func unserved() {
    let probe = MachineProbe.inBackground()
    probe.advance(.seconds(25))
    probe.advance(.milliseconds(2_499))
    #expect(probe.diagnostics.isEmpty)
    probe.advance(.milliseconds(1))
    #expect(probe.diagnostics == [.mainQueueUnserved(allowance: .milliseconds(2_500))])
    probe.advance(.seconds(1))
    #expect(probe.diagnostics.count == 1)
  }

  @Test("A12 an asynchronous handler has returned at the deadline at the latest")
  func asynchronousHandler() {
    let probe = MachineProbe.active()
    let task = probe.begin("async", .mainQueueAsync)
    probe.enterBackground()
    probe.advance(.seconds(25))
    #expect(probe.claim(task))
    probe.advance(.seconds(5))
    #expect(probe.terminations == [.leakedTask(name: "async")])
  }

  @Test("A13 a task without a handler is diagnosed at begin and costs the process its life")
  func noHandler() {
    let probe = MachineProbe.active()
    let origin = TaskOrigin(function: "f()", file: "M/F.swift", line: 3)
    probe.begin("mute", .none, origin: origin)
    #expect(probe.last == [.diagnose(.taskWithoutHandler(name: "mute", origin: origin))])
    probe.enterBackground()
    probe.advance(.seconds(29))
    #expect(probe.called.isEmpty)
    #expect(probe.terminations.isEmpty)
    probe.advance(.seconds(1))
    #expect(probe.terminations == [.leakedTask(name: "mute")])
  }

  @Test("A14 a task open after all handlers returned is named once, and fatal at the deadline")
  func leak() {
    let probe = MachineProbe.active()
    let origin = TaskOrigin(function: "f()", file: "M/F.swift", line: 4)
    let first = probe.begin("tidy")
    let second = probe.begin("leaky", origin: origin)
    probe.enterBackground()
    probe.advance(.seconds(25))
    #expect(probe.claim(first))
    probe.end(first)
    probe.returned(first)
    #expect(probe.diagnostics.isEmpty, "not before all have returned")
    #expect(probe.claim(second))
    probe.returned(second)
    let said = Diagnostic.leftOpen(name: "leaky", age: .seconds(25), origin: origin)
    #expect(probe.last == [.diagnose(said)])
    probe.event { $0.timePassed(now: $1) }
    #expect(probe.diagnostics == [said])
    probe.advance(.seconds(5))
    #expect(probe.terminations == [.leakedTask(name: "leaky")])
  }

  @Test("A14 where the policy says so, the handlers' return is the termination point")
  func terminationAtReturn() {
    let probe = MachineProbe.active(
      changed(MachineProbe.policy) { $0.terminationPoint = .handlersReturn })
    let task = probe.begin("leaky")
    let worker = probe.begin("worker", .direct)
    probe.enterBackground()
    probe.advance(.seconds(25))
    #expect(probe.claim(task))
    probe.returned(task)
    #expect(probe.terminations == [.leakedTask(name: "leaky")])
    withExtendedLifetime(worker) {}
  }

  @Test(
    "A14 direct and asynchronous owners are judged at the deadline, and hold up nobody's return",
    arguments: [TaskDelivery.direct, .mainQueueAsync])
  func judgedAtDeadline(delivery: TaskDelivery) {
    let probe = MachineProbe.active(
      changed(MachineProbe.policy) { $0.terminationPoint = .handlersReturn })
    let task = probe.begin("main")
    let other = probe.begin("slow", delivery)
    probe.enterBackground()
    probe.advance(.seconds(25))
    #expect(probe.claim(task))
    probe.end(task)
    probe.returned(task)
    #expect(probe.terminations.isEmpty)
    #expect(probe.diagnostics.isEmpty, "it still works on its expiry")
    if delivery == .mainQueueAsync {
      #expect(probe.claim(other))
      probe.returned(other)
      #expect(probe.terminations.isEmpty)
      #expect(probe.diagnostics.count == 1, "left open by its handler")
    }
    probe.advance(.milliseconds(4_999))
    #expect(probe.terminations.isEmpty)
    probe.advance(.milliseconds(1))
    #expect(probe.terminations.count == 1)
  }

  @Test("A18 a revocation leaves the lesser of lead and rest, with its reason")
  func revocation() {
    let probe = MachineProbe.active()
    let task = probe.begin("worker", .direct)
    probe.enterBackground()
    probe.advance(.seconds(10))
    probe.event { $0.revoked(.revoked, now: $1) }
    #expect(probe.remaining == .seconds(5))
    #expect(
      probe.last.first
        == .expireDirectly([task], .revoked, deadline: probe.now.advanced(by: .seconds(5))))
    probe.advance(.seconds(3))
    probe.event { $0.revoked(.engineEndTime, now: $1) }
    #expect(probe.remaining == .seconds(2), "the rest was less than the lead")
    #expect(probe.handed == [task], "a second expiry while the first is handled calls nobody twice")
  }

  @Test("A18 who was called already is told when the end comes nearer, and only then")
  func nearerDeadline() {
    let probe = MachineProbe.inBackground("worker", .direct)
    probe.event { $0.revoked(.revoked, now: $1) }
    #expect(!probe.last.contains(.deadlineMoved(to: probe.now.advanced(by: .seconds(5)))))
    probe.event { $0.stopRequested(.signal(15), grace: .seconds(9), now: $1) }
    probe.event { $0.stopRequested(.signal(15), grace: .seconds(2), now: $1) }
    let end = probe.now.advanced(by: .seconds(2))
    #expect(probe.last == [.deadlineMoved(to: end)])
    #expect(probe.machine.hardStop == end)
  }

  @Test("A19 an event gives one order to each timer, however often it sets them")
  func oneOrder() {
    let probe = MachineProbe.inBackground(
      "a", .none, policy: changed(MachineProbe.policy) { $0.heldTooLongNotice = .seconds(10) })
    probe.advance(.seconds(5))
    let second = probe.begin("b", .none)
    // The notice of the first is due, that of the second is next, and the end of the second moves
    // the timer once more.
    let late = probe.now.advanced(by: .seconds(6))
    let actions = probe.machine.taskEnded(second, by: .here(), now: late).actions
    let wakes = actions.compactMap { action -> Instant? in
      guard case .wake(let instant) = action else { return nil }
      return instant
    }
    #expect(wakes == [probe.machine.nextWake])
    #expect(actions.contains { if case .diagnose = $0 { true } else { false } })
  }

  @Test("A18 a revocation of a trip that is over changes nothing")
  func staleRevocation() {
    let probe = MachineProbe.active()
    probe.begin()
    probe.event { $0.revoked(.revoked, now: $1) }
    #expect(probe.last.isEmpty)
    #expect(probe.remaining == nil)
  }

  @Test("A18 a stop reaches every task in the foreground too, and no change of state revokes it")
  func stop() {
    let probe = MachineProbe.active()
    let worker = probe.begin("worker", .direct)
    let other = probe.begin("other")
    probe.event { $0.stopRequested(.signal(15), grace: .seconds(4), now: $1) }
    #expect(probe.handed == [worker])
    #expect(probe.called == [other])
    #expect(probe.told.filter { $0 == .willTerminate }.count == 1)
    #expect(probe.remaining == .seconds(4))
    #expect(probe.ask() == .denied(.stopping))
    #expect(probe.claim(other))
    probe.enterBackground()
    #expect(probe.machine.tasks.count == 2, "they are still saving")
    probe.enterForeground()
    #expect(probe.remaining == .seconds(4))
    probe.event { $0.stopRequested(.signal(15), grace: .seconds(9), now: $1) }
    #expect(probe.remaining == .seconds(4), "the earlier end wins")
    #expect(probe.told.filter { $0 == .willTerminate }.count == 1)
    probe.end(worker)
    #expect(!probe.log.contains(.stopCompleted))
    probe.end(other)
    #expect(probe.last == [.stopCompleted])
    #expect(!probe.log.contains(.suspend))
    #expect(probe.machine.hardStop == nil)
  }

  @Test("A18 a stop's grace that is exceeded is an overrun")
  func stopOverrun() {
    let probe = MachineProbe.active()
    let task = probe.begin()
    probe.event { $0.stopRequested(.stopRequested, grace: .seconds(2), now: $1) }
    #expect(probe.claim(task))
    probe.returned(task)
    probe.advance(.seconds(2))
    #expect(probe.terminations == [.overrun])
  }

  @Test(
    "A18 a stop without a task is complete at once, in every state", arguments: LifeState.allCases)
  func idleStop(state: LifeState) {
    let probe = StateTableTests.probe(in: state)
    probe.event { $0.stopRequested(.stopRequested, grace: .seconds(2), now: $1) }
    #expect(probe.last.last == .stopCompleted)
  }

  @Test("A19 the hard stop is armed at the deadline while a task is open, whatever handlers do")
  func hardStop() {
    let probe = MachineProbe.active()
    let task = probe.begin("stuck")
    probe.event { $0.resigned(now: $1) }
    let actions = probe.machine.backgroundEntered(now: probe.now)
    let deadline = probe.now.advanced(by: .seconds(30))
    #expect(probe.machine.hardStop == deadline)
    #expect(actions.first == .armHardStop(at: deadline), "before anything else is done")
    probe.enterReturned()
    probe.advance(.seconds(25))
    #expect(probe.claim(task))
    probe.advance(.milliseconds(2_500))
    let said = Diagnostic.handlerOverran(name: "stuck", allowance: .milliseconds(2_500))
    #expect(probe.diagnostics == [said], "while it still runs")
    probe.advance(.seconds(2))
    #expect(probe.diagnostics == [said], "once")
    #expect(probe.machine.hardStop == deadline)
    probe.advance(.milliseconds(500))
    #expect(probe.terminations == [.handlersOverran])
  }

  @Test("A21 a scope that does not stop loses its task before the deadline")
  func scope() {
    let probe = MachineProbe.active()
    let task = probe.begin("scope", .scoped)
    probe.enterBackground()
    probe.advance(.seconds(25))
    #expect(probe.handed == [task])
    probe.advance(.seconds(5))
    #expect(probe.diagnostics.contains(.scopeOverran(name: "scope")))
    #expect(probe.terminations.isEmpty)
    #expect(probe.machine.lifeState == .suspended)
  }

  @Test(
    "A22 a task whose warning comes in order is not said to be held too long",
    arguments: [(TaskDelivery.mainQueue, 0), (.direct, 0), (.none, 1)])
  func heldInOrder(delivery: TaskDelivery, times: Int) {
    let policy = changed(MachineProbe.policy) { $0.heldTooLongNotice = .seconds(10) }
    let probe = MachineProbe.inBackground("held", delivery, policy: policy)
    probe.advance(.seconds(20))
    let said = probe.diagnostics.count { if case .heldTooLong = $0 { true } else { false } }
    #expect(said == times)
  }

  @Test("A22 what is open can be listed, and a task held too long makes one diagnostic")
  func heldTooLong() {
    var policy = MachineProbe.policy
    policy.heldTooLongNotice = .seconds(10)
    policy.grant = nil
    let probe = MachineProbe.active(policy)
    let origin = TaskOrigin(function: "f()", file: "M/F.swift", line: 5)
    let task = probe.begin("held", origin: origin)
    probe.advance(.seconds(100))
    probe.enterBackground()
    probe.advance(.milliseconds(9_999))
    #expect(probe.diagnostics.isEmpty, "only time in the background counts")
    probe.advance(.milliseconds(1))
    let said = Diagnostic.heldTooLong(name: "held", held: .seconds(10), origin: origin)
    #expect(probe.diagnostics == [said])
    #expect("\(said)".contains("held in the background for 10"))
    probe.event { $0.timePassed(now: $1) }
    #expect(probe.diagnostics == [said])
    #expect(
      probe.machine.openTasks(at: probe.now) == [
        OpenTask(
          identifier: task, name: "held", age: .seconds(110), origin: origin, state: .granted)
      ])
  }
}
