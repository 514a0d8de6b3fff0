import Foundation
import Testing

@testable import StintScenarios

@Suite("The oracle")
struct OracleTests {
  /// The optimum of a tiny instance by trying everything, without any grid.
  ///
  /// Chunks and checkpoints have one of some lengths. A chunk may be given up at any second, with
  /// or without a save after it, and when it is begun again it takes the same time.
  private final class Brute {
    private struct State: Hashable {
      var left: Int
      var inHand: Int
      /// The next chunk is known to take longer than this.
      var age: Int
    }

    private let chunks: [Int]
    private let checkpoints: [Int]
    /// States are met again and again, and never change.
    private var known: [State: Double] = [:]

    init(chunks: [Int], checkpoints: [Int]) {
      self.chunks = chunks
      self.checkpoints = checkpoints
    }

    func value(_ left: Int, _ inHand: Int = 0, age: Int = 0) -> Double {
      let state = State(left: left, inHand: inHand, age: age)
      if let value = known[state] { return value }
      let value = max(0, save(left, inHand, age), run(left, inHand, age))
      known[state] = value
      return value
    }

    private func save(_ left: Int, _ inHand: Int, _ age: Int) -> Double {
      guard inHand > 0 else { return 0 }
      let fitting = checkpoints.filter { $0 <= left }
      let sum = fitting.reduce(0) { $0 + Double(inHand) + value(left - $1, 0, age: age) }
      return sum / Double(checkpoints.count)
    }

    private func run(_ left: Int, _ inHand: Int, _ age: Int) -> Double {
      let possible = chunks.filter { $0 > age }
      var best = 0.0
      for limit in 1...max(1, left) where limit <= left {
        var sum = 0.0
        for chunk in possible {
          if chunk <= limit {
            sum += value(left - chunk, inHand + chunk)
          } else {
            sum += value(left - limit, inHand, age: max(age, limit))
          }
        }
        best = max(best, sum / Double(max(1, possible.count)))
      }
      return best
    }
  }

  @Test("equals what trying everything finds", arguments: [6, 9, 12])
  func bruteForce(budget: Int) {
    // Uniform distributions of which 2,000 points are half the one and half the other end would
    // need a shape of their own, so the two lengths are constant in one instance each.
    for (chunk, checkpoint) in [(2, 1), (3, 2), (1, 3), (4, 1)] {
      let brute = Brute(chunks: [chunk], checkpoints: [checkpoint])
      let problem = OracleProblem(
        workload: Worlds.workload(chunk: Double(chunk), checkpoint: Double(checkpoint)),
        horizon: Double(budget), mostInHand: Double(budget))
      let table = OracleTable(problem, step: 0.5)
      let found = table.value(Double(budget), 0, phase: 0)
      #expect(abs(found - brute.value(budget)) < 1e-9, "\(chunk) \(checkpoint)")
    }
  }

  @Test("equals what trying everything finds where chunks and checkpoints vary")
  func variedBruteForce() {
    // Uniform on a grid of whole seconds: every mass is put between two points of it, and brute
    // force has the same masses.
    let chunk = Distribution(.uniform(from: 1, to: 3))
    let checkpoint = Distribution(.uniform(from: 1, to: 3))
    let workload = Workload(chunk: chunk, checkpoint: checkpoint)
    let masses = TimeMasses(chunk, step: 1, least: 1)
    // 1 with a quarter, 2 with a half, 3 with a quarter.
    #expect(masses.steps == [1, 2, 3])
    #expect(zip(masses.masses, [0.25, 0.5, 0.25]).allSatisfy { abs($0 - $1) < 1e-3 })
    let brute = Brute(chunks: [1, 2, 2, 3], checkpoints: [1, 2, 2, 3])
    for budget in [5, 7, 8] {
      let table = OracleTable(
        OracleProblem(
          workload: workload, horizon: Double(budget), mostInHand: Double(budget)), step: 1)
      let found = table.value(Double(budget), 0, phase: 0)
      #expect(abs(found - brute.value(budget)) < 0.02, "\(budget)")
    }
  }

  @Test(
    "equals what trying everything finds where a chunk that is given up takes the same time again")
  func agesBruteForce() {
    var cheating = 0
    for (chunks, checkpoints) in [
      ([1, 1, 1, 5], [1]), ([1, 1, 6], [1, 2]), ([2, 2, 2, 3, 7], [1]), ([1, 4, 9], [2]),
    ] {
      let workload = Workload(chunk: Self.among(chunks), checkpoint: Self.among(checkpoints))
      let brute = Brute(chunks: chunks, checkpoints: checkpoints)
      for budget in 4...18 {
        var problem = OracleProblem(
          workload: workload, horizon: Double(budget), mostInHand: Double(budget))
        let found = OracleTable(problem, step: 1).value(Double(budget), 0, phase: 0)
        #expect(abs(found - brute.value(budget)) < 1e-9, "\(chunks) \(checkpoints) \(budget)")
        problem.drawsAgain = true
        let again = OracleTable(problem, step: 1).value(Double(budget), 0, phase: 0)
        #expect(again >= found - 1e-9)
        if again > found + 1e-6 { cheating += 1 }
      }
    }
    #expect(cheating > 10)
  }

  /// Times that are equally probable.
  private static func among(_ times: [Int]) -> Distribution {
    Distribution(.mixture(times.map { .init(weight: 1, .constant(Double($0))) }))
  }

  @Test("in a world of short and long chunks the optimum gets what it expects, and no less")
  func bimodal() throws {
    let short = Distribution(.logNormal(mean: 0.5, sigma: 0.1))
    let long = Distribution.constant(6)
    let workload = Workload(
      chunk: Distribution(.mixture([.init(weight: 0.8, short), .init(weight: 0.2, long)])),
      checkpoint: .constant(0.3))
    var scenario = Worlds.scenario(grant: 20, workload: workload, trips: 100)
    scenario.strategies = [.oracle]
    let result = ScenarioRun(scenario, seed: 11, repeats: 30).result()
    try Worlds.expectAgreement(result)
    let got = try #require(result[.oracle]?.savedShare)
    let redrawing = try #require(Oracle(scenario, drawsAgain: true))
    #expect(redrawing.result.expectedSavedShare > got.high + redrawing.result.errorPoints / 100)
  }

  @Test("an end that may come at any moment is feared as its distribution says")
  func hazard() {
    // One chunk of 1 s and a checkpoint of 1 s fit; both must be outlived: exp(-2 / 4).
    var problem = OracleProblem(
      workload: Worlds.workload(chunk: 1, checkpoint: 1), horizon: 2.5, mostInHand: 3)
    problem.survival = { exp(-(2.5 - $0) / 4) }
    let table = OracleTable(problem, step: 0.25)
    #expect(abs(table.value(2.5, 0, phase: 0) - exp(-0.5)) < 1e-9)
  }

  @Test("halving the grid moves the expectation by less than a fifth of a point")
  func grid() throws {
    let workload = Workload(
      chunk: Distribution(.logNormal(mean: 0.25, sigma: 0.05)),
      checkpoint: Distribution(.logNormal(mean: 0.05, sigma: 0.2)))
    let oracle = try #require(Oracle(Worlds.scenario(grant: 5, workload: workload)))
    #expect(oracle.result.errorPoints < 0.2)
    #expect(oracle.result.expectedSavedShare > 0.9)
  }
}
