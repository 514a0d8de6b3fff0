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

  @Test("a whole file is read")
  func whole() throws {
    let scenario = try ScenarioFile.decode(Scenario.self, Data(Self.good.utf8))
    #expect(scenario.trips == 3)
    #expect(scenario.workSeconds == 100)
  }

  @Test(
    "what is wrong is refused with the member and the range",
    arguments: [
      ("\"trips\": 3", "\"trips\": 0", "trips is 0; it must be a whole number from 1 to 1000000"),
      ("\"trips\": 3", "\"trips\": \"3\"", "trips must be a whole number"),
      ("\"trips\": 3", "\"tripz\": 3", "tripz is not known here; did you mean trips?"),
      ("stint-scenario/1", "stint-scenario/9", "format is \"stint-scenario/9\""),
      ("\"mine\"", "\"my own\"", "name must be 1 to 60 letters, digits and hyphens"),
      (
        "\"seconds\": 10", "\"seconds\": -1",
        "trace.grant.seconds is -1; it must be a number from 0"
      ),
      ("\"seconds\": 10", "\"mean\": 10", "trace.grant.mean is not known here"),
      (
        "\"constant\", \"seconds\": 10", "\"normal\", \"seconds\": 10",
        "trace.grant.kind is \"normal\""
      ),
      (
        "{\"kind\": \"constant\", \"seconds\": 10}", "{\"policy\": \"ios99\"}",
        "trace.grant.policy is \"ios99\""
      ),
      ("\"trips\": 3", "\"strategies\": [\"best\"]", "strategies names \"best\""),
      ("\"trips\": 3", "\"trips\": 3,", "no JSON"),
      (
        "{\"kind\": \"constant\", \"seconds\": 1}", "{\"kind\": \"constant\", \"seconds\": 0}",
        "workload.chunk has a mean of 0"
      ),
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
