import Foundation
import Testing

@testable import FuzzTargets

/// What the fuzzer begins with, without the fuzzer: a reader that fails an input ends the process.
///
/// As there, one input at a time: all are read from one file.
@Suite("The corpora of what is fuzzed", .serialized)
struct CorpusTests {
  private static let corpora = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fuzz/Corpus").standardized

  @Test("every input of a target holds", arguments: FuzzTarget.allCases)
  func inputsHold(_ target: FuzzTarget) throws {
    let folder = Self.corpora.appending(path: target.rawValue)
    let inputs = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    #expect(inputs.count >= 5)
    for input in inputs {
      let bytes = [UInt8](try Data(contentsOf: input))
      bytes.withUnsafeBufferPointer { target.examine($0) }
    }
  }

  @Test("no corpus is without a target")
  func everyCorpusIsRead() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.corpora.path)
    #expect(Set(names) == Set(FuzzTarget.allCases.map(\.rawValue)))
  }
}
