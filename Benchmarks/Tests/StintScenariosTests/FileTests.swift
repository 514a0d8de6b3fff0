import Foundation
import StintCore
import Testing

@testable import StintScenarios

@Suite("Files of scenarios")
struct FileTests {
  static let good = """
    {"format": "stint-scenario/1", "name": "mine", "title": "Mine", "trips": 3,
     "trace": {"grant": {"kind": "constant", "seconds": 10}},
     "workload": {"chunk": {"kind": "constant", "seconds": 1}, "checkpoint": {"kind": "constant", "seconds": 0.1}}}
    """

  static let moves = """
    {"share": 0.3, "afterSeconds": {"kind": "constant", "seconds": 4}, "bySeconds": {"kind": "constant", "seconds": 2}}
    """

  @Test("all that changes over time is read, and written again as it was")
  func changing() throws {
    let text = Self.good.replacingOccurrences(
      of: "\"workload\": {",
      with: """
        "workload": {"chunkDrift": {"factor": 3, "overTrips": 100}, "restartSeconds": 2,
        "checkpointDrift": {"factor": 0.5, "overTrips": 7}, "checkpointGrowthPerHour": 0.25,
        "chunkPerTripFactor": {"kind": "mixture", "parts": [
          {"weight": 9, "of": {"kind": "constant", "value": 1}},
          {"weight": 1, "of": {"kind": "logNormal", "mean": 4, "sigma": 0.1, "most": 9}}]},
        "checkpointPerTripFactor": {"kind": "uniform", "from": 1, "to": 5},
        """
    ).replacingOccurrences(of: "\"trace\": {", with: "\"trace\": {\"moves\": \(Self.moves), ")
    let scenario = try ScenarioFile.decode(Scenario.self, Data(text.utf8))
    let workload = scenario.workload
    #expect(workload.chunkDrift == Drift(factor: 3, overTrips: 100))
    #expect(workload.checkpointGrowthPerHour == 0.25 && workload.restartSeconds == 2)
    #expect(workload.checkpointTripFactor == Distribution(.uniform(from: 1, to: 5)))
    #expect(abs((workload.chunkTripFactor?.mean ?? 0) - 1.3) < 1e-3)
    #expect(scenario.trace.moves?.laterShare == 0.5)
    let again = try ScenarioFile.decode(
      Scenario.self, Data(try ScenarioFile.json(scenario).utf8))
    #expect(again.workload == workload)
    #expect(again.trace == scenario.trace)
    #expect(Oracle(scenario) == nil)
  }

  /// A folder with a scenario whose chunks are a column of a file.
  private static func withFolder(
    csv: String?, file: String = "chunks.csv", column: String = "seconds",
    _ body: (String) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let chunk = "{\"kind\": \"csv\", \"file\": \"\(file)\", \"column\": \"\(column)\"}"
    let text = good.replacingOccurrences(
      of: "{\"kind\": \"constant\", \"seconds\": 1}", with: chunk)
    try Data(text.utf8).write(to: folder.appending(path: "mine.json"))
    if let csv { try Data(csv.utf8).write(to: folder.appending(path: "chunks.csv")) }
    try body(folder.appending(path: "mine.json").path())
  }

  @Test("the times of a chunk can be a column of a file, and a report holds them all")
  func column() throws {
    try Self.withFolder(csv: "# measured\r\nid,seconds\r\n1,2.5\r\n2,0.5\r\n\r\n3,1.5\r\n") {
      path in
      let scenario = try ScenarioFile.read(path)
      #expect(abs(scenario.workload.chunk.mean - 1.5) < 1e-9)
      #expect(scenario.workload.chunk.quantile(0.5) == 1.5)
      let json = try ScenarioFile.json(scenario)
      let again = try ScenarioFile.decode(Scenario.self, Data(json.utf8))
      #expect(again.workload == scenario.workload)
    }
  }

  @Test("a report whose definition names a file that is not there is read all the same")
  func unread() throws {
    let text = Self.good.replacingOccurrences(
      of: "{\"kind\": \"constant\", \"seconds\": 1}",
      with: "{\"kind\": \"csv\", \"file\": \"gone.csv\", \"column\": \"seconds\"}")
    let scenario = try ScenarioFile.decode(Scenario.self, Data(text.utf8))
    #expect(scenario.workload.chunk.isUnread)
  }

  @Test(
    "a column that cannot be read is refused with the reason",
    arguments: [
      ("seconds\n", "chunks.csv", "chunks.csv has no value"),
      ("", "chunks.csv", "chunks.csv is empty"),
      ("id\n1\n", "chunks.csv", "chunks.csv has no column \"seconds\"; its columns are id"),
      ("seconds\n1\n-1\n", "chunks.csv", "Line 3 of chunks.csv: seconds must be a number from 0"),
      ("seconds\n1\nx\n", "chunks.csv", "Line 3 of chunks.csv: seconds must be a number from 0"),
      ("seconds\nnan\n", "chunks.csv", "Line 2 of chunks.csv: seconds must be a number from 0"),
      ("seconds\n1,2\n", "chunks.csv", "Line 2 of chunks.csv: there must be 1 fields"),
      ("seconds\n0\n0\n", "chunks.csv", "workload.chunk has a mean of 0"),
      (nil, "chunks.csv", "cannot be read"),
      ("seconds\n1\n", "../chunks.csv", "workload.chunk.file must be the name of a .csv file"),
      ("seconds\n1\n", "/etc/chunks.csv", "workload.chunk.file must be the name of a .csv file"),
      ("seconds\n1\n", "chunks.txt", "workload.chunk.file must be the name of a .csv file"),
      ("seconds\n1\n", ".csv", "workload.chunk.file must be the name of a .csv file"),
      (
        "seconds\n" + String(repeating: "1\n", count: 10_001), "chunks.csv",
        "workload.chunk.file has 10001 values; the most is 10000"
      ),
    ] as [(String?, String, String)])
  func badColumn(csv: String?, file: String, sentence: String) throws {
    try Self.withFolder(csv: csv, file: file) { path in
      let error = #expect(throws: StintError.self) { try ScenarioFile.read(path) }
      #expect(error?.message.contains(sentence) ?? false, "\(error?.message ?? "")")
    }
  }

  @Test("what was announced is a column of its own, and may be empty")
  func announced() throws {
    let text = "grantSeconds,warningSeconds,announcedSeconds\n30,5,60\n20,,20\n10,1,\n"
    let trips = try CSVTrace.trips(text, name: "x.csv")
    #expect(trips.map(\.announced) == [60, 20, nil])
    #expect(
      try CSVTrace.trips("grantSeconds,announcedSeconds\n5,9\n", name: "x.csv").map(\.announced)
        == [9])
    #expect(try CSVTrace.trips("grantSeconds\n5\n", name: "x.csv").map(\.announced) == [5])
    for wrong in ["0", "-1", "x", "nan", "1000001"] {
      let error = #expect(throws: StintError.self) {
        try CSVTrace.trips("grantSeconds,announcedSeconds\n5,\(wrong)\n", name: "x.csv")
      }
      #expect(
        error?.message.contains("Line 2 of x.csv: announcedSeconds must be empty, or a number")
          ?? false)
    }
  }

  @Test("a whole file is read")
  func whole() throws {
    let scenario = try ScenarioFile.decode(Scenario.self, Data(Self.good.utf8))
    #expect(scenario.trips == 3)
    #expect(scenario.workSeconds == 100)
  }

  /// A change that puts a member into an object.
  private static func adding(
    _ member: String, to object: String, _ sentence: String
  ) -> (String, String, String) {
    ("\"\(object)\": {", "\"\(object)\": {\(member), ", sentence)
  }

  /// Another distribution of the chunk.
  private static func chunk(
    _ distribution: String, _ sentence: String
  ) -> (String, String, String) {
    (#"{"kind": "constant", "seconds": 1}"#, distribution, sentence)
  }

  @Test(
    "what is wrong is refused with the member and the range",
    arguments: [
      (#""trips": 3"#, #""trips": 0"#, "trips is 0; it must be a whole number from 1 to 1000000"),
      (#""trips": 3"#, #""trips": "3""#, "trips must be a whole number"),
      (#""trips": 3"#, #""tripz": 3"#, "tripz is not known here; did you mean trips?"),
      ("stint-scenario/1", "stint-scenario/9", #"format is "stint-scenario/9""#),
      (#""mine""#, #""my own""#, "name must be 1 to 60 letters, digits and hyphens"),
      (
        #""seconds": 10"#, #""seconds": -1"#,
        "trace.grant.seconds is -1; it must be a number from 0"
      ),
      (#""seconds": 10"#, #""mean": 10"#, "trace.grant.mean is not known here"),
      (
        #""constant", "seconds": 10"#, #""normal", "seconds": 10"#, #"trace.grant.kind is "normal""#
      ),
      (
        #"{"kind": "constant", "seconds": 10}"#, #"{"policy": "ios99"}"#,
        #"trace.grant.policy is "ios99""#
      ),
      (#""trips": 3"#, #""strategies": ["best"]"#, #"strategies names "best""#),
      (#""trips": 3"#, #""trips": 3,"#, "no JSON"),
      chunk(#"{"kind": "constant", "seconds": 0}"#, "workload.chunk has a mean of 0"),
      adding(
        #""chunkDrift": {"factor": 0.001, "overTrips": 5}"#, to: "workload",
        "workload.chunkDrift.factor is 0.001; it must be a number from 0.01 to 100"),
      adding(
        #""checkpointDrift": {"factor": 2}"#, to: "workload",
        "workload.checkpointDrift.overTrips is missing; it must be a whole number from 1"),
      adding(
        #""chunkDrift": {"factor": 2, "overTrips": 0}"#, to: "workload",
        "workload.chunkDrift.overTrips is 0; it must be a whole number from 1 to 1000000"),
      adding(
        #""chunkPerTripFactor": {"kind": "constant", "seconds": 1}"#, to: "workload",
        "workload.chunkPerTripFactor.seconds is not known here"),
      adding(
        #""checkpointPerTripFactor": {"kind": "uniform", "from": 2, "to": 1}"#, to: "workload",
        "workload.checkpointPerTripFactor.to is 1; it must be a number from 2 to 1000000"),
      adding(
        #""checkpointGrowthPerHour": -1"#, to: "workload",
        "workload.checkpointGrowthPerHour is -1; it must be a number from 0 to 1000"),
      adding(
        #""restartSeconds": -1"#, to: "workload",
        "workload.restartSeconds is -1; it must be a number from 0"),
      adding(
        #""restartSeconds": 10"#, to: "workload",
        "workload.restartSeconds is 10; it must be below the mean budget of 10 seconds"),
      chunk(
        #"{"kind": "mixture", "parts": []}"#,
        "workload.chunk.parts has 0 parts; it must be an array of 1 to 100"),
      chunk(#"{"kind": "mixture"}"#, "workload.chunk.parts is missing"),
      chunk(
        #"{"kind": "mixture", "parts": [{"weight": 0, "of": {"kind": "constant", "seconds": 1}}]}"#,
        "workload.chunk.parts[0].weight is 0; it must be a number from"),
      chunk(
        #"{"kind": "mixture", "parts": [{"weight": 1, "of": {"kind": "mixture", "parts": [{"weight": 1, "of": {"kind": "constant", "seconds": 1}}]}}]}"#,
        "workload.chunk.parts[0].of is a mixture again"),
      adding(
        "\"isAnnounced\": false, \"moves\": \(FileTests.moves)", to: "trace",
        "trace.moves needs isAnnounced"),
      adding(
        #""moves": {"share": 2}"#, to: "trace",
        "trace.moves.share is 2; it must be a number from 0 to 1"),
    ])
  func refused(old: String, new: String, sentence: String) {
    let text = Self.good.replacingOccurrences(of: old, with: new)
    #expect(text != Self.good)
    let error = #expect(throws: StintError.self) {
      try ScenarioFile.decode(Scenario.self, Data(text.utf8))
    }
    #expect(error?.code == .usage)
    #expect(error?.message.contains(sentence) ?? false, "\(error?.message ?? "")")
  }

  @Test("a CSV trace is read, and a wrong line is named")
  func csv() throws {
    let text = "# from nowhere\ngrantSeconds,warningSeconds\n30,5\n\n12.5,\n"
    let trips = try CSVTrace.trips(text, name: "x.csv")
    #expect(
      trips == [
        .init(grantSeconds: 30, warningSeconds: 5), .init(grantSeconds: 12.5, warningSeconds: 0),
      ])
    for (wrong, sentence) in [
      ("grantSeconds\n0\n", "Line 2 of x.csv: grantSeconds must be"),
      ("grant\n1\n", "Line 1 of x.csv: the header must be"),
      ("grantSeconds,warningSeconds\n5,6\n", "Line 2 of x.csv: warningSeconds"),
      ("grantSeconds\n1,2\n", "Line 2 of x.csv: there must be 1 fields"),
      ("grantSeconds\n", "has no trip"),
    ] {
      let error = #expect(throws: StintError.self) { try CSVTrace.trips(wrong, name: "x.csv") }
      #expect(error?.message.contains(sentence) ?? false, "\(error?.message ?? "")")
    }
  }
}
