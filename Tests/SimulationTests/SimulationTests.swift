import Testing

@testable import StintSimulation

@Suite("Simulated lives")
struct SimulationTests {
  @Test("W5 no life breaks an invariant, and a life is long enough to mean something")
  func lives() {
    let seed: UInt64 = 20_261_121
    let report = Simulation(seed: seed, runs: 1_500, threads: 2).run()
    if let failure = report.failure {
      let shortest = LifeHistory.shortest(seed: failure.lifeSeed)
      Issue.record(
        """
        seed \(seed), life \(failure.index) of seed \(failure.lifeSeed): \
        \(failure.violation.invariant): \(failure.violation.detail)
        \(shortest?.lines.suffix(30).joined(separator: "\n") ?? "")
        """)
    }
    #expect(report.lives == 1_500)
    #expect(report.average(report.events) >= 200)
    #expect(report.average(report.trips) >= 3)
    #expect(report.average(report.checkpoints) >= 2)
    #expect(report.average(report.kills) >= 1)
    #expect(report.finished * 100 >= report.lives * 99)
  }

  @Test(
    "W5 every planted fault is caught by an invariant that is there for it",
    arguments: PlantedFault.allCases)
  func plants(plant: PlantedFault) throws {
    let report = Simulation(seed: 7, runs: 6_000, threads: 2, plant: plant).run()
    let failure = try #require(report.failure, "\(plant) was not seen in \(report.lives) lives")
    #expect(
      plant.breaks.contains(failure.violation.invariant),
      "\(plant): \(failure.violation), life \(failure.lifeSeed)")
  }

  @Test("W5 every invariant has a planted fault that breaks it", arguments: Invariant.allCases)
  func invariants(invariant: Invariant) {
    #expect(PlantedFault.allCases.contains { $0.breaks.contains(invariant) })
  }

  @Test("W8 the same seed gives the same history to the byte, whatever else runs")
  func sameHistory() {
    for seed: UInt64 in [1, 99, 0xFFFF_FFFF_FFFF_FFFF] {
      let once = LifeHistory(seed: seed)
      let again = LifeHistory(seed: seed)
      #expect(once.lines.count > 50)
      #expect(once.lines == again.lines, "seed \(seed)")
    }
    #expect(LifeHistory(seed: 1).lines != LifeHistory(seed: 2).lines)
    let one = Simulation(seed: 3, runs: 300, threads: 1, plant: .taskIsNotEnded).run().failure
    let two = Simulation(seed: 3, runs: 300, threads: 2, plant: .taskIsNotEnded).run().failure
    #expect(one?.index == two?.index)
    #expect(one?.violation == two?.violation)
  }

  @Test("W5 a failure is shrunk to a shorter history that breaks the same invariant")
  func shrinks() throws {
    let plant = PlantedFault.nearerDeadlineIsNotTold
    // Some lives are as short as they can be, and are passed over.
    var found: (failure: SimulationReport.Failure, shortest: LifeHistory)?
    for seed: UInt64 in 11...20 where found == nil {
      let report = Simulation(seed: seed, runs: 3_000, threads: 2, plant: plant).run()
      guard let failure = report.failure,
        let shortest = LifeHistory.shortest(seed: failure.lifeSeed, plant: plant),
        !shortest.leftOut.isEmpty
      else { continue }
      found = (failure, shortest)
    }
    let (failure, shortest) = try #require(found)
    let whole = LifeHistory(seed: failure.lifeSeed, plant: plant)
    #expect(shortest.report.violation?.invariant == failure.violation.invariant)
    #expect(!shortest.leftOut.isEmpty)
    #expect(shortest.lines.count < whole.lines.count)
    let again = LifeHistory(
      seed: failure.lifeSeed, plant: plant, leavingOut: shortest.leftOut)
    #expect(again.lines == shortest.lines)
    #expect(LifeHistory.shortest(seed: failure.lifeSeed) == nil, "without the plant it is whole")
  }
}
