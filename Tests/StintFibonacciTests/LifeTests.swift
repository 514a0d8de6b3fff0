import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

/// The real computation through lives of cuts, on a file system that fails.
@Suite("Lives of a Fibonacci number")
@MainActor
struct LifeTests {
  private let deliveries = Protected(0)

  private func computation() throws -> FibonacciComputation {
    try .small(20_000, splitFrom: 200) { [deliveries] _, _ in deliveries.withLock { $0 += 1 } }
  }

  private var conditions: CheckConditions {
    var conditions = CheckConditions()
    conditions.histories = 8
    conditions.wholeTime = .seconds(10)
    return conditions
  }

  @Test("W8 W14 the digits are the same through every cut")
  func cuts() throws {
    try expectSameResult(of: computation(), conditions: conditions)
    #expect(deliveries.withLock { $0 } >= 9, "the uninterrupted run and eight others")
  }

  @Test("W4 every trip ends before its deadline, with everything saved")
  func deadline() throws {
    try expectEndsBeforeDeadline(of: computation(), conditions: conditions)
    #expect(deliveries.withLock { $0 } == 8)
  }

  @Test("C1 C2 C4 checkpoints survive every fault at every call of a commit")
  func faults() throws {
    let lives = Protected(0)
    try expectCheckpointSurvives(of: computation(), conditions: conditions) {
      lives.withLock { $0 += 1 }
      return FaultyFileSystem()
    }
    #expect(lives.withLock { $0 } == 1)
  }
}
