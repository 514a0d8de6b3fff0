import Dispatch
import Glibc
import Testing

@testable import StintRuntime

@Suite("The worker on its threads")
struct WorkerTests {
  private func worker(
    _ computation: CountingComputation, _ store: MemoryStore, _ host: FakeHost,
    policy: WorkPolicy = WorkPolicy(), onReport: (@Sendable (StatusReport) -> Void)? = nil
  ) -> Worker<CountingComputation> {
    var options = WorkerOptions()
    options.policy = policy
    options.onReport = onReport
    return Worker(computation, store: store, host: host, options: options)
  }

  @Test("W1 runs under a task from the first chunk to the result, and ends it")
  func runsUnderTask() async {
    let host = FakeHost()
    let results = Protected<[UInt64]>([])
    let tasks = Protected<[Int]>([])
    let computation = CountingComputation(
      count: 5_000,
      inChunk: { _, _ in tasks.withLock { $0.append(host.openTasks.count) } },
      onFinish: { sum in results.withLock { $0.append(sum) } })
    let worker = worker(computation, MemoryStore(), host)
    worker.start()
    #expect(await worker.outcome() == .finished)
    #expect(results.withLock { $0 } == [CountingComputation.result(5_000)])
    #expect(tasks.withLock { Set($0) } == [1])
    #expect(host.openTasks.isEmpty)
    #expect(!host.isAttached, "W6 it stops listening when it ends")
  }

  @Test("a worker that cannot load has ended before anybody hears that the loading is over")
  func failedLoad() async {
    let store = MemoryStore()
    let failure = StintError(.damaged, "nothing is whole")
    store.failRestores(with: failure)
    let phases = Protected<[WorkerPhase]>([])
    let late = Protected<Worker<CountingComputation>?>(nil)
    var options = WorkerOptions()
    options.onLoaded = {
      let phase = late.withLock { $0 }?.phase
      phases.withLock { $0 += [phase].compactMap { $0 } }
    }
    let worker = Worker(
      CountingComputation(count: 5), store: store, host: FakeHost(), options: options)
    late.withLock { $0 = worker }
    worker.start()
    #expect(await worker.outcome() == .failed(failure))
    // The outcome comes by another thread, which may be faster.
    while phases.withLock({ $0.isEmpty }) { await Task.yield() }
    #expect(phases.withLock { $0 } == [.ended(.failed(failure))])
    late.withLock { $0 = nil }
  }

  @Test("W8 cut after any chunk and run again by another worker, the result is the same")
  func cutsAndResumes() async {
    let store = MemoryStore()
    let results = Protected<[UInt64]>([])
    var runs = 0
    while results.withLock({ $0.isEmpty }), runs < 200 {
      runs += 1
      let chunks = Protected(0)
      let host = FakeHost()
      let computation = CountingComputation(
        count: 1_000,
        inChunk: { _, _ in
          if chunks.withLock({ count in
            count += 1
            return count
          }) == 20 {
            host.expire(.signal(15))
          }
        },
        onFinish: { sum in results.withLock { $0.append(sum) } })
      var policy = WorkPolicy()
      policy.chunkTarget = .microseconds(1)
      let worker = worker(computation, store, host, policy: policy)
      worker.start()
      let outcome = await worker.outcome()
      #expect(outcome == .finished || outcome == .stopped(.signal(15)))
      #expect(host.openTasks.isEmpty)
    }
    #expect(runs > 2)
    #expect(results.withLock { $0 } == [CountingComputation.result(1_000)])
  }

  @Test("R5 W14 an expiry saves and ends the task while the chunk is stuck")
  func stuckChunk() async throws {
    let store = MemoryStore()
    let host = FakeHost(budget: .seconds(60))
    let stuck = DispatchSemaphore(value: 0)
    let entered = DispatchSemaphore(value: 0)
    let computation = CountingComputation(
      count: 1_000,
      inChunk: { state, _ in
        if state.next > 1 {
          entered.signal()
          stuck.wait()
        }
      })
    var policy = WorkPolicy()
    policy.waitsForGivenUpChunk = false
    let worker = worker(computation, store, host, policy: policy)
    worker.start()
    await entered.waitOffPool()
    host.expire(.signal(1))
    #expect(await worker.outcome() == .stopped(.signal(1)))
    #expect(store.sequence == 1)
    #expect(host.openTasks.isEmpty)
    stuck.signal()
  }

  @Test("W7 paused, it waits without a task; resumed, it goes on from where it stood")
  func pauseAndResume() async {
    let store = MemoryStore()
    let host = FakeHost()
    let paused = DispatchSemaphore(value: 0)
    let began = DispatchSemaphore(value: 0)
    let results = Protected<[UInt64]>([])
    let computation = CountingComputation(
      count: 1_000,
      inChunk: { state, context in
        if state.next > 1 {
          began.signal()
          while !context.stopFlag.isRaised, host.requested == 1 { sched_yield() }
        }
      },
      onFinish: { sum in results.withLock { $0.append(sum) } })
    let worker = worker(
      computation, store, host, onReport: { if $0.state == .paused { paused.signal() } })
    worker.start()
    await began.waitOffPool()
    worker.pause()
    await paused.waitOffPool()
    // The report comes with the end of the stint, the end of the task right after it.
    while !host.openTasks.isEmpty { await Task.yield() }
    #expect(worker.phase == .paused)
    worker.resume()
    #expect(await worker.outcome() == .finished)
    #expect(host.requested == 2)
    #expect(results.withLock { $0 } == [CountingComputation.result(1_000)])
  }

  @Test(
    "C4 a disk that is full for ever ends the worker with the disk's error, and nothing counts as saved"
  )
  func fullDisk() async {
    let disk = StintError(.io, "No space is left on the device.", errno: 28)
    let store = MemoryStore()
    store.fail(with: Array(repeating: disk, count: 1_000))
    var policy = WorkPolicy()
    policy.checkpointEvery = .microseconds(1)
    policy.chunkTarget = .microseconds(1)
    let worker = worker(
      CountingComputation(
        count: CountingComputation.endless, inChunk: { _, _ in spin(for: .microseconds(200)) }),
      store, FakeHost(), policy: policy)
    worker.start()
    #expect(await worker.outcome() == .failed(disk))
    #expect(store.sequence == 0)
  }

  @Test("W3 a report at the start and at the end, newest last; the tick is off afterwards")
  func reports() async {
    let host = FakeHost()
    let worker = worker(CountingComputation(count: 100), MemoryStore(), host)
    worker.start()
    #expect(await worker.outcome() == .finished)
    var states: [StatusReport.State] = []
    for await report in worker.reports { states.append(report.state) }
    #expect(states.last == .finished)
    let before = worker.statusReport()
    host.fireTimers(at: .distantFuture)
    #expect(worker.statusReport()?.progress == before?.progress)
  }

  @Test("W11 cancelled while it waits for the end, a program has its worker stopped and saved")
  func cancelledOutcome() async {
    let store = MemoryStore()
    let (reached, reach) = AsyncStream.makeStream(of: Void.self)
    let stopped = DispatchSemaphore(value: 0)
    let computation = CountingComputation(
      // The program's task may begin, and be cancelled, minutes later.
      count: CountingComputation.endless,
      inChunk: { state, _ in
        guard state.next > 1 else { return }
        reach.finish()
        stopped.wait()
        stopped.signal()
      })
    let worker = self.worker(computation, store, FakeHost())
    worker.start()
    let waiting = Task { await worker.outcome() }
    for await _ in reached {}
    waiting.cancel()
    stopped.signal()
    #expect(await waiting.value == .stopped(.stopRequested))
    #expect(store.sequence >= 1)
  }

  @Test("W11 who cancels before the start waits for nothing, and no start comes after it")
  func cancelledBeforeStart() async {
    let host = FakeHost()
    let worker = self.worker(CountingComputation(count: 10), MemoryStore(), host)
    let waiting = Task { await worker.outcome() }
    waiting.cancel()
    #expect(await waiting.value == .stopped(.stopRequested))
    worker.start()
    #expect(host.requested == 0 && host.holds == 0)
    #expect(worker.phase == .ended(.stopped(.stopRequested)))
  }

  @Test(
    "R8 W10 time in which the process or the machine stood still in a chunk is no work time",
    arguments: [false, true])
  func stoppedInChunk(isMachine: Bool) async {
    let host = FakeHost()
    let slot = Protected<Worker<CountingComputation>?>(nil)
    let computation = CountingComputation(
      count: 100,
      inChunk: { state, _ in
        guard state.next == 1 else { return }
        // Nobody tells of a suspension of the machine.
        if isMachine { return host.suspendMachine(for: .seconds(3600)) }
        host.skip(.seconds(3600))
        slot.withLock({ $0 })?.wasStopped(for: .seconds(3600))
      })
    let worker = self.worker(computation, MemoryStore(), host)
    slot.withLock { slot in slot = worker }
    worker.start()
    #expect(await worker.outcome() == .finished)
    slot.withLock { slot in slot = nil }
    let workTime = worker.statusReport()?.workTime ?? .zero
    #expect(workTime > .zero)
    #expect(workTime < .seconds(3000))
  }
}

/// Keeps the thread busy for so long.
private func spin(for duration: Duration) {
  let end = BootClock.now.advanced(by: duration)
  while BootClock.now < end {}
}

extension DispatchSemaphore {
  /// Waits without blocking a thread of the concurrency pool.
  func waitOffPool() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        self.wait()
        continuation.resume()
      }
    }
  }
}
