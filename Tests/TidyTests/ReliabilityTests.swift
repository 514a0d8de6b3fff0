import Testing

@Suite("The page on reliability")
struct ReliabilityTests {
  static let page = "docs/reliability.md"

  /// The rows of the page's tables that are promises: they end with a clause or a scar.
  static func promises(in text: String) -> [(number: String, shownBy: [String])] {
    text.split(separator: "\n").compactMap { line in
      guard let row = line.firstMatch(of: /^\|.*\|([^|]*)\| ([A-Z]\d+) \|$/) else { return nil }
      return (String(row.2), row.1.matches(of: /`([^`]+)`/).map { String($0.1) })
    }
  }

  static func faults(in text: String, tests: Set<String>) -> [String] {
    let promises = promises(in: text)
    let numbers = Set(promises.map(\.number))
    let missing = ClauseTests.scars.filter { !numbers.contains($0) }
    return missing.map { "\($0) is not on the page" }
      + promises.flatMap { number, shownBy in
        shownBy.isEmpty
          ? ["\(number) is shown by no test"]
          : shownBy.filter { !tests.contains($0) }.map { "\(number): there is no test \($0)" }
      }
  }

  @Test("every promise is shown by tests that there are, and every scar is on the page")
  func tree() throws {
    let text = try #require(Tree.text(of: Self.page))
    #expect(Self.faults(in: text, tests: TestNames.all) == [])
  }

  @Test("every test that `make test` leaves to `make check` is there")
  func long() throws {
    let list = try #require(Tree.text(of: "Tests/long.txt")).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map(String.init)
    let suites = Set(TestNames.all.compactMap { $0.split(separator: "/").first.map(String.init) })
    #expect(list.count > 20)
    #expect(list.filter { !TestNames.all.contains($0) && !suites.contains($0) } == [])
  }

  @Test("the check catches a wrong name, a promise without a test, and a scar that is missing")
  func planted() {
    let rows = ClauseTests.scars.map { "| it holds | `ATests/\($0)` | \($0) |\n" }
    let tests = Set(ClauseTests.scars.map { "ATests/\($0)" })
    let page = "# A page\n\n| promise | shown by | |\n|---|---|---|\n"
    #expect(Self.faults(in: page + rows.joined(), tests: tests) == [])
    let wrong = rows.joined().replacing("`ATests/R7`", with: "`ATests/R7`, `ATests/none`")
    #expect(Self.faults(in: page + wrong, tests: tests) == ["R7: there is no test ATests/none"])
    let bare = rows.joined().replacing("`ATests/R7`", with: "a test")
    #expect(Self.faults(in: page + bare, tests: tests) == ["R7 is shown by no test"])
    #expect(
      Self.faults(in: page + rows.dropLast().joined(), tests: tests)
        == ["\(ClauseTests.scars.last ?? "none") is not on the page"])
  }

  @Test("a test is named by its suite and its function")
  func names() {
    let file = SourceFile(
      path: "A.swift",
      text: """
        extension EndToEnd {
          @Suite("One") struct OneTests {
            static func help() {}
            private struct Seen {}
            @Test("R1 a (b", arguments: [1])
            func first(a: Int) { func inner() {} }
            func helper() {}
            @Test func second() {}
          }
        }
        struct TwoTests { @Test("struct Three") func third() {} }
        """)
    #expect(TestNames.names(in: file) == ["OneTests/first", "OneTests/second", "TwoTests/third"])
    let scenarios = "@scenario(alone=True)\ndef one(site):\n  pass\n\ndef helper(site):\n  pass\n"
    #expect(TestNames.scenarios(in: scenarios) == ["Slurm/one"])
    #expect(TestNames.all.count > 300, "the tree was not found")
  }
}
