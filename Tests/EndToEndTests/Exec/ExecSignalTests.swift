import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("exec and signals")
  struct ExecSignalTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Starts a command that says when it listens.
    private static func listening(
      _ script: String, in scratch: Scratch, _ options: String...
    ) async throws -> StintProcess {
      let process = try scratch.start(["exec"] + options + ["--", "bash", "-c", script])
      try await process.wait(until: "the command") { scratch.exists("ready") }
      #expect(!process.hasEnded, "\(process.errorsSoFar)")
      return process
    }

    private static let wait = "touch ready; for ((i = 0; i < 600; i++)); do sleep 0.05; done"

    @Test(
      "R9 a signal to the supervisor is the command's",
      arguments: [
        ("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT), ("TERM", SIGTERM), ("USR1", SIGUSR1),
        ("USR2", SIGUSR2), ("XCPU", SIGXCPU), ("WINCH", SIGWINCH), ("ALRM", SIGALRM),
        ("CONT", SIGCONT),
        ("RTMIN+3", Int32(37)),
      ])
    func forwarded(name: String, number: Int32) async throws {
      let process = try await Self.listening("trap 'exit 9' \(name); \(Self.wait)", in: scratch)
      process.send(number)
      let ended = try await process.wait()
      let isEnd = number == SIGINT || number == SIGQUIT
      // Asked by those two, it dies of them, so that a shell's loop around it stops.
      #expect(ended.end == (isEnd ? .signalled(number) : .exited(9)), "\(ended.errors)")
    }

    @Test(
      "W11 timeout's form passes warnings on as well",
      arguments: [("USR1", SIGUSR1), ("USR2", SIGUSR2), ("XCPU", SIGXCPU)])
    func warnings(name: String, number: Int32) async throws {
      let process = try scratch.start(
        ["exec", "60", "bash", "-c", "trap 'exit 9' \(name); \(Self.wait)"])
      try await process.wait(until: "the command") { scratch.exists("ready") }
      process.send(number)
      try await process.wait().expectExit(9)
    }

    @Test("W11 SIGTERM gives the command its grace, and 75 if it asks to be run again")
    func term() async throws {
      let process = try await Self.listening(
        "trap 'sleep 0.3; echo saved > f; exit 75' TERM; \(Self.wait)", in: scratch)
      process.send(SIGTERM)
      #expect(try await process.wait().end == .exited(75))
      #expect(scratch.text("f") == "saved\n")
    }

    @Test("W11 who ignores SIGTERM is killed when the grace is over")
    func grace() async throws {
      let process = try await Self.listening(
        "trap '' TERM; \(Self.wait)", in: scratch, "--stop-grace", "300ms")
      process.send(SIGTERM)
      #expect(try await process.wait(atMost: .seconds(10)).end == .signalled(SIGKILL))
    }

    @Test("W11 a second signal, at least 200 ms later, ends it at once")
    func second() async throws {
      let process = try await Self.listening(
        "trap 'echo $((++n)) >> f' INT; \(Self.wait)", in: scratch, "--stop-grace", "1m")
      process.send(SIGINT)
      try await waitUntil("the first") { scratch.text("f").hasPrefix("1\n") }
      process.send(SIGINT)
      try await Task.sleep(for: .milliseconds(250))
      #expect(!process.hasEnded)
      process.send(SIGINT)
      #expect(try await process.wait(atMost: .seconds(10)).end == .signalled(SIGINT))
    }

    @Test(
      "A23 a supervisor that is continued past its limit enforces it then",
      arguments: [false, true])
    func continuedLate(hasBudget: Bool) async throws {
      let process = try scratch.start(
        ["exec"] + (hasBudget ? ["--budget", "1s", "--"] : ["1"]) + ["sleep", "1000"])
      process.send(SIGSTOP)
      try await Task.sleep(for: .milliseconds(1_200))
      process.send(SIGCONT)
      // Of a budget, the time to end in is over as well.
      let ended = try await process.wait()
      #expect(ended.end == .exited(124) || hasBudget && ended.end == .exited(137), "\(ended.end)")
    }

    @Test("R3 a signal in the first instants is not lost", arguments: 0..<12)
    func early(step: Int) async throws {
      let process = try scratch.start(["exec", "--", "sleep", "1000"])
      try await Task.sleep(for: .microseconds(step * 700))
      process.send(SIGTERM)
      // Before its first instruction the default action ends it, afterwards the command's end does.
      #expect(try await process.wait(atMost: .seconds(10)).end == .signalled(SIGTERM))
    }

    @Test("a signal that was ignored at the start stays ignored, as under nohup")
    func ignored() async throws {
      let ended = try await scratch.shell(
        """
        trap '' HUP
        "$STINT" exec 20 bash -c 'echo $PPID > p; sleep 0.5; echo done' &
        until [ -s p ]; do sleep 0.01; done
        kill -HUP $(cat p); wait $!; echo $?
        """)
      #expect(ended.text == "done\n0\n")
    }
  }

  @Suite("exec on a terminal")
  struct ExecTerminalTests {
    @Test(
      "the command has the terminal while it runs, and its keys; nothing is left of that after it")
    func foreground() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      let script = """
        import os, time
        try:
            print("foreground", os.tcgetpgrp(0) == os.getpgrp(), flush=True)
            time.sleep(30)
        except KeyboardInterrupt: print("keys", input(), flush=True)
        """
      let process = try terminal.start(
        [Programs.stint(), "exec", "--budget", "60s", "--", "python3", "-c", script], in: scratch)
      try await waitUntil("the command") { terminal.text.contains("foreground") }
      #expect(terminal.text.contains("foreground True"))
      terminal.type("\u{3}")
      terminal.type("heard\n")
      try await terminal.end(of: process).expectExit(0)
      #expect(terminal.text.contains("keys heard"), "\(terminal.text)")
    }

    @Test(
      "W11 a key that ends the command ends its supervisor too, and no further stint begins",
      arguments: [("\u{3}", SIGINT), ("\u{1C}", SIGQUIT)], [[], ["--checkpoint-file", "c"]])
    func interrupted(key: (typed: String, number: Int32), files: [String]) async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      let process = try terminal.start(
        [Programs.stint(), "exec", "--budget", "60s", "--until-done", "--rest", "1ms"] + files
          + ["--", "sh", "-c", "echo x >> starts; echo runs; exec sleep 60"], in: scratch)
      try await waitUntil("the command") { terminal.text.contains("runs") }
      terminal.type(key.typed)
      let ended = try await terminal.end(of: process)
      #expect(ended.end == .signalled(key.number), "\(terminal.text)")
      #expect(scratch.text("starts") == "x\n")
      #expect(!terminal.text.contains("again"), "\(terminal.text)")
    }

    @Test("Ctrl-Z stops both, and a shell's fg goes on with both")
    func stop() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      // bash is the shell that a user has: it gives the terminal and takes it back.
      let script = """
        set -m
        "$STINT" exec --budget 60s -- python3 -c '
        import os, time
        print("runs", flush=True)
        while not os.path.exists("go"): time.sleep(0.02)
        print("owner", os.tcgetpgrp(0) == os.getpgrp(), flush=True)'
        echo "stopped $?"; touch go; fg; echo "ended $?"
        """
      let process = try terminal.start(["/bin/bash", "--norc", "-c", script], in: scratch)
      try await waitUntil("the command") { terminal.text.contains("runs") }
      terminal.type("\u{1A}")
      try await terminal.end(of: process).expectExit(0)
      // 128 + SIGTSTP is how bash tells of a stopped job.
      #expect(terminal.text.contains("stopped 148"), "\(terminal.text)")
      #expect(terminal.text.contains("owner True"), "\(terminal.text)")
      #expect(terminal.text.contains("ended 0"), "\(terminal.text)")
    }

    @Test(
      "A19 what stops in a shell's background, or is stopped by somebody, keeps its limit",
      arguments: [
        "exec 1 cat & wait $!", "exec --budget 1s -- cat & wait $!",
        "exec 1 sh -c 'stty tostop; echo shown; sleep 100' & wait $!",
        "exec 1 sh -c 'kill -STOP $$; sleep 100' & wait $!",
        "exec 1 sh -c 'kill -STOP $$; sleep 100'",
      ])
    func limitOfStopped(words: String) async throws {
      let terminal = try PseudoTerminal()
      let script = "set -m; \"$STINT\" \(words); echo \"status $?\""
      let process = try terminal.start(["/bin/bash", "--norc", "-c", script], in: Scratch())
      _ = try await terminal.end(of: process)
      #expect(terminal.text.contains("status 124"), "\(terminal.text)")
    }

    @Test("a command that stands still for the terminal has it when its shell says fg")
    func waitsForTerminal() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      let script = """
        set -m
        "$STINT" exec --budget 60s -- bash -c 'read word; echo "word $word"' &
        until command=$(cat /proc/$!/task/$!/children) && grep -q '^State:.T' /proc/${command% }/status
        do sleep 0.02; done 2>errors
        echo "waits"; fg; echo "ended $?"
        """
      let process = try terminal.start(["/bin/bash", "--norc", "-c", script], in: scratch)
      try await waitUntil("the stop") { terminal.text.contains("waits") }
      terminal.type("hello\n")
      _ = try await terminal.end(of: process)
      #expect(terminal.text.contains("word hello"), "\(terminal.text)")
      #expect(terminal.text.contains("ended 0"), "\(terminal.text)")
    }

    @Test("in a pipeline the terminal stays with its reader until the command asks for it")
    func pipeline() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      // The reader beside it holds the foreground group to account, as less does; the command then
      // asks for a word.
      let script = """
        set -m
        "$STINT" exec --budget 60s -- bash -c 'echo one; until [ -e go ]; do sleep 0.01; done; read word; echo "word $word"' |
          python3 -c '
        import os, sys, time
        print("got", sys.stdin.readline().strip(), os.tcgetpgrp(2) == os.getpgrp(), flush=True)
        open("go", "w").close()
        for line in sys.stdin: print(line, end="", flush=True)'
        echo "status ${PIPESTATUS[*]}"
        """
      let process = try terminal.start(["/bin/bash", "--norc", "-c", script], in: scratch)
      try await waitUntil("the reader") { terminal.text.contains("got one") }
      #expect(terminal.text.contains("got one True"), "\(terminal.text)")
      terminal.type("hello\n")
      _ = try await terminal.end(of: process)
      #expect(terminal.text.contains("word hello"), "\(terminal.text)")
      #expect(terminal.text.contains("status 0 0"), "\(terminal.text)")
    }

    @Test("modes that a killed command left behind are taken back")
    func modes() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      let script = """
        "$STINT" exec --budget 700ms --lead 100ms -- python3 -c '
        import tty, time, signal
        signal.signal(15, signal.SIG_IGN); tty.setraw(0); print("raw", flush=True); time.sleep(9)'
        echo "status $?"; stty -a | tr ";" "\\n" | grep -ow -- "-*icanon"
        """
      let process = try terminal.start(["/bin/bash", "--norc", "-c", script], in: scratch)
      _ = try await terminal.end(of: process)
      #expect(terminal.text.contains("raw"))
      #expect(terminal.text.contains("status 137"), "\(terminal.text)")
      #expect(terminal.text.contains("\nicanon"), "\(terminal.text)")
    }
  }
}
