import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite(
    "Errors of the device, injected into system calls",
    .enabled(if: Strace.mayTrace, Comment(rawValue: Strace.reason)))
  struct DeviceErrorTests {
    private static let run = ["run", "fibonacci", "1000000", "--output", "f", "--budget", "60s"]

    /// A directory in which the job of ``run`` has never been, and the name of its journal.
    private func fresh() async throws -> (scratch: Scratch, journal: String) {
      let scratch = try Scratch()
      try await scratch.start(Self.run).wait().expectExit(0)
      let job = try #require(scratch.job)
      for name in ["f", "jobs"] { try FileManager.default.removeItem(atPath: scratch(name)) }
      return (scratch, job + "/journal.jsonl")
    }

    @Test("R12 C4 a journal that cannot be made durable: nothing is renamed, and it goes on later")
    func publishing() async throws {
      let (scratch, journal) = try await fresh()
      try await scratch.start(Self.run, with: "fdatasync:error=EIO:when=1+", at: [journal])
        .wait().expectExit(74, saying: "Input/output error")
      #expect(!scratch.exists("f"))
      #expect(!scratch.checkpoints.isEmpty)
      try await scratch.start(Self.run).wait().expectExit(0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: 1_000_000))
    }

    @Test("R12 a finish that is not durable: the result stands, and the checkpoints stay")
    func finish() async throws {
      let (scratch, journal) = try await fresh()
      try await scratch.start(Self.run, with: "fdatasync:error=EIO:when=2+", at: [journal])
        .wait().expectExit(0, saying: "its checkpoints stay")
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: 1_000_000))
      #expect(!scratch.checkpoints.isEmpty)
      // The power goes: what was not durable is gone.
      let kept = scratch.text(journal).split(separator: "\n").prefix {
        !$0.contains("\"event\":\"finished\"")
      }
      try scratch.write(kept.joined(separator: "\n") + "\n", to: journal)
      try await scratch.start(Self.run).wait().expectExit(0)
      #expect(scratch.checkpoints.isEmpty)
    }

    @Test(
      "C2 an error while a checkpoint is read is no damage: 74, and no file is touched",
      arguments: ["when=1", "when=1+"])
    func reading(which: String) async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let before = scratch.checkpoints
      let run = try await scratch.start(
        UnfinishedJob.run, with: "pread64:error=EIO:\(which)", at: before
      ).wait().expectExit(74)
      #expect(run.output.isEmpty)
      #expect(run.errors.contains("Input/output error"), "\(run.errors)")
      #expect(scratch.checkpoints == before)
      #expect(scratch.journal.all("setAside").isEmpty)
      let check = try await scratch.start(
        ["verify", scratch.key],
        with: "pread64:error=EIO:\(which)", at: before
      ).wait().expectExit(74)
      #expect(!check.text.contains("damaged"), "\(check.text)")
      _ = try await scratch.expectFinishes()
    }

    @Test("C4 an error while a set looks at its results: 74, and no file is touched")
    func resultsOfSet() async throws {
      let scratch = try Scratch()
      for name in ["a.tif", "b.tif"] {
        try Picture.write(to: name, in: scratch, width: 60, height: 40)
      }
      let words = [
        "run", "image", "a.tif", "b.tif", "--output-dir", "out", "--format", "png", "--filter",
        "invert",
      ]
      try await scratch.start(words).wait().requireExit(0)
      // Another time, the same bytes: the next run reads it.
      try #require(utimensat(AT_FDCWD, scratch("out/a.png"), nil, 0) == 0)
      let before = ["out/a.png", "out/b.png"].map { Self.inode($0, in: scratch) }
      var failures = 0
      for fault in ["newfstatat", "openat", "openat2", "pread64"].flatMap({ call in
        (1...4).map { "\(call):error=EIO:when=\($0)" }
      }) {
        let run = try await scratch.start(
          words, with: fault, at: ["out", "out/a.png", "out/b.png"]
        ).wait()
        #expect([.exited(0), .exited(74)].contains(run.end), "\(fault): \(run.errors)")
        if run.end == .exited(74) {
          failures += 1
          #expect(run.errors.contains("Input/output error"), "\(fault): \(run.errors)")
        }
        let after = ["out/a.png", "out/b.png"].map { Self.inode($0, in: scratch) }
        #expect(after == before, "\(fault): \(run.errors)")
      }
      #expect(failures > 2)
      let last = try await scratch.start(words + ["--json"]).wait().expectExit(0)
      #expect(last.text.contains("\"filesMadeNow\":0"), "\(last.text)")
    }

    private static func inode(_ name: String, in scratch: Scratch) -> UInt64 {
      var status = stat()
      stat(scratch(name), &status)
      return UInt64(status.st_ino)
    }
  }
}
