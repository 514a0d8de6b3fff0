import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Isolated workers")
  struct IsolatedTests {
    private static let run = [
      "run", "fibonacci", "\(UnfinishedJob.n)", "--output", "f", "--checkpoint-every", "50ms",
      "--isolated",
    ]

    /// Without the runtime's account of a crash, which takes seconds.
    private func start(_ arguments: [String], in scratch: Scratch) throws -> StintProcess {
      try StintProcess(
        [Programs.stint()] + arguments, in: scratch, environment: ["SWIFT_BACKTRACE": "enable=no"])
    }

    /// The worker's process, once it is at work and has saved something.
    private func worker(
      of scratch: Scratch, _ supervisor: StintProcess, after checkpoint: UInt64 = 0,
      stints: Int = 1
    ) async throws -> pid_t {
      try await waitUntil("a checkpoint of the worker") {
        let journal = scratch.journal
        return supervisor.hasEnded
          || journal.newestCheckpoint > checkpoint && journal.all("stintBegan").count >= stints
      }
      return try #require(scratch.journal.all("stintBegan").last?.pid)
    }

    @Test("R10 L8 a worker that crashes is explained and goes on from its last checkpoint")
    func crash() async throws {
      let scratch = try Scratch()
      let supervisor = try start(Self.run, in: scratch)
      let worker = try await worker(of: scratch, supervisor)
      #expect(worker != supervisor.pid, "the work is a child's")
      kill(worker, SIGSEGV)
      let run = try await supervisor.wait(atMost: .seconds(60))
      #expect(run.end == .exited(0), "\(run.errors)")
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: UnfinishedJob.n))
      let journal = scratch.journal
      #expect(journal.lines.contains { $0.event == "workerEnded" && $0.signal == SIGSEGV })
      #expect(journal.all("terminationInferred").map(\.cause) == ["crash"])
      #expect(journal.all("stintBegan").last?.restoredSequence != nil)
      #expect(run.errors.contains("it crashed (signal 11)"), "\(run.errors)")
    }

    @Test(
      "R10 a worker that is ended again and again without a checkpoint is started a limited number of times"
    )
    func limited() async throws {
      let scratch = try Scratch()
      let supervisor = try start(
        [
          "run", "fibonacci", "1000000000", "--output", "f", "--isolated", "--checkpoint-every",
          "1h",
        ], in: scratch)
      var killed: [pid_t] = []
      try await waitUntil("the last of three workers", atMost: .seconds(60)) {
        if let pid = Self.child(of: supervisor.pid), !killed.contains(pid), kill(pid, SIGABRT) == 0
        {
          killed.append(pid)
        }
        return supervisor.hasEnded
      }
      let run = try await supervisor.wait()
      #expect(killed.count == 3)
      #expect(run.end == .signalled(SIGABRT), "as the worker ended")
      #expect(run.errors.contains("3 times without a new checkpoint"), "\(run.errors)")
    }

    @Test(
      "W4 W8 an isolated run takes its budget, saves, asks to be run again, and the result is right"
    )
    func budget() async throws {
      let scratch = try Scratch()
      var runs = 0
      var last: FinishedProcess
      repeat {
        last = try await start(Self.run + ["--budget", "900ms"], in: scratch).wait()
        runs += 1
      } while last.end == .exited(75) && runs < 40
      #expect(last.end == .exited(0), "\(last.errors)")
      #expect(runs > 1)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: UnfinishedJob.n))
      #expect(scratch.journal.ends("expired") + scratch.journal.ends("didNotFit") >= runs - 1)
    }

    @Test("A14 a worker that stands still past its deadline is ended, and the run says what to do")
    func overrun() async throws {
      let scratch = try Scratch()
      let supervisor = try start(Self.run + ["--budget", "1500ms", "--lead", "300ms"], in: scratch)
      let worker = try await worker(of: scratch, supervisor)
      kill(worker, SIGSTOP)
      let run = try await supervisor.wait()
      #expect(run.end == .exited(75), "\(run.errors)")
      #expect(run.took < .seconds(6))
      #expect(run.errors.contains("ran past its deadline"), "\(run.errors)")
      #expect(scratch.journal.lines.contains { $0.event == "workerEnded" && $0.signal == SIGKILL })
      let next = try await start(Self.run, in: scratch).wait(atMost: .seconds(60))
      #expect(next.end == .exited(0), "\(next.errors)")
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: UnfinishedJob.n))
    }

    @Test("W8 stint after stint in one call")
    func untilDone() async throws {
      let scratch = try Scratch()
      let run = try await start(
        [
          "run", "fibonacci", "\(StintsTests.n)", "--budget", "600ms", "--lead", "300ms",
          "--output", "f",
        ] + ["--isolated", "--until-done", "--rest", "10ms"], in: scratch
      ).wait(atMost: .seconds(90))
      #expect(run.end == .exited(0), "\(run.errors)")
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: StintsTests.n))
      #expect(scratch.journal.all("stintBegan").count > 1)
    }

    @Test("W11 SIGTERM and SIGINT save within the grace, as without isolation")
    func signals() async throws {
      for (number, end) in [(SIGTERM, ProcessEnd.exited(75)), (SIGINT, .signalled(SIGINT))] {
        let scratch = try Scratch()
        let supervisor = try start(Self.run, in: scratch)
        _ = try await worker(of: scratch, supervisor)
        supervisor.send(number)
        let run = try await supervisor.wait()
        #expect(run.end == end, "\(run.errors)")
        #expect(scratch.journal.all("stintEnded").count == 1)
      }
    }

    private static func child(of pid: pid_t) -> pid_t? {
      let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
      return text?.split(separator: " ").first.flatMap { pid_t($0) }
    }
  }
}
