import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Isolated workers")
  struct IsolatedTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let run = [
      "run", "fibonacci", "\(UnfinishedJob.n)", "--output", "f", "--checkpoint-every", "50ms",
      "--isolated",
    ]

    /// Without the runtime's account of a crash, which takes seconds.
    private func start(
      _ arguments: [String], in scratch: Scratch, environment: [String: String] = [:]
    ) throws -> StintProcess {
      try StintProcess(
        [Programs.stint()] + arguments, in: scratch,
        environment: ["SWIFT_BACKTRACE": "enable=no"].merging(environment) { $1 })
    }

    /// Lets the C library ask the kernel for every large number, and so find out about a limit soon
    /// (mallopt(3)).
    private static let asksKernel = ["MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1"]

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
      let supervisor = try start(Self.run, in: scratch)
      let worker = try await worker(of: scratch, supervisor)
      #expect(worker != supervisor.pid, "the work is a child's")
      kill(worker, SIGSEGV)
      let run = try await supervisor.wait(atMost: .seconds(60)).expectExit(0)
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
      var runs = 0
      var last: FinishedProcess
      repeat {
        // A busy machine does too little in so short a time, so that each run has a little more.
        let budget = "\(900 + 20 * runs)ms"
        last = try await start(
          ["run", "fibonacci", "\(StintsTests.n)", "--output", "f", "--budget", budget],
          in: scratch
        ).wait()
        runs += 1
      } while (last.end == .exited(75) || last.end.isForWantOfTime(last.errors)) && runs < 40
      #expect(last.end == .exited(0), "\(last.errors)")
      #expect(runs > 1)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: StintsTests.n))
      // On a busy machine a run's time may be up before its stint begins.
      let (journal, began) = (scratch.journal, scratch.journal.all("stintBegan").count)
      #expect(began > 1)
      #expect(journal.ends("expired") + journal.ends("didNotFit") >= began - 1)
    }

    @Test("A14 a worker that stands still past its deadline is ended, and the run says what to do")
    func overrun() async throws {
      let supervisor = try start(Self.run + ["--budget", "1500ms", "--lead", "300ms"], in: scratch)
      let worker = try await worker(of: scratch, supervisor)
      kill(worker, SIGSTOP)
      let run = try await supervisor.wait().expectExit(75)
      #expect(run.took < .seconds(6))
      #expect(run.errors.contains("ran past its deadline"), "\(run.errors)")
      #expect(scratch.journal.lines.contains { $0.event == "workerEnded" && $0.signal == SIGKILL })
      try await start(Self.run, in: scratch).wait(atMost: .seconds(60)).expectExit(0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: UnfinishedJob.n))
    }

    @Test("R10 want of memory ends the worker alone, and the work goes on from its last checkpoint")
    func memory() async throws {
      let supervisor = try start(Self.run, in: scratch, environment: Self.asksKernel)
      let worker = try await worker(of: scratch, supervisor)
      // From now on it gets nothing: GMP aborts, and Swift's runtime traps.
      try await Self.limitMemory(of: worker, in: scratch)
      let run = try await supervisor.wait(atMost: .seconds(60)).expectExit(0)
      let ended = scratch.journal.lines.filter { $0.event == "workerEnded" }.map(\.signal)
      try #require(ended.count == 1, "\(run.errors)")
      #expect([SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS].contains(ended[0]))
      #expect(run.errors.contains("it continues from its last checkpoint"), "\(run.errors)")
      #expect(scratch.journal.all("stintBegan").last?.restoredSequence != nil)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: UnfinishedJob.n))
    }

    @Test("R10 where memory stays short a sentence says so, and later the job goes on")
    func noMoreMemory() async throws {
      let supervisor = try start(Self.run, in: scratch, environment: Self.asksKernel)
      let worker = try await worker(of: scratch, supervisor)
      // Those that come after inherit it.
      try await Self.limitMemory(of: supervisor.pid, in: scratch, bytes: 240_000_000)
      try await Self.limitMemory(of: worker, in: scratch)
      let run = try await supervisor.wait(atMost: .seconds(60)).expectExit(69)
      let says = ["raise the limit (ulimit -v)", "of memory and"]
      #expect(says.contains { run.errors.contains($0) }, "\(run.errors)")
      try await start(Self.run, in: scratch)
        .wait(atMost: .seconds(60)).expectExit(0)
      #expect(scratch.journal.all("stintBegan").last?.restoredSequence != nil)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: UnfinishedJob.n))
    }

    @Test(
      "R10 under any limit of memory a run ends with its result or with a sentence",
      arguments: [160, 320, 400, 520])
    func memoryLimits(megabytes: Int) async throws {
      let limited = try await scratch.shell(
        "ulimit -v \(megabytes * 1000); export SWIFT_BACKTRACE=enable=no; exec \"$STINT\" "
          + Self.run.joined(separator: " ") + " --quiet")
      switch limited.end {
      case .exited(0): break
      case .exited(69):
        #expect(limited.errors.contains("memory") || limited.errors.contains("address space"))
      case .signalled: #expect(limited.errors.contains("If memory was short"))
      case .exited: Issue.record("\(limited.end) \(limited.errors)")
      }
      try await start(Self.run, in: scratch).wait(atMost: .seconds(60)).expectExit(0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: UnfinishedJob.n))
    }

    /// Lets a process that runs take no more memory than so much; what it has it keeps.
    private static func limitMemory(
      of pid: pid_t, in scratch: Scratch, bytes: Int = 1_000_000
    ) async throws {
      try await StintProcess(["/usr/bin/prlimit", "--pid", "\(pid)", "--as=\(bytes)"], in: scratch)
        .wait().requireExit(0)
    }

    @Test("W8 stint after stint in one call")
    func untilDone() async throws {
      try await scratch.untilTimeSuffices(atMost: .seconds(90)) { attempt in
        try start(
          [
            "run", "fibonacci", "\(StintsTests.n)", "--budget", "\(600 + 100 * attempt)ms",
            "--lead", "300ms", "--output", "f",
          ] + ["--isolated", "--until-done", "--fresh", "--rest", "10ms"], in: scratch)
      }.expectExit(0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: StintsTests.n))
      #expect(scratch.journal.all("stintBegan").count > 1)
    }

    @Test("W11 a stop is obeyed while an isolated run rests, and the job is held meanwhile")
    func stopWhileResting() async throws {
      let process = try start(
        [
          "run", "fibonacci", "\(StintsTests.n * 8)", "--budget", "1500ms", "--lead",
          "500ms", "--output", "f", "--isolated", "--until-done", "--rest", "30m",
        ], in: scratch)
      try await process.wait(until: "the rest") { !scratch.journal.all("stintEnded").isEmpty }
      // The worker is gone, and its supervisor rests.
      var stopped = try await scratch.stint("stop", "fibonacci")
      while stopped.text.contains("is not running"), !process.hasEnded {
        stopped = try await scratch.stint("stop", "fibonacci")
      }
      #expect(stopped.end == .exited(0), "\(stopped.errors)")
      try await process.wait(atMost: .seconds(30)).expectExit(75)
      #expect(scratch.journal.all("stintBegan").count == 1)
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

    /// Runs an isolated number into a pipe whose reader sleeps, until a part of it has gone out.
    private func intoSleepingReader(_ options: String, _ then: String) -> String {
      """
      mkfifo p; { until test -e ended; do sleep 0.1; done; cat; } <p >taken &
      "$STINT" run fibonacci 20000000 --isolated \(options) >p 2>errors & run=$!
      until grep -q streaming jobs/*/journal.jsonl 2>/dev/null || ! kill -0 $run 2>/dev/null; do
        sleep 0.02
      done
      worker=$(sed -nE 's/.*"streaming".*"pid":([0-9]+).*/\\1/p' jobs/*/journal.jsonl | tail -1)
      \(then); wait $run; echo $?; touch ended; wait
      """
    }

    @Test(
      "W9 an isolated run whose worker ends while the result goes out ends with 74, said beforehand",
      arguments: ["kill -SEGV $worker", "kill -STOP $worker", "true"])
    func cutStream(then: String) async throws {
      let run = try await scratch.shell(
        intoSleepingReader("--until-done --rest 10ms --budget 4s --lead 1s", then),
        atMost: .seconds(120))
      let errors = scratch.text("errors")
      #expect(run.text == "74\n", "\(errors)")
      let whole = try await Yardstick.shared.bytes(of: 20_000_000)
      let taken = try scratch.bytes("taken")
      #expect(!taken.isEmpty && taken.count < whole.count && whole.starts(with: taken))
      #expect(errors.contains("--until-done without --isolated"), "\(errors)")
      #expect(errors.components(separatedBy: "goes to a pipe").count == 2, "\(errors)")
      #expect(errors.contains("Part of the result was already written"), "\(errors)")
    }
  }
}
