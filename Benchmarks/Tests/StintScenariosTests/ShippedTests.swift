import Foundation
import StintCore
import Testing

@testable import StintScenarios

@Suite("The scenarios that ship")
struct ShippedTests {
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "scenarios")

  static let all: [Scenario] =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
      .filter { $0.hasSuffix(".json") }
      .map { try ScenarioFile.read(folder.appending(path: $0).path()) }) ?? []

  /// Fewer trips: the tests are built without optimisation.
  static let small: [Scenario] = all.map { scenario in
    var scenario = scenario
    scenario.trips = min(scenario.trips, max(4, 60 / Int(scenario.trace.meanGrantSeconds)))
    return scenario
  }

  @Test("all are read, and each is named as its file")
  func names() throws {
    #expect(Self.all.count >= 20)
    for scenario in Self.all {
      let file = Self.folder.appending(path: scenario.name + ".json").path()
      #expect(FileManager.default.fileExists(atPath: file), "\(scenario.name)")
    }
  }

  @Test("a scenario that is written and read again is the same", arguments: all)
  func roundTrip(scenario: Scenario) throws {
    var again = try ScenarioFile.decode(Scenario.self, Data(try ScenarioFile.json(scenario).utf8))
    if case .listed = scenario.trace.grant { again.trace.grant = scenario.trace.grant }
    #expect(again.trace == scenario.trace)
    #expect(again.workload == scenario.workload)
    #expect(again.workSeconds == scenario.workSeconds)
  }

  @Test("Stint overruns nowhere, and nobody claims what is not saved", arguments: small)
  func noOverrun(scenario: Scenario) throws {
    var scenario = scenario
    scenario.strategies = StrategyName.allCases.filter { $0 != .oracle }
    let result = ScenarioRun(scenario, seed: 3, repeats: 1).result()
    let stint = try #require(result[.stint])
    #expect(stint.overruns.count == 0)
    #expect(stint.savedShare.mean > 0.2)
    #expect(result.strategies.allSatisfy { $0.falseClaims == 0 })
    #expect(result[.untilKilled]?.savedShare.mean == 0)
  }

  @Test(
    "no rule beats the oracle by more than its error and chance",
    arguments: small.filter {
      $0.name == "fixed-5s"
    })
  func neverBelow(scenario: Scenario) throws {
    var scenario = scenario
    scenario.strategies = [.p99, .expectation, .young, .stint, .oracle]
    let result = ScenarioRun(scenario, seed: 5, repeats: 3).result()
    let oracle = try #require(result.oracle)
    for strategy in result.strategies {
      let behind = try #require(strategy.behindOraclePoints)
      #expect(behind.high >= -oracle.errorPoints - 0.1, "\(strategy.name)")
    }
  }

  @Test("the same seed gives the same bytes, another one others")
  func bytes() throws {
    let whole = try #require(Self.small.first { $0.name == "fixed-5s" })
    var scenario = whole
    scenario.strategies = [.every, .p99, .stint]
    func json(_ seed: UInt64) throws -> String {
      try ScenarioFile.json(ScenarioRun(scenario, seed: seed, repeats: 2).result())
    }
    let first = try json(1)
    #expect(try json(1) == first)
    #expect(try json(2) != first)
  }
}
