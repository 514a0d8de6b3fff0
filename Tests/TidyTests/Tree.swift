import Foundation

/// The tree that these tests belong to.
enum Tree {
  /// The folder of Package.swift.
  static let root: URL = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// All Swift files of the project.
  static let swiftFiles: [SourceFile] = ["Sources", "Tests", "Benchmarks", "Examples"]
    .flatMap { files(under: $0) }
    .filter { $0.hasSuffix(".swift") }
    .compactMap { path in text(of: path).map { SourceFile(path: path, text: $0) } }

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
