import Testing

/// Comments and pages are read beside each other, in windows of 100 columns.
@Suite("Width of comments and pages")
struct WidthTests {
  static let columns = 100

  /// The lines of comments that are too wide; indented code in them may be.
  static func faults(in file: SourceFile) -> [String] {
    let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
    let code = file.code.split(separator: "\n", omittingEmptySubsequences: false)
    return zip(lines.indices, zip(lines, code)).compactMap { index, line in
      let (text, code) = line
      guard text.count > columns, code.allSatisfy(\.isWhitespace) else { return nil }
      let comment = text.drop(while: \.isWhitespace)
      guard comment.hasPrefix("//"), !comment.drop(while: { $0 == "/" }).hasPrefix("     ") else {
        return nil
      }
      return "\(file.path):\(index + 1)"
    }
  }

  /// The lines of a page that are too wide, but for tables, code, headings, HTML and single words.
  static func faults(inPage path: String, text: String) -> [String] {
    var isCode = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
      index, line in
      let words = line.drop(while: \.isWhitespace)
      if words.hasPrefix("```") { isCode.toggle() }
      guard line.count > columns, !isCode, !line.hasPrefix("    "), let first = words.first,
        !"|#<!".contains(first), words.contains(" ")
      else { return nil }
      return "\(path):\(index + 1)"
    }
  }

  @Test("no comment is too wide")
  func comments() {
    let inC = Tree.paths.filter {
      $0.hasPrefix("Sources/") && ($0.hasSuffix(".c") || $0.hasSuffix(".h"))
    }.compactMap { path in Tree.text(of: path).map { SourceFile(path: path, text: $0) } }
    #expect(inC.count > 20, "the tree was not found")
    #expect((Tree.swiftFiles + inC).flatMap(Self.faults) == [])
  }

  @Test("no page is too wide")
  func pages() {
    let pages = Tree.paths.filter { $0.hasSuffix(".md") }
    #expect(pages.count > 20, "the tree was not found")
    #expect(pages.flatMap { Self.faults(inPage: $0, text: Tree.text(of: $0) ?? "") } == [])
  }

  @Test("the check catches what is too wide")
  func planted() {
    let words = String(repeating: "word ", count: 21)
    func count(_ text: String) -> Int {
      Self.faults(in: SourceFile(path: "Wide.swift", text: text)).count
    }
    #expect(count("  // \(words)") == 1)
    #expect(count("  /// \(words)\nlet a = 1") == 1)
    #expect(count("let a = \"// \(words)\"") == 0)
    #expect(count("///     \(words)") == 0)
    let page = "\(words)\n| \(words)\n    \(words)\n```\n\(words)\n```\n- \(words)\n"
    #expect(Self.faults(inPage: "a.md", text: page) == ["a.md:1", "a.md:7"])
  }
}
