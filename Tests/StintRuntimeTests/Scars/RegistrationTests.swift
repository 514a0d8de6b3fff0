import Dispatch
import Glibc
import StintTesting
import Testing

@testable import StintRuntime

@Suite("Registering again")
struct RegistrationTests {
  @Test("R7 W5 becoming active, again and again from several threads, registers a worker once")
  func once() async {
    let host = FakeHost(budget: .seconds(60))
    let began = DispatchSemaphore(value: 0)
    let isFree = Protected(false)
    let results = Protected<[UInt64]>([])
    let computation = CountingComputation(
      count: 1_000,
      inChunk: { state, _ in
        guard state.next > 1 else { return }
        began.signal()
        while !isFree.withLock({ $0 }) { sched_yield() }
      },
      onFinish: { sum in results.withLock { $0.append(sum) } })
    let worker = Worker(computation, store: MemoryStore(), host: host, options: WorkerOptions())
    worker.start()
    await began.waitOffPool()
    host.enterBackground(deadline: host.now.advanced(by: .seconds(60)))
    host.expire(.timeElapsed)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in host.becomeActive() }
    // The thread that makes the checkpoint may carry out the actions, after these calls have
    // returned; the chunk still runs.
    while host.requested < 2 { await Task.yield() }
    #expect(host.requested == 2, "the spent task is replaced once")
    #expect(host.ended == [1])
    isFree.withLock { $0 = true }
    #expect(await worker.outcome() == .finished)
    #expect(host.requested == 2)
    #expect(host.ended == [1, 2])
    #expect(results.withLock { $0 } == [CountingComputation.result(1_000)])
  }

  /// Brings the application back as soon as it is told of a suspension, as the command line does
  /// after a stop of the terminal.
  private final class ComingBack: SystemObserver {
    private let driver: SystemDriver

    init(_ driver: SystemDriver) { self.driver = driver }

    func systemDid(_ event: SystemEvent) {
      guard event == .suspended else { return }
      driver.enterForeground()
      driver.becomeActive()
    }
  }

  @Test("R7 L5 a suspension that is over when the worker is told of it ends no stint")
  @MainActor
  func staleSuspension() {
    for comesBack in [true, false] {
      let system = VirtualSystem(policy: .iOS7)
      system.launch()
      let coming = ComingBack(system.driver)
      if comesBack { system.driver.add(coming) }
      let host = SystemWorkerHost(system.driver)
      let client = SystemWorkerHostTests.Client()
      host.attach(client)
      system.enterBackground()
      system.advance(by: .seconds(6))
      #expect(system.driver.lifeState == (comesBack ? .active : .suspended))
      #expect(client.suspensions == (comesBack ? 0 : 1))
      host.detach(client)
      system.driver.remove(coming)
    }
  }
}
