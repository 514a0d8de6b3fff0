import StintCore
import Testing

@testable import StintScenarios

@Suite("The page of the benchmark")
struct BenchPageTests {
  static let hostile =
    "</title><script>alert(1)</script> \" onload='x' &amp; <!-- ]]> \u{0}\u{1B}[2J\u{202E}txt.exe"

  @Test("it is well-formed, has every plot with its table, and names nothing outside of itself")
  func wellFormed() throws {
    let html = BenchPage(try SampleBench.report()).html
    #expect(PlotTests.isWellFormed(html))
    #expect(!html.contains("://") && !html.contains("<script"))
    for title in [
      "Saved share", "Distance to the oracle", "Overshoot", "Scenario by scenario", "Goals",
    ] {
      #expect(html.contains("\(title)</"), "\(title)")
    }
    for cell in ["12.5 %", "95.5 %", "83.75", "0.75", "90.00 %", "400ms", "25s", "12.0"] {
      #expect(html.contains(">\(cell)</td>"), "\(cell)")
    }
    #expect(html.contains("1 goal missed."))
  }

  @Test("names from files are text wherever they stand")
  func hostile() throws {
    let html = try BenchPage(SampleBench.report(name: Self.hostile)).html
    #expect(PlotTests.isWellFormed(html))
    #expect(!html.contains("<script") && !html.contains("\u{202E}"))
  }

  @Test("a strategy that claims what is not saved is named at the top")
  func lies() throws {
    let html = try BenchPage(SampleBench.report(falseClaims: 3)).html
    #expect(html.contains("fixed fine p99 said 6 times that work was saved which was not."))
    #expect(try !BenchPage(SampleBench.report()).html.contains("which was not."))
  }

  @Test("without an oracle there is no distance to it, and no scenario is a sentence")
  func parts() throws {
    var report = try SampleBench.report()
    report.changeStrategies { $0.behindOraclePoints = nil }
    let plain = BenchPage(report).html
    #expect(!plain.contains("id=\"oracle\"") && !plain.contains("Behind the oracle"))
    #expect(!plain.contains("The oracle knows") && !plain.contains("lived by the oracle"))
    report.scenarios = []
    let html = BenchPage(report).html
    #expect(PlotTests.isWellFormed(html))
    #expect(html.contains("No scenario was run."))
  }

  @Test(
    "what was found wrong with a worker stands under its scenario, and nothing where nothing was")
  func findings() throws {
    var report = try SampleBench.report()
    #expect(!BenchPage(report).html.contains("What was found"))
    report.scenarios[0].strategies[1].findings = [
      Finding(fault: .earlyReturn, trips: 2, firstTrip: 3, sentence: "trip 3: <it let go>.")
    ]
    let html = BenchPage(report).html
    #expect(PlotTests.isWellFormed(html))
    #expect(html.contains("early return") && html.contains("trip 3: &lt;it let go&gt;."))
  }

  @Test("a second look from 90 % on is only there where somebody comes so far")
  func near() throws {
    var report = try SampleBench.report()
    #expect(BenchPage(report).html.contains("The same from 90 % on"))
    let estimate = try #require(SampleBench.estimate(0.5))
    report.changeStrategies { $0.savedShare = estimate }
    #expect(!BenchPage(report).html.contains("The same from 90 % on"))
  }

  @Test("overshoots are summed in decades by the upper end of their bins")
  func decades() {
    let counts = OvershootPlot.counts([
      .init(fromSeconds: 0, toSeconds: 0.001, count: 1),
      .init(fromSeconds: 0.001, toSeconds: 0.002, count: 2),
      .init(fromSeconds: 0.1, toSeconds: 1, count: 3),
      .init(fromSeconds: 50, toSeconds: 100.00000000001, count: 4),
      .init(fromSeconds: 100, toSeconds: 1e6, count: 5),
    ])
    #expect(counts == [1, 2, 0, 3, 0, 4, 5])
    #expect(counts.count == OvershootPlot.names.count)
  }

  @Test("chunk sizes have four groups")
  func groups() {
    let groups = [0.25, 0.3, 1, 2, 6, 7].map { ChunkGroup(seconds: $0) }
    #expect(groups == [.fine, .fine, .middle, .coarse, .coarse, .long])
  }
}

extension ScenarioReport {
  fileprivate mutating func changeStrategies(_ change: (inout StrategyResult) -> Void) {
    for index in scenarios.indices {
      for strategy in scenarios[index].strategies.indices {
        change(&scenarios[index].strategies[strategy])
      }
    }
  }
}
