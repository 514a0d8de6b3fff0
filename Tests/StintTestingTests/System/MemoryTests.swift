import Stint
import Testing

@testable import StintTesting

@Suite("Short memory in virtual time")
@MainActor
struct MemoryTests {
  private final class Delegate: ApplicationDelegate {}

  private let system = VirtualSystem()

  private func makeWorker(_ computation: Summing) throws -> Worker<Summing> {
    var costs = VirtualCosts()
    costs.secondsPerUnit = 0.01
    return Worker(
      computation, store: try Job(of: computation, on: FaultyFileSystem(), clock: system.clock),
      system: system, costs: costs)
  }

  /// What the driver wants to be told at each look at the memory.
  private var look: (@Sendable (_ isShort: Bool) -> Void)? {
    system.environment.state.withLock { $0.onMemoryLook }
  }

  @Test("L10 a worker that works lets its computation drop what it can make again")
  func worker() throws {
    let (warnings, results) = (Protected(0), Protected<[UInt64]>([]))
    var computation = Summing(count: 3_000)
    computation.onShortMemory = { warnings.withLock { $0 += 1 } }
    computation.onFinish = { sum in results.withLock { $0.append(sum) } }
    let worker = try makeWorker(computation)
    system.launch()
    #expect(look == nil, "nobody works")
    worker.start()
    system.advance(by: .seconds(1))
    look?(false)
    system.run()
    #expect(warnings.withLock { $0 } == 0)
    for _ in 0..<3 {
      look?(true)
      system.advance(by: .seconds(1))
    }
    #expect(warnings.withLock { $0 } == 1, "at most once in ten seconds")
    system.advance(by: .seconds(10))
    system.simulateMemoryWarning()
    #expect(warnings.withLock { $0 } == 2)
    system.advance(by: .seconds(60))
    #expect(worker.phase == .ended(.finished))
    #expect(results.withLock { $0 } == [Summing.result(3_000)])
    #expect(look == nil, "it has ended")
    system.simulateMemoryWarning()
    #expect(warnings.withLock { $0 } == 2)
  }

  @Test("L10 the kernel is asked while there is a delegate, and no longer once it is gone")
  func delegate() {
    let application = Application(system: system)
    #expect(look == nil)
    var delegate: Delegate? = Delegate()
    application.delegate = delegate
    #expect(look != nil)
    look?(false)
    #expect(look != nil)
    delegate = nil
    look?(false)
    #expect(look == nil)
    let next = Delegate()
    application.delegate = next
    #expect(look != nil)
    application.delegate = nil
    #expect(look == nil)
    withExtendedLifetime(delegate) {}
  }
}

@Suite("A worker of the shared application")
struct SharedWorkerTests {
  @Test("A24 L9 a worker launches the application that the program put in the shared place")
  func launches() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let own = Application(system: try InProcessSystem(policy: .unlimited))
      try own.becomeShared()
      let computation = Summing(count: 10)
      let worker = Worker(computation, store: try Job(of: computation, on: FaultyFileSystem()))
      #expect(own.applicationState == .active)
      worker.start()
      let outcome = await worker.outcome()
      #expect(outcome == .finished)
    }
  }

  @Test("A24 a worker launches no virtual system that stands in the shared place")
  func launchesNoTest() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let system = VirtualSystem()
      try system.becomeShared()
      let computation = Summing(count: 10)
      _ = Worker(computation, store: try Job(of: computation, on: FaultyFileSystem()))
      #expect(system.lifeState == .notRunning)
    }
  }

  @Test("A24 a program's own application has its place again after a virtual system")
  func again() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let own = Application(system: try InProcessSystem(policy: .unlimited))
      try own.becomeShared()
      let system = VirtualSystem()
      let virtual = try system.becomeShared()
      #expect(Application.shared === virtual)
      system.kill()
      #expect(Application.shared === own)
    }
  }
}

extension SharedPlace {
  @Suite("Short memory and the shared application")
  @MainActor
  struct SharedMemoryTests {
    @Test("L10 who asks for the notification's name lets the kernel be asked, in turn with others")
    func name() throws {
      let (first, second) = (VirtualSystem(), VirtualSystem())
      func isWatched(_ system: VirtualSystem) -> Bool {
        system.environment.state.withLock { $0.onMemoryLook } != nil
      }
      try first.becomeShared()
      _ = Application.didReceiveMemoryWarningNotification
      #expect(isWatched(first))
      try second.becomeShared()
      #expect(!isWatched(first) && isWatched(second))
      second.kill()
      #expect(Application.shared.openTasks.isEmpty)
    }
  }
}
