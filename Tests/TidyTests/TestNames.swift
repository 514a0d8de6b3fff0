import Foundation

/// The tests of the tree as a document names them: `Suite/function`.
enum TestNames {
  /// The names of a file's tests.
  ///
  /// A suite is the type with "Tests" at the end of its name that was declared last before the
  /// test.
  static func names(in file: SourceFile) -> [String] {
    var names: [String] = []
    var suite: String?
    var isTest = false
    for line in file.code.split(separator: "\n") {
      // Few lines are of interest; the rest need no expensive look.
      let mayMatter = ["@Test", "func ", "Tests"].contains { line.range(of: $0) != nil }
      guard mayMatter else { continue }
      if let type = line.firstMatch(of: /\b(?:struct|class|actor) (\w+Tests)\b/) {
        suite = String(type.1)
      }
      if line.contains("@Test") { isTest = true }
      guard isTest, let function = line.firstMatch(of: /\bfunc (\w+)/) else { continue }
      if let suite { names.append("\(suite)/\(function.1)") }
      isTest = false
    }
    return names
  }

  /// All tests of the product.
  ///
  /// The names that tidy tests plant are none.
  static let all: Set<String> = Set(
    Tree.swiftFiles
      .filter { file in
        Tree.tests.contains(where: file.path.hasPrefix) && !file.path.hasPrefix("Tests/TidyTests/")
      }
      .flatMap { names(in: $0) }
      + scenarios(in: Tree.text(of: "Tests/Slurm/scenarios.py") ?? ""))

  /// The scenarios on a real Slurm, as `Slurm/function`.
  static func scenarios(in text: String) -> [String] {
    text.matches(of: /(?m)^@scenario\(.*\)\ndef (\w+)\(/).map { "Slurm/\($0.1)" }
  }
}
