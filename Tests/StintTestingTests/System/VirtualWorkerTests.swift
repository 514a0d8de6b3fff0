import Stint
import Testing

@testable import StintTesting

@Suite("A worker in virtual time")
@MainActor
struct VirtualWorkerTests {
  /// One process: a system, a job on the disk, a worker.
  @MainActor
  private final class Run {
    let system: VirtualSystem
    let job: Job
    let worker: Worker<Summing>
    let results = Protected<[UInt64]>([])
    let outcomes = Protected<[WorkerOutcome]>([])

    init(
      on disk: FaultyFileSystem, policy: SystemPolicy = .iOS7, clock: VirtualClock = VirtualClock(),
      count: UInt64 = 10_000, secondsPerUnit: Double = 0.001, load: Duration = .milliseconds(1),
      seed: UInt64 = 1
    ) throws {
      system = VirtualSystem(policy: policy, clock: clock, termination: .terminate)
      system.share(processOf: disk)
      var computation = Summing(count: count)
      computation.onFinish = { [results] sum in results.withLock { $0.append(sum) } }
      job = try Job(of: computation, on: disk, clock: clock)
      var costs = VirtualCosts(seed: seed)
      costs.secondsPerUnit = secondsPerUnit
      costs.load = load
      var options = WorkerOptions()
      options.policy.checkpointEvery = .seconds(1)
      options.onEnd = { [outcomes] outcome in outcomes.withLock { $0.append(outcome) } }
      worker = Worker(computation, store: job, system: system, options: options, costs: costs)
    }

    func start() {
      system.launch()
      worker.start()
    }

    var outcome: WorkerOutcome? { outcomes.withLock { $0.first } }
  }

  @Test("W8 ten seconds of work pass at once, and the result is right")
  func uninterrupted() throws {
    let run = try Run(on: FaultyFileSystem())
    run.start()
    run.system.advance(by: .seconds(9))
    #expect(run.outcome == nil)
    #expect(run.worker.statusReport()?.state == .running)
    run.system.advance(by: .seconds(2))
    #expect(run.outcome == .finished)
    #expect(run.results.withLock { $0 } == [Summing.result(10_000)])
    #expect(run.system.openTasks.isEmpty)
  }

  @Test("W1 a worker that was started holds the application while it loads, and says so in a word")
  func loading() throws {
    let system = VirtualSystem(policy: .iOS7)
    let states = Protected<[StatusReport.State]>([])
    var options = WorkerOptions()
    options.onReport = { report in states.withLock { $0.append(report.state) } }
    var costs = VirtualCosts()
    costs.load = .seconds(20)
    let computation = Summing(count: 1_000)
    let worker = Worker(
      computation, store: try Job(of: computation, on: FaultyFileSystem(), clock: system.clock),
      system: system, options: options, costs: costs)
    system.launch()
    worker.start()
    system.enterBackground()
    system.advance(by: .seconds(15))
    #expect(system.lifeState == .background)
    #expect(system.openTasks.count == 1)
    system.advance(by: .seconds(60))
    #expect(worker.phase == .ended(.finished))
    #expect(!states.withLock { $0 }.contains(.waiting))
    #expect(system.record.terminations.isEmpty)
    #expect(system.openTasks.isEmpty)
  }

  @Test(
    "W1 time that is over while the job is loaded costs the claim, and not the process its life")
  func loadingTooLong() throws {
    let run = try Run(on: FaultyFileSystem(), load: .seconds(600))
    run.start()
    run.system.enterBackground()
    run.system.advance(by: .seconds(300))
    #expect(run.system.isAlive)
    #expect(run.system.lifeState == .suspended)
    run.system.enterForeground()
    run.system.advance(by: .seconds(700))
    #expect(run.outcome == .finished)
  }

  @Test("W9 a finished job is recorded by the worker, and not delivered twice")
  func finishedOnce() throws {
    let disk = FaultyFileSystem()
    // Without a limit nothing has to be saved before the end: the record is the first that is kept.
    let first = try Run(on: disk, count: 100)
    first.start()
    first.system.advance(by: .seconds(2))
    #expect(first.outcome == .finished)
    #expect(first.results.withLock { $0.count } == 1)
    #expect(first.job.isFinished)
    first.system.kill()
    let second = try Run(on: disk.anotherProcess(), count: 100)
    #expect(second.job.isFinished)
    second.start()
    second.system.advance(by: .seconds(2))
    #expect(second.outcome == .finished)
    #expect(second.worker.phase == .ended(.finished))
    #expect(second.results.withLock { $0.isEmpty })
    #expect(second.system.openTasks.isEmpty)
  }

  @Test(
    "W4 at expiry the work is saved and the task ended before the deadline; W5 it goes on when active"
  )
  func expiry() throws {
    let run = try Run(on: FaultyFileSystem(), policy: .iOS13, count: 100_000)
    run.start()
    run.system.advance(by: .seconds(10))
    run.system.enterBackground()
    #expect(run.system.remainingTime == .limited(.seconds(30)))
    run.system.advance(by: .seconds(24))
    #expect(run.system.remainingTime == .limited(.seconds(6)))
    run.system.advance(by: .seconds(10))
    #expect(run.system.lifeState == .suspended)
    #expect(run.system.record.terminations == [])
    #expect(run.system.isAlive)
    let saved = try #require(run.worker.statusReport()?.progress.fraction)
    #expect((0.35..<0.401).contains(saved), "\(saved)")
    run.system.advance(by: .seconds(1_000))
    #expect(run.worker.statusReport()?.progress.fraction == saved, "L5 nothing runs meanwhile")
    run.system.enterForeground()
    run.system.advance(by: .seconds(70))
    #expect(run.outcome == .finished)
    #expect(run.results.withLock { $0 } == [Summing.result(100_000)])
  }

  @Test(
    "R1 killed at any time, the next process goes on, and nothing of what was under way happened")
  func kill() throws {
    var finished = 0
    for seed: UInt64 in 0..<40 {
      var generator = SeededGenerator(seed: seed)
      let clock = VirtualClock()
      var disk = FaultyFileSystem()
      var runs = 0
      while true {
        runs += 1
        let run = try Run(on: disk, clock: clock, seed: generator.next())
        run.start()
        run.system.advance(by: generator.duration(in: .seconds(1)...(.seconds(8))))
        if run.outcome == .finished {
          #expect(run.results.withLock { $0 } == [Summing.result(10_000)], "seed \(seed)")
          finished += 1
          break
        }
        let next = disk.anotherProcess()
        run.system.kill()
        #expect(!disk.isAlive && next.isAlive, "seed \(seed)")
        let sums = run.results.withLock { $0 }
        run.system.advance(by: .seconds(100))
        #expect(run.results.withLock { $0 } == sums, "seed \(seed)")
        #expect(run.outcome == nil, "seed \(seed)")
        disk = next
        if runs == 60 { break }
      }
    }
    // Short lives may never come to a checkpoint; most do.
    #expect(finished >= 35, "\(finished) of 40")
  }

  @Test("A23 while the process stands still nothing happens, and a chunk is not charged for it")
  func standStill() throws {
    let run = try Run(on: FaultyFileSystem())
    run.start()
    run.system.advance(by: .milliseconds(5_100))
    let before = try #require(run.worker.statusReport())
    run.system.suspend()
    run.system.advance(by: .seconds(1_000))
    #expect(run.worker.statusReport()?.progress == before.progress)
    run.system.resume()
    run.system.advance(by: .milliseconds(5_500))
    #expect(run.outcome == .finished)
    let report = try #require(run.worker.statusReport())
    #expect(report.elapsed - report.workTime > .seconds(999))
    #expect((Duration.seconds(9)...(.seconds(11))).contains(report.workTime), "\(report.workTime)")
  }

  @Test(
    "A4 W1 denied in the background the work stops with the reason, denied in the foreground it goes on"
  )
  func denial() throws {
    let run = try Run(on: FaultyFileSystem())
    run.system.launch()
    run.system.deny("not today")
    run.worker.start()
    run.system.advance(by: .seconds(11))
    #expect(run.outcome == .finished)
    #expect(run.system.history.contains("tasks are denied: not today"))

    let other = try Run(on: FaultyFileSystem())
    other.system.launchIntoBackground()
    other.system.deny("not today")
    other.worker.start()
    other.system.advance(by: .seconds(4))
    #expect(other.worker.phase == .parked(.denied))
    other.system.deny(nil)
    other.system.enterForeground()
    other.system.advance(by: .seconds(11))
    #expect(other.outcome == .finished)
  }

  @Test("the same seed gives the same history to the byte, another seed another one")
  func determinism() throws {
    func history(seed: UInt64) throws -> String {
      let disk = FaultyFileSystem()
      disk.faults.scatter([.diskFull, .short, .interrupted], probability: 0.02, seed: seed)
      let run = try Run(on: disk, policy: .iOS13, count: 40_000, seed: seed)
      run.start()
      run.system.enterBackground()
      run.system.advance(by: .seconds(60))
      run.system.enterForeground()
      run.system.advance(by: .seconds(60))
      return run.system.history + disk.calls.map { "\($0)\n" }.joined()
    }
    for seed: UInt64 in 1...5 {
      // The faults can refuse the job's directory; that is the same every time, too.
      let first = Result { try history(seed: seed) }
      let second = Result { try history(seed: seed) }
      switch (first, second) {
      case (.success(let one), .success(let other)): #expect(one == other, "seed \(seed)")
      case (.failure(let one), .failure(let other)): #expect("\(one)" == "\(other)", "seed \(seed)")
      case (.success, .failure), (.failure, .success): Issue.record("seed \(seed) differs")
      }
    }
    #expect(try history(seed: 1) != history(seed: 2))
  }

  @Test("nothing holds a worker that was killed")
  func noLeak() throws {
    weak var worker: Worker<Summing>?
    weak var disk: FaultyFileSystem?
    do {
      let fileSystem = FaultyFileSystem()
      let run = try Run(on: fileSystem)
      worker = run.worker
      disk = fileSystem
      run.start()
      run.system.advance(by: .seconds(3))
      run.system.kill()
    }
    #expect(worker == nil)
    #expect(disk == nil)
  }
}
