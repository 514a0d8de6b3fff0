import CStint
import Foundation
import Glibc
import Stint
import Testing

extension ByTheClock {
  @Suite("Stuck processes")
  struct StuckTests {
    @Test("A19 a process whose main thread is deep in GMP is killed at its deadline")
    func stuckInGMP() async throws {
      let scratch = try Scratch()
      let path = scratch("deadline")
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
        let application = try Application(
          system: InProcessSystem(
            policy: .commandLine.withBudget(.milliseconds(300), lead: .milliseconds(100)),
            termination: .terminate))
        application.launch()
        _ = application.beginBackgroundTask(withName: "stuck") {}
        let deadline = stint_boottime_ns() + 300_000_000
        try Data("\(deadline)".utf8).write(to: URL(fileURLWithPath: path))
        application.enterBackground()
        UninterruptibleCall.halfAMinute()
        exit(1)
      }
      let deadline = try #require(Int64(scratch.text("deadline")))
      // The precise figure is the benchmark's; here it only has to be no matter of seconds.
      #expect(stint_boottime_ns() - deadline < 3_000_000_000)
    }

    @Test(
      "A19 a handler that is stuck after a stop was asked for is killed at the end of its grace")
    func stopGrace() async throws {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        let system = try InProcessSystem(policy: .unlimited, termination: .terminate)
        let application = Application(system: system)
        application.launch()
        _ = application.beginBackgroundTask(withName: "stuck") {
          while true { pause() }
        }
        system.driver.requestStop(reason: .signal(SIGTERM), grace: .milliseconds(300))
        // Serves the main queue, on which the handler is stuck; the fuse is far behind the
        // deadline.
        alarm(60)
        try await Task.sleep(for: .seconds(120))
      }
    }

    @Test("A19 SIGTERM ends a run within its grace although nobody reads its events")
    func sleepingReader() async throws {
      let scratch = try Scratch()
      let stuck = try await sleeping(in: scratch, grace: "20s")
      stuck.process.send(SIGTERM)
      try await stuck.process.wait(atMost: .seconds(15)).expectExit(75, saying: "done and saved")
    }

    @Test("A19 SIGTERM ends a run within its grace although nobody reads its messages")
    func lastWords() async throws {
      let scratch = try Scratch()
      let stuck = try await mute(in: scratch, grace: "600ms")
      stuck.process.send(SIGTERM)
      // Saved, so it is not killed: the status says what is true.
      #expect(try await stuck.process.wait(atMost: .seconds(15)).end == .exited(75))
      #expect(!Journal(text: scratch.text("e")).all("checkpoint").isEmpty)
    }

    @Test(
      "A19 a run under stint exec that has saved leaves before it is killed, though nobody reads it",
      arguments: [(["--budget", "2s"], false), (["--budget", "1h", "--stop-grace", "1s"], true)])
    func lastWordsUnderSupervisor(time: [String], asks: Bool) async throws {
      let scratch = try Scratch()
      let stuck = try await mute(in: scratch, grace: "60s", time: time)
      if asks { stuck.process.send(SIGTERM) }
      #expect(try await stuck.process.wait(atMost: .seconds(60)).end == .exited(75))
      #expect(!Journal(text: scratch.text("e")).all("checkpoint").isEmpty)
    }

    @Test("A19 a run under stint exec that has finished says so, though nobody reads it")
    func resultUnderSupervisor() async throws {
      let scratch = try Scratch()
      let n = Yardstick.long
      let stuck = try await mute(n, in: scratch, grace: "60s", time: ["--budget", "8s"])
      #expect(try await stuck.process.wait(atMost: .seconds(60)).end == .exited(0))
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: n))
    }

    @Test("R3 W11 a second SIGTERM, at least 200 ms after the first, ends it at once")
    func secondSignal() async throws {
      let scratch = try Scratch()
      let stuck = try await mute(in: scratch, grace: "60s")
      let process = stuck.process
      process.send(SIGTERM)
      try await Task.sleep(for: .milliseconds(50))
      // Too soon: the same key held down, or a group that was told twice.
      process.send(SIGTERM)
      try await Task.sleep(for: .milliseconds(250))
      #expect(!process.hasEnded)
      process.send(SIGTERM)
      #expect(try await process.wait(atMost: .seconds(15)).end == .signalled(SIGTERM))
    }

    @Test("W11 SIGINT that meets a run which is leaving ends it, and a shell's loop with it")
    func interruptedWhileLeaving() async throws {
      let scratch = try Scratch()
      let stuck = try await mute(in: scratch, grace: "600ms")
      stuck.process.send(SIGTERM)
      try await Task.sleep(for: .milliseconds(50))
      // No second stop, for which it is too soon; but bash goes on with its loop unless this ends
      // the process.
      stuck.process.send(SIGINT)
      #expect(try await stuck.process.wait(atMost: .seconds(15)).end == .signalled(SIGINT))
      #expect(!Journal(text: scratch.text("e")).all("checkpoint").isEmpty)
    }

    /// A run whose events nobody reads.
    private func sleeping(
      in scratch: Scratch, grace: String
    ) async throws -> (process: StintProcess, reader: FileHandle) {
      let reader = try pipe(scratch("e"))
      let process = try scratch.start([
        "run", "fibonacci", "100000000", "--events", "e", "--tick", "50ms", "--stop-grace", grace,
        "--output", "f",
      ])
      try await waitUntil("a full pipe") {
        var waiting: Int32 = 0
        _ = ioctl(reader.fileDescriptor, UInt(FIONREAD), &waiting)
        return process.hasEnded || waiting > 3_700
      }
      #expect(!process.hasEnded, "\(process.errorsSoFar)")
      return (process, reader)
    }

    /// A run that works, and whose first message will be stuck; under `stint exec` if that is
    /// given a time.
    private func mute(
      _ n: Int = Yardstick.long * 8, in scratch: Scratch, grace: String, time: [String] = []
    ) async throws -> (process: StintProcess, reader: FileHandle) {
      let reader = try pipe(scratch("messages"))
      let page = [UInt8](repeating: 0, count: 4096)
      while write(reader.fileDescriptor, page, page.count) > 0 {}
      let stint = try Programs.stint()
      let supervisor = time.isEmpty ? [] : [stint, "exec", "--quiet"] + time + ["--"]
      let process = try StintProcess(
        supervisor + [
          stint, "run", "fibonacci", "\(n)", "--events", "e", "--tick", "50ms",
          "--stop-grace", grace, "--output", "f",
        ], in: scratch, errors: scratch("messages"))
      // The first tick can come before the first chunk, when there is nothing yet to be saved.
      try await process.wait(until: "work") {
        Journal(text: scratch.text("e")).all("tick").contains { $0.fraction ?? 0 > 0 }
      }
      #expect(!process.hasEnded)
      return (process, reader)
    }

    /// A named pipe of the smallest size, with somebody at its other end who does not read.
    private func pipe(_ path: String) throws -> FileHandle {
      try #require(mkfifo(path, 0o600) == 0)
      let reader = FileHandle(
        fileDescriptor: open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC), closeOnDealloc: true)
      let setPipeSize: Int32 = 1031
      try #require(fcntl(reader.fileDescriptor, setPipeSize, 4096) >= 0)
      return reader
    }
  }

  @Suite("Process 1")
  struct ProcessOneTests {
    // With its own /proc, as a container has: Dispatch looks its threads up there and crashes if it
    // finds none or others.
    static let unshare = ["/usr/bin/unshare", "--pid", "--fork", "--mount-proc"]

    @Test(
      "A19 as process 1 the exit status is the worker's",
      .enabled(if: geteuid() == 0, "a PID namespace needs root"))
    func status() async throws {
      let scratch = try Scratch()
      let stint = try Programs.stint()
      let short = [stint, "run", "fibonacci", "1000"]
      let done = try await StintProcess(Self.unshare + short, in: scratch).wait().expectExit(0)
      #expect(done.output.count == 210)
      try await StintProcess(Self.unshare + [stint, "run", "x"], in: scratch).wait().expectExit(64)
      let cut = [stint, "run", "fibonacci", "100000000", "--budget", "500ms", "--output", "f"]
      try await StintProcess(Self.unshare + cut, in: scratch).wait().expectExit(75)
    }

    @Test(
      "A19 as process 1 with the /proc of another PID namespace it computes on several threads",
      .enabled(if: geteuid() == 0, "a PID namespace needs root"))
    func foreignProc() async throws {
      let scratch = try Scratch()
      // Long enough for whoever watches threads through /proc to look for one.
      let command = [
        try Programs.stint(), "run", "fibonacci", "100000000", "--threads", "2", "--output", "f",
        "--budget", "2500ms",
      ]
      let run = try await StintProcess(
        ["/usr/bin/unshare", "--pid", "--fork"] + command, in: scratch
      )
      .wait()
      #expect(run.end == .exited(75) || run.end == .exited(0), "\(run.errors)")
    }

    @Test(
      "A19 as process 1 too, a worker that is stuck is killed at its deadline",
      .enabled(if: geteuid() == 0, "a PID namespace needs root"))
    func hardStop() async throws {
      let scratch = try Scratch()
      let command = [
        try Programs.stint(), "run", "fibonacci", "100000000", "--budget", "1s", "--output", "f",
        "--events", "e",
      ]
      let process = try StintProcess(Self.unshare + command, in: scratch)
      try await waitUntil("a first event") { !scratch.text("e").isEmpty }
      let one = try #require(Self.child(of: process.pid))
      let worker = try #require(Self.child(of: one))
      kill(worker, SIGSTOP)
      try await process.wait(atMost: .seconds(5)).expectExit(128 + SIGKILL)
    }

    private static func child(of pid: pid_t) -> pid_t? {
      (try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8))
        .flatMap { $0.split(separator: " ").first }.flatMap { pid_t($0) }
    }
  }
}
