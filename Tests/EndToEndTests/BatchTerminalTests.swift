import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Batches on a terminal")
  struct BatchTerminalTests {
    private static func start(
      _ lines: String, in scratch: Scratch, on terminal: PseudoTerminal, _ more: String...
    ) throws -> StintProcess {
      try scratch.write(lines, to: "jobs.txt")
      return try StintProcess(
        [Programs.stint(), "batch", "jobs.txt", "--tick", "50ms", "-j", "2"] + more, in: scratch,
        environment: ["TERM": "xterm"], terminal: terminal.path)
    }

    @Test("W3 a line for each that runs and one for all, and a clean terminal at the end")
    func display() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      let process = try Self.start(
        "fibonacci 20000000 -o a\nfibonacci 20000001 -o b\nexec -- echo from the line\n",
        in: scratch, on: terminal, "--budget", "60s", "--until-done", "--rest", "100ms")
      try await waitUntil("the end") {
        _ = terminal.text
        return process.hasEnded
      }
      let end = try await process.wait().end
      #expect(end == .exited(0), "\(terminal.text)")
      let text = terminal.text
      #expect(text.contains("s left"), "\(text)")
      #expect(text.contains("1  "))
      #expect(text.contains("/3 done"))
      #expect(text.contains("from the line\r\n"))
      #expect(text.contains("\u{1B}[2A"), "two lines above the total are drawn over")
      #expect(text.hasSuffix("\r\n"))
      #expect(text.split(separator: "\r\n").last?.contains("Finished: all 3 lines") == true)
      #expect(try await scratch.bytes("b") == Yardstick.shared.bytes(of: 20_000_001))
    }

    @Test("W11 Ctrl-C lets every line save, and ends it by SIGINT")
    func interrupt() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      let process = try Self.start(
        "fibonacci 60000000 -o a\nfibonacci 60000001 -o b\n", in: scratch, on: terminal)
      try await waitUntil("a first look") { terminal.text.contains("running") }
      terminal.type("\u{3}")
      try await waitUntil("the end") {
        _ = terminal.text
        return process.hasEnded
      }
      #expect(try await process.wait().end == .signalled(SIGINT))
      #expect(terminal.text.contains("Interrupted"), "\(terminal.text.suffix(400))")
      #expect(BatchTests.processes(of: scratch).isEmpty)
      let ends = BatchTests.records(in: scratch).filter { $0.contains("\"unfinished\"") }
      #expect(ends.count == 2)
    }

    @Test("W7 Ctrl-Z stops the lines and the batch, and fg goes on with both")
    func stop() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      // A command whose work nobody can do before the stop.
      try #require(mkfifo(scratch("fifo"), 0o600) == 0)
      let process = try Self.start(
        "fibonacci 20000000 -o a\nexec -- sh -c 'echo $$ >pid; exec cat fifo'\n", in: scratch,
        on: terminal)
      try await waitUntil("a first look") {
        terminal.text.contains("2 running") && scratch.text("pid").hasSuffix("\n")
      }
      let pid = try #require(Int32(scratch.text("pid").dropLast()))
      terminal.type("\u{1A}")
      try await waitUntil("the stop") { process.hasEnded || process.state == "T" }
      #expect(!process.hasEnded, "\(terminal.text.suffix(400))")
      // The line was told before the batch stopped; on a busy machine its process may get a
      // processor only now.
      try await waitUntil("the stop of the line") { StintProcess.state(of: pid) == "T" }
      process.send(SIGCONT)
      #expect(try await scratch.shell(": >fifo").end == .exited(0))
      try await waitUntil("the end") {
        _ = terminal.text
        return process.hasEnded
      }
      let end = try await process.wait().end
      #expect(end == .exited(0), "\(terminal.text.suffix(400))")
      #expect(try await scratch.bytes("a") == Yardstick.shared.bytes(of: 20_000_000))
    }

    @Test(
      "W7 Ctrl-Z while the process of a line is in the batch's group stops the line and the batch",
      .enabled(if: Strace.mayTrace, Comment(rawValue: Strace.reason)))
    func stopDuringStart() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      try scratch.write("exec -- sh -c 'until test -e go; do sleep 0.05; done'\n", to: "jobs.txt")
      // Between its start and its own group a child is in that of the terminal's foreground.
      let strace = try StintProcess(
        [
          "/usr/bin/strace", "-f", "-qq", "-I4", "--seccomp-bpf", "-o", scratch("strace"), "-e",
          "trace=setpgid", "-e", "inject=setpgid:delay_enter=700000:when=1", Programs.stint(),
          "batch", "jobs.txt", "--tick", "50ms",
        ], in: scratch,
        environment: ["TERM": "xterm"], terminal: terminal.path)
      var (batch, line): (pid_t?, pid_t?)
      try await waitUntil("the line's process") {
        batch = Self.child(of: strace.pid)
        line = batch.flatMap(Self.child)
        return strace.hasEnded || line != nil
      }
      guard let batch, let line else {
        Issue.record("no line began: \(terminal.text)")
        return
      }
      #expect(getpgid(line) == getpgid(batch), "it has left the group already")
      terminal.type("\u{1A}")
      // Who is traced stands still for a moment now and then.
      var looks = 0
      try await waitUntil("the stop") {
        _ = terminal.text
        let states = [batch, line].map(StintProcess.state(of:))
        looks = states.allSatisfy { $0 == "T" || $0 == "t" } ? looks + 1 : 0
        return strace.hasEnded || looks > 20
      }
      #expect(!strace.hasEnded, "\(terminal.text.suffix(400))")
      kill(batch, SIGCONT)
      try scratch.write("", to: "go")
      try await waitUntil("the end") {
        _ = terminal.text
        return strace.hasEnded
      }
      let end = try await strace.wait().end
      #expect(end == .exited(0), "\(terminal.text.suffix(400))")
    }

    /// A child that any of a process's threads has started.
    private static func child(of pid: pid_t) -> pid_t? {
      let tasks = "/proc/\(pid)/task"
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
      // Not lazily: what is first would be looked at twice, and may be gone the second time.
      for thread in threads {
        let children = try? String(contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)
        if let child = children?.split(separator: " ").first.flatMap({ pid_t($0) }) { return child }
      }
      return nil
    }

    @Test("W7 Ctrl-Z and fg with a budget: twice, and both lines end as if nothing had happened")
    func stopWithBudget() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      try #require(mkfifo(scratch("fifo"), 0o600) == 0)
      let process = try Self.start(
        """
        fibonacci 30000000 -o a --tick 50ms --events events
        exec -- sh -c 'echo $$ >pid; exec cat fifo'\n
        """, in: scratch, on: terminal, "--budget", "100s")
      for round in 1...2 {
        let seen = scratch.text("events").count
        try await waitUntil("both lines at work") {
          terminal.text.contains("2 running") && scratch.text("pid").hasSuffix("\n")
            && (scratch.text("events").dropFirst(seen).contains("\"tick\"") || scratch.exists("a"))
        }
        terminal.type("\u{1A}")
        try await waitUntil("stop \(round)") {
          _ = terminal.text
          return process.hasEnded || process.state == "T"
        }
        #expect(!process.hasEnded, "\(terminal.text.suffix(400))")
        let line = try #require(Int32(scratch.text("pid").dropLast()))
        try await waitUntil("stop \(round) of the line") { StintProcess.state(of: line) == "T" }
        process.send(SIGCONT)
        try await waitUntil("the line that goes on") { StintProcess.state(of: line) != "T" }
      }
      #expect(try await scratch.shell(": >fifo").end == .exited(0))
      try await waitUntil("the end", atMost: .seconds(60)) {
        _ = terminal.text
        return process.hasEnded
      }
      let end = try await process.wait().end
      #expect(end == .exited(0), "\(terminal.text.suffix(400))")
      #expect(terminal.text.contains("Finished: all 2 lines"))
      #expect(try await scratch.bytes("a") == Yardstick.shared.bytes(of: 30_000_000))
    }
  }
}
