import Testing

@Suite("The contract")
struct ClauseTests {
  /// Every clause that must have a test named after it.
  static let clauses =
    (1...23).map { "A\($0)" } + (1...8).map { "L\($0)" } + (1...14).map { "W\($0)" }
    + (1...8).map { "C\($0)" }

  /// Clauses that have no test yet.
  ///
  /// A clause that has one must not stand here.
  static let gaps: Set<String> = []

  /// The clauses with which the names of a file's tests begin.
  static func tested(in file: SourceFile) -> [String] {
    file.text.matches(of: /@Test\(\s*"((?:[A-Z]\d+[ ,\/]+)+)/).flatMap { name in
      name.1.matches(of: /[A-Z]\d+/).map { String($0.0) }
    }
  }

  static func faults(in files: [SourceFile], gaps: Set<String>) -> [String] {
    let tested = Set(files.flatMap(tested))
    let missing = clauses.filter { !tested.contains($0) && !gaps.contains($0) }
    let closed = clauses.filter { tested.contains($0) && gaps.contains($0) }
    return missing.map { "no test's name begins with \($0)" }
      + closed.map { "\($0) has a test now; take it off the list of gaps" }
  }

  @Test("every clause has a test named after it")
  func tree() {
    // Names that other tests plant are not tests.
    let files = Tree.swiftFiles.filter {
      $0.path.hasPrefix("Tests/") && !$0.path.hasPrefix("Tests/TidyTests/")
    }
    #expect(Self.faults(in: files, gaps: Self.gaps) == [])
  }

  @Test("the check catches a clause without a test, and a gap that is closed")
  func planted() {
    let names = Self.clauses.filter { $0 != "A9" }
      .map { "@Test(\n    \"\($0) it holds\")\nfunc f() {}\n" }.joined()
    let file = SourceFile(path: "Tests/A.swift", text: names)
    #expect(Self.faults(in: [file], gaps: []) == ["no test's name begins with A9"])
    #expect(Self.faults(in: [file], gaps: ["A9"]) == [])
    #expect(
      Self.faults(in: [file], gaps: ["A9", "W3"])
        == ["W3 has a test now; take it off the list of gaps"])
  }

  @Test("a name may begin with several clauses")
  func several() {
    let file = SourceFile(path: "A.swift", text: "@Test(\"A6 A7, W3/C1 each its own\") func f() {}")
    #expect(Self.tested(in: file) == ["A6", "A7", "W3", "C1"])
  }
}
