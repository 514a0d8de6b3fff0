import Foundation

/// The tree that these tests belong to.
enum Tree {
  /// The folder of Package.swift.
  static let root: URL = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// What is built of the product and of what proves it.
  static let code = ["Sources/", "Verification/"]

  /// The folders of tests.
  static let tests = ["Tests/", "Benchmarks/Tests/"]

  /// All Swift files of the project, wherever they are.
  static let swiftFiles: [SourceFile] =
    paths
    .filter { $0.hasSuffix(".swift") }
    .compactMap { path in text(of: path).map { SourceFile(path: path, text: $0) } }

  /// The paths of all files but hidden ones, from the root of the tree.
  static let paths: [String] =
    (try? FileManager.default.contentsOfDirectory(atPath: root.path()))?
    .filter { !$0.hasPrefix(".") }.sorted().flatMap { name in
      let below = files(under: name)
      return below.isEmpty ? [name] : below
    } ?? []

  /// The text of a file, or nil if there is none.
  static func text(of path: String) -> String? {
    try? String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The paths of all files under a folder, from the root of the tree; build products are left out.
  static func files(under folder: String) -> [String] {
    let base = root.appending(path: folder)
    let names =
      FileManager.default.enumerator(atPath: base.path())?.compactMap { $0 as? String } ?? []
    return names.filter { !$0.contains(".build/") }.map { folder + "/" + $0 }.sorted()
  }
}
