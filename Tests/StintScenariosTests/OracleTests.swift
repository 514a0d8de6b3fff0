import Foundation
import Testing

@testable import StintScenarios

@Suite("The oracle")
struct OracleTests {
  /// The optimum of a tiny instance by trying everything, without any grid.
  ///
  /// Chunks are one of two lengths, checkpoints one of two; a chunk may be given up at any half
  /// second.
  private final class Brute {
    private struct State: Hashable {
      var left: Int
      var inHand: Int
    }

    private let chunks: [Int]
    private let checkpoints: [Int]
    /// States are met again and again, and never change.
    private var known: [State: Double] = [:]

    init(chunks: [Int], checkpoints: [Int]) {
      self.chunks = chunks
      self.checkpoints = checkpoints
    }

    func value(_ left: Int, _ inHand: Int) -> Double {
      let state = State(left: left, inHand: inHand)
      if let value = known[state] { return value }
      let value = max(0, save(left, inHand), run(left, inHand))
      known[state] = value
      return value
    }

    private func save(_ left: Int, _ inHand: Int) -> Double {
      guard inHand > 0 else { return 0 }
      return checkpoints.reduce(0) {
        $1 <= left ? $0 + (Double(inHand) + value(left - $1, 0)) / Double(checkpoints.count) : $0
      }
    }

    private func run(_ left: Int, _ inHand: Int) -> Double {
      var best = 0.0
      for limit in 1...max(1, left) {
        var sum = 0.0
        for chunk in chunks {
          if chunk <= limit, chunk <= left {
            sum += value(left - chunk, inHand + chunk)
          } else if limit <= left {
            sum += save(left - limit, inHand)
          }
        }
        best = max(best, sum / Double(chunks.count))
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
      #expect(abs(found - brute.value(budget, 0)) < 1e-9, "\(chunk) \(checkpoint)")
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
    #expect(masses.first == 1)
    #expect(zip(masses.masses, [0.25, 0.5, 0.25]).allSatisfy { abs($0 - $1) < 1e-3 })
    let brute = Brute(chunks: [1, 2, 2, 3], checkpoints: [1, 2, 2, 3])
    for budget in [5, 7, 8] {
      let table = OracleTable(
        OracleProblem(
          workload: workload, horizon: Double(budget), mostInHand: Double(budget)), step: 1)
      let found = table.value(Double(budget), 0, phase: 0)
      #expect(abs(found - brute.value(budget, 0)) < 0.02, "\(budget)")
    }
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
