import Foundation
import Testing

@Suite("The tests themselves")
struct TestQualityTests {
  /// What makes a test fail when something else is true.
  static let expectation = #"#expect\b|#require\b|Issue\.record\b|\bconfirmation\("#
  /// An expectation that nothing can break.
  static let emptyExpectation = #"#(expect|require)\(\s*(true|Bool\(true\))\s*[,)]"#
  /// What a helper is called that has an expectation for its tests.
  static let helperName = #"^(expect|check|verify|require|assert)([A-Z]\w*)?$"#

  /// The tests of a file that expect nothing, or only what nothing can break.
  ///
  /// A test that fails by throwing alone expects nothing: whatever it calls may stop to do its
  /// work.
  static func faults(in file: SourceFile, helpers: Set<String> = []) -> [String] {
    let code = file.code
    let empty = file.places(of: emptyExpectation).map { "an expectation that cannot fail: \($0)" }
    return empty
      + code.ranges(of: "@Test").compactMap { mark in
        guard let function = Self.function(in: code[mark.upperBound...]) else {
          return "\(file.path): a test without a function"
        }
        return expects(function.body, helpers: helpers)
          ? nil : "\(file.path): \(function.name) expects nothing"
      }
  }

  /// The functions of these files that may stand for an expectation: called like one, and with one
  /// in their body or in that of a helper that they call.
  static func helpers(in files: [SourceFile]) -> Set<String> {
    var candidates = files.flatMap { file in
      file.code.ranges(of: "func ").compactMap { function(in: file.code[$0.lowerBound...]) }
    }.filter { $0.name.range(of: helperName, options: .regularExpression) != nil }
    var found: Set<String> = []
    while true {
      let next = candidates.filter { expects($0.body, helpers: found) }.map(\.name)
      if next.isEmpty { return found }
      found.formUnion(next)
      candidates.removeAll { found.contains($0.name) }
    }
  }

  private static func expects(_ body: Substring, helpers: Set<String>) -> Bool {
    if body.range(of: expectation, options: .regularExpression) != nil { return true }
    // No \b before it: to Unicode "Self.expectAll" is one word.
    return body.matches(of: /([A-Za-z_]\w*)\(/).contains { helpers.contains(String($0.1)) }
  }

  /// The first function of a text; nil if there is none or it has no body.
  private static func function(in code: Substring) -> (name: String, body: Substring)? {
    guard let head = code.firstMatch(of: /\bfunc\s+([\w`]+)/),
      let open = bodyStart(code[head.range.upperBound...]),
      // A requirement of a protocol is followed by something else's body.
      !code[head.range.upperBound..<open].contains("func ")
    else { return nil }
    return (String(head.1), code[open..<bodyEnd(code, from: open)])
  }

  /// The brace that opens the function's body: the first one outside its parameters.
  private static func bodyStart(_ code: Substring) -> String.Index? {
    var depth = 0
    for index in code.indices {
      switch code[index] {
      case "(": depth += 1
      case ")": depth -= 1
      case "{" where depth == 0: return index
      default: break
      }
    }
    return nil
  }

  private static func bodyEnd(_ code: Substring, from open: String.Index) -> String.Index {
    var depth = 0
    for index in code.indices[open...] {
      if code[index] == "{" { depth += 1 }
      if code[index] == "}" { depth -= 1 }
      if depth == 0 { return index }
    }
    return code.endIndex
  }

  @Test("every test expects something")
  func tree() {
    let tests = Tree.swiftFiles.filter { Tree.tests.contains(where: $0.path.hasPrefix) }
    let helpers = Self.helpers(in: tests)
    #expect(tests.flatMap { Self.faults(in: $0, helpers: helpers) } == [])
  }

  @Test("the check catches tests that expect nothing, fail by throwing alone, or trust a mere name")
  func planted() {
    let file = SourceFile(
      path: "A.swift",
      text: """
        @Test("one") func one(a: Int = { 1 }()) { #expect(a == 1) }
        @Test("two", arguments: [1]) func two(a: Int) { _ = "#expect" /* #expect */ }
        @Test func three() throws { try checkAll() }
        @Test func four() throws { try Store().commit(1, to: job()) }
        @Test func five() throws { let checkpoint = checkpoint(5); expected(checkpoint) }
        @Test func six() throws { try catalog.verify("key") }
        @Test func seven() { #expect(true) }
        @Test func eight() { Self.requireEach() }
        protocol Checks { func check() }
        func helper() { #expect(all) }
        func checkAll() throws { #expect(all) }
        func requireEach() { try checkAll() }
        func verify(_ key: String) { print(key) }
        """)
    let helpers = Self.helpers(in: [file])
    #expect(helpers == ["checkAll", "requireEach"])
    #expect(
      Self.faults(in: file, helpers: helpers) == [
        "an expectation that cannot fail: A.swift:7: @Test func seven() { #expect(true) }",
        "A.swift: two expects nothing", "A.swift: four expects nothing",
        "A.swift: five expects nothing", "A.swift: six expects nothing",
      ])
  }
}
