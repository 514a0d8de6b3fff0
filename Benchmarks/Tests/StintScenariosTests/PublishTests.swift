import Foundation
import Testing

@testable import StintScenarios

@Suite("The published table")
struct PublishTests {
  /// A world with everything that can take time from the work.
  private static func rough() -> Scenario {
    var workload = Worlds.workload(chunk: 0.7, checkpoint: 0.3)
    workload.restartSeconds = 2
    workload.closingSeconds = 0.01
    var scenario = Worlds.scenario(grant: 12, workload: workload, trips: 60)
    scenario.trace.deniedShare = 0.1
    scenario.trace.standstill = .init(share: 0.3, length: Distribution(.uniform(from: 1, to: 9)))
    scenario.trace.enforcedLate = Distribution(.uniform(from: 0, to: 3))
    scenario.trace.revocation = .init(after: Distribution(.exponential(mean: 20)), leadSeconds: 0)
    return scenario
  }

  /// Two traces with two workloads each.
  private static func table(
    seed: UInt64 = 1, measured: [PublishedTable.Section] = []
  ) -> PublishedTable {
    let sections = [10.0, 20].map { grant in
      var scenario = Worlds.scenario(grant: grant, trips: 4)
      scenario.trace.isAnnounced = grant < 15
      let results = scenario.tableScenarios.suffix(2).map { scenario in
        var scenario = scenario
        scenario.strategies = [.untilKilled, .p99, .stint]
        return ScenarioRun(scenario, seed: seed, repeats: 3).result()
      }
      return PublishedTable.Section(
        name: "fixed-\(Int(grant))", title: "50 % of $& #1_{x}", description: "One.",
        results: results)
    }
    return PublishedTable(
      version: "1", seed: seed, repeats: 3, sections: sections, measured: measured)
  }

  @Test("what was granted is all accounted for, whatever took it")
  func shares() throws {
    let result = ScenarioRun(Self.rough(), seed: 5, repeats: 3).result()
    #expect(result.strategies.count == StrategyName.allCases.count - 1)
    for strategy in result.strategies {
      let waste = try #require(strategy.waste)
      for number in 0..<3 {
        let parts = [
          strategy.savedShare, strategy.checkpointShare, strategy.lostShare, waste.idleShare,
          waste.restartShare, waste.lateShare,
        ].map { $0.repeats[number] }
        #expect(parts.allSatisfy { $0 >= 0 }, "\(strategy.name)")
        let sum = parts.reduce(0, +)
        #expect(abs(sum - 1 - waste.pastShare.repeats[number]) < 1e-9, "\(strategy.name)")
      }
      #expect(waste.restartShare.mean > 0)
    }
    let killed = try #require(result[.untilKilled])
    #expect(killed.waste?.pastShare.mean ?? 0 > 0 && killed.waste?.makespanOverIdeal == nil)
    #expect(killed.unfinishedRepeats == 3)
  }

  @Test("the makespan of a job counts granted time up to the checkpoint that holds it")
  func makespan() throws {
    // Budgets of 10 s hold nine chunks of 1 s and a checkpoint of 0.5 s, which p99 makes once. So
    // 14 s of work are durable 9.5 s after the beginning of the second.
    var scenario = Worlds.scenario(trips: 5)
    scenario.givenWorkSeconds = 14
    scenario.strategies = [.p99]
    let result = ScenarioRun(scenario, seed: 1, repeats: 2).result()
    let makespan = try #require(result[.p99]?.waste?.makespanOverIdeal)
    let ratio = 19.5 / 14
    #expect(makespan.repeats == [ratio, ratio])
    scenario.givenWorkSeconds = 1_000
    let never = ScenarioRun(scenario, seed: 1, repeats: 2).result()
    #expect(never[.p99]?.waste?.makespanOverIdeal == nil)
    #expect(result.meanTimeBetweenFailuresSeconds == nil)
  }

  @Test("workloads are shares of the mean budget, from cheap to dear, twice with a cost of a kill")
  func workloads() {
    let scenarios = Worlds.scenario(grant: 100).tableScenarios
    #expect(scenarios.count == 11)
    let restarts = scenarios.map(\.workload.restartSeconds)
    #expect(restarts.filter { $0 > 0 } == [5, 5])
    #expect(scenarios.first?.workload.checkpoint.mean == 0.2)
    #expect(Set(scenarios.map(\.name)).count == 11)
    #expect(scenarios.allSatisfy { $0.trace == Worlds.scenario(grant: 100).trace })
  }

  @Test("who is ahead of Stint is said by a paired interval, and Stint is beside itself nowhere")
  func ahead() throws {
    var scenario = Worlds.scenario(trips: 3)
    scenario.strategies = [.p99, .stint]
    var result = ScenarioRun(scenario, seed: 1, repeats: 3).result()
    let stint = try #require(result[.stint])
    #expect(result.aheadOfStint(stint) == nil)
    // Stint varies widely from repeat to repeat, and the other is always one point ahead.
    let index = try #require(result.strategies.firstIndex { $0.name == "stint" })
    result.strategies[index].savedShare = try #require(Estimate([0.1, 0.5, 0.9]))
    var other = try #require(result[.p99])
    other.savedShare = try #require(Estimate([0.11, 0.51, 0.91]))
    let ahead = try #require(result.aheadOfStint(other))
    #expect(abs(ahead.low - 1) < 1e-9 && abs(ahead.high - 1) < 1e-9)
    other.savedShare = try #require(Estimate([0.11, 0.51]))
    #expect(result.aheadOfStint(other) == nil)
  }

  @Test("the same seed makes the same bytes, and another seed makes others")
  func bytes() {
    let (one, two, other) = (Self.table(), Self.table(), Self.table(seed: 2))
    #expect(one.csv == two.csv && one.latex == two.latex && one.html == two.html)
    #expect(one.csv != other.csv)
  }

  @Test("a line of CSV for each trace, workload and strategy, with a field for each column")
  func csv() throws {
    let measured = try #require(Self.table().sections.first)
    var real = measured.results[0]
    real.strategies = real.strategies.map { strategy in
      var strategy = strategy
      strategy.waste = nil
      return strategy
    }
    let section = PublishedTable.Section(
      name: "mine", title: "Mine", description: "", results: [real])
    let lines = Self.table(measured: [section]).csv.split(separator: "\n")
    #expect(lines.count == 1 + 2 * 2 * 3 + 3)
    for line in lines {
      #expect(
        line.split(separator: ",", omittingEmptySubsequences: false).count
          == PublishedTable.columns.count)
    }
    #expect(lines.last?.hasPrefix("mine,1,real,") == true)
    let first = try #require(lines.dropFirst().first).split(
      separator: ",", omittingEmptySubsequences: false)
    #expect(first[3] == "untilKilled" && first[11] == "0.000000")
  }

  @Test("the page on the table says what each column of the CSV is")
  func documented() throws {
    let page = try String(
      contentsOf: ShippedTests.folder.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/bench-table.md"), encoding: .utf8)
    for column in PublishedTable.columns {
      #expect(page.contains("`\(column)`"), "\(column)")
    }
    for entry in PublishedTable.meanings {
      #expect(page.contains("| \(entry.name) | \(entry.means) | \(entry.not) |"), "\(entry.name)")
    }
  }

  @Test("LaTeX has as many cells in each line as its table has columns, and no bare special sign")
  func latex() throws {
    let text = Self.table().latex
    #expect(text.contains("\\caption{50 \\% of \\$\\& \\#1\\_\\{x\\}.}"))
    var columns = 0
    for line in text.split(separator: "\n") {
      if let format = line.firstMatch(of: /\\begin\{(tabular|longtable)\}\{(l?r+)\}/) {
        columns = format.2.count
      }
      guard line.hasSuffix("\\\\"), !line.contains("multicolumn"), !line.contains("label") else {
        continue
      }
      let cells = line.replacingOccurrences(of: "\\&", with: "").split(
        separator: "&", omittingEmptySubsequences: false)
      #expect(cells.count == columns, "\(line)")
    }
    #expect(columns == PublishedTable.headings.count + 1)
    #expect(
      PublishedTable.escaped("a\\b~^é")
        == "a\\textbackslash{}b\\textasciitilde{}\\textasciicircum{}?")
    #expect(
      text.components(separatedBy: "\\begin{").count == text.components(separatedBy: "\\end{").count
    )
  }

  @Test("the summary says how far behind the best rule a strategy is at worst; the optimum is none")
  func summary() throws {
    var table = Self.table()
    for index in table.sections[0].results.indices {
      var optimum = try #require(table.sections[0].results[index][.p99])
      optimum.name = StrategyName.oracle.rawValue
      table.sections[0].results[index].strategies.append(optimum)
      for (name, share) in [("stint", 0.8), ("p99", 0.85), ("oracle", 0.99)] {
        let results = table.sections[0].results[index].strategies
        let place = try #require(results.firstIndex { $0.name == name })
        table.sections[0].results[index].strategies[place].savedShare = try #require(
          Estimate([share, share]))
      }
    }
    let section = table.sections[0]
    #expect(abs((section.meanUseful("stint") ?? 0) - 0.8) < 1e-9)
    let best = section.results.map(\.bestRule)
    #expect(best.allSatisfy { $0 >= 0.85 && $0 < 0.99 })
    let behind = try #require(section.worstBehind("stint"))
    #expect(abs(behind - ((best.max() ?? 0) - 0.8) * 100) < 1e-9)
    let row = try #require(table.summary.first { $0.isStint })
    #expect(row.cells[0] == "80.0" && row.cells.count == table.sections.count + 2)
    table.sections[0].results[0].strategies.removeAll { $0.name == "p99" }
    #expect(
      table.sections[0].meanUseful("p99") == nil && table.sections[0].worstBehind("p99") == nil)
  }
}
