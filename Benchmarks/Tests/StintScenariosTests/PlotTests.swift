import Foundation
import FoundationXML
import StintReport
import Testing

@testable import StintScenarios

@Suite("The plots of the benchmark")
struct PlotTests {
  static func isWellFormed(_ document: String) -> Bool {
    XMLParser(data: Data(document.utf8)).parse()
  }

  @Test("numbers of any size are drawn, and written to four places")
  func logarithm() {
    for value in [1e-9, 0.3, 1, 2, 9.99, 10, 12_345.678, 4e15] {
      let plot = LogLogPlot(
        title: "t", x: "x", y: "y", series: [.init(name: "s", points: [(value, value)])])
      #expect(Self.isWellFormed(plot.svg))
      #expect(NumberText.significant(value) != "-")
    }
    #expect(NumberText.significant(0.012345) == "0.01235")
    #expect(NumberText.significant(1234.6) == "1,235")
  }

  @Test("points of a logarithmic plot stand where their logarithms are, whatever they are called")
  func points() {
    let plot = LogLogPlot(
      title: BenchPageTests.hostile, x: "n", y: "seconds",
      series: [.init(name: BenchPageTests.hostile, points: [(10, 0.1), (100, 1), (1_000, 10)])])
    #expect(Self.isWellFormed(plot.svg))
    #expect(plot.svg.matches(of: /<circle cx="(\d+)"/).map(\.1) == ["80", "325", "570"])
  }

  @Test("what lies beyond an axis stands at its end as an arrow, and nothing leaves the drawing")
  func outside() {
    let plot = DotPlot(
      label: "a", unit: "b", range: 90...100,
      rows: [
        .init(
          name: "one", isStrong: false,
          dots: [
            .init(value: 12, low: 11, high: 13, series: 0, words: "far"),
            .init(value: 95, low: 80, high: 120, series: 1, words: "wide"),
          ])
      ])
    #expect(plot.hasDotsOutside)
    let text = Markup.element("g", [:], plot.markup).text
    #expect(Self.isWellFormed(text))
    #expect(text.matches(of: /<polygon\b/).count == 2)
    #expect(text.matches(of: /class="s1 whisker"/).count == 2)
    let places = text.matches(of: /\b(?:x|x1|x2|cx)="(-?[\d.]+)"/).compactMap { Double($0.1) }
    #expect(places.count > 20)
    #expect(places.allSatisfy((0...Drawing.Size.wide.width).contains))
  }
}
