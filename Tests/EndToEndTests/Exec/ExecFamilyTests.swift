import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("exec and everything that a command starts")
  struct ExecFamilyTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Whether a process is there and not only waits to be reaped.
    static func isAlive(_ pid: String) -> Bool {
      Int32(pid.trimmingCharacters(in: .whitespacesAndNewlines)).map {
        StintProcess.state(of: $0).map { $0 != "Z" } ?? false
      } ?? false
    }

    @Test(
      "what a command leaves behind where /proc shows another namespace is told of, once",
      .enabled(if: geteuid() == 0, "a namespace of its own needs root"))
    func hidden() async throws {
      let scratch = try Scratch()
      let script = "trap '' TERM; setsid sleep 600 & touch ready; while :; do sleep 0.05; done"
      let process = try StintProcess(
        ["/usr/bin/unshare", "--pid", "--fork", "--kill-child", Programs.stint(), "exec"]
          + ["--deadline-file", "d", "--stop-grace", "300ms", "--", "bash", "-c", script],
        in: scratch)
      try await process.wait(until: "the command") { scratch.exists("ready") }
      // A time that has passed: the command is killed after the stop grace.
      try scratch.write("@1\n", to: "d")
      let run = try await process.wait()
      let notices = run.sentences.filter { $0.contains("another PID namespace") }
      #expect(notices.count == 1, "\(run.errors)")
    }

    @Test("R9 the whole group gets the signals, and no descendant survives an expiry")
    func nobodySurvives() async throws {
      // One in the group, one in a session of its own, one that ignores the signal, one that a
      // daemon left behind.
      let ended = try await scratch.shell(
        """
        "$STINT" exec -k 0.3 0.4 bash -c '
          sleep 1000 & echo $! > a
          setsid sleep 1000 & echo $! > b
          (trap "" TERM; exec sleep 1000) & echo $! > c
          setsid -f bash -c "trap : TERM; echo \\$\\$ > d; while :; do sleep 1000; done"
          wait'
        echo $?
        """)
      #expect(ended.text == "124\n")
      for name in ["a", "b", "c", "d"] {
        #expect(!scratch.text(name).isEmpty)
        #expect(!Self.isAlive(scratch.text(name)), "\(name)")
      }
    }

    @Test("R9 who goes on forking while it is killed is killed too")
    func forking() async throws {
      // Known by a number that nobody else sleeps for, at the same time either.
      let mine = "sleep 1000.\(UInt32.random(in: 100_000...999_999))"
      let ended = try await scratch.shell(
        """
        "$STINT" exec -k 0.2 0.4 bash -c 'trap "" TERM
          fork() { while :; do setsid \(mine) & sleep 0.01; done; }
          fork & fork & fork & setsid bash -c "trap \\"\\" TERM; while :; do \(mine) & sleep 0.01; done" & wait'
        echo $?; pgrep -cf '^\(mine)'
        """)
      #expect(ended.text == "137\n0\n", "\(ended.errors)")
    }

    @Test("what a command leaves behind in its own time is its own affair")
    func daemon() async throws {
      let ended = try await scratch.shell(
        "\"$STINT\" exec 20 bash -c 'setsid sleep 30 > /dev/null 2>&1 & echo $! > d'; echo $?")
      #expect(ended.text == "0\n")
      #expect(Self.isAlive(scratch.text("d")))
      if let pid = Int32(scratch.text("d").dropLast()) { kill(pid, SIGKILL) }
    }

    @Test("R9 a child that still saves has until the deadline, although the shell above it is gone")
    func childSaves() async throws {
      let ended = try await scratch.shell(
        """
        "$STINT" exec --budget 2s --lead 1500ms -- bash -c '
          (trap "sleep 0.4; echo saved > f; exit" TERM; sleep 1000 & wait) & wait'
        """
      ).expectExit(124)
      #expect(scratch.text("f") == "saved\n")
      #expect(ended.took < .milliseconds(1900))
    }

    @Test(
      "R9 the mask and the dispositions of a command are clean, and it gets no descriptor but its own"
    )
    func clean() async throws {
      // As threads of some runtimes leave them to their children: everything blocked, some ignored.
      // An ignored SIGHUP is nohup's.
      let launcher = """
        import os, signal
        signal.signal(signal.SIGPIPE, signal.SIG_DFL); signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_IGN); signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); os.closerange(3, 1024)
        os.execv(os.environ["STINT"], ["stint", "exec", "--budget", "20s", "--checkpoint-file", "c",
          "--", "python3", "-c", "print(open('/proc/self/status').read()); import os; "
          "print('fds', [f for f in os.listdir('/proc/self/fd') if int(f) > 2 and f != os.environ.get('STINT_SYSTEM_FD') and os.path.exists('/proc/self/fd/' + f)])"])
        """
      let ended = try await StintProcess(["/usr/bin/python3", "-c", launcher], in: scratch).wait()
      #expect(ended.end == .exited(0), "\(ended.errors)")
      func field(_ name: String) -> UInt64? {
        ended.text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
          .flatMap {
            UInt64($0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces), radix: 16)
          }
      }
      #expect(field("SigBlk") == 0)
      // Python itself ignores SIGPIPE and SIGXFSZ.
      let ofPython: UInt64 = 1 << (13 - 1) | 1 << (25 - 1)
      // The C library keeps two signals for itself, and leaves them ignored to what it spawns.
      let ofLibrary: UInt64 = 1 << (32 - 1) | 1 << (33 - 1)
      #expect(field("SigIgn").map { $0 & ~ofLibrary } == ofPython | 1 << (1 - 1))
      #expect(ended.text.contains("fds []"), "\(ended.text.suffix(100))")
    }

    @Test("R9 a supervisor that is killed takes its command with it")
    func supervisorKilled() async throws {
      let process = try scratch.start(["exec", "--", "sh", "-c", "echo $$ > p; exec sleep 1000"])
      try await waitUntil("the command") { scratch.text("p").hasSuffix("\n") }
      let pid = scratch.text("p")
      #expect(Self.isAlive(pid))
      process.send(SIGKILL)
      _ = try await process.wait()
      try await waitUntil("the command's end") { !Self.isAlive(pid) }
    }

    @Test("R9 what a shell had started before it became stint is left alone")
    func olderChildren() async throws {
      try scratch.write(
        """
        sleep 35 & echo $! > older
        setsid bash -c 'sleep 35 & echo $! > orphan' &
        until [ -s orphan ]; do sleep 0.01; done
        exec "$STINT" exec --budget 400ms -q -- sleep 5
        """, to: "first")
      try scratch.write(
        """
        exec > >(cat > log; echo end >> log) 2>&1
        exec "$STINT" exec 0.3 sh -c 'echo said; sleep 5'
        """, to: "second")
      try scratch.write(
        """
        sleep 35 & echo $! > third
        exec "$STINT" exec 20 sh -c 'kill -SEGV $$'
        """, to: "third-script")
      let ended = try await scratch.shell(
        """
        bash first; echo $?
        bash second; echo $?
        bash third-script; echo $?
        """)
      #expect(ended.text == "124\n124\n139\n", "\(ended.errors)")
      try await waitUntil("the log's end") { scratch.text("log").hasSuffix("end\n") }
      #expect(scratch.text("log") == "said\nend\n")
      for name in ["older", "orphan", "third"] {
        #expect(Self.isAlive(scratch.text(name)), "\(name)")
        if let pid = Int32(scratch.text(name).dropLast()) { kill(pid, SIGKILL) }
      }
    }

    @Test("R9 below a shell's older children, signals, stops and a kill still reach the command")
    func aside() async throws {
      func start() async throws -> (process: StintProcess, pid: pid_t) {
        try? FileManager.default.removeItem(atPath: scratch("p"))
        try scratch.write(
          """
          sleep 35 > /dev/null 2>&1 &
          exec "$0" exec --budget 60s -- bash -c '
            trap "echo saved > f; exit 3" TERM; echo $$ > p; while :; do sleep 0.02; done'
          """, to: "script")
        let process = try StintProcess(
          ["/bin/bash", "-c", scratch.text("script"), Programs.stint()], in: scratch)
        try await waitUntil("the command") { scratch.text("p").hasSuffix("\n") }
        return (process, try #require(pid_t(scratch.text("p").dropLast())))
      }
      let asked = try await start()
      asked.process.send(SIGTERM)
      #expect(try await asked.process.wait(atMost: .seconds(10)).end == .exited(3))
      #expect(scratch.text("f") == "saved\n")

      let (process, pid) = try await start()
      process.send(SIGTSTP)
      func areStopped() -> [Bool] {
        [process.pid, pid].map { StintProcess.state(of: $0) == "T" }
      }
      try await waitUntil("the stop of both") { areStopped() == [true, true] }
      process.send(SIGCONT)
      try await waitUntil("both go on") { areStopped() == [false, false] }
      process.send(SIGKILL)
      _ = try await process.wait()
      try await waitUntil("the command's end") { !Self.isAlive("\(pid)") }
    }

    @Test("a group of its own, but none in the foreground form")
    func groups() async throws {
      let group =
        "import os; print(os.getpgrp() == os.getpid(), os.getpgid(os.getppid()) == os.getpgrp())"
      #expect(try await scratch.stint("exec", "9", "python3", "-c", group).text == "True False\n")
      #expect(
        try await scratch.stint("exec", "--foreground", "9", "python3", "-c", group).text
          == "False True\n")
    }
  }
}
