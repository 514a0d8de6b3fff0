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

    /// A command line, and what its device fails at.
    struct Output: Sendable, CustomTestStringConvertible {
      /// With an at sign before a path that is given as a whole.
      var words: [String]
      var files: [String]
      var testDescription: String { words.joined(separator: " ") }
    }

    private static let image = ["image", "a.tif", "--filter", "invert"]
    private static let outputs = [
      Output(words: ["run", "fibonacci", "1000", "-o", "o/f"], files: ["o", "o/f"]),
      Output(words: ["run", "fibonacci", "1000", "-o", "f", "--events", "@e"], files: ["e"]),
      Output(words: ["run"] + image + ["-o", "o/a.png"], files: ["o", "o/a.png"]),
      Output(words: ["run"] + image + ["--output-dir", "o/d"], files: ["o", "o/d"]),
      Output(words: ["batch", "number"], files: ["o", "o/f"]),
      Output(words: ["batch", "set"], files: ["o", "o/d"]),
      Output(words: ["batch", "command", "--joblog", "@log"], files: ["log"]),
      Output(words: ["exec", "--budget", "60s", "--events", "@e", "--", "true"], files: ["e"]),
      Output(words: ["submit", "--dry-run", "--", "batch", "number"], files: ["o", "o/f"]),
    ]

    @Test("C4 a device that fails where an output is to be is no wrong output", arguments: outputs)
    func outputDevice(output: Output) async throws {
      let template = try Scratch()
      try Picture.write(to: "a.tif", in: template, width: 60, height: 40)
      try template.write("fibonacci 1000 -o o/f\n", to: "number")
      try template.write("image a.tif --output-dir o/d --filter invert\n", to: "set")
      try template.write("exec -- true\n", to: "command")
      try template.makeFolder("o")
      // A line's own process may fail, too, and is tried again; its batch then ends with 1.
      let allowed: [ProcessEnd] =
        output.words.first == "batch"
        ? [.exited(0), .exited(1), .exited(74)] : [.exited(0), .exited(74)]
      var failures = 0
      for call in ["access", "readlink", "newfstatat", "openat", "mkdir"] {
        for time in 1...2 {
          let scratch = try Scratch()
          for name in ["a.tif", "number", "set", "command", "o"] {
            try FileManager.default.copyItem(atPath: template(name), toPath: scratch(name))
          }
          let run = try await scratch.start(
            output.words.map { $0.first == "@" ? scratch(String($0.dropFirst())) : $0 },
            with: "\(call):error=EIO:when=\(time)", at: output.files
          ).wait()
          #expect(allowed.contains(run.end), "\(call) \(time): \(run.end) \(run.errors)")
          if run.end == .exited(74) { failures += 1 }
        }
      }
      #expect(failures > 0)
    }

    @Test("C2 an error while an image is read is no damage: 74")
    func input() async throws {
      let scratch = try Scratch()
      // Too large to be read at once and decoded from memory.
      try Picture.write(to: "a.tif", in: scratch, width: 1500, height: 1200)
      try await scratch.start(["run", "image", "a.tif", "a.png", "--filter", "invert"])
        .wait().requireExit(0)
      var failures = 0
      for fault in ["read", "pread64"].flatMap({ call in
        (1...6).map { "\(call):error=EIO:when=\($0)" } + ["\(call):error=EIO:when=4+"]
      }) {
        let run = try await scratch.start(
          ["run", "image", "a.png", "b.tif", "--filter", "invert", "--fresh"], with: fault,
          at: ["a.png"]
        ).wait()
        #expect([.exited(0), .exited(74)].contains(run.end), "\(fault): \(run.errors)")
        if run.end == .exited(74) { failures += 1 }
        unlink(scratch("b.tif"))
      }
      #expect(failures > 1)
    }

    private static func inode(_ name: String, in scratch: Scratch) -> UInt64 {
      var status = stat()
      stat(scratch(name), &status)
      return UInt64(status.st_ino)
    }
  }
}
