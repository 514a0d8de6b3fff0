import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("The pause file")
  struct PauseTests {
    static let n = StintsTests.n
    /// Soon with a directory, in which the file can be put.
    static let run = [
      "run", "fibonacci", "\(n)", "--checkpoint-every", "50ms", "--tick", "50ms", "--output", "f",
    ]

    /// Runs the same command again and expects the uninterrupted result.
    private static func expectFinishes(_ scratch: Scratch) async throws {
      try await scratch.start(run).wait().expectExit(0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: n))
    }

    /// Waits until a run has obeyed the pause file and says so.
    private static func waitUntilPaused(_ process: StintProcess, in scratch: Scratch) async throws {
      let job = try #require(scratch.job)
      try await process.wait(until: "the pause") {
        scratch.text(job + "/progress.json").contains("\"state\":\"paused\"")
      }
      #expect(!process.hasEnded, "\(process.errorsSoFar)")
    }

    @Test(
      "W7 a pause file saves, ends the task and waits; taken away, it goes on to the same result")
    func file() async throws {
      let scratch = try Scratch()
      let process = try scratch.start(
        Self.run + ["--budget", "2s", "--lead", "1s", "--until-done", "--rest", "10ms"])
      try await process.wait(until: "a checkpoint") { scratch.journal.newestCheckpoint > 0 }
      let job = try #require(scratch.job, "\(process.errorsSoFar)")
      try scratch.write("", to: job + "/pause")
      try await Self.waitUntilPaused(process, in: scratch)
      let ends = scratch.journal.all("stintEnded").count
      #expect(ends >= 1)
      #expect(process.state != "T")
      let status = try await scratch.stint("status", try scratch.key, "--json").object
      #expect(status["state"] as? String == "paused")
      #expect(status["pauseRequested"] as? Bool == true)
      #expect(scratch.journal.newestCheckpoint >= 1)
      // It has looked several times since, and nothing but the end of the file lets it go on.
      try await Task.sleep(for: .milliseconds(300))
      #expect(!process.hasEnded)
      #expect(scratch.journal.all("stintBegan").count == ends)
      try FileManager.default.removeItem(atPath: scratch(job + "/pause"))
      try await process.wait().expectExit(0, saying: "Paused by stint pause")
      #expect(scratch.journal.all("stintBegan").count > ends)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Self.n))
      // A chunk that ran on during the pause is more than the next stint itself did.
      let figures = try await scratch.stint("report", try scratch.key, "--json").object
      let life = try #require(figures["life"] as? [[String: Any]])
      let shares = ([figures] + life).compactMap { $0["savedShare"] as? Double }
      #expect(shares.allSatisfy { $0 <= 1 }, "\(shares)")
    }

    @Test("W7 stint pause and resume work where no signal does, and stint stop ends the pause")
    func verbs() async throws {
      let scratch = try Scratch()
      // As far as the verbs can tell this is a process in another container: SIGTSTP does not reach
      // it.
      let process = try StintProcess(
        ["/bin/sh", "-c", "trap '' TSTP; exec \"$STINT\" \"$@\"", "sh"] + Self.run,
        in: scratch)
      try await process.wait(until: "a checkpoint") { scratch.journal.newestCheckpoint > 0 }
      let key = try scratch.key
      let paused = try await scratch.stint("pause", key).expectExit(0)
      #expect(paused.text.contains("it is saved and waits"), "\(paused.text)")
      #expect(process.state != "T")
      #expect(try await scratch.stint("pause", key).text.contains("paused already"))
      let began = scratch.journal.all("stintBegan").count
      try await scratch.stint("resume", key).expectExit(0)
      try await process.wait(until: "the next stint") {
        scratch.journal.all("stintBegan").count > began
      }
      #expect(!process.hasEnded, "\(process.errorsSoFar)")
      #expect(try await scratch.stint("pause", key).end == .exited(0))
      try await scratch.stint("stop", key).expectExit(0)
      #expect(try await process.wait().end == .exited(75))
      try await Self.expectFinishes(scratch)
    }

    @Test(
      "W7 a command and a batch that no signal reaches are not asked to pause: 69 at once",
      arguments: ["exec", "batch"])
    func commands(form: String) async throws {
      let scratch = try Scratch()
      try scratch.write("exec -- sh -c 'touch ready; exec sleep 600'\n", to: "lines")
      let words =
        form == "exec"
        ? ["exec", "--progress-file", "p", "--", "sh", "-c", "touch ready; exec sleep 600"]
        : ["batch", "lines"]
      let process = try StintProcess(
        ["/bin/sh", "-c", "trap '' TSTP; exec \"$STINT\" \"$@\"", "sh"] + words, in: scratch)
      try await process.wait(until: "the command") { scratch.exists("ready") }
      try await process.wait(until: "the job") {
        scratch.exists("jobs/\((try? scratch.key) ?? "-")/job.json")
      }
      let key = try scratch.key
      try await scratch.stint("pause", key).expectExit(69, saying: "SIGTSTP")
      #expect(!scratch.exists("jobs/\(key)/pause"))
      #expect(!process.hasEnded, "\(process.errorsSoFar)")
    }
  }
}
