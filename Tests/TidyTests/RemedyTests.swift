import Testing

@Suite("Remedies")
struct RemedyTests {
  /// The remedies for which the command line has no words.
  static func untyped(declared: String, table: String) -> [String] {
    declared.matches(of: /static let (\w+) = Remedy\(/).map { String($0.1) }
      .filter { !table.contains("    .\($0): \"") }
  }

  @Test("the command line knows what to type for every remedy that a library names")
  func tree() throws {
    let declared = try #require(Tree.text(of: "Sources/StintCore/Support/Remedy.swift"))
    let table = try #require(Tree.text(of: "Sources/StintCommands/Console/RemedyText.swift"))
    #expect(declared.contains("static let startOver = Remedy("))
    #expect(Self.untyped(declared: declared, table: table) == [])
    let planted = declared + "  static let pray = Remedy(\"pray\")\n"
    #expect(Self.untyped(declared: planted, table: table) == ["pray"])
  }
}
