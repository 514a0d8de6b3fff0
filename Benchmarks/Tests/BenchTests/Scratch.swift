import Foundation
import Testing

@testable import stint_bench

/// The benchmarks with small counts: that they measure everything, not what they measure.
@Suite("Benchmarks, briefly", .serialized)
struct BriefBenchmarks {}

/// A fresh directory of a test's own; removed when nobody holds it any more.
typealias Scratch = ScratchDirectory

extension ScratchDirectory {
  convenience init() throws { try self.init(below: nil) }

  /// The path of a name in this directory.
  func callAsFunction(_ name: String) -> String { path + "/" + name }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: self(name))) }

  func text(_ name: String) -> String {
    (try? bytes(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: self(name)))
  }
}
