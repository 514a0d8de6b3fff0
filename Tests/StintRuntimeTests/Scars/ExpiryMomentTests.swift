import Dispatch
import Stint
import StintTesting
import Testing

@testable import StintRuntime

@Suite("Expiry at bad moments")
@MainActor
struct ExpiryMomentTests {
  @Test("R5 A12 a second expiry while the first is handled calls no handler again")
  func secondWhileHandled() throws {
    let system = VirtualSystem(policy: .iOS7)
    let application = Application(system: system)
    system.launch()
    let calls = Protected<[String]>([])
    let tasks = ["a", "b"].map { name in
      application.beginBackgroundTask(withName: name) {
        calls.withLock { $0.append(name) }
        // The system changes its mind while the handlers run, and again in the next one.
        system.driver.revoke(.revoked)
        system.driver.requestStop(reason: .signal(15), grace: .seconds(2))
      }
    }
    system.enterBackground()
    let deadline = try #require(system.hardStop)
    system.expire()
    #expect(calls.withLock { $0 } == ["a", "b"])
    let nearer = try #require(system.hardStop)
    #expect(nearer < deadline, "a stop's grace is shorter than the lead")
    system.revoke(.engineEndTime)
    #expect(calls.withLock { $0 } == ["a", "b"], "at most once, however many expiries there are")
    #expect(try #require(system.hardStop) <= nearer, "never further away")
    for task in tasks { application.endBackgroundTask(task) }
    #expect(system.record.terminations == [])
    #expect(system.hardStop == nil)
  }

  @Test("R5 W4 a worker that is expired again while it handles an expiry ends its task once")
  func workerExpiredTwice() async throws {
    let store = MemoryStore()
    let host = FakeHost(budget: .seconds(60))
    let computation = CountingComputation(
      count: 1_000,
      inChunk: { state, _ in
        guard state.next > 1 else { return }
        host.enterBackground(deadline: host.now.advanced(by: .seconds(60)))
        host.expire(.timeElapsed)
        host.expire(.revoked)
        host.expire(.signal(15))
        host.expire(.signal(15))
      })
    let worker = Worker(computation, store: store, host: host, options: WorkerOptions())
    worker.start()
    #expect(await worker.outcome() == .stopped(.signal(15)))
    #expect(host.ended == [1])
    #expect(store.events.count { if case .stintEnded = $0 { true } else { false } } == 1)
    let saved = try store.restore { try computation.decode($0, in: store.workspace) }
    #expect(saved?.state.next ?? 0 > 1)
  }

  @Test("R5 W1 an expiry before the registration is answered ends the worker with the answer")
  func beforeAnswer() async throws {
    let system = VirtualSystem(policy: .iOS7, answers: .whenAnswered)
    system.launch()
    let chunks = Protected(0)
    let computation = CountingComputation(
      count: 1_000,
      inChunk: { _, context in
        chunks.withLock { $0 += 1 }
        // The answer and the expiry come one after the other: a chunk may be on its way in between,
        // and is told at once.
        let end = BootClock.now.advanced(by: .seconds(20))
        while !context.stopFlag.isRaised, BootClock.now < end {}
      })
    let loaded = DispatchSemaphore(value: 0)
    var options = WorkerOptions()
    options.onLoaded = { loaded.signal() }
    let worker = Worker(
      computation, store: MemoryStore(), host: SystemWorkerHost(system.driver), options: options)
    worker.start()
    await loaded.waitOffPool()
    #expect(system.driver.openTasks.count == 1, "no hold of the loading is left")
    let task = try #require(system.driver.openTasks.first)
    #expect(task.state == .pending)
    system.requestStop(.signal(15), grace: .seconds(5))
    system.answer(task.identifier, .granted)
    #expect(await worker.outcome() == .stopped(.signal(15)))
    #expect(chunks.withLock { $0 } <= 1)
    #expect(system.driver.openTasks.isEmpty, "the late grant is given back")
    #expect(system.record.terminations == [])
  }
}
