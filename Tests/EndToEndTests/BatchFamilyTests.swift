import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Batches and everything that their lines start")
  struct BatchFamilyTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A command whose worker, in a session of its own, is deaf to all that can be ignored.
    ///
    /// The worker writes its number to a file.
    private static func deaf(_ file: String) -> String {
      """
      exec -- sh -c 'trap "" TERM INT HUP; setsid sh -c "trap \\"\\" TERM INT HUP; \
      echo \\$\\$ >\(file); sleep 1000; sleep 1000" & wait; wait'
      """
    }

    private func start(_ lines: String..., words: [String] = []) async throws -> StintProcess {
      try scratch.write(lines.joined(separator: "\n") + "\n", to: "jobs.txt")
      return try scratch.start(["batch", "jobs.txt", "--quiet"] + words)
    }

    private func waitForWorker(_ file: String = "worker") async throws -> String {
      try await waitUntil("the worker") { scratch.text(file).hasSuffix("\n") }
      return scratch.text(file)
    }

    /// The process that looks after the line that has a file's name among its words: the parent of
    /// its command, and a child of the batch.
    private func supervisor(_ batch: StintProcess, of file: String = "worker") throws -> pid_t {
      let processes = BatchTests.processes(of: scratch)
      return try #require(
        processes.first { pid in
          Self.parent(of: pid) == batch.pid
            && processes.contains { child in
              let words = try? String(contentsOfFile: "/proc/\(child)/cmdline", encoding: .utf8)
              return Self.parent(of: child) == pid && words?.contains(file) ?? false
            }
        })
    }

    private static func parent(of pid: pid_t) -> pid_t? {
      let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      return stat?.split(separator: ")").last?.split(separator: " ").dropFirst().first
        .flatMap { pid_t($0) }
    }

    private func expectGone(_ worker: String) async throws {
      try await waitUntil("the worker's end") { !ExecFamilyTests.isAlive(worker) }
    }

    @Test("R9 a line whose supervisor is killed leaves nothing behind, and the others go on")
    func supervisorKilled() async throws {
      let batch = try await start(
        Self.deaf("worker"),
        "exec -- sh -c 'setsid -f sh -c \"echo \\$\\$ >own; exec sleep 1000\" >/dev/null 2>&1; "
          + "until test -e own; do sleep 0.01; done'",
        "exec -- sh -c 'echo $$ >other; until test -e go; do sleep 0.01; done; touch done'",
        words: ["-j", "3"])
      let worker = try await waitForWorker()
      let other = try await waitForWorker("other")
      let own = try await waitForWorker("own")
      try await waitUntil("the end of the line that leaves something") {
        BatchTests.finished(in: scratch) == 1
      }
      kill(try supervisor(batch), SIGKILL)
      try await expectGone(worker)
      #expect(ExecFamilyTests.isAlive(other))
      #expect(ExecFamilyTests.isAlive(own), "what a line leaves in its own time is its own affair")
      try scratch.write("", to: "go")
      try await batch.wait().expectExit(1)
      #expect(scratch.exists("done"))
      #expect(ExecFamilyTests.isAlive(own))
      if let pid = Int32(own.dropLast()) { kill(pid, SIGKILL) }
    }

    @Test("R9 W11 a second signal leaves nothing of a line behind that is deaf to the first")
    func secondSignal() async throws {
      let batch = try await start(Self.deaf("worker"), words: ["--stop-grace", "1h"])
      let worker = try await waitForWorker()
      batch.send(SIGTERM)
      // The line's supervisor has passed the first one on.
      try await waitUntil("the stop of the batch") {
        batch.send(SIGTERM)
        return batch.hasEnded
      }
      #expect(try await batch.wait().end == .signalled(SIGTERM))
      try await expectGone(worker)
    }

    @Test("A19 at the deadline nothing is left behind of a line whose supervisor is stopped")
    func supervisorStopped() async throws {
      // On a busy machine a short budget is over before the supervisor can be stopped.
      for seconds in [3, 6, 12, 24] {
        try? FileManager.default.removeItem(atPath: scratch("worker"))
        let batch = try await start(Self.deaf("worker"), words: ["--budget", "\(seconds)s"])
        try await batch.wait(until: "the worker") { scratch.text("worker").hasSuffix("\n") }
        guard !batch.hasEnded, let supervisor = try? supervisor(batch) else { continue }
        kill(supervisor, SIGSTOP)
        // The kernel may have to end the batch at its deadline, and the line with it.
        let end = try await batch.wait().end
        #expect([.exited(75), .signalled(SIGKILL)].contains(end))
        return try await expectGone(scratch.text("worker"))
      }
      Issue.record("no budget was enough to begin a line")
    }

    @Test("R9 a batch that is killed leaves nothing of a command that is deaf to SIGTERM")
    func killedBatch() async throws {
      let batch = try await start(Self.deaf("worker"), words: ["--stop-grace", "0.3s"])
      let worker = try await waitForWorker()
      batch.send(SIGKILL)
      #expect(try await batch.wait().end == .signalled(SIGKILL))
      try await expectGone(worker)
      try await waitUntil("the end of all") { BatchTests.processes(of: scratch).isEmpty }
    }

    @Test("a command without options knows its time, and ends as it likes")
    func plainCommand() async throws {
      let line = """
        sh -c 'env | grep ^STINT_ >variables; trap "echo saved >saved; exit 9" TERM;         echo >started; while :; do sleep 0.01; done'
        """
      let batch = try await start(line, words: ["--budget", "1h"])
      try await waitUntil("the command") { scratch.exists("started") }
      for name in ["STINT_DEADLINE", "STINT_BUDGET", "STINT_STINT=1"] {
        #expect(scratch.text("variables").contains(name), "\(scratch.text("variables"))")
      }
      batch.send(SIGTERM)
      #expect(try await batch.wait().end == .exited(75))
      #expect(scratch.text("saved") == "saved\n")
    }

    @Test("R9 what is left of a line whose batch and supervisor were killed is waited for")
    func bothKilled() async throws {
      let batch = try await start(Self.deaf("worker"), words: ["--stop-grace", "1h"])
      let worker = try await waitForWorker()
      let supervisor = try supervisor(batch)
      // It cannot look after what the other leaves.
      try #require(try await batch.freeze())
      kill(supervisor, SIGKILL)
      try await waitUntil("the supervisor's end") { !ExecFamilyTests.isAlive("\(supervisor)") }
      batch.send(SIGKILL)
      _ = try await batch.wait()
      try #require(ExecFamilyTests.isAlive(worker))
      try FileManager.default.removeItem(atPath: scratch("worker"))
      let again = try scratch.start(["batch", "jobs.txt"])
      try await again.wait(until: "the wait") { again.errorsSoFar.contains("an earlier batch") }
      #expect(!scratch.exists("worker"), "\(again.errorsSoFar)")
      // It begins when the rest of the former one is gone.
      for pid in BatchTests.processes(of: scratch)
      where pid != again.pid && Self.parent(of: pid) != again.pid {
        kill(pid, SIGKILL)
      }
      let second = try await waitForWorker()
      again.send(SIGTERM)
      try await waitUntil("the end of the batch") {
        again.send(SIGTERM)
        return again.hasEnded
      }
      try await expectGone(second)
    }

    @Test("what a line left running in its own time keeps its next process from nothing")
    func ownAffair() async throws {
      let line =
        "exec -- sh -c 'setsid -f sh -c \"echo \\$\\$ >own; exec sleep 1000\"; "
        + "until test -e own; do sleep 0.01; done; exit 3'"
      try await start(line).wait().expectExit(1)
      let own = try await waitForWorker("own")
      #expect(ExecFamilyTests.isAlive(own))
      let again = try await start(line).wait().expectExit(1)
      #expect(!again.errors.contains("earlier batch"), "\(again.errors)")
      for pid in BatchTests.processes(of: scratch) { kill(pid, SIGKILL) }
    }

    @Test("R9 what a shell had started before it became a batch is left alone")
    func olderChildren() async throws {
      try scratch.write(Self.deaf("worker") + "\n", to: "jobs.txt")
      try scratch.write(
        """
        sleep 1000 & echo $! >older
        exec "$STINT" batch jobs.txt --quiet
        """, to: "script")
      let batch = try StintProcess(["/bin/bash", "script"], in: scratch)
      let worker = try await waitForWorker()
      kill(try supervisor(batch), SIGKILL)
      try await batch.wait().expectExit(1)
      #expect(ExecFamilyTests.isAlive(scratch.text("older")))
      for pid in BatchTests.processes(of: scratch) { kill(pid, SIGKILL) }
      try await expectGone(worker)
    }
  }
}
