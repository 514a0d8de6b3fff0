import Foundation
import Testing

@Suite("The tests themselves")
struct TestQualityTests {
  /// Whether a test's body can fail: an expectation, or a helper whose name says that it has one.
  static let expectation =
    #"#expect|#require|Issue\.record|confirmation\(|\b(expect|check|verify|require|assert)[A-Z]?\w*\("#

  /// Faults that are none, with the reason.
  static let exceptions = [
    "Tests/StintFibonacciTests/Measurements.swift: squarings expects nothing":
      "figures for people, run on request",
    "Tests/StintFibonacciTests/Measurements.swift: loading expects nothing":
      "figures for people, run on request",
    "Tests/StintFibonacciTests/Measurements.swift: lines expects nothing":
      "figures for people, run on request",
    "Tests/StintTests/Checkpoint/JobDirectoryTests.swift: linksAbove expects nothing":
      "it fails by throwing",
  ]

  /// The tests of a file that expect nothing.
  static func faults(in file: SourceFile) -> [String] {
    let code = file.code
    return code.ranges(of: "@Test").compactMap { mark in
      guard let function = code[mark.upperBound...].firstMatch(of: /\bfunc\s+([\w`]+)/),
        let open = bodyStart(code[function.range.upperBound...])
      else { return "\(file.path): a test without a function" }
      let body = code[open..<bodyEnd(code, from: open)]
      return body.range(of: expectation, options: .regularExpression) == nil
        ? "\(file.path): \(function.1) expects nothing" : nil
    }
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

  private static func bodyEnd(_ code: String, from open: String.Index) -> String.Index {
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
    let tests = Tree.swiftFiles.filter { $0.path.hasPrefix("Tests/") }
    #expect(tests.flatMap(Self.faults).filter { Self.exceptions[$0] == nil } == [])
  }

  @Test("the check catches a test that expects nothing")
  func planted() {
    let file = SourceFile(
      path: "A.swift",
      text: """
        @Test("one") func one(a: Int = { 1 }()) { #expect(a == 1) }
        @Test("two", arguments: [1]) func two(a: Int) { _ = "#expect" /* #expect */ }
        @Test func three() throws { try checkAll() }
        func helper() { }
        """)
    #expect(Self.faults(in: file) == ["A.swift: two expects nothing"])
  }
}
