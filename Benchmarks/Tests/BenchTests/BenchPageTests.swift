import Foundation
import StintCore
import StintReport
import StintScenarios
import Testing

@testable import stint_bench

extension BriefBenchmarks {
  @Suite("stint-bench report")
  struct BenchPageTests {
    typealias Object = [String: Any]

    static func estimate(_ mean: Double) -> Object {
      ["mean": mean, "low": mean - 0.005, "high": mean + 0.005, "repeats": [mean, mean]]
    }

    /// A trip as `docs/formats/bench-report.md` has it.
    static func trip(_ number: Int, end: String) -> Object {
      [
        "number": number, "beganSeconds": Double(number) * 40, "isDenied": false,
        "announcedSeconds": 30.0, "warnedSeconds": 27.0, "deadlineSeconds": 30.0,
        "enforcedSeconds": 31.0, "standstills": [["beginSeconds": 3.0, "endSeconds": 5.0]],
        "endSeconds": end == "killed" ? 31.0 : 29.0, "end": end, "savedSeconds": 20.0,
        "lostSeconds": end == "killed" ? 7.0 : 0.0,
        "chunks": [
          ["index": 0, "beginSeconds": 0.0, "endSeconds": 10.0, "isComplete": true],
          ["index": 1, "beginSeconds": 10.5, "endSeconds": 20.0, "isComplete": true],
        ],
        "checkpoints": [
          ["beginSeconds": 20.0, "endSeconds": 20.5, "isDurable": true, "workSeconds": 20.0],
          ["beginSeconds": 30.5, "endSeconds": 31.0, "isDurable": false, "workSeconds": 27.0],
        ],
      ]
    }

    static func strategy(_ name: String, share: Double) -> Object {
      let isLate = name == "untilKilled"
      var overruns: Object = ["count": isLate ? 5 : 0, "trips": 40, "histogram": [Object]()]
      if isLate {
        overruns["pastDeadlineSeconds"] = ["count": 5, "p50": 1.0, "p99": 1.0, "maximum": 1.0]
        overruns["histogram"] = [["fromSeconds": 0.5, "toSeconds": 1.0, "count": 5]]
      }
      return [
        "name": name, "title": "Strategy \(name)", "savedShare": estimate(share),
        "behindOraclePoints": estimate((0.97 - share) * 100), "lostShare": estimate(0.01),
        "checkpointShare": estimate(0.02), "lostSeconds": 1.0, "doneAgainSeconds": 0.5,
        "unusedSeconds": 2.0, "checkpoints": 12, "checkpointSeconds": 6.0, "overruns": overruns,
        "unfinishedRepeats": 0, "falseClaims": 0, "perRepeat": [Object](),
        "life": [
          trip(0, end: isLate ? "killed" : "inOrder"),
          [
            "number": 1, "beganSeconds": 40.0, "isDenied": true, "deadlineSeconds": 0.0,
            "enforcedSeconds": 0.0, "endSeconds": 0.0, "end": "denied", "savedSeconds": 0.0,
            "lostSeconds": 0.0, "standstills": [Object](), "chunks": [Object](),
            "checkpoints": [Object](),
          ],
          trip(2, end: isLate ? "gone" : "inOrder"),
        ],
      ]
    }

    static var definition: Object {
      [
        "format": "stint-scenario/1", "name": "mine", "title": "Mine", "trips": 20,
        "trace": ["grant": ["kind": "constant", "seconds": 30]],
        "workload": [
          "chunk": ["kind": "constant", "seconds": 2],
          "checkpoint": ["kind": "constant", "seconds": 0.5],
        ],
      ]
    }

    static func report(format: String = "stint-bench-report/1", chunks: [Double] = [0.25, 2])
      -> Object
    {
      let goal: Object = [
        "name": "near", "sentence": "within 1.5 points", "measured": 0.5, "limit": 1.5,
        "sense": "atMost", "isKept": true,
      ]
      let scenarios = chunks.map { chunk -> Object in
        [
          "name": "s\(chunk)", "title": "Chunks of \(chunk) s <&>", "description": "Made up.",
          "definition": definition, "trips": 20, "grantedSeconds": 1_200.0,
          "chunkMeanSeconds": chunk, "checkpointMeanSeconds": 0.5, "budgetMeanSeconds": 30.0,
          "oracle": [
            "expectedSavedShare": 0.97, "gridSeconds": 0.01, "errorPoints": 0.02,
            "sentence": "It knows the distributions.",
          ],
          "strategies": [
            strategy("untilKilled", share: 0.1), strategy("stint", share: 0.965),
            strategy("oracle", share: 0.97),
          ], "goals": [goal],
        ]
      }
      return [
        "format": format, "program": "stint-bench", "version": "1", "mode": "virtual", "seed": 1,
        "repeats": 2, "scenarios": scenarios, "goals": [goal], "later": ["members": "are skipped"],
      ]
    }

    static func data(_ object: Object) throws -> Data {
      try JSONSerialization.data(withJSONObject: object)
    }

    static func read(_ data: Data) throws -> ScenarioReport {
      let scratch = try Scratch()
      try scratch.write(String(decoding: data, as: UTF8.self), to: "r.json")
      return try ScenarioFile.report(scratch("r.json"))
    }

    @Test("every documented member finds its place")
    func reading() throws {
      let report = try Self.read(Self.data(Self.report()))
      #expect(report.program == "stint-bench" && report.version == "1" && report.repeats == 2)
      #expect(report.scenarios.map(\.chunkMeanSeconds) == [0.25, 2])
      let strategy = try #require(report.scenarios.first?.strategies.first)
      #expect(
        strategy.savedShare.mean == 0.1 && strategy.overruns.pastDeadlineSeconds?.maximum == 1)
      #expect(strategy.overruns.histogram.map(\.fromSeconds) == [0.5])
      #expect(strategy.overruns.histogram.map(\.count) == [5])
      let stints = Life(strategy.life).stints
      #expect(stints.map(\.ending) == [.killed, .denied, .killed])
      #expect(stints[0].budget == .seconds(30) && stints[0].overshoot == .seconds(1))
      #expect(stints[0].lostFrom == .seconds(20.5) && stints[0].lost == .seconds(7))
      #expect(stints[0].checkpoints.map(\.at) == [.seconds(20.5)])
      #expect(stints[0].remarks.map(\.kind) == [.checkpointFailed, .notice])
      #expect(stints[0].expiries.map(\.at) == [.seconds(27)])
      #expect(stints[2].words == "the end came unannounced" && stints[2].began == .seconds(80))
      #expect(Life(report.scenarios[0].strategies[1].life).stints[0].lostFrom == nil)
      #expect(report.goals.first?.sense == .atMost)
    }

    @Test("what is no such report is refused with the place that is wrong")
    func refused() throws {
      func message(_ change: (inout Object) -> Void) throws -> String {
        var object = Self.report()
        change(&object)
        do {
          _ = try Self.read(Self.data(object))
          return "accepted"
        } catch let error as StintError {
          #expect(error.code == .damaged)
          return error.message
        }
      }
      #expect(try message { $0["format"] = "other/9" }.contains("format is \"other/9\""))
      #expect(try message { $0["seed"] = nil }.contains("The member seed is missing"))
      #expect(try message { $0["repeats"] = "2" }.contains("The member repeats is of another kind"))
      let goal: Object = [
        "name": "near", "sentence": "", "measured": 0.5, "limit": 1.5, "sense": "other",
        "isKept": true,
      ]
      let unknown = try message { $0["goals"] = [goal] }
      #expect(unknown.contains("goals") && unknown.contains("sense"), "\(unknown)")
      #expect(throws: StintError.self) { try Self.read(Data("not JSON".utf8)) }
    }

    @Test("the verb writes a page and a trace, and says what it needs")
    func verb() throws {
      let scratch = try Scratch()
      try Self.data(Self.report()).write(to: URL(filePath: scratch("r.json")))
      let run = try BenchTests.run([
        "report", scratch("r.json"), "--html", scratch("r.html"), "--trace", scratch("t.json"),
      ])
      #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
      #expect(scratch.text("r.html").contains("Chunks of 0.25 s &lt;&amp;&gt;"))
      let trace = try JSONSerialization.jsonObject(with: scratch.bytes("t.json"))
      let events = (trace as? Object)?["traceEvents"] as? [Object] ?? []
      #expect(events.contains { $0["name"] as? String == "chunk" })
      #expect(Set(events.compactMap { $0["pid"] as? Int }) == Set(1...6))
      #expect(try BenchTests.run(["report", scratch("r.json")]).status == 64)
      #expect(
        try BenchTests.run(["report", scratch("no.json"), "--html", scratch("x")]).status == 74)
      #expect(
        try BenchTests.run(["report", scratch("r.html"), "--html", scratch("x")]).status == 65)
    }

    @Test("run writes the same page and trace as report makes of its JSON")
    func runWrites() throws {
      let scratch = try Scratch()
      let scenario = """
        {"format": "stint-scenario/1", "name": "mine", "title": "Mine <own>", "trips": 3,
         "trace": {"grant": {"kind": "constant", "seconds": 5}},
         "workload": {"chunk": {"kind": "constant", "seconds": 0.5},
           "checkpoint": {"kind": "constant", "seconds": 0.1}},
         "strategies": ["untilKilled", "every", "stint"]}
        """
      try scratch.write(scenario, to: "mine.json")
      let run = try BenchTests.run([
        "run", scratch("mine.json"), "--repeats", "2", "--quiet", "--json", scratch("r.json"),
        "--html",
        scratch("r.html"), "--trace", scratch("t.json"), "--csv", scratch("r.csv"),
      ])
      #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
      #expect(scratch.text("r.html").contains("Mine &lt;own&gt;"))
      #expect(scratch.text("t.json").contains("traceEvents"))
      let report = try BenchTests.run([
        "report", scratch("r.json"), "--html", scratch("again.html"), "--trace",
        scratch("again.json"),
      ])
      #expect(report.status == 0)
      #expect(scratch.text("again.html") == scratch.text("r.html"))
      #expect(scratch.text("again.json") == scratch.text("t.json"))
      let twice = try BenchTests.run([
        "run", scratch("mine.json"), "--json", scratch("x"), "--trace", scratch("x"),
      ])
      #expect(twice.status == 64 && twice.errors.contains("--json and --trace both name"))
    }

    private static var hasBrowser: Bool {
      ProcessInfo.processInfo.environment["CHROMIUM"] != nil
        || ChildProcess.installed(["chromium", "chromium-browser", "google-chrome", "chrome"])
          != nil
    }

    @Test(
      "a browser finds nothing wrong with the page",
      .enabled(
        if: hasBrowser,
        "no Chromium here; on Debian: apt-get install chromium"))
    func browser() throws {
      let scratch = try Scratch()
      let file = try Self.read(Self.data(Self.report(chunks: [0.25, 1, 2, 9])))
      try scratch.write(BenchPage(file).html, to: "bench.html")
      let look = ProgramCommand(
        program: try SourceFolder.find("scripts", holding: "look") + "/look",
        arguments: [scratch("bench.html")])
      let run = try CommandRun(look, logs: scratch.path)
      #expect(run.end == .exited(0), "\(run.errors)")
    }
  }
}
