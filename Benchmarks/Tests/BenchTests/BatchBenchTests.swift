import Foundation
import StintCore
import Testing

@testable import stint_bench

extension BriefBenchmarks {
  /// The benchmark of batches with few commands: what it measures is not looked at, only that it
  /// measures everything, and can fail.
  @Suite("stint-bench batch")
  struct BatchBenchTests {
    @Test("commands are run by stint batch and by GNU parallel, and a list of lines is read")
    func quick() throws {
      let run = try BenchTests.run(["batch", "--quick", "--json"])
      let report = try BenchTests.expectWellFormed(run, verb: "batch")
      #expect(try #require(report["commandsStintMilliseconds"]).measured > 0)
      let memory = try #require(report["linesPeakMebibytes"])
      #expect(memory.measured > 0)
      #expect(memory.gate == 200e6 / 1_048_576)
      // Where there is nothing to compare with, that is said.
      if !run.errors.contains("GNU parallel is left out: ") {
        let ratio = try #require(report["commandsTimeRatio"])
        #expect(ratio.measured > 0)
        #expect(ratio.gate == 1.0 / 3)
        #expect(try #require(report["commandsParallelMilliseconds"]).measured > 0)
      }
    }

    @Test("a group that is asked for is measured alone")
    func only() throws {
      let run = try BenchTests.run(["batch", "--quick", "--json", "--only", "lines"])
      let report = try BenchTests.expectWellFormed(run)
      #expect(report.figures.map(\.name) == ["linesPeakMebibytes"])
    }

    @Test("the ratio is that of the medians, and a third is the most")
    func ratio() {
      func ratio(_ own: [Double], _ others: [Double]) -> Figure {
        .timeRatio("ratio", "a ratio", own, over: others, gate: 1.0 / 3)
      }
      let figure = ratio([90, 10, 900], [300, 200, 400])
      #expect(figure.measured == 0.3)
      #expect(figure.spread?.minimum == 0.05)
      #expect(figure.spread?.maximum == 2.25)
      #expect(figure.verdict == .reachedGoal)
      #expect(ratio([110], [300]).verdict == .missed)
    }

    @Test("short commands go through the queue and through task-spooler")
    func queue() throws {
      let run = try BenchTests.run(["queue", "--quick", "--json"])
      let report = try BenchTests.expectWellFormed(run, verb: "queue")
      #expect(try #require(report["queueStintMilliseconds"]).measured > 0)
      if !run.errors.contains("task-spooler is left out: ") {
        #expect(try #require(report["queueTimeRatio"]).gate == 3)
        #expect(try #require(report["queueTaskSpoolerMilliseconds"]).measured > 0)
      }
    }

    @Test("a program that runs no command and reads no line is found out")
    func idle() throws {
      let scratch = try Scratch()
      #expect {
        try BatchCommands(stint: "true", directory: scratch.path, count: 3, rounds: 1).figures()
      } throws: { ($0 as? StintError)?.code == .checkFailed && "\($0)".contains("job log") }
      #expect {
        try BatchLines(stint: "true", directory: scratch.path, count: 3, budget: .seconds(1))
          .figure()
      } throws: { ($0 as? StintError)?.code == .checkFailed && "\($0)".contains("3 lines") }
    }

    @Test("a group that is none is said and ends with 64")
    func noGroup() throws {
      let run = try BenchTests.run(["batch", "--quick", "--only", "nothing"])
      #expect(run.status == 64, "\(run.errors)")
      #expect(run.errors.contains("commands and lines"))
    }
  }
}
