import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Waiting for a job that is held")
  struct WaitLockTests {
    private static let command = ["--checkpoint-file", "c", "--", "sleep", "100"]

    /// Runs a command that keeps nothing, most of whose time goes by while the job is held.
    private static func afterWait(in scratch: Scratch) async throws -> FinishedProcess {
      let holder = try scratch.start(["exec"] + command)
      try await holder.wait(until: "the holder") {
        scratch.journal.all("stintBegan").last?.pid == holder.pid
      }
      let run = try scratch.start(
        ["exec", "--budget", "3s", "--lead", "500ms", "--wait-lock"] + command)
      try await run.wait(until: "the wait") { run.errorsSoFar.contains("waits for it") }
      let began = ContinuousClock.now
      try await run.wait(until: "most of the time") {
        began.duration(to: .now) > .milliseconds(800)
      }
      holder.send(SIGKILL)
      _ = try await holder.wait()
      return try await run.wait(atMost: .seconds(20))
    }

    @Test("W13 E5 a command that had little time left after a wait for the lock does not count")
    func noProgressOfCommand() async throws {
      let scratch = try Scratch()
      for round in 1...4 {
        let run = try await Self.afterWait(in: scratch)
        #expect(run.end == .exited(75), "round \(round): \(run.errors)")
      }
      let journal = scratch.journal
      #expect(journal.all("lockAwaited").count >= 2)
      let job = try scratch.key
      let status = try await scratch.stint("status", job, "--json")
      #expect(status.text.contains("\"stintsWithoutProgress\":0"), "\(status.text)")
      // Without a wait it counts.
      for round in 1...3 {
        let run = try await scratch.start(["exec", "--budget", "500ms"] + Self.command).wait()
        #expect(run.end == .exited(round == 3 ? 69 : 75), "round \(round): \(run.errors)")
      }
    }

    @Test("W13 E5 a run that waited for the lock writes that down before it begins")
    func writtenDown() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let kept = scratch.journal.all("stintBegan").count
      let holder = try scratch.start(UnfinishedJob.run)
      try await holder.wait(until: "the holder") { scratch.journal.all("stintBegan").count > kept }
      holder.send(SIGSTOP)
      let run = try scratch.start(
        UnfinishedJob.run + ["--budget", "20s", "--wait-lock"])
      try await run.wait(until: "the wait") { run.errorsSoFar.contains("waits for it") }
      holder.send(SIGKILL)
      _ = try await holder.wait()
      let end = try await run.wait(atMost: .seconds(20))
      #expect([.exited(0), .exited(75)].contains(end.end), "\(end.errors)")
      let lines = scratch.journal.lines.filter { $0.pid == run.pid }
      #expect(lines.first?.event == "lockAwaited", "\(lines.map(\.event))")
    }
  }
}
