import Stint
import Testing

@testable import StintTesting

@Suite("Lanes in virtual time")
@MainActor
struct VirtualLaneTests {
  private let results = Protected<[UInt64]>([])

  /// A worker whose single chunk takes 20 s and looks at its stop flag or not.
  private func worker(
    _ fault: Summing.Fault?, on system: VirtualSystem, giveUp: Duration? = nil
  ) throws -> Worker<Summing> {
    var computation = Summing(count: 20_000, fault: fault)
    computation.onFinish = { [results] sum in results.withLock { $0.append(sum) } }
    var costs = VirtualCosts(seed: 1)
    costs.secondsPerUnit = 0.001
    costs.spread = 0
    costs.giveUp = giveUp
    let job = try Job(of: computation, on: FaultyFileSystem(), clock: system.clock)
    return Worker(computation, store: job, system: system, costs: costs)
  }

  @Test(
    "L5 a chunk that is under way when the application is suspended stands still until it is resumed"
  )
  func suspension() throws {
    let system = VirtualSystem(policy: .iOS13.withBudget(.seconds(5)))
    let worker = try worker(.neverStops, on: system)
    system.launch()
    worker.start()
    system.advance(by: .seconds(1))
    system.enterBackground()
    system.advance(by: .seconds(6))
    #expect(system.lifeState == .suspended)
    #expect(system.record.terminations == [])
    system.advance(by: .seconds(1_000))
    #expect(worker.statusReport()?.progress.fraction == 0)
    system.enterForeground()
    system.advance(by: .seconds(13))
    #expect(results.withLock { $0 } == [])
    system.advance(by: .seconds(3))
    #expect(results.withLock { $0 } == [Summing.result(20_000)])
    #expect(worker.phase == .ended(.finished))
  }

  @Test("W11 a stop ends the running chunk as soon as it looks at its flag, and no later")
  func giveUp() async throws {
    for (giveUp, isOver) in [(Duration.milliseconds(5), true), (.seconds(15), false)] {
      let system = VirtualSystem()
      let worker = try worker(nil, on: system, giveUp: giveUp)
      system.launch()
      worker.start()
      // In the middle of a chunk of a quarter of a second.
      system.advance(by: .milliseconds(2_400))
      worker.stop()
      system.advance(by: .milliseconds(50))
      #expect((worker.phase == .ended(.stopped(.stopRequested))) == isOver, "\(giveUp)")
      system.advance(by: .seconds(1))
      #expect(await worker.outcome() == .stopped(.stopRequested))
    }
  }

  @Test("A23 a stop of the process makes a chunk end so much later")
  func standStill() throws {
    let system = VirtualSystem()
    let worker = try worker(.neverStops, on: system)
    system.launch()
    worker.start()
    system.advance(by: .seconds(10))
    system.standStill(for: .seconds(100))
    system.advance(by: .seconds(9))
    #expect(results.withLock { $0 } == [])
    system.advance(by: .seconds(2))
    #expect(results.withLock { $0 } == [Summing.result(20_000)])
    #expect(worker.statusReport().map { $0.workTime < .seconds(21) } == true)
  }

  @Test("any time that the test decides: a custom cost comes before the numbers")
  func custom() throws {
    var generator = SeededGenerator(seed: 1)
    var costs = VirtualCosts(seed: 1)
    costs.custom = { work, _ in
      switch work {
      case .chunk(let cost): cost > 5 ? .seconds(7) : nil
      case .load, .save, .deliver: nil
      }
    }
    costs.spread = 0
    costs.secondsPerUnit = 1
    costs.chunkOverhead = .zero
    #expect(costs.time(of: .chunk(cost: 6), &generator) == .seconds(7))
    #expect(costs.time(of: .chunk(cost: 4), &generator) == .seconds(4))
    #expect(costs.time(of: .save(bytes: 200_000_000), &generator) == .milliseconds(1_008))
    costs.outlierProbability = 1
    #expect(costs.time(of: .chunk(cost: 4), &generator) == .seconds(16))
  }
}
