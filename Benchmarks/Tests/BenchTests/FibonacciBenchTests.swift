import Foundation
import StintCore
import Testing

@testable import stint_bench

extension BriefBenchmarks {
  /// The Fibonacci benchmark with small numbers: what it measures is not looked at, only that it
  /// measures everything, and can fail.
  @Suite("stint-bench fibonacci")
  struct FibonacciBenchTests {
    @Test("everybody who is here computes every number, and the times are drawn")
    func quick() throws {
      let plot = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".svg")
      defer { try? FileManager.default.removeItem(at: plot) }
      let run = try BenchTests.run(["fibonacci", "--quick", "--json", "--plot", plot.path()])
      let report = try BenchTests.expectWellFormed(run, verb: "fibonacci")
      for n in [100_000, 1_000_000] {
        for suffix in ["Number", "NumberOnOne", "Digits", "DigitsOnOne", "Whole", "Memory"] {
          let figure = try #require(report["n\(n)\(suffix)Ratio"], "\(n) \(suffix)")
          // Small numbers may take no longer in decimal than in binary.
          #expect(figure.measured > 0 || (suffix.hasPrefix("Digits") && figure.measured == 0))
        }
        #expect(report["n\(n)NumberMemoryRatio"]?.gate == 1)
      }
      #expect(report["sequencePipeRatio"] != nil)
      for subject in ["gmp", "stint", "stintOnOne"] {
        #expect(report["\(subject)GrowthTo1000000Exponent"] != nil)
      }
      let drawing = try String(contentsOf: plot, encoding: .utf8)
      let lines = drawing.components(separatedBy: "<polyline ").count - 1
      #expect(lines >= 3, "GMP, Stint, and Stint on one thread")
      #expect(drawing.components(separatedBy: "<circle ").count - 1 == 2 * lines)
      #expect(drawing.hasPrefix("<svg ") && drawing.hasSuffix("</svg>\n"))
    }

    @Test("the limits of the large numbers are those that were promised")
    func gates() throws {
      func figures(_ n: Int) -> [String: Figure] {
        let times = FibonacciTimes(
          number: 1, digits: 1, process: 2, peakMebibytes: 100, isPeakKnown: true)
        let runs = [FibonacciSubject.gmp, .stint, .stintOnOne].map { ($0, [times]) }
        let all = Dictionary(uniqueKeysWithValues: runs)
        let found = FibonacciFigures(n: n, runs: all, doubling: all).all()
        return Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) })
      }
      let usual = figures(100_000_000)
      #expect(usual["n100000000NumberRatio"]?.gate == 0.68)
      #expect(usual["n100000000NumberRatio"]?.goal == 0.60)
      #expect(usual["n100000000NumberRatio"]?.verdict == .missed, "as fast as GMP is too slow")
      #expect(usual["n100000000DigitsRatio"]?.gate == 0.60)
      #expect(usual["n100000000DigitsRatio"]?.goal == 0.50)
      #expect(usual["n100000000NumberOnOneRatio"]?.gate == 1.03)
      let large = figures(FibonacciOptions.large)
      #expect(large["n1000000000WholeRatio"]?.gate == 0.60)
      #expect(large["n1000000000WholeRatio"]?.goal == 0.50)
      let slices = FibonacciFigures(n: FibonacciOptions.large, runs: [:], doubling: [:]).sliced(
        FibonacciSlices.Result(processes: 3, killed: 0, seconds: 13), slice: .seconds(5), whole: 10)
      #expect(slices.gate == 1.25 && slices.goal == 1.10 && slices.verdict == .missed)
    }

    @Test("a slice that is still there when its time is up is killed", .timeLimit(.minutes(1)))
    func killed() throws {
      let process = try ChildProcess("sleep", ["1000"])
      let (end, at) = process.wait(killingAt: process.startedAt.advanced(by: .milliseconds(50)))
      #expect(end == .killed(by: 9))
      #expect(process.startedAt.duration(to: at) >= .milliseconds(50))
      let quick = try ChildProcess("true", [])
      #expect(quick.wait(killingAt: quick.startedAt.advanced(by: .seconds(50))).end == .exited(0))
    }

    @Test(
      "a wrong position is refused with a sentence",
      arguments: ["12", "x", "1e6,,1e7", "-5", "1e99"])
    func wrong(text: String) throws {
      let run = try BenchTests.run(["fibonacci", "--n", text])
      #expect(run.status == 64)
      #expect(run.errors.hasPrefix("stint-bench: ") && run.errors.hasSuffix(".\n"), "\(run.errors)")
    }
  }
}
