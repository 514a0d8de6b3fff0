import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("exec under a budget")
  struct ExecJobTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Counts to a number, a step each 20 ms, and saves where it is when it is warned; never in the
    /// middle of a step, which would be counted and not noted, or noted twice.
    static func counter(to last: Int, saves: Bool = true) -> String {
      """
      import os, signal, sys, time
      n = int(open("state").read()) if os.path.exists("state") else 0
      open("starts", "a").write(f"{n}\\n")
      def save(*_):
          open("state.tmp", "w").write(str(n)); os.replace("state.tmp", "state"); sys.exit(75)
      signal.signal(signal.SIGTERM, \(saves ? "save" : "lambda *_: sys.exit(75)"))
      while n < \(last):
          signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
          n += 1; open("steps", "a").write(f"{n}\\n"); open("progress", "w").write(f"{n / \(last)} counting")
          signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
          time.sleep(0.02)
      open("result", "w").write(str(n))
      """
    }

    /// Each stint went on from what the one before had saved, and did no step twice.
    ///
    /// On a busy machine one may be killed at the end of its time before it could save; only its
    /// steps are done again.
    private static func expectKept(_ last: Int, in scratch: Scratch) {
      func numbers(_ file: String) -> [Int] {
        scratch.text(file).split(separator: "\n").compactMap { Int($0) }
      }
      let (steps, starts) = (numbers("steps"), numbers("starts"))
      #expect(Set(steps) == Set(1...last))
      let repeats = zip(steps, steps.dropFirst()).count { $1 != $0 + 1 }
      // Each start further on than the one before went on from a checkpoint of the journal, and
      // each repeat followed a stint without one.
      let saved = scratch.journal.all("checkpoint").count
      let advances = zip(starts, starts.dropFirst()).count { $1 > $0 }
      #expect(advances >= 1)
      #expect(saved >= advances, "\(starts) \(steps)")
      #expect(saved <= scratch.journal.ends("expired") - repeats, "\(starts) \(steps)")
    }

    private static let job = [
      "--budget", "900ms", "--lead", "400ms", "--rest", "20ms", "--checkpoint-file", "state",
      "--progress-file", "progress",
    ]

    @Test("warned, saved and resumed, stint after stint, until it is done")
    func untilDone() async throws {
      try await scratch.start(
        ["exec"] + Self.job + ["--until-done", "--", "python3", "-c", Self.counter(to: 50)]
      ).wait(atMost: .seconds(60)).expectExit(0)
      #expect(scratch.text("result") == "50")
      Self.expectKept(50, in: scratch)
      let journal = scratch.journal
      #expect(journal.ends("expired") >= 1)
      #expect(journal.ends("finished") == 1)
      #expect(journal.all("expiryAnnounced").count == journal.ends("expired"))
      #expect(journal.unreadable == 0)
    }

    @Test("without --until-done it exits with 75, and run again it goes on")
    func again() async throws {
      let command =
        ["exec"] + Self.job.filter { $0 != "--rest" && $0 != "20ms" }
        + ["--", "python3", "-c", Self.counter(to: 40)]
      var ends: [ProcessEnd] = []
      repeat {
        ends.append(try await scratch.start(command).wait().end)
      } while ends.last == .exited(75) && ends.count < 40
      #expect(ends.last == .exited(0), "\(ends)")
      #expect(ends.count >= 2)
      Self.expectKept(40, in: scratch)
      #expect(scratch.journal.all("stintBegan").count == ends.count)
      let status = try await scratch.stint("status", "exec")
      #expect(status.text.contains("exec python3"), "\(status.text)")
      #expect(try await scratch.stint("verify", "exec").end == .exited(0))
    }

    @Test("the work of a command without a checkpoint is lost, whatever it did")
    func nothingIsKept() async throws {
      let process = try scratch.start([
        "exec", "--budget", "300ms", "--until-done", "--rest", "20ms", "--", "sleep", "60",
      ])
      try await process.wait(until: "two stints") { scratch.journal.all("stintEnded").count >= 2 }
      process.send(SIGTERM)
      _ = try await process.wait()
      let figures = try await scratch.stint("report", "exec", "--json").object
      #expect(figures["checkpoints"] as? Int == 0)
      #expect(figures["savedSeconds"] as? Double == 0)
      #expect(figures["workTimeSeconds"] as? Double == 0)
      #expect(figures["lostSeconds"] as? Double ?? 0 > 0)
    }

    @Test("W13 three stints in a row that save nothing end it, and say so")
    func noProgress() async throws {
      try await scratch.start(
        ["exec"] + Self.job
          + ["--until-done", "--", "python3", "-c", Self.counter(to: 10_000, saves: false)]
      ).wait(atMost: .seconds(60)).expectExit(69, saying: "three stints in a row")
      #expect(scratch.journal.ends("expired") == 3)
    }

    @Test("R10 what is killed or crashes is started again a limited number of times")
    func restarts() async throws {
      let ended = try await scratch.shell(
        """
        "$STINT" exec --budget 10s --rest 1ms --until-done --max-restarts 2 -- \
          bash -c 'echo x >> f; kill -SEGV $$'
        """)
      #expect(ended.end == .signalled(SIGSEGV), "\(ended.errors)")
      #expect(scratch.text("f") == "x\nx\nx\n")
      #expect(ended.errors.contains("--max-restarts allows no more"), "\(ended.errors)")
    }

    @Test("W13 with a checkpoint file, three crashes that bring nothing new are enough")
    func crashes() async throws {
      func run(_ options: String...) async throws -> FinishedProcess {
        try await scratch.start(
          ["exec", "--budget", "10s", "--rest", "1ms", "--until-done", "--checkpoint-file", "c"]
            + options + ["--", "bash", "-c", "echo x >> f; kill -SEGV $$"]
        ).wait()
      }
      let ended = try await run()
      #expect(ended.end == .exited(69), "\(ended.errors)")
      #expect(scratch.text("f") == "x\nx\nx\n")
      #expect(ended.errors.contains("SEGV, and three stints in a row"), "\(ended.errors)")
      #expect(!ended.errors.contains("longer budget"), "\(ended.errors)")
      let once = try await run("--max-restarts", "0")
      #expect(once.end == .signalled(SIGSEGV), "\(once.errors)")
      #expect(once.errors.contains("SEGV; --max-restarts 0 allows no restart."), "\(once.errors)")
    }

    @Test("R1 killed at every deadline, it gets there all the same by its checkpoint file")
    func killedAtDeadlines() async throws {
      let command = """
        import os, signal, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        n = int(open("state").read()) if os.path.exists("state") else 0
        while n < 30:
            n += 1; time.sleep(0.02); open("t", "w").write(str(n)); os.replace("t", "state")
        """
      let ended = try await scratch.start(
        [
          "exec", "--budget", "500ms", "--lead", "50ms", "--rest", "1ms", "--until-done",
          "--checkpoint-file", "state", "--", "python3", "-c", command,
        ]
      ).wait(atMost: .seconds(60)).expectExit(0)
      #expect(scratch.text("state") == "30")
      #expect(ended.errors.contains("was killed at its deadline"), "\(ended.errors)")
    }

    @Test("a warning signal, then the stop signal, then the end")
    func steps() async throws {
      let ended = try await scratch.shell(
        """
        "$STINT" exec -v --budget 900ms --lead 600ms -k 200ms --warn-signal USR1 -s INT -- python3 -c '
        import signal, time
        def note(n, _): open("f", "a").write(f"{signal.Signals(n).name}\\n")
        signal.signal(10, note); signal.signal(2, note)
        end = time.time() + 9
        while time.time() < end: time.sleep(0.01)'
        """
      ).expectExit(137)
      #expect(scratch.text("f") == "SIGUSR1\nSIGINT\n")
      #expect(ended.errors.contains("signal KILL"))
    }

    @Test("A23 suspended at the end of its time, it goes on with the next and loses nothing")
    func suspended() async throws {
      // Every step says when it was made, by the clock that counts.
      let command = """
        import time
        for i in range(40):
            print(time.clock_gettime(time.CLOCK_BOOTTIME), flush=True); time.sleep(0.02)
        """
      let ended = try await scratch.stint(
        "exec", "--budget", "300ms", "--lead", "50ms", "--rest", "400ms", "--suspend", "--",
        "python3", "-c", command
      ).expectExit(0)
      let times = ended.text.split(separator: "\n").compactMap { Double($0) }
      #expect(times.count == 40)
      let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > 0.38 }
      #expect(gaps.count >= 2, "\(times)")
    }

    @Test("A23 a stop that is asked for ends a suspended command too, in its grace")
    func suspendedAndAsked() async throws {
      let process = try scratch.start([
        "exec", "--budget", "200ms", "--lead", "50ms", "--rest", "1h", "--suspend", "--", "bash",
        "-c", "trap 'echo saved > f; exit 75' TERM; echo $$ > p; while :; do sleep 0.01; done",
      ])
      try await waitUntil("the suspension") {
        guard let pid = Int32(scratch.text("p").dropLast()) else { return false }
        let frozen = try? String(contentsOfFile: "/proc/\(pid)/wchan", encoding: .utf8)
        return StintProcess.state(of: pid) == "T" || frozen?.contains("freez") == true
          || ExecSuspensionTests.isFrozen(pid)
      }
      process.send(SIGTERM)
      #expect(try await process.wait(atMost: .seconds(10)).end == .exited(75))
      #expect(scratch.text("f") == "saved\n")
    }

    @Test("the command is told its time, and nothing of somebody else's")
    func environment() async throws {
      let old = [
        "STINT_DEADLINE": "1", "STINT_BUDGET_SECONDS": "2", "STINT_SYSTEM_FD": "3",
        "STINT_SYSTEM_PID": "4",
      ]
      func told(_ words: String...) async throws -> [String: String] {
        let script =
          "import os, time; print(time.clock_gettime_ns(7)); [print(k, v) for k, v in os.environ.items()]"
        let ended = try await StintProcess(
          [Programs.stint(), "exec"] + words + ["python3", "-c", script], in: scratch,
          environment: old
        ).wait().expectExit(0)
        var told: [String: String] = [:]
        let lines = ended.text.split(separator: "\n")
        told["now"] = lines.first.map(String.init)
        for line in lines where line.hasPrefix("STINT_") {
          let parts = line.split(separator: " ", maxSplits: 1)
          if parts.count == 2 { told[String(parts[0])] = String(parts[1]) }
        }
        return told
      }
      let unlimited = try await told("--")
      #expect(old.allSatisfy { unlimited[$0.key] != $0.value }, "\(unlimited)")
      #expect(unlimited["STINT_DEADLINE"] == nil && unlimited["STINT_BUDGET_SECONDS"] == nil)
      for words in [["--budget", "20s", "--"], ["-k", "5", "20"]] {
        let limited = try await told(words[0], words[1], words[2])
        #expect(limited["STINT_BUDGET_SECONDS"] == "20.000")
        let deadline = try #require(limited["STINT_DEADLINE"].flatMap { Int64($0) })
        let now = try #require(limited["now"].flatMap { Int64($0) })
        #expect((10_000_000_000...20_000_000_000).contains(deadline - now))
        #expect(old.allSatisfy { limited[$0.key] != $0.value }, "\(limited)")
      }
    }

    @Test("R13 a second supervisor of one job is refused and told of the first")
    func busy() async throws {
      let command = ["exec", "--checkpoint-file", "c", "--", "sleep", "1000"]
      let first = try scratch.start(command)
      try await waitUntil("the job") { scratch.job != nil }
      try await scratch.start(command).wait().expectExit(69, saying: "\(first.pid)")
      try await scratch.stint("stop", "exec").expectExit(0)
      first.send(SIGTERM)
      #expect(try await first.wait().end == .exited(75))
    }

    @Test("C6 R13 a second one is refused from the first instant, and a short one leaves nothing")
    func busyAtOnce() async throws {
      // Without a tick, and ended by a failure, the first one has nothing to keep however long it
      // takes.
      let command = [
        "exec", "--tick", "1h", "--checkpoint-file", "c", "--", "bash", "-c",
        "echo x >> starts; until [ -e go ]; do sleep 0.01; done; exit 3",
      ]
      let first = try scratch.start(command)
      try await first.wait(until: "the command") { scratch.exists("starts") }
      #expect(try await scratch.stint("list").text.contains("running"))
      try await scratch.start(command).wait().expectExit(69, saying: "\(first.pid)")
      try scratch.write("", to: "go")
      try await first.wait().expectExit(3)
      #expect(scratch.text("starts") == "x\n")
      #expect(scratch.job == nil)
      try await scratch.start(command).wait().expectExit(3)
      try await scratch.stint("exec", "--checkpoint-file", "c", "--", "./none").expectExit(127)
      #expect(scratch.job == nil)
    }

    @Test("L8 a supervisor that was killed is explained by the next one, once")
    func explained() async throws {
      let command = [
        "exec", "--budget", "1h", "--checkpoint-file", "c", "--", "bash", "-c",
        "echo $$ > p; [ -e done ] || exec sleep 1000",
      ]
      let first = try scratch.start(command)
      try await waitUntil("the journal") { !scratch.journal.all("stintBegan").isEmpty }
      first.send(SIGKILL)
      _ = try await first.wait()
      try scratch.write("", to: "done")
      try await scratch.start(command).wait()
        .expectExit(0, saying: "did not end normally", "\(first.pid)")
      let third = try await scratch.start(command).wait().expectExit(0)
      #expect(!third.errors.contains("did not end normally"), "\(third.errors)")
    }

    @Test("W3 --events tells of a job what its journal does, and how it goes on")
    func events() async throws {
      try await scratch.start(
        ["exec", "--events", "e", "--tick", "50ms", "--until-done"] + Self.job
          + ["--", "python3", "-c", Self.counter(to: 50)]
      ).wait(atMost: .seconds(60)).expectExit(0)
      let events = Journal(text: scratch.text("e"))
      #expect(events.unreadable == 0)
      let ticks = events.all("tick")
      #expect(ticks.contains { $0.state == "running" && ($0.fraction ?? 0) > 0.2 }, "\(ticks)")
      #expect(ticks.contains { $0.remainingSeconds.map { $0 <= 0.9 } == true })
      // Whatever is no tick stands in the journal too, line by line.
      let lines = scratch.text("e").split(separator: "\n").filter { !$0.contains("\"tick\"") }
      let job = try #require(scratch.job)
      #expect(lines == scratch.text(job + "/journal.jsonl").split(separator: "\n"))
      #expect(events.ends("finished") == 1)
    }

    @Test("W3 --events tells of a command that is no job; there is no --json")
    func eventsWithoutJob() async throws {
      try await scratch.stint(
        "exec", "--events", "e", "--tick", "50ms", "--budget", "400ms", "--lead", "200ms", "--",
        "sleep", "1000"
      ).expectExit(124)
      let events = Journal(text: scratch.text("e"))
      #expect(events.unreadable == 0)
      let told = events.lines.map(\.event).filter { $0 != "tick" }
      #expect(told == ["stintBegan", "expiryAnnounced", "stintEnded"])
      #expect(events.ends("expired") == 1)
      #expect(!events.all("tick").isEmpty)
      #expect(scratch.job == nil)
      for words in [
        ["--json", "--", "true"], ["--events", "-", "--", "true"], ["--events", "e", "5", "true"],
      ] {
        let refused = try await scratch.start(["exec"] + words).wait()
        #expect(refused.end == .exited(125), "\(words)")
      }
    }

    @Test("stint stop ends a command that has no checkpoint file, within a tick")
    func stopVerb() async throws {
      let process = try scratch.start([
        "exec", "--budget", "1h", "--until-done", "--tick", "50ms", "--", "sleep", "1000",
      ])
      try await waitUntil("the job") { scratch.job != nil }
      // Its directory is there a moment before its lock is taken.
      var answer = try await scratch.stint("stop", "exec")
      while answer.text.contains("is not running"), !process.hasEnded {
        answer = try await scratch.stint("stop", "exec")
      }
      #expect(answer.end == .exited(0) && answer.text.contains("stops"), "\(answer.text)")
      #expect(try await process.wait(atMost: .seconds(10)).end == .exited(75))
    }
  }
}
