import Testing

@testable import StintCommands

@Suite("Long numbers")
struct LongNumberSummaryTests {
  let summary = LongNumberSummary(
    first: String(repeating: "12345678", count: 10), last: String(repeating: "87654321", count: 10),
    digits: 20_898_764, checksum: "xxh3-128 00ff")

  @Test("a wide terminal shows 40 digits of each end, the length and the checksum")
  func wide() {
    #expect(
      summary.render(width: 120, style: LineStyle())
        == "\(String(repeating: "12345678", count: 5))...\(String(repeating: "87654321", count: 5))\n"
        + "20,898,764 digits, xxh3-128 00ff\n")
  }

  @Test("a narrow terminal shows less of each end", arguments: [0, 10, 20, 60, 83, 84])
  func narrow(width: Int) throws {
    let text = summary.render(width: width, style: LineStyle(unicode: true))
    let ends = try #require(text.split(separator: "\n").first)
    #expect(ends.count <= max(3, width))
    #expect(ends.hasPrefix("1") && ends.hasSuffix("1") && ends.contains("…"))
  }

  @Test("short numbers are shown whole")
  func short() {
    #expect(!LongNumberSummary.isLong(digits: 209))
    #expect(LongNumberSummary.isLong(digits: 208_988))
  }
}
