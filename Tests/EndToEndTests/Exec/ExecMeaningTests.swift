import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Programs that know nothing of Stint, with the command line that one tries first.
  @Suite("exec: what an end means")
  struct ExecMeaningTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Counts to a number, saves when it is warned, and exits with 0 whatever it has done.
    private static func counter(to last: Int, done: String = "done") -> String {
      """
      import os, signal, sys, time
      n = int(open("state").read()) if os.path.exists("state") else 0
      def save(*_):
          open("state.tmp", "w").write(str(n)); os.replace("state.tmp", "state"); sys.exit(0)
      signal.signal(signal.SIGTERM, save)
      while n < \(last):
          n += 1; time.sleep(0.02)
      open("\(done)", "w").write(str(n))
      """
    }

    private static let short = ["--budget", "900ms", "--lead", "400ms"]

    private func exec(_ options: [String], _ command: [String]) async throws -> FinishedProcess {
      let rest = options.contains("--until-done") ? ["--rest", "10ms"] : []
      return try await scratch.start(["exec"] + Self.short + rest + options + ["--"] + command)
        .wait(atMost: .seconds(60))
    }

    @Test("X1 a program that saves and exits with 0 goes on, by its checkpoint or its done file")
    func zeroAfterWarning() async throws {
      for option in [["--checkpoint-file", "state"], ["--done-file", "done"]] {
        // With the done file alone nothing shows progress, so it must be done in three stints.
        let last = option[0] == "--done-file" ? 30 : 70
        let ended = try await exec(
          ["--until-done"] + option, ["python3", "-c", Self.counter(to: last)])
        try ended.requireExit(0)
        #expect(scratch.text("done") == "\(last)")
        #expect(!ended.errors.contains("counts as finished"), "\(ended.errors)")
        for name in ["done", "state"] { unlink(scratch(name)) }
      }
    }

    @Test("X1 without any of them its 0 is finished, with a notice that names what there is")
    func notice() async throws {
      let ended = try await exec([], ["python3", "-c", Self.counter(to: 10_000)])
      #expect(ended.end == .exited(0))
      for name in ["--checkpoint-file", "--done-file", "--resumable", "--after-warning"] {
        #expect(ended.errors.contains(name), "\(ended.errors)")
      }
      let quiet = try await exec(["-q"], ["python3", "-c", Self.counter(to: 10_000)])
      #expect(quiet.end == .exited(0) && quiet.errors == "", "\(quiet.errors)")
      let byHand = try await exec(
        ["--after-warning", "unfinished", "--until-done", "--max-stints", "2"],
        ["python3", "-c", Self.counter(to: 10_000)])
      #expect(byHand.end == .exited(69), "\(byHand.errors)")
      #expect(byHand.errors.contains("--max-stints"), "\(byHand.errors)")
    }

    @Test("X1 a program that ignores the signal and ends in its lead is finished, without a notice")
    func ignoring() async throws {
      let ended = try await exec(
        ["--checkpoint-file", "c", "--until-done"],
        ["sh", "-c", "trap '' TERM; echo x >>starts; sleep 0.7"])
      #expect(ended.end == .exited(0) && ended.errors == "", "\(ended.errors)")
      #expect(scratch.text("starts") == "x\n")
    }

    @Test(
      "X2 a done file from before the job is none, and one that another process saw is kept apart")
    func doneFile() async throws {
      try scratch.write("old", to: "done")
      let once = try await exec(["--done-file", "done"], ["true"])
      #expect(once.end == .exited(75))
      #expect(once.errors.contains("the one that was there before"), "\(once.errors)")
      // The beginning is remembered over processes, whatever happens to this one.
      let killed = try scratch.start(
        ["exec", "--done-file", "done", "--", "sh", "-c", "echo x >begun; exec sleep 60"])
      try await waitUntil("its start") { scratch.text("begun") != "" }
      killed.send(SIGKILL)
      _ = try await killed.wait()
      let made = try await exec(["--done-file", "done"], ["sh", "-c", "echo new >done"])
      #expect(made.end == .exited(0) || made.end == .exited(75), "\(made.errors)")
      let failed = try await exec(["--done-file", "done"], ["sh", "-c", "echo new >done; exit 3"])
      #expect(failed.end == .exited(3))
    }

    @Test("X2 X4 a mistyped done file ends after three runs, and says which file it is")
    func mistyped() async throws {
      let ended = try await exec(
        ["--done-file", "dome", "--until-done"], ["sh", "-c", "echo x >>starts; echo 1 >done"])
      #expect(ended.end == .exited(69))
      #expect(ended.errors.contains("The done file did not appear"), "\(ended.errors)")
      #expect(scratch.text("starts") == "x\nx\nx\n")
    }

    @Test("X3 a resumable command may end with any status when its time is up, and is bounded")
    func resumable() async throws {
      let ended = try await exec(
        ["--resumable", "--until-done", "--max-stints", "4"],
        ["sh", "-c", "echo x >>starts; trap 'exit 20' TERM; sleep 60 & wait"])
      #expect(ended.end == .exited(69))
      #expect(ended.errors.contains("--max-stints 4 allows no more"), "\(ended.errors)")
      #expect(scratch.text("starts") == "x\nx\nx\nx\n")
      let failed = try await exec(["--resumable", "--until-done"], ["sh", "-c", "exit 23"])
      #expect(failed.end == .exited(23))
    }

    @Test(
      "X4 what restores and saves at once, and comes no further, ends after three runs",
      arguments: ["0", "75"])
    func savesTheSame(status: String) async throws {
      let script = """
        echo x >>starts; mkdir -p ckpt/deep; echo 7 >ckpt/deep/new; mv ckpt/deep/new ckpt/deep/state
        trap 'exit \(status)' TERM; sleep 60 & wait
        """
      let ended = try await exec(
        ["--checkpoint-file", "ckpt", "--until-done"], ["sh", "-c", script])
      #expect(ended.end == .exited(69), "\(ended.errors)")
      // The first of them made it.
      #expect(scratch.text("starts") == "x\nx\nx\nx\n")
    }

    @Test("X4 a server that never gets any further is not started for ever")
    func server() async throws {
      let ended = try await exec(
        ["--checkpoint-file", "none", "--until-done"],
        ["sh", "-c", "echo x >>starts; trap 'exit 0' TERM; while :; do sleep 0.05; done"])
      #expect(ended.end == .exited(69), "\(ended.errors)")
      #expect(scratch.text("starts") == "x\nx\nx\n")
    }

    @Test("X4 a pattern counts each new file, over processes too")
    func pattern() async throws {
      let script = """
        n=$(ls ckpt-* 2>/dev/null | wc -l); [ $n -ge 5 ] && exit 0
        echo $n >ckpt-$n; exit 75
        """
      var ends: [ProcessEnd] = []
      repeat {
        ends.append(
          try await exec(["--checkpoint-file", "ckpt-*"], ["sh", "-c", script]).end)
      } while ends.last == .exited(75) && ends.count < 10
      #expect(ends == Array(repeating: .exited(75), count: 5) + [.exited(0)])
      // From here on nothing is new.
      let idle = ["sh", "-c", "exit 75"]
      for status: Int32 in [75, 75, 69] {
        #expect(
          try await exec(["--checkpoint-file", "ckpt-*"], idle).end == .exited(status))
      }
    }

    @Test("X4 words that are no share are told once, and are not 100 %")
    func oddProgress() async throws {
      let ended = try await exec(
        ["--progress-file", "p", "--tick", "50ms"],
        ["sh", "-c", "echo soon >p; trap 'exit 0' TERM; sleep 60 & wait"])
      #expect(ended.end == .exited(75))
      #expect(ended.errors.split(separator: "\n").count { $0.contains("\"soon\"") } == 1)
    }

    @Test("X6 a command that stands still is stopped and started again so often")
    func stalls() async throws {
      let script = """
        echo x >>starts; trap 'exit 75' TERM
        for i in 1 2 3 4 5 6 7 8; do echo 0.$i >p; sleep 0.05; done; sleep 60 & wait
        """
      let ended = try await scratch.start([
        "exec", "--budget", "50s", "--lead", "2s", "--rest", "10ms", "--until-done", "--tick",
        "50ms",
        "--progress-file", "p", "--stall-after", "400ms", "--max-restarts", "1", "--", "sh", "-c",
        script,
      ]).wait(atMost: .seconds(60))
      #expect(ended.end == .exited(69))
      #expect(scratch.text("starts") == "x\nx\n")
      #expect(ended.errors.contains("no progress for 400ms"), "\(ended.errors)")
      #expect(ended.errors.contains("stalled again; --max-restarts 1"), "\(ended.errors)")
    }

    @Test(
      "X7 only the leader is warned, and what it leaves is killed with it",
      arguments: [true, false])
    func leader(only: Bool) async throws {
      let loader = "trap 'echo hit >>loader; exit 0' TERM; while :; do sleep 0.02; done"
      let script = """
        sh -c "\(loader)" & echo $! >pid
        trap 'sleep 0.1; exit 75' TERM; while :; do sleep 0.02; done
        """
      let ended = try await exec(
        ["--checkpoint-file", "c"] + (only ? ["--signal-to", "leader"] : []), ["sh", "-c", script])
      #expect(ended.end == .exited(75), "\(ended.errors)")
      #expect(scratch.text("loader") == (only ? "" : "hit\n"))
      let pid = try #require(
        Int32(scratch.text("pid").trimmingCharacters(in: .whitespacesAndNewlines)))
      #expect(kill(pid, 0) != 0 && errno == ESRCH)
    }

    @Test("X9 the command is told both clocks, its boot, its stint, its job and its checkpoint")
    func environment() async throws {
      let script = """
        import os, time
        e = os.environ
        left = int(e["STINT_DEADLINE"]) / 1e9 - time.clock_gettime(time.CLOCK_BOOTTIME)
        unix = float(e["STINT_DEADLINE_UNIX"]) - time.time()
        assert abs(left - unix) < 0.1, (left, unix)
        assert e["STINT_BOOT_ID"] == open("/proc/sys/kernel/random/boot_id").read().strip()
        assert e["STINT_JOB"].startswith("exec-")
        assert e["STINT_CHECKPOINT"] == os.path.realpath(".") + "/c"
        open("stints", "a").write(e["STINT_STINT"] + "\\n")
        """
      for _ in 1...2 {
        let ended = try await scratch.shell(
          """
          export STINT_DEADLINE=1 STINT_DEADLINE_UNIX=1 STINT_BOOT_ID=x STINT_STINT=9 STINT_JOB=x
          STINT_CHECKPOINT=x "$STINT" exec --budget 60s --checkpoint-file c -- python3 -c '
          \(script)
          exit(75)'
          """)
        #expect(ended.end == .exited(75), "\(ended.errors)")
      }
      #expect(scratch.text("stints") == "1\n2\n")
      let plain = try await scratch.shell(
        "STINT_JOB=x STINT_CHECKPOINT=x STINT_DEADLINE_UNIX=1 \"$STINT\" exec -- env")
      for name in ["STINT_JOB=", "STINT_CHECKPOINT=", "STINT_DEADLINE"] {
        #expect(!plain.text.contains(name), "\(plain.text)")
      }
    }

    @Test("a command that was stopped and is no job says what it would need to go on")
    func timedOut() async throws {
      let ended = try await exec([], ["sleep", "60"])
      #expect(ended.end == .exited(124))
      #expect(ended.errors.contains("To go on where it stopped"), "\(ended.errors)")
      #expect(ended.errors.split(separator: "\n").count == 1)
      let asTimeout = try await scratch.stint("exec", "0.2", "sleep", "60")
      #expect(asTimeout.end == .exited(124) && asTimeout.errors == "")
    }

    @Test("W3 on a terminal the command's lines are its own, and no live line is among them")
    func terminal() async throws {
      let terminal = try PseudoTerminal()
      let process = try terminal.start(
        [
          Programs.stint(), "exec", "--progress-file", "p", "--tick", "50ms", "--", "sh", "-c",
          "echo 0.5 >p; printf 'half a line'; sleep 0.5; echo ' and the rest'",
        ], in: scratch)
      #expect(try await terminal.end(of: process).end == .exited(0))
      #expect(terminal.text == "half a line and the rest\r\n")
    }
  }
}
