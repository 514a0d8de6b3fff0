import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Batches that are run again")
  struct BatchAgainTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let startOf = ["batch", "jobs.txt", "--stop-grace", "1s", "--quiet"]

    /// A command that ignores SIGTERM, hangs the first time, and notices a second one beside it.
    private static func deaf(_ more: String = "") -> String {
      """
      exec \(more) -- sh -c 'trap "" TERM; exec 9>busy; flock -n 9 || echo twice >>twice; \
      echo s >>starts; echo x >state; test -e second && exit 0; echo >second; sleep 100'
      """.replacing("\\\n", with: "")
    }

    @Test(
      "R9 a line whose old command ignores the end of its batch is waited for",
      .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/flock"), "it needs flock"),
      arguments: ["", "--checkpoint-file state"], [false, true])
    func oldInstance(options: String, fresh: Bool) async throws {
      try scratch.write(Self.deaf(options) + "\nexec -- touch other\n", to: "jobs.txt")
      let killed = try scratch.start(Self.startOf + ["-j", "1"])
      try await waitUntil("the line") { scratch.exists("second") }
      killed.send(SIGKILL)
      #expect(try await killed.wait().end == .signalled(SIGKILL))
      try await scratch.start(Self.startOf + ["-j", "2"] + (fresh ? ["--fresh"] : []))
        .wait().expectExit(0)
      #expect(scratch.text("starts") == "s\ns\n")
      #expect(!scratch.exists("twice"))
      #expect(scratch.exists("other"))
    }

    @Test("R9 an old instance that outlasts the budget: 75, and no failure")
    func oldInstanceOutlasts() async throws {
      try scratch.write(Self.deaf() + "\n", to: "jobs.txt")
      let killed = try scratch.start(["batch", "jobs.txt", "--stop-grace", "20s", "--quiet"])
      try await waitUntil("the line") { scratch.exists("second") }
      killed.send(SIGKILL)
      #expect(try await killed.wait().end == .signalled(SIGKILL))
      let again = try await scratch.stint("batch", "jobs.txt", "--budget", "1s")
      #expect(!scratch.exists("twice"))
      // On a busy machine the threads of the killed batch end one after another, and each end is a
      // SIGTERM for the line: a second one ends it at once.
      if again.end == .exited(0) { return }
      #expect([.exited(75), .signalled(SIGKILL)].contains(again.end), "\(again.errors)")
      #expect(again.errors.contains("from an earlier batch"), "\(again.errors)")
      #expect(scratch.text("starts") == "s\n")
      let stopped = try scratch.start(["batch", "jobs.txt"])
      try await waitUntil("the wait") { stopped.errorsSoFar.contains("an earlier batch") }
      stopped.send(SIGTERM)
      #expect(try await stopped.wait().end == .exited(75))
      for pid in BatchTests.processes(of: scratch) { kill(pid, SIGKILL) }
    }

    @Test("a line that begins anew passes on what its last process wrote, and nothing twice")
    func outputAnew() async throws {
      try scratch.write(
        """
        exec -- sh -c 'echo A; echo E >&2; test -e second || { echo >second; sleep 100; }; echo B'
        exec --checkpoint-file s -- sh -c 'echo C; test -e third || { echo >third; sleep 100; }; echo D'
        """, to: "jobs.txt")
      var end = ProcessEnd.exited(75)
      var (text, errors) = ("", "")
      // On a busy machine the kernel may end a batch at its deadline, which loses nothing.
      for _ in 1...5 where end == .exited(75) || end == .signalled(SIGKILL) {
        let run = try await scratch.stint(
          "batch", "jobs.txt", "--budget", "2s", "--lead", "500ms", "--quiet", "-j", "2")
        end = run.end
        text += run.text
        errors += run.errors
      }
      #expect(end == .exited(0), "\(errors)")
      let lines = text.split(separator: "\n")
      #expect(lines.filter { "AB".contains($0) } == ["A", "B"], "\(text)")
      // This one goes on, so all that it wrote is one text.
      #expect(lines.filter { "CD".contains($0) } == ["C", "C", "D"], "\(text)")
      let told = errors.split(separator: "\n")
      #expect(told.count { $0 == "E" } == 1, "\(errors)")
    }

    @Test("a line whose end nobody took from the job log is told to the next one, once")
    func jobLogOwed() async throws {
      try scratch.write("exec -- true\nexec -- false\n", to: "jobs.txt")
      try await scratch.shell("mkfifo p; timeout 20 \"$STINT\" batch jobs.txt -q --joblog p")
        .expectExit(1)
      try scratch.write("exec -- true\n", to: "jobs.txt")
      try await scratch.stint("batch", "jobs.txt", "--joblog", "log").expectExit(0)
      let told = scratch.text("log").split(separator: "\n")
      #expect(told.count == 2, "\(told)")
      #expect(told.count { $0.contains("\"outcome\":\"finished\"") } == 1)
      #expect(try await scratch.stint("batch", "jobs.txt", "--joblog", "log").end == .exited(0))
      #expect(scratch.text("log").split(separator: "\n").count == 2)
    }

    @Test(
      "R3 a kill between the durable record of a line and the job log loses nothing",
      .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/strace"), "it needs strace"))
    func killedBeforeJobLog() async throws {
      try scratch.write("exec -- touch made\n", to: "jobs.txt")
      let traced = try await scratch.shell(
        """
        strace -f -qq -o trace -e trace=fdatasync -e inject=fdatasync:signal=KILL \
          "$STINT" batch jobs.txt -q --joblog log; echo $?
        """)
      guard scratch.text("trace").contains("fdatasync") else { return }
      #expect(traced.text.contains("137"), "\(traced.text) \(traced.errors)")
      #expect(scratch.text("log") == "")
      try await scratch.stint("batch", "jobs.txt", "--joblog", "log")
        .expectExit(0, saying: "Finished before")
      #expect(scratch.text("log").split(separator: "\n").count == 1)
    }

    @Test(
      "R3 a kill between the durable record of a line and standard output loses nothing",
      .enabled(if: Strace.mayTrace, Comment(rawValue: Strace.reason)))
    func killedBeforeOutput() async throws {
      try scratch.write("exec -- touch made\n", to: "jobs.txt")
      let killed = try await scratch.shell(
        """
        strace -f -qq -o trace -e trace=fdatasync -e inject=fdatasync:signal=KILL \
          "$STINT" batch jobs.txt -q --json >out; echo $?
        """)
      #expect(killed.text.contains("137"), "\(killed.text) \(killed.errors)")
      #expect(scratch.exists("made"))
      #expect(scratch.text("out") == "")
      func printed() async throws -> [Substring] {
        let run = try await scratch.stint("batch", "jobs.txt", "-q", "--json").expectExit(0)
        #expect(!run.text.contains("isForOutput"), "\(run.text)")
        return run.text.split(separator: "\n").filter { $0.contains("\"lineEnded\"") }
      }
      // Who wants no JSON takes nothing away from who does.
      #expect(try await scratch.stint("batch", "jobs.txt").end == .exited(0))
      #expect(try await printed().count == 1)
      #expect(try await printed().isEmpty)
    }

    @Test("what is kept of a line that was removed goes with it")
    func removedLine() async throws {
      let lines = ["one", "two"].map {
        "exec -- sh -c 'echo \($0); echo >\($0); until test -e go; do sleep 0.1; done'"
      }
      try scratch.write(lines.joined(separator: "\n") + "\n", to: "jobs.txt")
      let first = try scratch.start(["batch", "jobs.txt", "-j", "2", "-q"])
      try await waitUntil("both lines") { scratch.exists("one") && scratch.exists("two") }
      first.send(SIGTERM)
      #expect(try await first.wait().end == .exited(75))
      let partial = try #require(scratch.job) + "/partial"
      #expect(scratch.names(in: partial).count == 4)
      try scratch.write("", to: "go")
      try scratch.write(lines[0] + "\n", to: "jobs.txt")
      let second = try await scratch.stint("batch", "jobs.txt").expectExit(0)
      #expect(second.text == "one\n")
      #expect(scratch.names(in: partial) == [])
    }

    @Test("R4 a command whose output has no end is ended before the disk is full")
    func endlessOutput() async throws {
      // A hole of two gigabytes takes no room.
      try scratch.write(
        "exec -- sh -c 'truncate -s 2G /proc/self/fd/2; exec sleep 100'\nexec -- touch other\n",
        to: "jobs.txt")
      try await StintProcess(
        [Programs.stint(), "batch", "jobs.txt", "-j", "1", "--joblog", "log"], in: scratch,
        errors: "/dev/null"
      ).wait().expectExit(1)
      #expect(scratch.exists("other"))
      let failed = scratch.text("log").split(separator: "\n").filter { $0.contains("failed") }
      #expect(failed.count == 1 && failed.allSatisfy { $0.contains("1 GiB") }, "\(failed)")
    }

    @Test("W11 a stop is seen while the batch rests")
    func stopWhileResting() async throws {
      try scratch.write(
        "exec --checkpoint-file s -- sh -c 'echo s >>starts; echo >s; exec sleep 100'\n",
        to: "jobs.txt")
      var batch: StintProcess
      repeat {
        let before = BatchTests.records(in: scratch).count { $0.contains("lineEnded") }
        batch = try scratch.start([
          "batch", "jobs.txt", "--budget", "2s", "--lead", "1s", "--until-done", "--rest", "100s",
        ])
        try await batch.wait(until: "the rest") {
          BatchTests.records(in: scratch).count { $0.contains("lineEnded") } > before
        }
        // On a busy machine the kernel may end it at its deadline.
      } while batch.finished?.end == .signalled(SIGKILL)
      let starts = scratch.text("starts")
      let key = try #require(scratch.names(in: "jobs").first { $0.hasPrefix("batch-") })
      try await scratch.stint("stop", key).expectExit(0)
      try await batch.wait(atMost: .seconds(20)).expectExit(75)
      #expect(scratch.text("starts") == starts)
    }

    @Test("W11 no line begins after a stop, however rarely the batch ticks")
    func stopBeforeTheNextLine() async throws {
      try scratch.write(
        """
        exec -- sh -c 'touch one; until test -e go; do sleep 0.05; done'
        exec -- touch two
        """, to: "jobs.txt")
      let batch = try scratch.start(["batch", "jobs.txt", "-j", "1", "--tick", "60s"])
      try await waitUntil("the first line") { scratch.exists("one") }
      let key = try #require(scratch.names(in: "jobs").first { $0.hasPrefix("batch-") })
      #expect(try await scratch.stint("stop", key).end == .exited(0))
      try scratch.write("", to: "go")
      #expect(try await batch.wait().end == .exited(75))
      #expect(!scratch.exists("two"))
    }
  }
}
