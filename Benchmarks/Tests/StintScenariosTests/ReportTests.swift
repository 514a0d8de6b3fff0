import Foundation
import Testing

@testable import StintScenarios

@Suite("Reports of scenarios")
struct ReportTests {
  @Test("an interval is Student's: 1, 2 and 3 are 2 ± 2.484")
  func interval() throws {
    let estimate = try #require(Estimate([1, 2, 3]))
    #expect(estimate.mean == 2)
    #expect(abs(estimate.high - 4.484) < 1e-3)
    #expect(Estimate([]) == nil)
    #expect(Estimate([5])?.low == 5)
  }

  @Test("quantiles by the nearest rank")
  func quantiles() throws {
    let quantiles = try #require(Quantiles((1...200).map(Double.init).reversed()))
    #expect(quantiles.p50 == 100)
    #expect(quantiles.p99 == 198)
    #expect(quantiles.maximum == 200)
    #expect(Quantiles([]) == nil)
  }

  @Test("a goal that is missed fails the check unless the scenario explains it")
  func goals() throws {
    var scenario = Worlds.scenario()
    scenario.leastSavedShare = 0.999
    var result = ScenarioRun(scenario, seed: 1, repeats: 1).result()
    var report = ScenarioReport(version: "test", seed: 1, repeats: 1)
    result.goals = Goal.judge(result).filter { $0.name == "savedShare" }
    report.scenarios = [result]
    #expect(result.goals.first { $0.name == "savedShare" }?.isKept == false)
    #expect(report.missesGoal)
    result.definition.expectedLimits = [
      ExpectedLimit(goal: "savedShare", explanation: "nine chunks of ten fit")
    ]
    result.goals = Goal.judge(result).filter { $0.name == "savedShare" }
    report.scenarios = [result]
    #expect(!report.missesGoal)
    #expect(ScenarioTable.render(report.allGoals).contains("nine chunks of ten fit"))
  }

  @Test("an overrun of Stint and a false claim fail the check")
  func plantedFaults() throws {
    var result = ScenarioRun(Worlds.scenario(), seed: 1, repeats: 1).result()
    let index = try #require(result.strategies.firstIndex { $0.name == "stint" })
    #expect(!Goal.judge([result]).contains { !$0.isKept })
    result.strategies[index].overruns.count = 1
    #expect(Goal.judge([result]).first { $0.name == "noOverrun" }?.isKept == false)
    #expect(Goal.judge(result).first { $0.name == "noOverrun" }?.isKept == false)
    result.strategies[0].falseClaims = 1
    #expect(Goal.judge([result]).first { $0.name == "noFalseClaim" }?.isKept == false)
    let less = result.strategies[index].savedShare.repeats.map { $0 - 0.02 }
    result.strategies[index].savedShare = try #require(Estimate(less))
    #expect(Goal.judge(result).first { $0.name == "notBehindOthers" }?.isKept == false)
  }

  @Test("a goal is decided where its interval lies on one side of the limit")
  func decided() throws {
    func goal(_ repeats: [Double], _ sense: Goal.Sense = .atMost) throws -> Goal {
      Goal("behind", "x", measured: try #require(Estimate(repeats)), limit: 0.5, sense: sense)
    }
    let kept = try goal([0.1, 0.2, 0.1, 0.2, 0.1])
    #expect(kept.isKept && kept.isDecided == true && !kept.needsMoreRepeats)
    let missed = try goal([0.9, 0.8, 0.9, 0.8, 0.9])
    #expect(!missed.isKept && missed.isDecided == true)
    #expect(try goal([0.9, 0.8, 0.9, 0.8, 0.9], .atLeast).isKept)
    var open = try goal([0.1, 0.9, 0.1, 0.9, 0.1])
    #expect(open.isKept && open.needsMoreRepeats)
    #expect(ScenarioTable.render([open]).contains("Not decided: x: -0.12"))
    open.explanation = "known"
    #expect(!open.needsMoreRepeats)
    // Four repeats decide nothing, however alike they are; what is counted has no interval.
    #expect(try goal([0.1, 0.1, 0.1, 0.1]).needsMoreRepeats)
    #expect(Goal("n", "n", measured: 0, limit: 0, sense: .atMost).isDecided == nil)
  }

  @Test("what Stint is behind a rival is paired by repeat")
  func paired() throws {
    var result = ScenarioRun(Worlds.scenario(), seed: 1, repeats: 5).result()
    for index in result.strategies.indices {
      let behind = result.strategies[index].name == "stint" ? 0.004 : 0
      let shares = [0.5, 0.6, 0.7, 0.8, 0.9].map { $0 - behind }
      result.strategies[index].savedShare = try #require(Estimate(shares))
    }
    let goal = try #require(Goal.judge(result).first { $0.name == "notBehindOthers" })
    #expect(abs(goal.measured - 0.4) < 1e-9 && goal.isKept && goal.isDecided == true)
  }

  @Test("a report is read back as it was written; two of them are compared")
  func compare() throws {
    var report = ScenarioReport(version: "test", seed: 1, repeats: 2)
    report.scenarios = [ScenarioRun(Worlds.scenario(), seed: 1, repeats: 2).result()]
    let json = try ScenarioFile.json(report)
    let again = try ScenarioFile.decode(ScenarioReport.self, Data(json.utf8))
    #expect(try ScenarioFile.json(again) == json)
    var better = report
    better.scenarios[0].strategies[0].savedShare = try #require(Estimate([0.1, 0.1]))
    let lines = ScenarioTable.compare(report, better).split(separator: "\n")
    #expect(lines[1].contains("10.00") && lines[1].hasSuffix("more"))
    #expect(report.csv.split(separator: "\n").count == 1 + 2 * report.scenarios[0].strategies.count)
  }

  @Test("every figure is in the table, in the CSV and in the JSON; an older report is still read")
  func figures() throws {
    var report = ScenarioReport(version: "test", seed: 1, repeats: 2)
    report.scenarios = [ScenarioRun(Worlds.scenario(), seed: 1, repeats: 2).result()]
    let rows = report.csv.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    #expect(Set(rows.map(\.count)) == [24])
    let place = try #require(rows[0].firstIndex(of: "pastDeadlineMaximumSeconds"))
    let killed = try #require(rows.first { $0[1] == "untilKilled" })
    let result = try #require(report.scenarios[0].strategies.first { $0.name == "untilKilled" })
    #expect(
      Double(killed[place])
        == result.perRepeat[0].pastDeadlineSeconds?.maximum)
    #expect(result.perRepeat[0].pastDeadlineSeconds != nil)
    let again = result.perRepeat.compactMap(\.doneAgainSeconds).reduce(0, +)
    #expect(abs(again - result.doneAgainSeconds) < 1e-6 && again > 0)
    let table = ScenarioTable.render(report.scenarios[0]).split(separator: "\n")
    for word in ["saved", "±", "lost", "again", "saves", "overruns", "p99", "to durable", "trips"] {
      #expect(table.contains { $0.contains(" \(word)") }, "\(word)")
    }
    let older = try ScenarioFile.decode(
      StrategyResult.Counts.self, Data("{\"overruns\":1,\"checkpoints\":2}".utf8))
    #expect(older.doneAgainSeconds == nil && older.checkpoints == 2)
  }
}
