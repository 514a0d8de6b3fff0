import Foundation
import Testing

@Suite("Articles")
struct ArticleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Blocks that are no code of a test, with the reason.
  private static let exceptions = [
    ".testTarget(name: \"MyTests\"": "a line of a package's manifest",
    "@Test @MainActor func cuts() throws {": "a whole test; its one line is among the checks",
  ]

  /// The Swift blocks of a text, each as its lines without indentation; comment marks before them
  /// are left out.
  static func blocks(in text: String) -> [[String]] {
    var blocks: [[String]] = []
    var block: [String]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var line = line.drop { $0 == " " }
      if line.hasPrefix("///") { line = line.dropFirst(3).drop { $0 == " " } }
      switch (block, line) {
      case (nil, "```swift"): block = []
      case (let lines?, "```"):
        blocks.append(lines)
        block = nil
      case (let lines?, _): block = lines + [String(line)]
      case (nil, _): break
      }
    }
    return blocks
  }

  /// Whether the lines stand one after another in a text.
  static func contains(_ block: [String], in text: String) -> Bool {
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
    let wanted = block.filter { !$0.isEmpty }.map { Substring($0) }
    guard wanted.count <= lines.count else { return false }
    return (0...lines.count - wanted.count).contains {
      Array(lines[$0..<$0 + wanted.count]) == wanted
    }
  }

  @Test("every block of code in the documentation is compiled and run")
  func tree() throws {
    let tests = Self.root.appending(path: "Tests/StintTestingTests/Documentation")
    let code = try ["ArticleCode.swift", "IOSArticleCode.swift"].map {
      try String(contentsOf: tests.appending(path: $0), encoding: .utf8)
    }.joined()
    let folder = Self.root.appending(path: "Sources/StintTesting")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var found = 0
    for case let url as URL in files where ["md", "swift"].contains(url.pathExtension) {
      for block in Self.blocks(in: try String(contentsOf: url, encoding: .utf8)) {
        found += 1
        let first = block.first ?? ""
        if Self.exceptions.keys.contains(where: first.hasPrefix) { continue }
        #expect(
          Self.contains(block, in: code),
          "\(url.lastPathComponent): \(block.joined(separator: "\n"))")
      }
    }
    #expect(found >= 8, "the documentation was not found")
  }

  @Test("the check catches a block that is not compiled")
  func planted() {
    let text = "a\n```swift\nlet a = 1\n\nlet b = 2\n```\n  /// ```swift\n  /// f()\n  /// ```\n"
    let blocks = Self.blocks(in: text)
    #expect(blocks == [["let a = 1", "", "let b = 2"], ["f()"]])
    #expect(Self.contains(blocks[0], in: "  x\n  let a = 1\n  let b = 2\n"))
    #expect(!Self.contains(blocks[0], in: "let a = 1\nx\nlet b = 2"))
    #expect(!Self.contains(blocks[1], in: "g()"))
  }
}
