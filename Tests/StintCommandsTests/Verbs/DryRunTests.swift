import StintCore
import StintFibonacci
import Testing

@testable import StintCommands

@Suite("--dry-run")
struct DryRunTests {
  func estimate(_ n: Int) throws -> FibonacciEstimate {
    FibonacciEstimate(try FibonacciIndex(n), format: .decimal, threads: 2)
  }

  @Test("W2 the least budget holds the hardest step, and grows with the number")
  func least() throws {
    #expect(DryRun.leastBudget(try estimate(10)) == TimeOptions.Defaults.leastBudget)
    var before = Duration.zero
    for n in [10_000_000, 100_000_000, 1_000_000_000] {
      let estimate = try estimate(n)
      let least = DryRun.leastBudget(estimate)
      #expect(estimate.hardestCost > 0 && estimate.hardestCost < estimate.cost)
      #expect(least.inSeconds > estimate.hardestCost * 1e-9)
      #expect(least > before)
      before = least
    }
  }

  @Test("W2 the hardest step of a sequence is told too")
  func sequence() throws {
    let short = FibonacciEstimate(try FibonacciRange(from: 0, to: 10))
    let long = FibonacciEstimate(try FibonacciRange(from: 9_999_999, to: 10_000_000))
    #expect(short.hardestCost > 0 && long.hardestCost > short.hardestCost)
    #expect(DryRun.leastBudget(long) > DryRun.leastBudget(short))
  }

  @Test("W2 a budget that is shorter than the least is named beside it")
  func tooShort() throws {
    let estimate = try estimate(1_000_000_000)
    func text(_ words: [String]) throws -> String {
      let time = try CommandLine.run(["fibonacci", "1"] + words).time
      return DryRun.render(estimate, time: time, json: false)
    }
    #expect(try text([]).hasSuffix("\n"))
    #expect(try !text([]).contains("too short"))
    #expect(
      try text(["--budget", "200ms"]).hasSuffix("--budget gives 200ms, which may be too short\n"))
    #expect(try !text(["--budget", "10h"]).contains("too short"))
  }
}
