import Foundation
import Testing

@testable import stint_bench

extension BriefBenchmarks {
  /// The benchmark is run with small counts; what it measures is not looked at, only that it
  /// measures everything.
  @Suite("stint-bench")
  struct BenchTests {
    /// The parts of a report that programs read (`Benchmarks/README.md`).
    struct Report: Decodable {
      struct Machine: Decodable {
        var processors: Int
        var twoThreadSpeedup: Double
        var othersPercent: Double
        var loadAverage: Double
        var iterationsPerSecond: Double
      }

      struct Spread: Decodable {
        var samples: Int
        var minimum: Double
        var median: Double
        var p99: Double
        var maximum: Double
      }

      struct Figure: Decodable {
        var name: String
        var what: String
        var unit: String
        var measured: Double
        var gate: Double?
        var goal: Double?
        var sense: String
        var verdict: String
        var spread: Spread?
      }

      var program: String
      var version: String
      var verb: String
      var quick: Bool
      var machine: Machine
      var figures: [Figure]
      var tookSeconds: Double

      subscript(name: String) -> Figure? { figures.first { $0.name == name } }
    }

    struct Run {
      var status: Int32
      var output: String
      var errors: String
    }

    static func run(_ arguments: [String]) throws -> Run {
      let process = Process()
      process.executableURL = try program()
      process.arguments = arguments
      // Files and not pipes: nothing has to be drained while the program runs.
      let scratch = try Scratch()
      for name in ["out", "err"] { try scratch.write("", to: name) }
      process.standardOutput = try FileHandle(forWritingTo: URL(filePath: scratch("out")))
      process.standardError = try FileHandle(forWritingTo: URL(filePath: scratch("err")))
      try process.run()
      process.waitUntilExit()
      return Run(
        status: process.terminationStatus,
        output: String(decoding: try scratch.bytes("out"), as: UTF8.self),
        errors: String(decoding: try scratch.bytes("err"), as: UTF8.self))
    }

    /// The program lies beside the test bundle.
    private static func program() throws -> URL {
      let runner = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      for base in [Bundle.main.bundleURL, runner.deletingLastPathComponent()] {
        var folder = base
        for _ in 0..<3 {
          let program = folder.appending(path: "stint-bench")
          if FileManager.default.isExecutableFile(atPath: program.path()) { return program }
          folder = folder.deletingLastPathComponent()
        }
      }
      throw CocoaError(.fileNoSuchFile)
    }

    /// Expects a report of a quick run, and returns it.
    static func expectWellFormed(_ run: Run, verb: String? = nil) throws -> Report {
      #expect(run.status == 0, "\(run.errors)")
      let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
      #expect(report.program == "stint-bench")
      if let verb { #expect(report.verb == verb) }
      #expect(report.quick)
      #expect(report.machine.processors >= 1)
      #expect(report.machine.twoThreadSpeedup > 0)
      #expect(report.machine.iterationsPerSecond > 0)
      #expect(report.tookSeconds > 0)
      #expect(Set(report.figures.map(\.name)).count == report.figures.count, "names are unique")
      let endings = [
        "nanoseconds": "Nanoseconds", "milliseconds": "Milliseconds", "percent": "Percent",
        "ratio": "Ratio", "mebibytes": "Mebibytes", "count": "Count",
        "exponent": "Exponent",
      ]
      for figure in report.figures {
        #expect(figure.measured.isFinite, "\(figure.name)")
        #expect(endings[figure.unit].map(figure.name.hasSuffix) == true, "\(figure.name)")
        #expect(["atMost", "atLeast"].contains(figure.sense), "\(figure.name)")
        #expect(figure.verdict == "notJudged", "\(figure.name): nothing quick is judged")
        if let spread = figure.spread {
          #expect(spread.samples > 0)
          #expect(spread.minimum <= spread.median && spread.median <= spread.p99)
          #expect(spread.p99 <= spread.maximum)
        }
      }
      return report
    }

    @Test("micro measures every part")
    func micro() throws {
      let run = try Self.run(["micro", "--quick", "--json"])
      let report = try Self.expectWellFormed(run, verb: "micro")
      let gates = [
        "beginEndActiveMainRatio": 15, "beginEndActiveThreadRatio": 15,
        "beginEndBackgroundMainRatio": 15, "beginEndBackgroundThreadRatio": 15,
        "remainingMainRatio": 2, "remainingThreadRatio": 2,
        "periodicIntervalErrorMilliseconds": 2, "periodicCorePercent": 2,
        "periodicLateCallsCount": 1, "machineryPercent": 0.5,
        "commitRatio": 1.15, "saved250msChunksPercent": 97, "saved1sChunksPercent": 94,
      ]
      for (name, gate) in gates {
        #expect(report[name]?.gate == gate, "\(name)")
        #expect(report[name]?.goal != nil, "\(name)")
      }
      for name in ["saved250msChunksPercent", "saved1sChunksPercent"] {
        let figure = try #require(report[name])
        #expect(figure.sense == "atLeast")
        #expect((0...100).contains(figure.measured), "\(name)")
      }
      for call in ["beginEndActive", "beginEndBackground", "remaining"] {
        for place in ["Main", "Thread"] {
          // The time itself is told and not judged: it is the machine's as much as Stint's.
          #expect(try #require(report["\(call)\(place)Ratio"]).measured > 0)
          let time = try #require(report["\(call)\(place)Nanoseconds"])
          #expect(time.gate == nil && time.measured > 0)
        }
      }
    }

    @Test("hard-stop runs every kind of process, quiet and loaded")
    func hardStop() throws {
      let run = try Self.run(["hard-stop", "--quick", "--json"])
      let report = try Self.expectWellFormed(run)
      for load in ["Quiet", "Loaded"] {
        for subject in ["stuckHandler", "insideGMP", "endsInTime", "timeout", "timeoutForeground"] {
          #expect(report["\(subject)\(load)WrongEndsCount"]?.measured == 0, "\(subject) \(load)")
        }
      }
      // Two rounds on a machine with other work may starve; then there is nothing to compare.
      if let figure = report["stuckHandlerQuietLastInstructionMilliseconds"] {
        #expect(figure.gate == 1)
        #expect(figure.goal == 0.2)
      }
      #expect(
        run.errors.contains("Process 1 is left out")
          || report["processOneStuckQuietWrongEndsCount"] != nil)
    }

    @Test(
      "bad usage is said and ends with 64",
      arguments: [
        ["nano"], [], ["micro", "--rounds", "0"], ["micro", "--only", "nothing", "--quick"],
        ["hard-stop", "--budget", "1s"], ["micro", "--budget", "10"], ["micro", "operand"],
      ])
    func usage(arguments: [String]) throws {
      let run = try Self.run(arguments)
      #expect(run.status == 64)
      #expect(run.errors.contains("stint-bench: "))
      #expect(run.output.isEmpty)
    }

    @Test("help and version", arguments: ["help", "--version"])
    func help(word: String) throws {
      let run = try Self.run([word])
      #expect(run.status == 0)
      #expect(run.output.contains("stint-bench"))
    }
  }
}

@Suite("Judging what stint-bench measures")
struct BenchVerdictTests {
  @Test(
    "a figure that must be low",
    arguments: [
      (0.1, Figure.Verdict.reachedGoal), (0.2, .reachedGoal), (0.3, .withinGate),
      (1.0, .withinGate), (1.001, .missed),
    ])
  func atMost(measured: Double, verdict: Figure.Verdict) {
    let figure = Figure("x", "x", .milliseconds, measured, gate: 1, goal: 0.2)
    #expect(figure.verdict == verdict)
  }

  @Test(
    "a figure that must be high",
    arguments: [
      (98.5, Figure.Verdict.reachedGoal), (97.0, .withinGate), (96.9, .missed), (0, .missed),
    ])
  func atLeast(measured: Double, verdict: Figure.Verdict) {
    let figure = Figure("x", "x", .percent, measured, gate: 97, goal: 98, sense: .atLeast)
    #expect(figure.verdict == verdict)
  }

  @Test("a missed gate is what --check looks at, unless the figure is not judged")
  func report() {
    let machine = MachineState(
      processors: 2, twoThreadSpeedup: 2, othersPercent: 0, loadAverage: 0,
      iterationsPerSecond: 1e9)
    let missed = Figure("x", "x", .count, 1, gate: 0, goal: 0)
    func report(_ figure: Figure) -> BenchReport {
      BenchReport(
        verb: "micro", quick: false, machine: machine, figures: [figure], tookSeconds: 1)
    }
    #expect(report(missed).hasMissedGate)
    #expect(!report(missed.notJudged()).hasMissedGate)
    #expect(!report(Figure("x", "x", .count, 1)).hasMissedGate)
    #expect(TablePrinter.render(report(missed)).contains("missed"))
  }

  @Test("a machine is busy when others compute, or when two threads do no more than one")
  func busy() {
    func machine(others: Double, speedup: Double) -> MachineState {
      MachineState(
        processors: 2, twoThreadSpeedup: speedup, othersPercent: others, loadAverage: 9,
        iterationsPerSecond: 1e9)
    }
    #expect(machine(others: 15, speedup: 1.8).busyReason == nil)
    #expect(machine(others: 16, speedup: 2).busyReason?.contains("Others use 16 %") == true)
    #expect(machine(others: 0, speedup: 1.7).busyReason?.contains("1.70 times") == true)
  }

  @Test("quantiles are values of the sample, by nearest rank")
  func quantiles() {
    let hundred = Sample((1...100).shuffled().map(Double.init))
    #expect(hundred.median == 50.5)
    #expect(hundred.p99 == 99)
    #expect(hundred.quantile(0.5) == 50)
    #expect((hundred.minimum, hundred.maximum) == (1, 100))
    #expect(Sample([3, 1, 2]).median == 2)
    #expect(Sample([7]).p99 == 7)
    #expect(hundred.medianInterval().contains(hundred.median))
  }

  @Test("rounds are interleaved, every second one backwards")
  func interleaving() {
    var order = ""
    let results = Interleaving.run(["A", "B", "C"], rounds: 3) { subject in
      order += subject
      return order.count
    }
    #expect(order == "ABCCBAABC")
    #expect(results["A"] == [1, 6, 7])
  }
}
