import Testing

@Suite("The contract")
struct ClauseTests {
  /// Every clause that must have a test named after it.
  static let clauses =
    (1...23).map { "A\($0)" } + (1...8).map { "L\($0)" } + (1...14).map { "W\($0)" }
    + (1...8).map { "C\($0)" }

  /// The failures that peers shipped; each must have a test named after it, too.
  static let scars = (1...20).map { "R\($0)" }

  /// Scars that show only with real processes, signals and disks: one of their tests is end to end.
  static let endToEndScars = ["R1", "R3", "R8", "R9", "R13", "R15"]

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
    let tested = Set(files.flatMap { Self.tested(in: $0) })
    let real = Set(
      files.filter { $0.path.hasPrefix("Tests/EndToEndTests/") }.flatMap { Self.tested(in: $0) })
    let all = clauses + scars
    let missing = all.filter { !tested.contains($0) && !gaps.contains($0) }
    let closed = all.filter { tested.contains($0) && gaps.contains($0) }
    let unreal = endToEndScars.filter { tested.contains($0) && !real.contains($0) }
    return missing.map { "no test's name begins with \($0)" }
      + closed.map { "\($0) has a test now; take it off the list of gaps" }
      + unreal.map { "no end-to-end test's name begins with \($0)" }
  }

  @Test("every clause and every scar has a test named after it")
  func tree() {
    // Names that other tests plant are not tests.
    let files = Tree.swiftFiles.filter {
      $0.path.hasPrefix("Tests/") && !$0.path.hasPrefix("Tests/TidyTests/")
    }
    #expect(Self.faults(in: files, gaps: Self.gaps) == [])
  }

  @Test("the check catches a clause without a test, and a gap that is closed")
  func planted() {
    func file(_ names: [String], at path: String = "Tests/EndToEndTests/A.swift") -> SourceFile {
      let text = names.map { "@Test(\n    \"\($0) it holds\")\nfunc f() {}\n" }.joined()
      return SourceFile(path: path, text: text)
    }
    let all = Self.clauses + Self.scars
    #expect(Self.faults(in: [file(all)], gaps: []) == [])
    #expect(
      Self.faults(in: [file(all.filter { $0 != "R17" })], gaps: [])
        == ["no test's name begins with R17"])
    #expect(
      Self.faults(
        in: [file(all.filter { $0 != "R9" }), file(["R9"], at: "Tests/StintTests/A.swift")],
        gaps: []) == ["no end-to-end test's name begins with R9"])
    let file = file(all.filter { $0 != "A9" })
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
