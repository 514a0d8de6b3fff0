import Foundation
import StintCore
import StintTesting
import Testing

@testable import Stint

/// Requests and fetches in virtual time, where a week passes in milliseconds.
@Suite("Requests in virtual time")
@MainActor
struct ScheduleInTimeTests {
  /// What became of the tasks of one identifier.
  private final class Log: Sendable {
    private struct State {
      var begins: [Instant] = []
      var reasons: [ExpiryReason] = []
    }

    private let state = Protected(State())

    var begins: [Instant] { state.withLock { $0.begins } }
    var reasons: [ExpiryReason] { state.withLock { $0.reasons } }

    func began(at instant: Instant) { state.withLock { $0.begins.append(instant) } }
    func expired(_ reason: ExpiryReason) { state.withLock { $0.reasons.append(reason) } }
  }

  private func makeSystem(_ policy: SystemPolicy = .iOS13) -> VirtualSystem {
    let system = VirtualSystem(policy: policy, termination: .terminate)
    system.launch()
    return system
  }

  /// Registers a handler that completes its task after a while.
  private func register(
    _ identifier: String, on system: VirtualSystem, log: Log, taking duration: Duration = .zero,
    then next: @escaping @Sendable () -> Void = {}
  ) throws {
    let (clock, environment) = (system.clock, system.driver.environment)
    try system.taskScheduler.register(identifier) { task in
      log.began(at: clock.now)
      next()
      task.expirationHandler = { reason in
        log.expired(reason)
        task.complete(success: false)
      }
      environment.schedule(at: clock.now.advanced(by: duration)) {
        if !task.isCompleted { task.complete(success: true) }
      }
    }
  }

  private func later(_ seconds: Int, on system: VirtualSystem) -> WallInstant {
    system.wallTime.advanced(by: .seconds(seconds))
  }

  @Test(
    "Q9 requests due long after the trip's end run, under each preset",
    arguments: SystemPolicy.presets, [3, 28, 200, 900])
  func due(policy: SystemPolicy, seconds: Int) throws {
    let system = makeSystem(policy)
    let log = Log()
    try register("r", on: system, log: log, taking: .seconds(1))
    try system.taskScheduler.submit(TaskRequest("r", earliestBegin: later(seconds, on: system)))
    let start = system.clock.now
    system.enterBackground()
    system.advance(by: .seconds(seconds + 60))
    #expect(log.begins == [start.advanced(by: .seconds(seconds))])
    #expect(log.reasons.isEmpty && system.isAlive)
    #expect(system.lifeState == .suspended)
  }

  @Test("Q9 a chain that submits the next one first keeps its distance, and never stops")
  func chain() throws {
    for milliseconds in [0, 300, 1_700] {
      let system = makeSystem()
      let log = Log()
      let scheduler = system.taskScheduler
      let submit: @Sendable () -> Void = {
        let earliest = scheduler.wallTime.advanced(by: .milliseconds(milliseconds))
        try? scheduler.submit(TaskRequest("r", earliestBegin: earliest))
      }
      try register("r", on: system, log: log, then: submit)
      submit()
      system.enterBackground()
      system.advance(by: .seconds(600))
      let distances = zip(log.begins, log.begins.dropFirst()).map { $0.duration(to: $1) }
      let distance = max(Duration.milliseconds(milliseconds), .seconds(1))
      #expect(distances.allSatisfy { $0 == distance })
      #expect(log.begins.count >= Int(600 / distance.inSeconds))
      #expect(system.isAlive)
    }
  }

  @Test("Q9 after a termination that was only reported, the next one begins in a trip of its own")
  func reportedTermination() throws {
    let system = VirtualSystem(policy: .iOS13, termination: .report)
    system.launch()
    let log = Log()
    let (scheduler, clock) = (system.taskScheduler, system.clock)
    try scheduler.register("r") { task in
      log.began(at: clock.now)
      // Warned, it does not complete.
      task.expirationHandler = { log.expired($0) }
      if log.begins.count == 1 { try? scheduler.submit(TaskRequest("r", kind: .processing)) }
    }
    try scheduler.submit(TaskRequest("r"))
    system.enterBackground()
    system.advance(by: .seconds(29))
    #expect(log.begins.count == 1 && log.reasons == [.timeElapsed])
    system.advance(by: .seconds(10))
    #expect(log.begins.count == 2, "\(scheduler.why("r"))")
    #expect(system.record.terminations == [.neverCompleted(name: "r")])
  }

  @Test("Q9 in a living trip the end moves to the later of the two; a budget's never")
  func livingTrip() throws {
    let system = makeSystem()
    let log = Log()
    try register("p", on: system, log: log, taking: .seconds(100))
    var request = TaskRequest("p", kind: .processing)
    request.earliestBegin = later(20, on: system)
    try system.taskScheduler.submit(request)
    _ = system.driver.begin(named: "own", origin: .here(), handler: .direct(nil))
    system.enterBackground()
    system.advance(by: .seconds(21))
    #expect(system.remainingTime == .limited(.seconds(299)))

    let budgeted = makeSystem(SystemPolicy.iOS13.withBudget(.seconds(60)))
    let other = Log()
    try register("p", on: budgeted, log: other, taking: .seconds(100))
    request.earliestBegin = later(20, on: budgeted)
    try budgeted.taskScheduler.submit(request)
    budgeted.enterBackground()
    budgeted.advance(by: .seconds(21))
    #expect(budgeted.remainingTime == .limited(.seconds(39)))
    budgeted.advance(by: .seconds(35))
    #expect(other.reasons == [.timeElapsed] && budgeted.isAlive)
    try budgeted.taskScheduler.submit(TaskRequest("p", earliestBegin: later(60, on: budgeted)))
    budgeted.advance(by: .seconds(600))
    #expect(other.begins.count == 1, "the budget is used up")
    #expect(budgeted.taskScheduler.why("p").contains("denied"))
    budgeted.enterForeground()
    budgeted.enterBackground()
    #expect(other.begins.count == 2, "the next trip begins it")
  }

  @Test("Q9 a daily quota is never exceeded, and the next day goes on")
  func quota() throws {
    let system = makeSystem(.harmonyOS)
    let log = Log()
    let scheduler = system.taskScheduler
    let submit: @Sendable () -> Void = {
      let earliest = scheduler.wallTime.advanced(by: .seconds(60))
      try? scheduler.submit(TaskRequest("r", earliestBegin: earliest))
    }
    try register("r", on: system, log: log, taking: .seconds(20), then: submit)
    submit()
    system.enterBackground()
    let start = system.clock.now
    system.advance(by: .seconds(86_000))
    let first = log.begins.count
    // 600 s, of which the grace of the first trip is a part.
    #expect((25...30).contains(first), "\(first) of 20 s each")
    #expect(scheduler.why("r").contains("not worth granting"))
    system.advance(by: .seconds(86_400))
    #expect(log.begins.count >= 2 * first - 2)
    #expect(system.isAlive)
    #expect(log.begins.last.map { start.duration(to: $0) > .seconds(86_400) } == true)
  }

  @Test("Q3 what a task requires holds when it begins, and its loss expires it after ten seconds")
  func requirements() throws {
    let system = makeSystem()
    let log = Log()
    try register("p", on: system, log: log, taking: .seconds(250))
    var request = TaskRequest("p", kind: .processing)
    request.requirements = [.network, .externalPower]
    system.conditions.hasNetwork = false
    system.conditions.hasExternalPower = false
    try system.taskScheduler.submit(request)
    system.enterBackground()
    system.advance(by: .seconds(60))
    #expect(system.taskScheduler.why("p") == "\"p\" waits: the network is missing.")
    system.conditions.hasNetwork = true
    #expect(system.taskScheduler.why("p") == "\"p\" waits: external power is missing.")
    system.conditions.hasExternalPower = true
    #expect(log.begins.count == 1)
    system.conditions.hasNetwork = false
    system.advance(by: .seconds(9))
    system.conditions.hasNetwork = true
    system.advance(by: .seconds(60))
    #expect(log.reasons.isEmpty, "nine seconds are no loss")
    system.conditions.hasExternalPower = false
    system.advance(by: .seconds(10))
    #expect(log.reasons == [.requirementLost(.externalPower)])
    #expect(system.isAlive)
  }

  @Test("Q3 load, memory and disk are judged at the beginning alone")
  func beginning() throws {
    let system = makeSystem()
    let log = Log()
    try register("p", on: system, log: log, taking: .seconds(100))
    var request = TaskRequest("p", kind: .processing)
    request.mostLoad = 0.5
    request.leastMemory = 1_000
    request.leastDisk = 2_000
    system.conditions.load = 1.25
    system.conditions.freeMemory = 10
    system.conditions.freeDisk = 20
    try system.taskScheduler.submit(request)
    system.enterBackground()
    #expect(
      system.taskScheduler.why("p") == "\"p\" waits: the load is 1.25, and 0.50 is the most.")
    system.conditions.load = 0.5
    #expect(system.taskScheduler.why("p").contains("10 bytes of memory are free, and 1000"))
    system.conditions.freeMemory = 1_000
    #expect(system.taskScheduler.why("p").contains("20 bytes of the disk are free, and 2000"))
    system.conditions.freeDisk = 2_000
    #expect(log.begins.count == 1)
    system.conditions.load = 9
    system.conditions.freeMemory = 0
    system.conditions.freeDisk = 0
    system.advance(by: .seconds(110))
    #expect(log.reasons.isEmpty)
  }

  @Test(
    "Q3 a clock that is set decides when a request begins; it moves no budget, and runs nothing twice"
  )
  func clockSet() throws {
    let system = makeSystem()
    let log = Log()
    try register("r", on: system, log: log, taking: .seconds(20))
    try system.taskScheduler.submit(TaskRequest("r", earliestBegin: later(3_600, on: system)))
    system.enterBackground()
    system.advance(by: .seconds(10))
    system.wallTime = later(3_700, on: system)
    #expect(log.begins.count == 1)
    let left = system.remainingTime
    system.wallTime = later(-7_200, on: system)
    #expect(system.remainingTime == left)
    system.advance(by: .seconds(10_000))
    #expect(log.begins.count == 1 && log.reasons.isEmpty)
  }

  @Test("Q5 when memory is short, the continued task with the least progress goes first")
  func pressure() throws {
    let system = makeSystem()
    let expired = Protected<[String]>([])
    for (name, fraction) in [("a", 0.5), ("b", 0.2), ("c", 0.9)] {
      try system.taskScheduler.register(name) { task in
        task.expirationHandler = { reason in
          expired.withLock { $0.append("\(name): \(reason)") }
          task.complete(success: false)
        }
        task.report(WorkProgress(fraction: fraction, phase: "export"))
      }
      try system.taskScheduler.submit(TaskRequest(name, kind: .continued))
    }
    system.run()
    #expect(system.openTasks.map(\.name) == ["a", "b", "c"])
    system.simulateMemoryWarning()
    let words = "memory is short, and the task had the least progress"
    #expect(expired.withLock { $0 } == ["b: \(words)"])
    system.simulateMemoryWarning()
    #expect(expired.withLock { $0.count } == 1, "not again within ten seconds")
    system.advance(by: .seconds(10))
    system.simulateMemoryWarning()
    #expect(expired.withLock { $0 } == ["b: \(words)", "a: \(words)"])
    system.advance(by: .seconds(10))
    system.simulateMemoryWarning()
    #expect(expired.withLock { $0.count } == 2, "the last one stays")
  }

  @Test("Q8 launch and expiry are simulated, whatever the request waits for")
  func simulated() throws {
    let system = makeSystem()
    let log = Log()
    try register("r", on: system, log: log, taking: .seconds(100))
    var request = TaskRequest("r", kind: .processing, earliestBegin: later(9_000, on: system))
    request.requirements = [.network]
    system.conditions.hasNetwork = false
    #expect(!system.simulateLaunch(of: "r"), "nothing waits")
    try system.taskScheduler.submit(request)
    #expect(system.simulateLaunch(of: "r"))
    #expect(log.begins.count == 1, "also in the foreground")
    #expect(!system.simulateLaunch(of: "r"), "it runs")
    #expect(system.taskScheduler.why("r").contains("is running"))
    #expect(system.simulateExpiration(of: "r"))
    #expect(log.reasons == [.revoked])
    #expect(!system.simulateExpiration(of: "r"))
    #expect(system.taskScheduler.why("r") == "No request for \"r\" waits.")
  }

  @Test("Q2 a request that is replaced or taken back never begins in its first form")
  func replaced() throws {
    let system = makeSystem()
    let log = Log()
    let scheduler = system.taskScheduler
    try register("r", on: system, log: log)
    try register("s", on: system, log: log)
    try scheduler.submit(TaskRequest("r", earliestBegin: later(10, on: system)))
    try scheduler.submit(TaskRequest("r", earliestBegin: later(100, on: system)))
    try scheduler.submit(TaskRequest("s", kind: .processing))
    #expect(scheduler.pending.map(\.identifier) == ["r", "s"])
    scheduler.cancel("s")
    system.enterBackground()
    system.advance(by: .seconds(50))
    #expect(log.begins.isEmpty)
    system.advance(by: .seconds(51))
    #expect(log.begins.count == 1)
    try scheduler.submit(TaskRequest("r", earliestBegin: later(100, on: system)))
    scheduler.cancelAll()
    system.advance(by: .seconds(500))
    #expect(log.begins.count == 1 && scheduler.pending.isEmpty)
    #expect(throws: StintError.self) { try scheduler.register("r") { _ in } }
    #expect(throws: TaskRequestError.notSubmitted("f", .fetch)) {
      try scheduler.submit(TaskRequest("f", kind: .fetch))
    }
  }

  @Test("Q9 what the system denies waits, says so, and is asked for again")
  func denied() throws {
    let system = makeSystem()
    let log = Log()
    try register("r", on: system, log: log)
    // A stop that is not complete denies everything.
    system.driver.refusal = "no"
    try system.taskScheduler.submit(TaskRequest("r"))
    system.enterBackground()
    #expect(log.begins.isEmpty)
    #expect(system.taskScheduler.why("r").contains("the system denied it, because no; it is asked"))
    system.advance(by: .seconds(100))
    system.driver.refusal = nil
    system.advance(by: .seconds(130))
    #expect(log.begins.count == 1)
  }

  @Test(
    "Q4 a worker registers, saves and ends under a task as under any other, also in a chain of one trip",
    arguments: [60, 0])
  func worker(secondsBetween: Int) async throws {
    let system = makeSystem()
    let disk = FaultyFileSystem()
    let result = Protected<UInt64?>(nil)
    var computation = Summing(count: 100_000)
    computation.onFinish = { sum in result.withLock { $0 = sum } }
    var costs = VirtualCosts(seed: 1)
    // 100 s of work, and 30 s for each refresh.
    costs.secondsPerUnit = 0.001
    let worker = Worker(
      computation, store: try Job(of: computation, on: disk, clock: system.clock), system: system,
      costs: costs)
    let begins = Protected(0)
    let scheduler = system.taskScheduler
    let submit: @Sendable () -> Void = {
      let earliest = scheduler.wallTime.advanced(by: .seconds(secondsBetween))
      try? scheduler.submit(TaskRequest("steps", earliestBegin: earliest))
    }
    try scheduler.register("steps") { task in
      begins.withLock { $0 += 1 }
      submit()
      Task { @MainActor in
        let result = try await worker.runStint()
        if result == .finished { scheduler.cancelAll() }
        task.complete(success: true)
      }
    }
    submit()
    system.enterBackground()
    // The handler's task runs between two steps of the clock.
    for _ in 0..<6_000 where result.withLock({ $0 }) == nil {
      system.advance(by: .milliseconds(500))
      for _ in 0..<5 { await Task.yield() }
    }
    #expect(result.withLock { $0 } == Summing.result(100_000))
    #expect((4...7).contains(begins.withLock { $0 }), "\(begins.withLock { $0 }) refreshes")
    #expect(system.isAlive)
  }
}
