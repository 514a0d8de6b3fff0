import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("exec: when no further stint begins")
  struct ExecStopTests {
    @Test("W13 without a checkpoint file too: three stops in a row end it, with advice")
    func noProgressWithoutFile() async throws {
      let scratch = try Scratch()
      func run() async throws -> FinishedProcess {
        try await scratch.start([
          "exec", "--budget", "1s", "--lead", "100ms", "--rest", "1ms", "--until-done", "--",
          "bash", "-c", "echo x >> f; while :; do sleep 0.01; done",
        ]).wait(atMost: .seconds(60))
      }
      let ended = try await run().expectExit(69)
      #expect(scratch.text("f") == "x\nx\nx\n")
      #expect(ended.errors.contains("--checkpoint-file"), "\(ended.errors)")
      // The row goes on in the next process.
      #expect(try await run().end == .exited(69))
      #expect(scratch.text("f") == "x\nx\nx\nx\n")
      let status = try await scratch.stint("report", "exec")
      #expect(status.text.contains("0.0 % of the time that was granted"), "\(status.text)")
    }

    @Test("W13 a command that ends with 75 has progressed, but not if its file says otherwise")
    func asksAgain() async throws {
      func run(_ options: String..., ending status: Int32, after stints: Int) async throws {
        let scratch = try Scratch()
        try await scratch.start(
          ["exec", "--budget", "20s", "--rest", "1ms", "--until-done"] + options + [
            "--", "bash", "-c", "echo x >> f; [ $(wc -l < f) -ge 6 ] || exit 75",
          ]
        ).wait(atMost: .seconds(60)).expectExit(status)
        #expect(scratch.text("f") == String(repeating: "x\n", count: stints))
      }
      try await run(ending: 0, after: 6)
      try await run("--checkpoint-file", "f", ending: 0, after: 6)
      try await run("--checkpoint-file", "none", ending: 69, after: 3)
    }

    @Test(
      "W11 no stint begins after a stop, which is looked at while it rests",
      arguments: [false, true])
    func stopWhileResting(hasFile: Bool) async throws {
      let scratch = try Scratch()
      let process = try scratch.start(
        ["exec", "--budget", "20s", "--rest", "30m", "--until-done"]
          + (hasFile ? ["--checkpoint-file", "c"] : [])
          + ["--", "bash", "-c", "echo x >> f; exit 75"])
      try await waitUntil("the rest") { scratch.journal.ends("expired") == 1 }
      let stopped = try await scratch.stint("stop", "exec").expectExit(0)
      #expect(stopped.text.contains("stops"), "\(stopped.text)")
      #expect(try await process.wait(atMost: .seconds(30)).end == .exited(75))
      #expect(scratch.text("f") == "x\n")
    }

    @Test("W11 no stint begins after a stop, although no checkpoint comes in the one that runs")
    func stopWithoutCheckpoint() async throws {
      let scratch = try Scratch()
      let process = try scratch.start([
        "exec", "--budget", "4s", "--lead", "500ms", "--rest", "1ms", "--until-done",
        "--checkpoint-file", "c", "--", "bash", "-c",
        "echo x >> f; trap 'exit 75' TERM; while :; do sleep 0.01; done",
      ])
      try await waitUntil("the job") { !scratch.text("f").isEmpty && scratch.job != nil }
      #expect(try await scratch.stint("stop", "exec").end == .exited(0))
      #expect(try await process.wait(atMost: .seconds(30)).end == .exited(75))
      #expect(scratch.text("f") == "x\n")
    }

    @Test(
      "A19 a file server that does not answer delays no kill",
      .enabled(if: access("/usr/bin/strace", X_OK) == 0, "there is no strace"))
    func slowFiles() async throws {
      let scratch = try Scratch()
      // The last look at the file takes longer than what is left behind has.
      let process = try StintProcess(
        [
          "/usr/bin/strace", "-f", "-q", "-e", "trace=newfstatat", "-P", scratch("c"), "-e",
          "inject=newfstatat:delay_enter=4000000:when=2+", "-o", "/dev/null", Programs.stint(),
          "exec", "--tick", "1h", "--budget", "2s", "--lead", "1s", "--checkpoint-file",
          scratch("c"), "--", "bash", "-c",
          "(trap '' TERM; echo $BASHPID > deaf; exec sleep 41) & exec sleep 40",
        ], in: scratch)
      try await waitUntil("the descendant") { scratch.text("deaf").hasSuffix("\n") }
      try await waitUntil("the kill") { !ExecFamilyTests.isAlive(scratch.text("deaf")) }
      // The look is still on its way.
      #expect(!process.hasEnded)
      _ = try await process.wait(atMost: .seconds(60))
    }
  }
}
