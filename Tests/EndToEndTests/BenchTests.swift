import Foundation
import Testing

/// The benchmark is run with small counts; what it measures is not looked at, only that it measures everything.
@Suite("stint-bench", .serialized)
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
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "stint-bench-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (output, errors) = (folder.appending(path: "out"), folder.appending(path: "err"))
    for file in [output, errors] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return Run(
      status: process.terminationStatus,
      output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
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

  static func report(_ run: Run) throws -> Report {
    try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
  }

  static func expectWellFormed(_ report: Report) {
    #expect(report.program == "stint-bench")
    #expect(report.quick)
    #expect(report.machine.processors >= 1)
    #expect(report.machine.twoThreadSpeedup > 0)
    #expect(report.machine.iterationsPerSecond > 0)
    #expect(report.tookSeconds > 0)
    #expect(Set(report.figures.map(\.name)).count == report.figures.count, "names are unique")
    let endings = [
      "nanoseconds": "Nanoseconds", "milliseconds": "Milliseconds", "percent": "Percent",
      "ratio": "Ratio", "mebibytes": "Mebibytes", "count": "Count",
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
  }

  @Test("micro measures every part")
  func micro() throws {
    let run = try Self.run(["micro", "--quick", "--json"])
    #expect(run.status == 0, "\(run.errors)")
    let report = try Self.report(run)
    Self.expectWellFormed(report)
    #expect(report.verb == "micro")
    let gates = [
      "beginEndActiveMainNanoseconds": 400, "beginEndActiveThreadNanoseconds": 400,
      "beginEndBackgroundMainNanoseconds": 400, "beginEndBackgroundThreadNanoseconds": 400,
      "remainingMainNanoseconds": 60, "remainingThreadNanoseconds": 60, "machineryPercent": 0.5,
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
  }

  @Test("hard-stop runs every kind of process, quiet and loaded")
  func hardStop() throws {
    let run = try Self.run(["hard-stop", "--quick", "--json"])
    #expect(run.status == 0, "\(run.errors)")
    let report = try Self.report(run)
    Self.expectWellFormed(report)
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
