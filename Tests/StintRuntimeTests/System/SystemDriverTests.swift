import Dispatch
import Stint
import StintRuntime
import StintTesting
import Testing

@Suite("System driver")
@MainActor
struct SystemDriverTests {
  /// Writes down what a worker would be told.
  final class Observer: SystemObserver {
    private let events = Protected<[SystemEvent]>([])
    func systemDid(_ event: SystemEvent) { events.withLock { $0.append(event) } }
    var all: [SystemEvent] { events.withLock { $0 } }
  }

  private func makeActive(
    _ policy: SystemPolicy = .iOS7, answers: VirtualSystem.Answers = .atOnce
  ) -> (system: VirtualSystem, observer: Observer) {
    let system = VirtualSystem(policy: policy, answers: answers)
    system.launch()
    let observer = Observer()
    system.driver.add(observer)
    return (system, observer)
  }

  private func begin(_ system: VirtualSystem) -> BackgroundTaskIdentifier {
    system.driver.begin(named: "worker", origin: .here(), handler: .direct(nil)).grant.identifier
  }

  @Test("A18 an observer is told of a trip from its beginning to its end, in order")
  func trip() {
    let (system, observer) = makeActive()
    let task = begin(system)
    let deadline = system.clock.now.advanced(by: .seconds(180))
    system.enterBackground()
    system.advance(by: .seconds(175))
    system.driver.end(task, origin: .here())
    system.enterForeground()
    #expect(
      observer.all == [
        .stateChanged(.inactive), .stateChanged(.background),
        .expired(task, .timeElapsed, deadline: deadline),
        .suspended, .resumed, .stateChanged(.inactive), .stateChanged(.active), .becameActive,
      ])
    system.driver.remove(observer)
    system.resignActive()
    #expect(observer.all.count == 8, "it stops listening when it is removed")
  }

  @Test("A3 A4 a request that waits for its answer is answered through the observer")
  func remoteAnswer() {
    let (system, observer) = makeActive(answers: .whenAnswered)
    let request = system.driver.begin(named: "w", origin: .here(), handler: .direct(nil))
    #expect(request.isPending)
    let task = request.grant.identifier
    system.answer(task, .denied(.refused("no")))
    #expect(
      observer.all == [
        .answered(task, .denied(.refused("no"))),
        .expired(task, .denied(.refused("no")), deadline: .distantFuture),
      ])
  }

  @Test("L5 what follows a suspension: a rest, then another trip")
  func rest() {
    let (system, observer) = makeActive()
    system.driver.suspensionFollowUp = .rest(.seconds(2))
    let task = begin(system)
    system.enterBackground()
    system.driver.end(task, origin: .here())
    system.run()
    #expect(system.driver.lifeState == .suspended)
    system.advance(by: .milliseconds(1_999))
    #expect(!observer.all.contains(.becameActive))
    system.advance(by: .milliseconds(1))
    #expect(observer.all.contains(.becameActive))
    #expect(system.driver.lifeState == .background)
  }

  @Test("L5 what follows a suspension: the exit status, or a stop that is told when it is over")
  func exitAndStop() {
    let (system, _) = makeActive()
    system.driver.suspensionFollowUp = .exit(75)
    system.enterBackground()
    system.advance(by: .seconds(5))
    #expect(system.record.exits == [75])
    let (stopped, _) = makeActive()
    stopped.driver.suspensionFollowUp = .stop
    stopped.enterBackground()
    stopped.advance(by: .seconds(5))
    #expect(stopped.record.stops == 1)
  }

  @Test("L6 killed while suspended, nothing is told")
  func killedWhileSuspended() {
    let (system, observer) = makeActive()
    system.enterBackground()
    system.advance(by: .seconds(5))
    system.killWhileSuspended()
    #expect(system.record.terminations == [.killedWhileSuspended])
    #expect(!observer.all.contains(.terminating))
  }

  @Test("A18 a stop is complete when the last task is ended")
  func stop() {
    let (system, observer) = makeActive()
    let task = begin(system)
    system.requestStop(.signal(15), grace: .seconds(5))
    #expect(observer.all.contains(.terminating))
    #expect(!observer.all.contains(.stopCompleted))
    #expect(system.hardStop == system.clock.now.advanced(by: .seconds(5)))
    system.driver.end(task, origin: .here())
    system.run()
    #expect(observer.all.last == .stopCompleted)
    #expect(system.hardStop == nil)
  }

  @Test("A6 handlers that were not needed are released")
  func release() {
    final class Token: Sendable {}
    let (system, _) = makeActive()
    weak var held: Token?
    do {
      let token = Token()
      held = token
      let task = system.driver.begin(
        named: "t", origin: .here(),
        handler: .main { _ in withExtendedLifetime(token) {} }
      ).grant.identifier
      system.driver.end(task, origin: .here())
    }
    #expect(held == nil)
    do {
      let token = Token()
      held = token
      _ = system.driver.begin(
        named: "t", origin: .here(), handler: .direct { _ in withExtendedLifetime(token) {} })
    }
    #expect(held != nil)
    system.enterBackground()
    system.advance(by: .seconds(200))
    #expect(system.record.terminations == [.handlersOverran])
    #expect(held == nil, "a task that the system ended releases its handler, too")
  }

  @Test("A3 tasks from many threads while the application comes and goes")
  func manyThreads() throws {
    var hooks = InProcessSystem.Hooks()
    let said = Protected<[Diagnostic]>([])
    hooks.diagnose = { diagnostic in said.withLock { $0.append(diagnostic) } }
    let policy = SystemPolicy.commandLine.withBudget(.seconds(60))
    let system = try InProcessSystem(policy: policy, hooks: hooks)
    let application = Application(system: system)
    application.launch()
    let anchor = application.beginTask(named: "anchor") { _ in }
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for turn in 0..<200 {
        if thread == 0 {
          _ = turn % 2 == 0 ? application.enterBackground() : application.enterForeground()
          continue
        }
        guard case .granted(let task) = application.beginTask(onExpiry: { _ in }) else { continue }
        _ = application.backgroundTimeRemaining
        _ = application.openTasks
        if application.endTask(task) != .ended {
          said.withLock { $0.append(.endedInvalid(by: .unknown)) }
        }
      }
    }
    #expect(application.openTasks.map(\.identifier) == [anchor.identifier])
    #expect(said.withLock { $0 } == [])
    application.endTask(anchor.identifier)
  }
}
