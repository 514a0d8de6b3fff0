import Foundation
import FoundationXML
import StintCore
import StintReport
import Testing

/// The elements and texts of a document, read by a strict parser.
final class Reading: NSObject, XMLParserDelegate {
  var elements: [(name: String, attributes: [String: String])] = []
  var texts: [String] = []
  var fault: String?

  init(_ document: String) {
    super.init()
    let parser = XMLParser(data: Data(document.utf8))
    parser.delegate = self
    if !parser.parse() { fault = parser.parserError.map { "\($0) at line \(parser.lineNumber)" } }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    elements.append((name, attributes))
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) { texts.append(text) }

  /// Expects that nothing stands outside of a drawing.
  func expectInside() {
    for (_, attributes) in elements {
      for name in ["x", "x1", "x2", "cx"] {
        guard let value = attributes[name].flatMap(Double.init) else { continue }
        #expect((0...Drawing.Size.wide.width).contains(value), "\(name) \(value)")
      }
    }
  }
}

@Suite("Pages")
struct PageTests {
  static func account(_ life: Life, name: String = "fibonacci-0123456789abcdef") -> JobAccount {
    var account = JobAccount(
      name: name, what: name, state: "waiting", life: life, written: "2026-11-21T08:00:00Z")
    account.output = name
    account.problems = [name]
    account.fraction = 0.5
    account.workTime = .seconds(21)
    return account
  }

  @Test(
    "a page is well-formed and names nothing outside of itself",
    arguments: [SampleLives.cut, SampleLives.running, SampleLives.long(900), Life()])
  func wellFormed(life: Life) {
    let html = JobPage(Self.account(life)).html
    let reading = Reading(html)
    #expect(reading.fault == nil)
    for (name, attributes) in reading.elements {
      #expect(!["script", "iframe", "object", "embed", "img", "base", "form"].contains(name))
      for (attribute, value) in attributes {
        #expect(!attribute.hasPrefix("on") && attribute != "style", "\(attribute)")
        if ["href", "src"].contains(attribute) {
          #expect(value.hasPrefix("#") || value == "data:,", "\(value)")
        }
      }
    }
    #expect(!html.contains("://"))
  }

  @Test("hostile names are text wherever they stand")
  func hostile() {
    let html = JobPage(Self.account(SampleLives.cut, name: SampleLives.hostile)).html
    let reading = Reading(html)
    #expect(reading.fault == nil)
    #expect(!html.contains("<script") && !html.contains("\u{202E}") && !html.contains("\u{1B}"))
    #expect(!reading.elements.contains { $0.attributes.keys.contains("onload") })
    // The title, the heading, the key beside the state, the output, the problem, and the remark of
    // a stint.
    #expect(html.components(separatedBy: "&lt;script&gt;alert(1)").count - 1 >= 6)
  }

  @Test("the policy forbids everything but the one style sheet, whose checksum is computed here")
  func policy() throws {
    let abc = Sha256.digest(Array("abc".utf8), cubeRoot: cbrt).prefix(4)
    #expect(Array(abc) == [0xba, 0x78, 0x16, 0xbf], "FIPS 180-4's example")
    let checksum = Data(Sha256.digest(Array(StyleSheet.text.utf8), cubeRoot: cbrt))
    #expect(StyleSheet.checksum == checksum.base64EncodedString())
    let reading = Reading(JobPage(Self.account(SampleLives.cut)).html)
    let policy = reading.elements.first { $0.attributes["http-equiv"] == "Content-Security-Policy" }
    let content = try #require(policy?.attributes["content"])
    #expect(content.hasPrefix("default-src 'none'; style-src 'sha256-\(StyleSheet.checksum)'"))
    #expect(!content.contains("unsafe"))
    #expect(reading.elements.filter { $0.name == "style" }.count == 1)
  }

  @Test("every figure of the timeline stands in the table too")
  func table() {
    let html = JobPage(Self.account(SampleLives.cut)).html
    for cell in ["9.5s", "10.5s", "90.0 %", "60.0 %", "40.0 %", "100.0 %", "not told", "3s"] {
      #expect(html.contains(">\(cell)</td>"), "\(cell)")
    }
    #expect(html.contains("the next chunk did not fit</td>"))
  }

  @Test("a life whose journal accounts for no work says nothing of what was saved or lost")
  func batch() {
    var life = SampleLives.cut
    life.countsWork = false
    let html = JobPage(Self.account(life)).html
    #expect(!html.contains("90.0 %") && !html.contains("not told"))
    #expect(LifeFigures(life).savedShare == nil)
    #expect(LifeFigures(life).lines.map(\.name) == ["stints", "failed", "expiries", "overruns"])
  }

  @Test("a long life is drawn and listed in part, and says so")
  func long() {
    let plot = TimelinePlot(SampleLives.long(900), label: "")
    #expect(plot.shown.count == TimelinePlot.mostRows)
    #expect(plot.shown.first == 0 && plot.shown.last == 899)
    let html = JobPage(Self.account(SampleLives.long(900))).html
    #expect(html.contains("The first 12 and the last 60 of 900 are shown."))
    #expect(html.contains("The stints, oldest first: the first 12 and the last 388 of 900"))
    for row in [1, 12, 513, 900] {
      #expect(html.contains("scope=\"row\" class=\"number\">\(row)<"))
    }
    for row in [13, 512] { #expect(!html.contains("scope=\"row\" class=\"number\">\(row)<")) }
    #expect(html.utf8.count < 700_000)
  }

  @Test("nothing stands outside of a drawing, in either width")
  func inside() {
    var life = SampleLives.cut
    life.stints[0].budget = .seconds(9_000_000)
    // Its markup has both widths.
    let reading = Reading(Markup.element("g", [:], TimelinePlot(life, label: "a").markup).text)
    #expect(reading.fault == nil)
    reading.expectInside()
  }
}

@Suite("Axes")
struct AxisTests {
  @Test("ticks are round, inside the range, and about as many as wanted")
  func ticks() {
    let axis = Axis(0...9.7, from: 0, to: 97)
    #expect(axis.ticks(5) == [0, 2, 4, 6, 8])
    #expect(axis.place(4.85) == 48.5)
    #expect(axis.place(100) == 97)
    #expect(Axis(0...200, from: 0, to: 1).timeTicks(5) == [0, 60, 120, 180])
    #expect(Axis(0...0, from: 3, to: 9).place(5) == 3)
    #expect(Axis(0...1e-6, from: 0, to: 1).timeTicks(4).count >= 3)
    #expect(Axis(0...1e7, from: 0, to: 1).timeTicks(6).count <= 7)
    #expect(Axis.timeText(0.0005) == "500us")
  }
}
