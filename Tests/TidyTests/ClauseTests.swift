import Testing

@Suite("The contract")
struct ClauseTests {
  /// The page with the clauses, and the one with the failures that peers shipped.
  static let page = "docs/contract.md"
  static let scarsPage = "docs/reliability.md"
  /// Every number that there ever was, so that none gets lost with its row.
  static let listPath = "Tests/clauses.txt"

  /// The numbers with which a page's rows begin or end, in their order, each once.
  static func rows(of text: String, scars: Bool) -> [String] {
    var rows: [String] = []
    for row in text.matches(of: /(?m)^\| ([A-Z]\d+)[ ,|]|\| ([A-Z]\d+) \|$/) {
      let number = String(row.1 ?? row.2 ?? "")
      if number.hasPrefix("R") == scars, !rows.contains(number) { rows.append(number) }
    }
    return rows
  }

  /// The numbers of the checked-in list.
  static func numbers(in list: String) -> [String] {
    list.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .flatMap { $0.split(separator: " ").map(String.init) }
  }

  /// The failures that peers shipped.
  static let scars = rows(of: Tree.text(of: scarsPage) ?? "", scars: true)

  /// What each of which needs a test of its name: the rows of both pages.
  static let all = rows(of: Tree.text(of: page) ?? "", scars: false) + scars

  /// Rows that are gone, and rows that the list does not know yet.
  static func listFaults(rows: [String], list: [String]) -> [String] {
    list.filter { !rows.contains($0) }.map { "\($0) is in \(listPath) and has no row any more" }
      + rows.filter { !list.contains($0) }.map { "\($0) has a row and is not in \(listPath)" }
  }

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

  static func faults(in files: [SourceFile], all: [String], gaps: Set<String>) -> [String] {
    let tested = Set(files.flatMap { Self.tested(in: $0) })
    let real = Set(
      files.filter { $0.path.hasPrefix("Tests/EndToEndTests/") }.flatMap { Self.tested(in: $0) })
    let missing = all.filter { !tested.contains($0) && !gaps.contains($0) }
    let closed = all.filter { tested.contains($0) && gaps.contains($0) }
    let unreal = endToEndScars.filter { tested.contains($0) && !real.contains($0) }
    return missing.map { "no test's name begins with \($0)" }
      + closed.map { "\($0) has a test now; take it off the list of gaps" }
      + unreal.map { "no end-to-end test's name begins with \($0)" }
  }

  @Test("every row of the contract and every scar has a test named after it, and no row is gone")
  func tree() throws {
    // Names that other tests plant are not tests.
    let files = Tree.swiftFiles.filter { file in
      Tree.tests.contains(where: file.path.hasPrefix) && !file.path.hasPrefix("Tests/TidyTests/")
    }
    #expect(Self.faults(in: files, all: Self.all, gaps: Self.gaps) == [])
    let list = try #require(Tree.text(of: Self.listPath))
    #expect(Self.listFaults(rows: Self.all, list: Self.numbers(in: list)) == [])
  }

  @Test("the check catches a row without a test, and a gap that is closed")
  func planted() {
    func file(_ names: [String], at path: String = "Tests/EndToEndTests/A.swift") -> SourceFile {
      let text = names.map { "@Test(\n    \"\($0) it holds\")\nfunc f() {}\n" }.joined()
      return SourceFile(path: path, text: text)
    }
    let page =
      "| A9 | the budget |\n| A10 | more |\n| a scar | R9 |\nA12 is no row\n| B 2 | nor this |\n"
    #expect(Self.rows(of: page, scars: false) == ["A9", "A10"])
    #expect(Self.rows(of: page + "| R9 | again |\n", scars: true) == ["R9"])
    let all = ["A9", "A10", "R9"]
    #expect(Self.faults(in: [file(all)], all: all, gaps: []) == [])
    #expect(
      Self.faults(in: [file(all)], all: all + ["A11"], gaps: [])
        == ["no test's name begins with A11"])
    #expect(
      Self.faults(
        in: [file(["A9", "A10"]), file(["R9"], at: "Tests/StintTests/A.swift")], all: all, gaps: [])
        == ["no end-to-end test's name begins with R9"])
    let file = file(["A10", "R9"])
    #expect(Self.faults(in: [file], all: all, gaps: []) == ["no test's name begins with A9"])
    #expect(Self.faults(in: [file], all: all, gaps: ["A9"]) == [])
    #expect(
      Self.faults(in: [file], all: all, gaps: ["A9", "A10"])
        == ["A10 has a test now; take it off the list of gaps"])
  }

  @Test("the check catches a row that is gone, and one that is not in the list")
  func plantedList() {
    let list = Self.numbers(in: "# of two pages\nA9 A10\nR9\n")
    #expect(list == ["A9", "A10", "R9"])
    #expect(Self.listFaults(rows: ["A9", "A10", "R9"], list: list) == [])
    #expect(
      Self.listFaults(rows: ["A9", "R9"], list: list)
        == ["A10 is in Tests/clauses.txt and has no row any more"])
    #expect(
      Self.listFaults(rows: ["A9", "A10", "A11", "R9"], list: list)
        == ["A11 has a row and is not in Tests/clauses.txt"])
  }

  @Test("a name may begin with several clauses")
  func several() {
    let file = SourceFile(path: "A.swift", text: "@Test(\"A6 A7, W3/C1 each its own\") func f() {}")
    #expect(Self.tested(in: file) == ["A6", "A7", "W3", "C1"])
  }
}
