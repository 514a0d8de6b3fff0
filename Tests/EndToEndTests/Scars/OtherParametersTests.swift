import Foundation
import Testing

extension EndToEnd {
  @Suite("Other parameters")
  struct OtherParametersTests {
    private static let n = UnfinishedJob.n
    private static let other = UnfinishedJob.n + 1

    /// A directory with the unfinished jobs of two numbers: the names of the jobs, `n`'s first.
    private static func twoJobs() async throws -> (scratch: Scratch, first: String, second: String)
    {
      let scratch = try await UnfinishedJob.shared.copy()
      let first = try #require(scratch.job)
      let process = try scratch.start([
        "run", "fibonacci", "\(other)", "--keep", "--checkpoint-every", "50ms",
      ])
      var second: String?
      try await waitUntil("the other job's checkpoint") {
        second = scratch.names(in: "jobs").map { "jobs/" + $0 }.first { $0 != first }
        return process.hasEnded || !scratch.names(in: (second ?? "") + "/checkpoints").isEmpty
      }
      process.send(15)
      #expect(try await process.wait().end == .exited(75))
      return (scratch, first, try #require(second))
    }

    @Test("R11 the checkpoints of another number are refused with both values, and stay")
    func checkpoints() async throws {
      let (scratch, first, second) = try await Self.twoJobs()
      let folder = scratch(second) + "/checkpoints"
      try FileManager.default.removeItem(atPath: folder)
      try FileManager.default.copyItem(atPath: scratch(first) + "/checkpoints", toPath: folder)
      let before = scratch.names(in: second + "/checkpoints")
      let run = try await scratch.stint("run", "fibonacci", "\(Self.other)").expectExit(65)
      #expect(run.output.isEmpty)
      let hashes = run.errors.matches(of: /\b[0-9a-f]{32}\b/).map { String($0.0) }
      #expect(Set(hashes).count == 2, "\(run.errors)")
      #expect(scratch.names(in: second + "/checkpoints") == before)
      // The first job has lost nothing by it.
      let rest = try await scratch.start(UnfinishedJob.run).wait().expectExit(0)
      #expect(try await rest.output == Yardstick.shared.bytes(of: Self.n))
    }

    @Test("R11 a job.json that names another number is refused")
    func record() async throws {
      let (scratch, first, second) = try await Self.twoJobs()
      try FileManager.default.removeItem(atPath: scratch(second) + "/job.json")
      try FileManager.default.copyItem(
        atPath: scratch(first) + "/job.json", toPath: scratch(second) + "/job.json")
      let run = try await scratch.stint("run", "fibonacci", "\(Self.other)").expectExit(65)
      #expect(run.output.isEmpty)
      #expect(run.sentences.last?.contains("job.json") == true, "\(run.errors)")
    }

    @Test(
      "R11 a command line that differs in what decides the result begins a job of its own",
      arguments: [["3000000"], ["30000000", "--format", "raw"], ["--sequence", "1..3000"]])
    func anotherJob(what: [String]) async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let first = try #require(scratch.job)
      let before = scratch.names(in: first + "/checkpoints")
      try await scratch.start(
        ["run", "fibonacci"] + what + ["--checkpoint-every", "50ms", "--events", "e", "-o", "f"]
      ).wait().expectExit(0)
      #expect(Journal(text: scratch.text("e")).all("stintBegan").map(\.restoredSequence) == [nil])
      #expect(scratch.names(in: first + "/checkpoints") == before)
    }

    @Test("R11 what does not decide the result goes on with the same job")
    func sameJob() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let saved = scratch.journal.newestCheckpoint
      let run = try await scratch.start(
        UnfinishedJob.run + [
          "--threads", "1", "--budget", "60s", "--lead", "1s", "--tick", "70ms", "--policy",
          "unlimited",
        ]
      ).wait().expectExit(0)
      #expect(scratch.journal.all("stintBegan").last?.restoredSequence == saved)
      #expect(try await run.output == Yardstick.shared.bytes(of: Self.n))
    }
  }
}
