import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

@Suite("Fibonacci: the hardest step to come")
struct HardestTests {
  @Test(
    "W2 the hardest step that is told beforehand is the hardest that comes",
    arguments: [300, 5_000, 200_000], FibonacciFormat.allCases)
  func exact(n: Int, format: FibonacciFormat) throws {
    for length in [nil, 100] { try expectExact(n: n, format: format, splitFrom: length) }
  }

  private func expectExact(n: Int, format: FibonacciFormat, splitFrom length: Int?) throws {
    let computation = try FibonacciComputation.small(n, format, splitFrom: length)
    var run = try ChunkRun(computation)
    var told: [Double] = []
    var came: [Double] = []
    while let next = run.next {
      told.append(try #require(run.outlook.hardest))
      came.append(next.smallest)
      try run.advance()
    }
    var hardest = 0.0
    for index in came.indices.reversed() {
      hardest = max(hardest, came[index])
      // Refused must be only what cannot be done; and where multiplications are hard, all of it.
      if format == .decimal {
        #expect(told[index] >= hardest * 0.999, "n = \(n), \(format), step \(index)")
      }
      #expect(told[index] <= hardest * 1.6, "n = \(n), \(format), step \(index)")
    }
  }
}
