import Foundation
import Glibc
import StintCore
import Testing

extension EndToEnd {
  @Suite("Batches")
  struct BatchTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Mixed lines: numbers of several sizes and commands, with what each must leave behind.
    struct Mix {
      var lines: [String] = []
      /// The files by their names, and the numbers that are in them.
      var numbers: [(file: String, n: Int)] = []
      var commands: [String] = []

      init(_ count: Int) {
        for index in 0..<count {
          if index % 4 == 3 {
            commands.append("c\(index)")
            lines.append("exec -- sh -c 'sleep 0.0\(index % 10); echo \(index) >c\(index)'")
          } else {
            // Most are short, as the lines of a batch are; some take several budgets of a loaded
            // machine.
            let n = index % 40 == 0 ? 12_000_000 + index : 1_000 + index % 20 * 9_973
            numbers.append(("n\(index)", n))
            lines.append("fibonacci \(n) -o n\(index)")
          }
        }
      }

      /// Every result equals the uninterrupted one.
      func check(_ scratch: Scratch) async throws {
        for (file, n) in numbers {
          let bytes = try scratch.bytes(file)
          #expect(try await Yardstick.shared.bytes(of: n) == bytes, "\(file)")
        }
        for command in commands { #expect(scratch.text(command) == command.dropFirst() + "\n") }
      }
    }

    @Test(
      "a batch file that is not there has its own name, and a finished batch has no result of 0 bytes"
    )
    func words() async throws {
      let missing = try await scratch.stint("batch", "nofile").expectExit(74)
      #expect(
        missing.errors == "stint: The file nofile cannot be opened: No such file or directory.\n")
      try scratch.write("nothing\n", to: "lines")
      let wrong = try await scratch.stint("batch", "lines")
      #expect(wrong.errors.hasPrefix("stint: The file lines has 1 line that"), "\(wrong.errors)")
      try scratch.write("exec -- true\n", to: "lines")
      #expect(try await scratch.stint("batch", "lines").end == .exited(0))
      for verb in ["status", "report"] {
        let page = try await scratch.stint(verb, "batch")
        #expect(page.text.contains("finished"), "\(page.text)")
        #expect(!page.text.contains("0 bytes"), "\(page.text)")
      }
    }

    @Test(
      "R1 R11 two hundred mixed lines, run again and again in short budgets, some of them killed")
    func twoHundred() async throws {
      let seed: UInt64 = 0x3230_30
      let mix = Mix(200)
      let scratch = try Scratch()
      var (runs, kills) = (0, 0)
      var last = ProcessEnd.exited(75)
      var random = SplitMix64(seed: seed)
      while last != .exited(0), runs < 80 {
        runs += 1
        // The order of the file is another each time, and the first runs have not all of its lines.
        let shift = Int.random(in: 0..<200, using: &random)
        let order = Array(mix.lines[shift...] + mix.lines[..<shift])
        let text = (runs <= 2 ? Array(order.prefix(150)) : order).joined(separator: "\n")
        try scratch.write(text + "\n", to: "jobs.txt")
        let process = try scratch.start([
          "batch", "jobs.txt", "--budget", "2s", "-j", "3", "--quiet",
        ])
        if runs % 3 == 2 {
          let count = Self.finished(in: scratch)
          try await process.wait(until: "some more lines") {
            Self.finished(in: scratch) > count + 3
          }
          process.send(SIGKILL)
          kills += 1
          try await waitUntil("the end of the lines' processes") {
            Self.processes(of: scratch).isEmpty
          }
        }
        last = try await process.wait().end
        if runs <= 2, last == .exited(0) { last = .exited(75) }
        #expect(
          [.exited(75), .exited(0), .signalled(SIGKILL)].contains(last),
          "seed \(seed), run \(runs): \(process.errorsSoFar)")
      }
      #expect(last == .exited(0), "seed \(seed), \(runs) runs")
      #expect(kills >= 1)
      try await mix.check(scratch)
      // Nothing was done twice: one finish for each line, but for those that a kill caught between
      // the end and its record.
      let ends = Self.records(in: scratch).filter { $0.contains("\"finished\"") }.count
      #expect((200...200 + 3 * kills).contains(ends), "\(ends)")
    }

    /// The records of the one batch.
    static func records(in scratch: Scratch) -> [Substring] {
      let batch = scratch.names(in: "jobs").first { $0.hasPrefix("batch-") } ?? "none"
      return scratch.text("jobs/\(batch)/lines.jsonl").split(separator: "\n")
    }

    static func finished(in scratch: Scratch) -> Int {
      records(in: scratch).count { $0.contains("\"outcome\":\"finished\"") }
    }

    /// The processes that have a scratch directory as their working directory, but for the test's
    /// own.
    static func processes(of scratch: Scratch) -> [Int32] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.compactMap { Int32($0) }.filter { pid in
        let cwd = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd")
        return cwd == scratch.path && StintProcess.state(of: pid) != "Z"
      }
    }

    @Test("R9 SIGKILL of the batch leaves no process behind, and the next one goes on")
    func killed() async throws {
      try scratch.write(
        """
        fibonacci 30000000 -o f
        exec -- sh -c 'sleep 1000 & echo $! >pid; sleep 1000'
        """, to: "jobs.txt")
      let process = try scratch.start(["batch", "jobs.txt", "-j", "2"])
      try await waitUntil("both lines") {
        scratch.exists("pid") && scratch.names(in: "jobs").count >= 2
      }
      process.send(SIGKILL)
      #expect(try await process.wait().end == .signalled(SIGKILL))
      try await waitUntil("the end of all") { Self.processes(of: scratch).isEmpty }
      try scratch.write("fibonacci 30000000 -o f\n", to: "jobs.txt")
      #expect(try await scratch.stint("batch", "jobs.txt").end == .exited(0))
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: 30_000_000))
    }

    @Test("a line that fails stops no other, is told with its reason, and is tried again next time")
    func failing() async throws {
      try scratch.write(
        """
        fibonacci 1000 -o a
        exec -- sh -c 'echo out; echo because >&2; test -e ok'
        fibonacci 1001 -o nowhere
        fibonacci 1002 -o b
        exec -- sh -c 'kill -SEGV $$'
        """, to: "jobs.txt")
      try scratch.makeFolder("nowhere")
      try scratch.write("x", to: "nowhere/x")
      try await scratch.stint("batch", "jobs.txt").expectExit(64, saying: "Line 3")
      try FileManager.default.removeItem(atPath: scratch("nowhere"))
      let run = try await scratch.stint("batch", "jobs.txt", "-j", "1", "--joblog", "log")
        .expectExit(1, saying: "Line 2 failed (exit status 1)", "2 failed (lines 2, 5)")
      #expect(run.text == "out\n")
      #expect(scratch.exists("a") && scratch.exists("b") && scratch.exists("nowhere"))
      let log = scratch.text("log").split(separator: "\n")
      #expect(log.count == 5)
      #expect(log.contains { $0.contains("\"reason\":\"because\"") })
      try scratch.write("", to: "ok")
      try scratch.write(
        scratch.text("jobs.txt").replacing("kill -SEGV $$", with: "true"), to: "jobs.txt")
      try await scratch.stint("batch", "jobs.txt").expectExit(0, saying: "3 of them before")
    }

    @Test("lines from standard input; one whose result was deleted or changed is run again")
    func standardInput() async throws {
      let batch =
        "printf 'fibonacci %d -o f%d\\n' 5000 1 6000 2 7000 3 5000 1 | \"$STINT\" batch - -j 2"
      try await scratch.shell(batch).expectExit(0, saying: "Line 4 is the same job as line 1")
      let second = try await scratch.shell(batch)
      #expect(second.errors.contains("Finished before: all 3 lines"), "\(second.errors)")
      try FileManager.default.removeItem(atPath: scratch("f2"))
      try await scratch.shell(batch)
        .expectExit(0, saying: "Finished: all 3 lines, 2 of them before")
      #expect(try await scratch.bytes("f2") == Yardstick.shared.bytes(of: 6000))
      // Somebody else's file is not replaced, and the line says so.
      try scratch.write("mine", to: "f3")
      try await scratch.shell(batch).expectExit(1)
      #expect(scratch.text("f3") == "mine")
    }

    @Test("standard input that does not end takes the budget: 75, and the reason")
    func inputThatDoesNotEnd() async throws {
      // The shell itself holds the other end.
      try await scratch.shell(
        "mkfifo p; exec 9<>p; echo 'exec -- touch made' >&9; \"$STINT\" batch - --budget 500ms <p 9>&-"
      ).expectExit(75, saying: "the standard input has not ended")
      #expect(!scratch.exists("made"))
    }

    @Test("C6 a second batch of the same file is refused and told who holds it")
    func second() async throws {
      try scratch.write("exec -- sh -c 'touch started; sleep 100'\n", to: "jobs.txt")
      let first = try scratch.start(["batch", "jobs.txt"])
      try await waitUntil("the line") { scratch.exists("started") }
      try await scratch.stint("batch", "jobs.txt").expectExit(69, saying: "process \(first.pid)")
      first.send(SIGTERM)
      #expect(try await first.wait().end == .exited(75))
    }

    @Test("E5 a line whose job another process has waits for it, as long as there is time")
    func heldJob() async throws {
      let scratch = try Scratch()
      let n = 60_000_000 * Yardstick.factor
      let holder = try scratch.start(["run", "fibonacci", "\(n)", "-o", "f"])
      try await holder.wait(until: "the holder's job") { scratch.job != nil }
      holder.send(SIGSTOP)
      try #require(!holder.hasEnded)
      try scratch.write("fibonacci \(n) -o f\n", to: "jobs.txt")
      let short = try await scratch.stint("batch", "jobs.txt", "--budget", "2s").expectExit(75)
      #expect(!short.errors.contains("failed"), "\(short.errors)")

      let batch = try scratch.start(["batch", "jobs.txt"])
      try await batch.wait(until: "the wait") {
        scratch.names(in: "jobs").filter { $0.hasPrefix("batch-") }.contains { folder in
          scratch.names(in: "jobs/\(folder)/partial").contains {
            scratch.text("jobs/\(folder)/partial/\($0)").contains("waits for it")
          }
        }
      }
      holder.send(SIGKILL)
      _ = try await holder.wait()
      let end = try await batch.wait()
      #expect(end.end == .exited(0), "\(end.errors)")
      #expect(end.errors.contains("this process waits for it"), "\(end.errors)")
      #expect(try await Yardstick.shared.bytes(of: n) == scratch.bytes("f"))
    }

    @Test("R4 the job log's disk fills up: said once, the lines go on, and the batch ends with 74")
    func fullJobLog() async throws {
      try scratch.write("fibonacci 500 -o a\nfibonacci 501 -o b\n", to: "jobs.txt")
      let run = try await scratch.stint("batch", "jobs.txt", "--joblog", "/dev/full", "--json")
        .expectExit(74)
      let sentences = run.sentences.filter { $0.contains("job log /dev/full cannot be written") }
      #expect(sentences.count == 1, "\(run.errors)")
      let account = run.text.split(separator: "\n").last.map(String.init) ?? ""
      #expect(account.contains("\"exitStatus\":74"), "\(run.text)")
      #expect(account.contains("\"error\":\"The job log /dev/full"), "\(run.text)")
      #expect(scratch.exists("a") && scratch.exists("b"))
      // The records are still owed, and nothing is lost of them.
      try await scratch.stint("batch", "jobs.txt", "--joblog", "log").expectExit(0)
      #expect(scratch.text("log").split(separator: "\n").count == 2)
    }

    @Test("a lost job log hides neither a line that failed nor one that must run again")
    func fullJobLogOfFailures() async throws {
      try scratch.write("exec -- false\n", to: "jobs.txt")
      try await scratch.stint("batch", "jobs.txt", "--joblog", "/dev/full").expectExit(1)
      try scratch.write("exec -- sh -c 'exit 75'\n", to: "jobs.txt")
      try await scratch.stint("batch", "jobs.txt", "--joblog", "/dev/full").expectExit(75)
    }

    @Test("the account of --json that cannot be written is told: 74")
    func lostAccount() async throws {
      try scratch.write("exec -- true\n", to: "jobs.txt")
      try await scratch.stint("batch", "jobs.txt", "--json").expectExit(0)
      // All lines were done before, so that the account is all that is written.
      try await scratch.stint("batch", "jobs.txt", "--json", output: "/dev/full")
        .expectExit(74, saying: "standard output")
    }

    @Test(
      "R9 a line's process has a clean mask and clean dispositions, and no descriptor of the batch")
    func clean() async throws {
      try scratch.write(
        "exec -- sh -c 'grep -E ^Sig[BI] /proc/self/status >status; ls -l /proc/self/fd >fds'\n",
        to: "jobs.txt")
      try await scratch.stint("batch", "jobs.txt").expectExit(0)
      let status = scratch.text("status")
      #expect(status.contains("SigBlk:\t0000000000000000"), "\(status)")
      let ignored = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }
        .flatMap { UInt64($0.dropFirst(8), radix: 16) }
      // Signals 32 and 33 are the C library's own.
      #expect(ignored.map { $0 & ~(3 << 31) } == 0, "\(status)")
      let kept = scratch.text("fds").split(separator: "\n").filter {
        $0.contains(" -> ") && !$0.contains("/proc/") && !$0.contains("/dev/null")
      }
      // Standard output goes to the file, standard error to the batch's own.
      #expect(!kept.contains { $0.contains("lines.jsonl") || $0.contains("/lock") }, "\(kept)")
    }

    @Test("every line that is accepted has the same words in a shell")
    func sameWordsAsShell() async throws {
      let seed: UInt64 = 0x7368
      var random = SplitMix64(seed: seed)
      let alphabet = Array("ab  \t'\"\\$`#~=-{}!%é")
      var lines: [(line: String, words: [String])] = []
      while lines.count < 400 {
        let line = String(
          (0..<Int.random(in: 1...14, using: &random)).map { _ in
            alphabet.randomElement(using: &random) ?? "a"
          })
        if let words = try? BatchWords.split(line[...]), !words.isEmpty {
          lines.append((line, words))
        }
      }
      let scratch = try Scratch()
      let script = lines.map { "printf '<%s>' \($0.line)\necho\n" }.joined()
      try scratch.write(script, to: "script")
      let run = try await StintProcess(["/bin/sh", scratch("script")], in: scratch).wait()
      let told = run.text.split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() {
        let expected = line.words.map { "<\($0)>" }.joined()
        #expect(
          told.indices.contains(index) && told[index] == expected, "seed \(seed): \(line.line)")
      }
    }
  }
}
