import Foundation
import StintCore
import Testing

@testable import StintCommands

@Suite("Names of jobs")
struct JobNameTests {
  static let all = [
    JobName(key: "fibonacci-1f0c5a93b2d4e687", outputPath: "/data/f.txt"),
    JobName(key: "fibonacci-1f0cffffb2d4e687", outputPath: "/data/g.txt"),
    JobName(key: "fibonacci-seq-99995a93b2d4e687", outputPath: nil),
  ]

  static func find(_ name: String, paths: [FilePath] = []) throws -> String {
    try JobName.find(name, asPaths: paths, among: all, in: "/jobs")
  }

  @Test(
    "a job is meant by its key, a beginning of it or of its hash, or its output",
    arguments: [
      ("fibonacci-1f0c5a93b2d4e687", "", 0), ("fibonacci-1f0c5", "", 0), ("1f0cf", "", 1),
      ("9", "", 2), ("fibonacci-s", "", 2), ("g.txt", "/data/g.txt", 1),
    ])
  func found(name: String, path: String, index: Int) throws {
    #expect(try Self.find(name, paths: [FilePath(path)]) == Self.all[index].key)
  }

  @Test("an ambiguous name is refused with the candidates")
  func ambiguous() throws {
    let error = expectError(.usage, saying: Self.all[0].key, Self.all[1].key) {
      try Self.find("1f0c")
    }
    #expect(error?.message.contains(Self.all[2].key) == false)
  }

  @Test(
    "an unknown name is refused with the nearest",
    arguments: [
      ("1f0d5a93", "did you mean fibonacci-1f0c5a93b2d4e687?"), ("zzz", "stint list"),
      ("", "stint list"), ("/data/h.txt", "did you mean /data/f.txt?"),
    ])
  func unknown(name: String, advice: String) throws {
    expectError(.usage, saying: advice) { try Self.find(name) }
  }

  @Test("where there are no jobs the place is said")
  func none() {
    expectError(saying: "/jobs") { try JobName.find("x", asPaths: [], among: [], in: "/jobs") }
  }

  @Test("short names are as long as they must be to differ")
  func short() {
    let short = JobName.short(Self.all.map(\.key) + ["fibonacci-1f0c5a93b2ffffff"])
    #expect(short[Self.all[0].key] == "1f0c5a93b2d")
    #expect(JobName.short([Self.all[0].key])[Self.all[0].key] == "1f0c5a93")
  }

  @Test("an output is found by a relative path and through links")
  func paths() throws {
    let fixture = VerbFixture()
    let key = try fixture.waitingJob(5, output: fixture.path + "/out.txt")
    #expect(try fixture.context("status", "out.txt").key() == key)
    #expect(try fixture.context("status", fixture.path + "/out.txt").key() == key)
    try FileManager.default.createSymbolicLink(
      atPath: fixture.path + "/link", withDestinationPath: fixture.path)
    #expect(try fixture.context("status", "link/out.txt").key() == key)
    #expect(throws: StintError.self) { try fixture.context("status", "other.txt").key() }
  }
}
