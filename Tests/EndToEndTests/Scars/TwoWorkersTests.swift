import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Two workers on one directory")
  struct TwoWorkersTests {
    private static let n = 30_000_000 * Yardstick.factor
    private static let run = [
      "run", "fibonacci", "\(n)", "--checkpoint-every", "50ms", "--output", "f", "--keep",
    ]

    /// Each stint of the journal is one process's: nobody else's records stand between its
    /// beginning and its end.
    private static func mixedStints(_ journal: Journal) -> [String] {
      var owner: Int32?
      var mixed: [String] = []
      for line in journal.lines {
        if let owner, owner != line.pid {
          mixed.append("\(line.event) of \(line.pid) in the stint of \(owner)")
        }
        if line.event == "stintBegan" { owner = line.pid }
        if line.event == "stintEnded" { owner = nil }
      }
      return mixed
    }

    @Test("R13 of many processes that start at once one works, and the others are told who it is")
    func race() async throws {
      let scratch = try Scratch()
      let processes = try (1...5).map { _ in try scratch.start(Self.run) }
      var ends: [ProcessEnd] = []
      for process in processes {
        let ended = try await process.wait(atMost: .seconds(60))
        ends.append(ended.end)
        // Who comes when it is done is told so, with 0.
        #expect([.exited(0), .exited(69)].contains(ended.end), "\(ended.errors)")
        guard ended.end == .exited(69) else { continue }
        let others = processes.map(\.pid).filter { $0 != process.pid }
        let isNamed = others.contains { ended.errors.contains("process \($0) on ") }
        // One that comes when the other has just ended cannot name it any more.
        #expect(
          isNamed || ended.errors.contains("another process has worked on the job"),
          "\(ended.errors)")
      }
      #expect(ends.contains(.exited(0)))
      #expect(ends.contains(.exited(69)))
      #expect(Self.mixedStints(scratch.journal) == [])
      #expect(scratch.journal.unreadable == 0)
      #expect(Set(scratch.journal.all("checkpoint").map(\.pid)).count == 1)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Self.n))
    }

    @Test("R13 the check finds two processes whose stints are mixed")
    func planted() {
      let lines = [("stintBegan", 1), ("checkpoint", 1), ("stintBegan", 2), ("stintEnded", 1)]
      let text = lines.map { "{\"event\":\"\($0.0)\",\"pid\":\($0.1),\"bootSeconds\":1}\n" }
      #expect(
        Self.mixedStints(Journal(text: text.joined())) == [
          "stintBegan of 2 in the stint of 1", "stintEnded of 1 in the stint of 2",
        ])
    }

    @Test("R13 as soon as a holder is killed, even in the middle of a commit, the next one works")
    func killedHolder() async throws {
      let scratch = try Scratch()
      var newest: UInt64 = 0
      for round in 1...3 {
        let holder = try scratch.start(Self.run)
        try await holder.wait(until: "a checkpoint of round \(round)") {
          scratch.journal.newestCheckpoint > newest
        }
        #expect(!holder.hasEnded, "\(holder.errorsSoFar)")
        try await scratch.start(Self.run).wait().expectExit(69, saying: "process \(holder.pid) on ")
        // At once, as a supervisor does that has only sent the signal.
        holder.send(SIGKILL)
        let next = try scratch.start(Self.run)
        #expect(try await holder.wait().end == .signalled(SIGKILL))
        newest = scratch.journal.newestCheckpoint
        try await next.wait(until: "a checkpoint of the next in round \(round)") {
          scratch.journal.newestCheckpoint > newest
        }
        #expect(!next.hasEnded, "\(next.errorsSoFar)")
        next.send(SIGKILL)
        #expect(try await next.wait().end == .signalled(SIGKILL))
        newest = scratch.journal.newestCheckpoint
      }
      try await scratch.start(Self.run).wait().expectExit(0)
      #expect(scratch.journal.all("stintBegan").last?.restoredSequence ?? 0 >= newest)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Self.n))
    }

    @Test("R13 two that compute the same thing from the first moment spoil nothing for each other")
    func sameMoment() async throws {
      let expected = try await Yardstick.shared.bytes(of: 1_000_000)
      for round in 0..<8 {
        let scratch = try Scratch()
        let run = ["run", "fibonacci", "1000000", "--output", "f"]
        let first = try scratch.start(run)
        try await Task.sleep(for: .milliseconds(15 * round))
        let second = try scratch.start(run)
        let ends = try await [first.wait(), second.wait()]
        // One that is refused is told so; the other's result stands, by whichever it is.
        let areOrderly = ends.allSatisfy { [.exited(0), .exited(69)].contains($0.end) }
        #expect(areOrderly, "\(ends.map(\.errors))")
        #expect(ends.contains { $0.end == .exited(0) }, "\(ends.map(\.errors))")
        #expect(try scratch.bytes("f") == expected)
        #expect(scratch.names(in: ".").allSatisfy { !$0.hasSuffix(".stint") })
      }
    }

    @Test(
      "R13 W11 a run that waits for a holder that is dying ends at a signal",
      arguments: [(SIGINT, ProcessEnd.signalled(SIGINT)), (SIGTERM, .exited(75))])
    func signalWhileWaiting(number: Int32, end: ProcessEnd) async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let job = try #require(scratch.job)
      // A process that has ended and stays unreaped is dying for ever; its lock is held by the one
      // that started it.
      let holder = """
        import fcntl, json, os, struct, sys, time
        child = os.fork()
        if child == 0: os._exit(0)
        while ") Z " not in open(f"/proc/{child}/stat").read(): time.sleep(0.01)
        stat = open(f"/proc/{child}/stat").read()
        words = {"host": os.uname().nodename, "pid": child, "unixSeconds": time.time(),
          "bootId": open("/proc/sys/kernel/random/boot_id").read().strip(),
          "startTicks": int(stat[stat.rindex(")"):].split()[20])}
        lock = open(sys.argv[1] + "/lock", "w")
        lock.write(json.dumps(words))
        lock.flush()
        fcntl.fcntl(lock, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        open("held", "w").close()
        time.sleep(600)
        """
      let python = try StintProcess(
        ["/usr/bin/python3", "-c", holder, scratch(job)], in: scratch)
      try await python.wait(until: "the lock") { scratch.exists("held") }
      let run = try scratch.start(UnfinishedJob.run)
      try await run.wait(until: "it says that it waits") {
        run.errorsSoFar.contains("was killed and is still ending")
      }
      #expect(!run.hasEnded, "\(run.errorsSoFar)")
      run.send(number)
      let ended = try await run.wait()
      #expect(ended.end == end, "\(ended.errors)")
      python.send(SIGKILL)
      _ = try await python.wait()
    }

    @Test("L8 after a kill the next run says how much is done again")
    func saysWhatIsLost() async throws {
      let scratch = try Scratch()
      let run = ["run", "fibonacci", "--sequence", "0..100000", "--output", "f"]
      let holder = try scratch.start(run + ["--checkpoint-every", "1h"])
      try await holder.wait(until: "its word") {
        scratch.job.map { scratch.exists($0 + "/progress.json") } ?? false
      }
      holder.send(SIGKILL)
      #expect(try await holder.wait().end == .signalled(SIGKILL))
      let next = try await scratch.start(run + ["--budget", "1s"]).wait()
      #expect(next.errors.contains("did not end normally"), "\(next.errors)")
      #expect(
        next.errors.contains(/At least [0-9.]+m?s since the last checkpoint is done again/),
        "\(next.errors)")
    }

    @Test("R13 a lock file that a dead process left blocks nobody, whatever it says")
    func deadHolder() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let job = try #require(scratch.job)
      // A process that lives, and is not the holder: its number was given out again.
      let host = ProcessInfo.processInfo.hostName
      let leftovers = [
        "{\"host\":\"\(host)\",\"bootId\":\"x\",\"pid\":\(getpid()),\"startTicks\":1,\"unixSeconds\":1}",
        "", "not a holder",
      ]
      for (number, words) in leftovers.enumerated() {
        try scratch.write(words, to: job + "/lock")
        let process = try scratch.start(UnfinishedJob.run + ["--events", "e\(number)"])
        try await process.wait(until: "an event") { !scratch.text("e\(number)").isEmpty }
        process.send(SIGTERM)
        #expect(try await process.wait().end == .exited(75), "\(words): \(process.errorsSoFar)")
      }
      _ = try await scratch.expectFinishes()
    }
  }
}
