import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Signals")
  struct SignalTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Long enough to be hit in the middle, and to be cut by the budgets below.
    static let n = Yardstick.long
    static let run = [
      "run", "fibonacci", "\(n)", "--events", "e", "--tick", "50ms", "--output", "f",
    ]

    /// Starts a run and waits until it is in the middle of its work.
    static func working(
      in scratch: Scratch, _ more: String..., through launcher: [String] = []
    ) async throws -> StintProcess {
      let process = try StintProcess(launcher + [Programs.stint()] + run + more, in: scratch)
      try await process.wait(until: "some progress") {
        Journal(text: scratch.text("e")).lines.contains { $0.fraction ?? 0 > 0.02 }
      }
      #expect(!process.hasEnded, "\(process.errorsSoFar)")
      return process
    }

    /// Runs the same command again and checks that it goes on from what was saved.
    static func expectResumes(_ scratch: Scratch, _ comment: Comment? = nil) async throws {
      let saved = scratch.journal.newestCheckpoint
      #expect(saved >= 1, comment)
      #expect(!scratch.exists("f"), comment)
      try await scratch.start(run).wait().expectExit(0)
      // Durable a moment before the journal says so.
      let restored = scratch.journal.all("stintBegan").last?.restoredSequence
      #expect([saved, saved + 1].contains(restored), comment)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: n), comment)
    }

    @Test("W11 SIGTERM and SIGHUP save and exit with 75", arguments: [SIGTERM, SIGHUP])
    func saves(signal: Int32) async throws {
      let process = try await Self.working(in: scratch)
      process.send(signal)
      let ended = try await process.wait(atMost: .seconds(6)).expectExit(75)
      #expect(scratch.journal.ends("stopRequested") == 1)
      #expect(ended.errors.contains("Run the same command again"))
      try await Self.expectResumes(scratch)
    }

    @Test("W11 SIGINT saves and dies of SIGINT, so that a shell's loop stops")
    func interrupt() async throws {
      let process = try await Self.working(in: scratch)
      process.send(SIGINT)
      let ended = try await process.wait()
      #expect(ended.end == .signalled(SIGINT), "\(ended.errors)")
      try await Self.expectResumes(scratch)
    }

    @Test(
      "W11 a warning saves and exits with 75; repeated, and with SIGTERM after it, too",
      arguments: [SIGUSR1, SIGUSR2, SIGXCPU])
    func warning(signal: Int32) async throws {
      let process = try await Self.working(in: scratch)
      process.send(signal)
      // Apart by more than makes a second signal of one.
      try await Task.sleep(for: .milliseconds(250))
      process.send(signal)
      process.send(SIGTERM)
      let ended = try await process.wait().expectExit(75)
      #expect(ended.errors.contains("signal \(signal) arrived"), "\(ended.errors)")
      #expect(scratch.journal.ends("stopRequested") == 1)
      try await Self.expectResumes(scratch)
    }

    @Test("W11 a limit of processor time warns with SIGXCPU: the work is saved and goes on")
    func processorTime() async throws {
      let limited = ["/bin/sh", "-c", "ulimit -S -t 1; exec \"$@\"", "sh"]
      let ended = try await StintProcess(limited + [Programs.stint()] + Self.run, in: scratch)
        .wait().expectExit(75)
      #expect(ended.errors.contains("signal \(SIGXCPU) arrived"), "\(ended.errors)")
      try await Self.expectResumes(scratch)
    }

    @Test("W11 warnings reach an isolated run, and a batch, whose lines save")
    func warnedSupervisors() async throws {
      let isolated = try await Self.working(in: scratch, "--isolated")
      isolated.send(SIGUSR1)
      try await isolated.wait().expectExit(75)
      try await Self.expectResumes(scratch)
      let other = try Scratch()
      try other.write("fibonacci \(Self.n) -o f --checkpoint-every 50ms\n", to: "lines")
      let batch = try other.start(["batch", "lines"])
      try await batch.wait(until: "a checkpoint") {
        other.names(in: "jobs").contains {
          other.names(in: "jobs/\($0)/checkpoints").contains { $0.hasSuffix(".ckpt") }
        }
      }
      batch.send(SIGUSR2)
      try await batch.wait().expectExit(75)
      try await other.start(["batch", "lines"]).wait().expectExit(0)
      #expect(try await other.bytes("f") == Yardstick.shared.bytes(of: Self.n))
    }

    @Test("W11 a warning ends an isolated run that rests")
    func warnedInRest() async throws {
      let process = try scratch.start([
        "run", "fibonacci", "\(Self.n * 8)", "--isolated", "--budget", "1500ms", "--lead", "500ms",
        "--output", "f", "--until-done", "--rest", "30m",
      ])
      try await process.wait(until: "the rest") { !scratch.journal.all("stintEnded").isEmpty }
      // Its process may still be ending.
      try await process.wait(until: "its process's end") {
        BatchTests.processes(of: scratch).count == 1
      }
      process.send(SIGUSR1)
      try await process.wait().expectExit(75)
      #expect(scratch.journal.all("stintBegan").count == 1)
    }

    @Test("a warning that was ignored at the start stays ignored")
    func ignoredWarning() async throws {
      let process = try await Self.working(
        in: scratch, through: ["/bin/sh", "-c", "trap '' USR1; exec \"$@\"", "sh"])
      process.send(SIGUSR1)
      try await process.wait().expectExit(0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Self.n))
    }

    @Test("W11 SIGTERM with SIGCONT, as timeout sends them, stops all the same")
    func termAndContinue() async throws {
      let process = try await Self.working(in: scratch)
      process.send(SIGTERM)
      process.send(SIGCONT)
      #expect(try await process.wait().end == .exited(75))
      try await Self.expectResumes(scratch)
    }

    @Test("W11 under timeout(1) the status is 124 and the work is saved")
    func timeout() async throws {
      // On a busy machine half a second may hold no chunk.
      for tries in 1...10 where scratch.journal.newestCheckpoint == 0 {
        let limit = ["/usr/bin/timeout", "-s", "TERM", "\(0.5 * Double(tries))"]
        try await StintProcess(limit + [Programs.stint()] + Self.run, in: scratch).wait()
          .expectExit(124)
        try await waitUntil("the program's own end") { BatchTests.processes(of: scratch).isEmpty }
      }
      try await Self.expectResumes(scratch)
    }

    @Test("a SIGHUP that was ignored at the start stays ignored, as under nohup")
    func nohup() async throws {
      let process = try await Self.working(in: scratch, through: ["/usr/bin/nohup"])
      process.send(SIGHUP)
      try await process.wait().expectExit(0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Self.n))
    }

    @Test("W7 SIGTSTP saves, ends the task and stops; SIGCONT goes on to the same result")
    func terminalStop() async throws {
      let process = try await Self.working(in: scratch)
      process.send(SIGTSTP)
      try await process.wait(until: "the stop") { process.state == "T" }
      #expect(scratch.journal.newestCheckpoint >= 1)
      #expect(scratch.journal.all("stintEnded").count == 1)
      process.send(SIGCONT)
      try await process.wait().expectExit(0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Self.n))
      #expect(scratch.journal.all("stintBegan").count == 2)
    }

    @Test("R8 A23 stopped in the middle and past its deadline, it is gone; the next run goes on")
    func stoppedPastDeadline() async throws {
      let process = try await Self.working(
        in: scratch, "--budget", "2s", "--checkpoint-every", "50ms")
      try await waitUntil("a checkpoint") { scratch.journal.newestCheckpoint >= 1 }
      process.send(SIGSTOP)
      try await waitUntil("the deadline") { process.hasEnded }
      #expect(try await process.wait().end == .signalled(SIGKILL))
      try await Self.expectResumes(scratch)
    }

    @Test(
      "R3 a signal that was there before the worker ends it all the same",
      arguments: [[], ["--budget", "2s"], ["--budget", "2s", "--until-done"]])
    func beforeTheWorker(options: [String]) async throws {
      // Blocked and pending at the exec, it is taken as soon as the program looks.
      let run = try await StintProcess(
        [
          "/usr/bin/env", "python3", "-c",
          """
          import os, signal, sys
          signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
          os.kill(os.getpid(), signal.SIGTERM)
          os.execv(os.environ["STINT"], ["stint"] + sys.argv[1:])
          """, "run", "fibonacci", "300000000", "-q", "--output", "f",
        ] + options, in: scratch
      ).wait()
      #expect(run.end == .exited(75), "\(options): \(run.end) \(run.errors)")
      #expect(!scratch.exists("f"))
    }

    @Test("R8 A23 stopped and continued before the deadline, the stint ends in order")
    func stoppedShortly() async throws {
      let process = try await Self.working(
        in: scratch, "--budget", "2s", "--lead", "1s", "--threads", "1")
      process.send(SIGSTOP)
      try await waitUntil("the stop") { process.state == "T" }
      process.send(SIGCONT)
      #expect(try await process.wait().end == .exited(75))
      try await Self.expectResumes(scratch)
    }
  }
}
