import Dispatch
import StintCore
import StintRuntime
import Synchronization

/// Many lives, drawn from one seed.
package struct Simulation: Sendable {
  /// Decides everything.
  package var seed: UInt64
  /// How many lives.
  package var runs: Int
  /// How many threads live them; the result does not depend on it.
  package var threads = 1
  /// A fault that is planted into every life.
  package var plant: PlantedFault?

  package init(seed: UInt64, runs: Int, threads: Int = 1, plant: PlantedFault? = nil) {
    self.seed = seed
    self.runs = runs
    self.threads = threads
    self.plant = plant
  }

  /// Lives them all, or up to the first violation.
  package func run() -> SimulationReport {
    let block = 256
    let blocks = (runs + block - 1) / block
    let next = Atomic<Int>(0)
    let firstFailure = Atomic<Int>(.max)
    let reports = Protected(SimulationReport(seed: seed))
    DispatchQueue.concurrentPerform(iterations: max(1, threads)) { _ in
      var mine = SimulationReport(seed: seed)
      while true {
        let number = next.add(1, ordering: .relaxed).oldValue
        guard number < blocks, number * block < firstFailure.load(ordering: .relaxed) else { break }
        for index in number * block..<min(runs, (number + 1) * block) {
          let life = lifeSeed(index)
          let report = Life(seed: life, plant: plant).run()
          mine.add(report, seed: life, index: index)
          if report.violation != nil {
            firstFailure.min(index, ordering: .relaxed)
            break
          }
        }
      }
      reports.withLock { $0.add(mine) }
    }
    return reports.withLock { $0 }
  }

  /// The seed of one life.
  package func lifeSeed(_ index: Int) -> UInt64 {
    var draw = SplitMix64(seed: seed, part: UInt64(index))
    return draw.next()
  }
}

/// What came of many lives.
package struct SimulationReport: Sendable {
  /// A life in which an invariant was broken.
  package struct Failure: Sendable {
    /// The number of the life.
    package var index: Int
    /// The seed of the life alone.
    package var lifeSeed: UInt64
    package var violation: Violation
  }

  package let seed: UInt64
  package private(set) var lives = 0
  package private(set) var finished = 0
  package private(set) var events = 0
  package private(set) var trips = 0
  package private(set) var checkpoints = 0
  package private(set) var stints = 0
  package private(set) var kills = 0
  /// The first failure, by the number of its life.
  package private(set) var failure: Failure?

  init(seed: UInt64) {
    self.seed = seed
  }

  mutating func add(_ report: LifeReport, seed: UInt64, index: Int) {
    lives += 1
    finished += report.isFinished ? 1 : 0
    events += report.events
    trips += report.trips
    checkpoints += report.checkpoints
    stints += report.stints
    kills += report.kills
    if let violation = report.violation, index < failure?.index ?? .max {
      failure = Failure(index: index, lifeSeed: seed, violation: violation)
    }
  }

  mutating func add(_ other: SimulationReport) {
    lives += other.lives
    finished += other.finished
    events += other.events
    trips += other.trips
    checkpoints += other.checkpoints
    stints += other.stints
    kills += other.kills
    if let theirs = other.failure, theirs.index < failure?.index ?? .max { failure = theirs }
  }

  /// A count per life.
  package func average(_ count: Int) -> Double {
    lives > 0 ? Double(count) / Double(lives) : 0
  }
}
