import Foundation
import Testing

@testable import stint_bench

extension BriefBenchmarks {
  @Suite("stint-bench publish")
  struct PublishVerbTests {
    private let scratch: Scratch
    private var folder: URL { URL(filePath: scratch.path) }

    init() throws { scratch = try Scratch() }

    /// Publishes a scenario for which the best rule is soon found: some tables of it take ten times
    /// as long.
    private static func publish(_ folder: URL, _ more: [String] = []) throws -> BenchTests.Run {
      try BenchTests.run(
        ["publish", "revoked-lead", "--trips", "2", "--repeats", "2", "--out", folder.path()] + more
      )
    }

    private static func contents(_ folder: URL) throws -> [Data] {
      try ["table.html", "table.csv", "table.tex"].map {
        try Data(contentsOf: folder.appending(path: $0))
      }
    }

    @Test("three files, the same to the byte a second time, with a measured worker's row beside")
    func files() async throws {
      let real = folder.appending(path: "real.json")
      let measured = try BenchTests.run([
        "run", "fixed-5s", "--real", "--grants", "1", "--scale", "0.1", "--command",
        "mine=sleep 1",
        "--json", real.path(), "--quiet",
      ])
      try #require(measured.status == 0, "\(measured.errors)")
      let (one, two) = (folder.appending(path: "a/b"), folder.appending(path: "c"))
      // Both at once: on two processors that takes half the time.
      try await withThrowingTaskGroup { runs in
        for out in [one, two] {
          runs.addTask { try Self.publish(out, ["--real-report", real.path()]) }
        }
        for try await run in runs {
          #expect(run.status == 0, "\(run.errors)")
          #expect(run.output.contains("11 of 11: "))
        }
      }
      #expect(try Self.contents(one) == Self.contents(two))
      let csv = try String(contentsOf: one.appending(path: "table.csv"), encoding: .utf8)
      #expect(csv.contains("\nfixed-5s-real,1,real,mine,1,"))
      // The best possible is known of one of the workloads.
      #expect(csv.split(separator: "\n").count { $0.hasPrefix("revoked-lead,") } == 11 * 12 + 1)
    }

    @Test("what cannot be published is refused before anything is lived")
    func refused() throws {
      let virtual = folder.appending(path: "virtual.json")
      _ = try BenchTests.run([
        "run", "fixed-5s", "--trips", "1", "--repeats", "1", "--json", virtual.path(), "--quiet",
      ])
      let wrong = try Self.publish(folder, ["--real-report", virtual.path()])
      #expect(wrong.status == 64 && wrong.errors.contains("virtual time"))
      let twice = try BenchTests.run(["publish", "slurm", "slurm", "--out", folder.path()])
      #expect(twice.status == 64 && twice.errors.contains("same name"))
      let file = folder.appending(path: "file")
      try Data().write(to: file)
      #expect(try Self.publish(file).status == 73)
      #expect(try Self.publish(folder, ["--real-report", file.path()]).status == 65)
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "table.csv").path()))
    }
  }
}
