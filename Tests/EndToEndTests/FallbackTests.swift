import Foundation
import Testing

extension EndToEnd {
  @Suite(
    "What a file system cannot do, injected into system calls",
    .enabled(if: Strace.mayTrace, Comment(rawValue: Strace.reason)))
  struct FallbackTests {
    private static let run = ["run", "fibonacci", "1000000", "--output", "f", "--budget", "60s"]

    @Test("R18 without RENAME_NOREPLACE the result stands under its name, and nothing beside it")
    func exclusiveRenaming() async throws {
      let scratch = try Scratch()
      try await scratch.start(Self.run, with: "renameat2:error=EINVAL", at: []).wait().expectExit(0)
      #expect(scratch.text("strace").contains("(INJECTED)"))
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: 1_000_000))
      let left = scratch.names(in: "").filter { $0.hasSuffix(".stint") }
      #expect(left == [])
    }

    /// A batch of two kinds of lines.
    private static let lines = "fibonacci 1000 -o line\nexec -- sh -c 'echo done >command'\n"

    @Test(
      "On a kernel that knows no system call younger than Linux 5.3, work is done as always",
      arguments: [
        run, ["batch", "lines", "--budget", "60s"],
        ["run", "fibonacci", "1000000", "--output", "f", "--budget", "60s", "--isolated"],
      ])
    func oldestKernel(words: [String]) async throws {
      let scratch = try Scratch()
      try scratch.write(Self.lines, to: "lines")
      try await scratch.start(words, with: "\(Strace.laterCalls):error=ENOSYS", at: []).wait()
        .expectExit(0)
      #expect(scratch.text("strace").contains("openat2("))
      #expect(scratch.text("strace").contains("(INJECTED)"))
      if words[0] == "run" {
        #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: 1_000_000))
      } else {
        #expect(try await scratch.bytes("line") == Yardstick.shared.bytes(of: 1_000))
        #expect(scratch.text("command") == "done\n")
      }
    }

    @Test("There a command is supervised, and what guards it keeps no descriptor of its caller")
    func oldestKernelSupervises() async throws {
      let scratch = try Scratch()
      // The command waits for a writer that never comes, until it is told to end.
      #expect(mkfifo(scratch("fifo"), 0o600) == 0)
      let process = try scratch.start(
        ["exec", "--suspend", "--budget", "60s"]
          + ["--", "sh", "-c", "echo $PPID >pid; read line <fifo"],
        with: "\(Strace.laterCalls):error=ENOSYS", at: [])
      try await process.wait(until: "the command") { scratch.text("pid").hasSuffix("\n") }
      let supervisor = try #require(pid_t(scratch.text("pid").dropLast()))
      if Freezing.isPossible {
        try await process.wait(until: "a guard that has closed what is not its own") {
          Self.children(of: supervisor).contains { child in
            Self.names(in: "/proc/\(child)/fd").count == 1
          }
        }
      }
      #expect(!process.hasEnded, "\(process.errorsSoFar)")
      kill(supervisor, SIGTERM)
      _ = try await process.wait()
    }

    @Test("The README names this kernel")
    func readme() throws {
      let readme = try String(contentsOfFile: Programs.root + "/README.md", encoding: .utf8)
      #expect(readme.prefix(2_000).contains("Linux 5.3"))
    }

    private static func children(of pid: pid_t) -> [Substring] {
      let tasks = "/proc/\(pid)/task"
      return names(in: tasks).flatMap { task in
        ((try? String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8)) ?? "")
          .split(whereSeparator: \.isWhitespace)
      }
    }

    private static func names(in folder: String) -> [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
  }
}
