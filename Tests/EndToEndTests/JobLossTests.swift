import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Files of a job that somebody takes away")
  struct JobLossTests {
    @Test("W10 the newest checkpoint is gone: said, with what is done again, and verify sees it")
    func newestCheckpoint() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let newest = try #require(scratch.checkpoints.last)
      try FileManager.default.removeItem(atPath: scratch(newest))
      let file = (newest as NSString).lastPathComponent
      let check = try await scratch.stint("verify", try scratch.key).expectExit(65)
      #expect(check.text.contains(file), "\(check.text)")
      let run = try await scratch.expectFinishes()
      #expect(
        run.sentences.contains { $0.contains(file) && $0.contains("done again") }, "\(run.errors)")
    }

    @Test(
      "W10 a job's directory that is moved or removed while a process works: where it is, is said",
      arguments: ["run", "exec", "batch"], [true, false])
    func directory(form: String, isMoved: Bool) async throws {
      let scratch = try Scratch()
      let script = "trap 'exit 75' TERM; touch ready; while :; do sleep 0.05; done"
      try scratch.write("exec -- bash -c \"\(script)\"\n", to: "lines")
      let command = ["--checkpoint-file", "c", "--", "bash", "-c", script]
      let words =
        switch form {
        case "run": UnfinishedJob.run + ["--checkpoint-every", "50ms"]
        case "exec": ["exec"] + command
        case _: ["batch", "lines"]
        }
      let process = try scratch.start(words)
      try await process.wait(until: "the work", atMost: .seconds(60)) {
        let hasBegun = form == "run" ? scratch.checkpoints.count >= 2 : scratch.exists("ready")
        return try hasBegun && !scratch.text("jobs/\(scratch.key)/journal.jsonl").isEmpty
      }
      process.send(SIGSTOP)
      try await process.wait(until: "the stop") { process.state == "T" }
      let path = try scratch("jobs/" + scratch.key)
      if isMoved {
        try #require(rename(path, scratch("elsewhere")) == 0)
      } else {
        try FileManager.default.removeItem(atPath: path)
      }
      process.send(SIGTERM)
      process.send(SIGCONT)
      let run = try await process.wait()
      if form == "run", !isMoved, run.end == .exited(74) { return }
      run.expectExit(75)
      #expect(run.errors.contains(path), "\(run.errors)")
      #expect(run.errors.contains(scratch("elsewhere")) == isMoved, "\(run.errors)")
      #expect(run.errors.contains("removed meanwhile") != isMoved, "\(run.errors)")
      #expect(!run.errors.contains("and saved. Run the same"), "\(run.errors)")
    }

    @Test("W10 a set whose job's directory was moved is finished, and says where that is")
    func directoryOfSet() async throws {
      let scratch = try Scratch()
      for number in 0..<8 {
        try Picture.write(to: "\(number).tif", in: scratch, width: 700, height: 500)
      }
      let process = try scratch.start(
        ["run", "image", "--output-dir", "out", "--filter", "median:7"]
          + (0..<8).map { "\($0).tif" })
      try await process.wait(until: "a result") { !scratch.names(in: "out").isEmpty }
      process.send(SIGSTOP)
      try await process.wait(until: "the stop") { process.state == "T" }
      try #require(try rename(scratch("jobs/" + scratch.key), scratch("elsewhere")) == 0)
      process.send(SIGCONT)
      let run = try await process.wait()
      #expect(run.end == .exited(0), "\(run.end) \(run.errors)")
      #expect(scratch.names(in: "out").count == 8)
      #expect(run.errors.contains(scratch("elsewhere")), "\(run.errors)")
    }

    @Test("C6 a cleaner that takes the lock file away lets no second worker in, and costs nothing")
    func lock() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let lock = try #require(scratch.job) + "/lock"
      let first = try scratch.start(
        UnfinishedJob.run + ["--tick", "50ms", "--checkpoint-every", "50ms", "--events", "e"])
      try await first.wait(until: "the first tick") { scratch.text("e").contains("tick") }
      try FileManager.default.removeItem(atPath: scratch(lock))
      try await first.wait(until: "a new lock file") { !scratch.text(lock).isEmpty }
      #expect(!first.hasEnded, "\(first.errorsSoFar)")
      try await scratch.expectRefused(69, saying: "\(first.pid)")
      let ended = try await first.wait().expectExit(0)
      #expect(try await ended.output == Yardstick.shared.bytes(of: UnfinishedJob.n))
    }

    @Test("C6 a worker that lost its job with its lock file commits nothing more: 69")
    func lostLock() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let lock = try #require(scratch.job) + "/lock"
      let run = UnfinishedJob.run + ["--tick", "50ms", "--checkpoint-every", "50ms"]
      let first = try scratch.start(run + ["--events", "e"])
      try await first.wait(until: "the first tick") { scratch.text("e").contains("tick") }
      first.send(SIGSTOP)
      try await waitUntil("the stop") { first.state == "T" }
      try FileManager.default.removeItem(atPath: scratch(lock))
      let newest = scratch.journal.newestCheckpoint
      let second = try scratch.start(run)
      try await second.wait(until: "a checkpoint of the second") {
        scratch.journal.newestCheckpoint > newest
      }
      first.send(SIGCONT)
      let lost = try await first.wait().expectExit(69)
      #expect(lost.sentences.last?.contains("\(second.pid)") == true, "\(lost.errors)")
      #expect(lost.output.isEmpty)
      let ended = try await second.wait().expectExit(0)
      #expect(try await ended.output == Yardstick.shared.bytes(of: UnfinishedJob.n))
      try expectNoMoreWork(of: first, after: second, in: scratch)
    }

    /// Expects that a process that was stopped and lost its job commits nothing but what it was
    /// writing when it was stopped.
    ///
    /// A line of its log may come before its next look at the lock.
    private func expectNoMoreWork(
      of first: StintProcess, after second: StintProcess, in scratch: Scratch
    ) throws {
      let lines = scratch.journal.lines
      let began = try #require(lines.firstIndex { $0.pid == second.pid })
      let late = lines[began...].filter {
        $0.pid == first.pid && ["checkpoint", "publishing", "finished"].contains($0.event)
      }
      #expect(late.count <= 1, "\(late)")
    }

    /// What runs until it is told to end.
    private enum Endless: CaseIterable {
      case command, commandWithRests, batch

      func words(in scratch: Scratch) throws -> [String] {
        let command = ["sh", "-c", "while :; do date > c; sleep 0.05; done"]
        switch self {
        case .command:
          return ["exec", "--budget", "60s", "--tick", "50ms", "--checkpoint-file", "c", "--"]
            + command
        case .commandWithRests:
          return ["exec", "--budget", "60s", "--tick", "50ms", "--until-done", "--"] + command
        case .batch:
          try scratch.write("exec -- sleep 60\n", to: "lines")
          return ["batch", "lines", "--tick", "50ms"]
        }
      }
    }

    @Test(
      "C6 exec and batch end with 69 when another process has taken their job up",
      arguments: Endless.allCases)
    private func lostElsewhere(work: Endless) async throws {
      let scratch = try Scratch()
      let words = try work.words(in: scratch)
      let first = try scratch.start(words)
      try await first.wait(until: "the job") { !scratch.journal.all("stintBegan").isEmpty }
      first.send(SIGSTOP)
      try await waitUntil("the stop") { first.state == "T" }
      try FileManager.default.removeItem(atPath: scratch(#require(scratch.job) + "/lock"))
      let second = try scratch.start(words)
      try await second.wait(until: "a stint of the second") {
        scratch.journal.all("stintBegan").contains { $0.pid == second.pid }
      }
      first.send(SIGCONT)
      try await first.wait().expectExit(69, saying: "\(second.pid)")
      try expectNoMoreWork(of: first, after: second, in: scratch)
      #expect(!second.hasEnded, "\(second.errorsSoFar)")
      second.send(SIGTERM)
      try await second.wait().expectExit(75)
    }

    @Test("C2 all checkpoints are damaged or swapped: 65 with its sentence, every time")
    func allDamaged() async throws {
      for round in 0..<12 {
        let scratch = try await UnfinishedJob.shared.copy()
        let names = scratch.checkpoints
        if round.isMultiple(of: 2) {
          for name in names { try scratch.flipByte(in: name) }
        } else {
          let files = try names.map(scratch.bytes)
          for (name, file) in zip(names, files.reversed()) {
            try file.write(to: URL(fileURLWithPath: scratch(name)))
          }
        }
        let more = round % 4 < 2 ? ["--budget", "10s"] : ["--budget", "10s", "--until-done"]
        let run = try await scratch.start(UnfinishedJob.run + more).wait().expectExit(65)
        #expect(run.sentences.last?.contains("--fresh") == true, "\(run.errors)")
        #expect(run.output.isEmpty)
      }
    }

    /// Cuts a job after its first checkpoint and damages all that it has.
    private func damaged(_ run: [String], in scratch: Scratch) async throws {
      let process = try scratch.start(run + ["--checkpoint-every", "50ms"])
      try await process.wait(until: "a checkpoint") { scratch.journal.newestCheckpoint > 0 }
      process.send(SIGTERM)
      try await process.wait().requireExit(75)
      for name in scratch.checkpoints { try scratch.flipByte(in: name) }
    }

    @Test("C2 damaged checkpoints are told with 65 in JSON, and as the line of a batch")
    func damagedElsewhere() async throws {
      let scratch = try Scratch()
      let work = ["fibonacci", "\(UnfinishedJob.n)", "-o", "f"]
      try await damaged(["run"] + work, in: scratch)
      let json = try await scratch.start(["run"] + work + ["--budget", "10s", "--json"]).wait()
        .expectExit(65)
      #expect(try json.object["exitStatus"] as? Int == 65, "\(json.text)")
      #expect(try json.object["outcome"] as? String == "failed", "\(json.text)")
      try scratch.write(work.joined(separator: " ") + "\n", to: "lines")
      try await scratch.start(["batch", "lines", "--budget", "20s"]).wait()
        .expectExit(1, saying: "--fresh")
      #expect(!scratch.exists("f"))
    }

    @Test("C2 damaged checkpoints of an image are told with 65")
    func damagedImage() async throws {
      let scratch = try Scratch()
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 2500)
      let run = ["run", "image", "in.tif", "out.png", "--filter", "median:7", "--quiet"]
      try await damaged(run, in: scratch)
      for _ in 1...3 {
        try await scratch.start(run + ["--budget", "10s"]).wait().expectExit(65, saying: "--fresh")
      }
      #expect(!scratch.exists("out.png"))
    }

    @Test("W13 runs that are killed early and often count for nothing")
    func killedEarly() async throws {
      let scratch = try Scratch()
      let run = [
        "run", "fibonacci", "\(Yardstick.long * 8)", "--budget", "60s", "--checkpoint-every", "1h",
        "--tick", "50ms", "-o", "f",
      ]
      for round in 1...4 {
        let process = try scratch.start(run)
        try await process.wait(until: "a stint") {
          scratch.journal.all("stintBegan").count == round
        }
        process.send(SIGKILL)
        #expect(try await process.wait().end == .signalled(SIGKILL))
      }
      #expect(scratch.journal.newestCheckpoint == 0)
      let status = try await scratch.stint("status", try scratch.key, "--json")
      #expect(status.text.contains("\"stintsWithoutProgress\":0"), "\(status.text)")
    }

    enum Unreadable: CaseIterable {
      case large, device
    }

    @Test(
      "C8 a journal that is too large, or no file, costs a line in the list and no time",
      arguments: Unreadable.allCases)
    func journal(kind: Unreadable) async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let job = try #require(scratch.job)
      let journal = job + "/journal.jsonl"
      switch kind {
      case .large:
        truncate(scratch(journal), 100 << 30)
      case .device:
        unlink(scratch(journal))
        guard mknod(scratch(journal), S_IFCHR | 0o600, 0x105) == 0,
          access(scratch(journal), R_OK) == 0
        else { return }
      }
      try await scratch.stint("run", "fibonacci", "2000000", "-o", "f").expectExit(0)
      let key = try scratch.key
      let list = try await scratch.stint("list").expectExit(0)
      #expect(list.text.split(separator: "\n").count == 3, "\(list.text)")
      for verb in ["status", "report", "verify"] {
        let shown = try await scratch.stint(verb, key)
        #expect([.exited(0), .exited(65), .exited(74)].contains(shown.end), "\(verb) \(shown.end)")
      }
      #expect(try await scratch.stint("clean").end == .exited(0))
      let run = try scratch.start(UnfinishedJob.run + ["--budget", "20s", "--until-done"])
      let ended = try await run.wait(atMost: .seconds(60))
      switch kind {
      case .large:
        #expect(ended.end == .exited(0), "\(ended.errors)")
        #expect(ended.errors.contains("journal"), "\(ended.errors)")
      case .device:
        #expect(ended.end == .exited(74), "\(ended.errors)")
        #expect(ended.errors.contains("not a regular file"), "\(ended.errors)")
      }
    }

    @Test("a run that ended in order leaves no progress.json")
    func progress() async throws {
      for round in 0..<16 {
        let scratch = try await UnfinishedJob.shared.copy()
        let process = try scratch.start(
          UnfinishedJob.run + ["--tick", "50ms", "--budget", "\(300 + round * 5)ms"])
        let run = try await process.wait()
        guard case .exited = run.end else { continue }
        let job = try #require(scratch.job)
        #expect(
          scratch.names(in: job).filter { $0.hasPrefix("progress") } == [],
          "\(round): \(run.end) \(run.errors)")
      }
    }

    @Test("L8 the next run says that something is done again, however the last was killed")
    func doneAgain() async throws {
      for round in 0..<6 {
        let scratch = try await UnfinishedJob.shared.copy()
        let run = UnfinishedJob.run + ["--checkpoint-every", round < 3 ? "1h" : "50ms"]
        let stints = scratch.journal.all("stintBegan").count
        let newest = scratch.journal.newestCheckpoint
        let process = try scratch.start(run)
        try await process.wait(until: "its stint") {
          (round < 3
            ? scratch.journal.all("stintBegan").count > stints
            : scratch.journal.newestCheckpoint > newest)
        }
        process.send(SIGKILL)
        #expect(try await process.wait().end == .signalled(SIGKILL))
        let next = try await scratch.start(run + ["--budget", "1s"]).wait()
        #expect(next.errors.contains("did not end normally"), "\(next.errors)")
        #expect(next.errors.contains("done again"), "\(next.errors)")
      }
    }

    @Test(
      "a job in a container with a boot-time clock of its own is seen from outside as it is, and the other way round",
      .enabled(if: geteuid() == 0, "a time namespace of its own needs root"))
    func timeNamespace() async throws {
      let inside = ["/usr/bin/unshare", "--time", "--boottime", "1000000", "--fork"]
      let trial = try await StintProcess(inside + ["/bin/true"], in: try Scratch()).wait()
      guard trial.end == .exited(0) else { return }
      for isHolderInside in [true, false] {
        let scratch = try Scratch()
        let stint = try Programs.stint()
        let run = [stint, "run", "fibonacci", "\(Yardstick.long * 8)", "--tick", "50ms", "-o", "f"]
        let holder = try StintProcess((isHolderInside ? inside : []) + run, in: scratch)
        try await holder.wait(until: "its word") {
          scratch.job.map { scratch.exists($0 + "/progress.json") } ?? false
        }
        let seen = isHolderInside ? [stint] : inside + [stint]
        let list = try await StintProcess(seen + ["list", "--json"], in: scratch).wait()
        let jobs = try JSONSerialization.jsonObject(with: list.output) as? [[String: Any]]
        let elapsed = try #require(jobs?.first?["elapsedSeconds"] as? Double, "\(list.text)")
        #expect(elapsed > 0 && elapsed < 1_000, "\(list.text)")
        let stop = try await StintProcess(seen + ["stop", try scratch.key, "--now"], in: scratch)
          .wait().expectExit(0)
        #expect(stop.text.contains("is done and saved"), "\(stop.text)")
        #expect(try await holder.wait().end == .exited(75), "\(holder.errorsSoFar)")
      }
    }

    @Test(
      "a jobs folder on a read-only mount is read like any other",
      .enabled(if: geteuid() == 0, "a file system of its own needs root"))
    func readOnly() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let key = try scratch.key
      let script = """
        set -eu
        mount --bind jobs jobs && mount -o remount,ro,bind jobs
        "$STINT" list; "$STINT" status \(key); "$STINT" verify \(key)
        """
      let run = try await StintProcess(
        ["/usr/bin/unshare", "--mount", "/bin/bash", "-c", script], in: scratch
      ).wait().expectExit(0)
      #expect(run.text.contains("is whole"), "\(run.text)")
      #expect(!run.text.contains("damaged"), "\(run.text)")
    }
  }
}
