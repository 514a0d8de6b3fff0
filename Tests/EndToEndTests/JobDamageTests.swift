import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Damaged and foreign jobs")
  struct JobDamageTests {
    @Test(
      "C2 a damaged job.json: 65, and the checkpoints stay", arguments: ["{\"kind\":3}", "", "[]"])
    func record(text: String) async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let before = scratch.checkpoints
      try scratch.write(text, to: try #require(scratch.job) + "/job.json")
      try await scratch.expectRefused(65, saying: "job.json")
      #expect(scratch.checkpoints == before)
    }

    enum Damage: CaseIterable {
      case flipped, halved, emptied, lengthened
    }

    @Test(
      "R2 C2 the newest checkpoint is damaged: said, set aside, the one before is used",
      arguments: Damage.allCases)
    func newest(damage: Damage) async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let newest = try #require(scratch.checkpoints.last)
      let sequence = try #require(scratch.journal.all("checkpoint").last?.sequence)
      switch damage {
      case .flipped: try scratch.flipByte(in: newest)
      case .halved: truncate(scratch(newest), off_t(try scratch.bytes(newest).count / 2))
      case .emptied: truncate(scratch(newest), 0)
      case .lengthened: truncate(scratch(newest), off_t(try scratch.bytes(newest).count + 1))
      }
      let run = try await scratch.expectFinishes("\(damage)")
      #expect(run.sentences.contains { $0.contains((newest as NSString).lastPathComponent) })
      #expect(scratch.journal.all("setAside").count == 1)
      #expect(scratch.journal.all("stintBegan").last?.restoredSequence == sequence - 1)
    }

    @Test("C2 all checkpoints are damaged: 65, and nothing is computed from garbage")
    func all() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let stints = scratch.journal.all("stintBegan").count
      for name in scratch.checkpoints { try scratch.flipByte(in: name) }
      try await scratch.expectRefused(65, saying: "--fresh")
      #expect(scratch.journal.all("stintBegan").count == stints)
      // And it is not forgotten: run again, it does not begin anew in silence.
      try await scratch.expectRefused(65, saying: "--fresh")
      let fresh = try await scratch.start(UnfinishedJob.run + ["--fresh"]).wait().expectExit(0)
      #expect(try await fresh.output == Yardstick.shared.bytes(of: UnfinishedJob.n))
    }

    @Test("C1 a torn last line of the journal does no harm")
    func tornLine() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let journal = try #require(scratch.job) + "/journal.jsonl"
      try scratch.write(scratch.text(journal) + "{\"event\":\"checkp", to: journal)
      _ = try await scratch.expectFinishes()
      // What was appended begins on a line of its own.
      #expect(scratch.journal.unreadable <= 1)
      #expect(scratch.journal.ends("finished") == 1)
    }

    @Test("C8 a directory that others can change is refused")
    func worldWritable() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let job = try #require(scratch.job)
      chmod(scratch(job), 0o777)
      try await scratch.expectRefused(74, saying: "chmod 700")
      chmod(scratch(job), 0o700)
      _ = try await scratch.expectFinishes()
    }

    @Test(
      "C8 the directory of another user is refused",
      .enabled(if: geteuid() == 0, "it needs another user"))
    func anotherUser() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let job = try #require(scratch.job)
      let before = scratch.text(job + "/journal.jsonl")
      chown(scratch(job), 65_534, 65_534)
      try await scratch.expectRefused(74, saying: "belongs to user 65534")
      #expect(scratch.text(job + "/journal.jsonl") == before)
    }

    @Test("C8 a link in the place of the checkpoints is not followed")
    func linkInside() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let folder = try #require(scratch.job) + "/checkpoints"
      try FileManager.default.moveItem(atPath: scratch(folder), toPath: scratch("elsewhere"))
      symlink(scratch("elsewhere"), scratch(folder))
      let run = try await scratch.start(UnfinishedJob.run).wait()
      #expect([.exited(65), .exited(74)].contains(run.end), "\(run.errors)")
      #expect(run.output.isEmpty)
    }

    @Test("C6 a job that another process works on is refused with that process's number: 69")
    func busy() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let first = try scratch.start(UnfinishedJob.run + ["--tick", "50ms", "--events", "e"])
      try await first.wait(until: "the first event") { !scratch.text("e").isEmpty }
      first.send(SIGSTOP)
      try await scratch.expectRefused(69, saying: "\(first.pid)")
      first.send(SIGCONT)
      #expect(try await first.wait().end == .exited(0))
    }

    @Test(
      "C6 the lock of a killed process blocks nobody, and the next run says how the last one ended (L8)"
    )
    func deadHolder() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let first = try scratch.start(UnfinishedJob.run + ["--tick", "50ms", "--events", "e"])
      try await first.wait(until: "the first tick") { scratch.text("e").contains("tick") }
      first.send(SIGKILL)
      #expect(try await first.wait().end == .signalled(SIGKILL))
      let next = try scratch.start(UnfinishedJob.run + ["--events", "e2"])
      try await next.wait(until: "the second run") { scratch.text("e2").contains("tick") }
      next.send(SIGTERM)
      let second = try await next.wait()
      #expect(
        second.sentences.contains { $0.contains("\(first.pid)") && $0.contains("killed") },
        "\(second.errors)")
      #expect(scratch.journal.all("terminationInferred").count == 1)
      let third = try await scratch.expectFinishes()
      #expect(!third.errors.contains("did not end normally"), "said twice: \(third.errors)")
    }

    @Test("W11 a stop file stops it after its next checkpoint: 75")
    func stopFile() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let job = try #require(scratch.job)
      let process = try scratch.start(
        UnfinishedJob.run + ["--tick", "50ms", "--events", "e", "--checkpoint-every", "100ms"])
      try await process.wait(until: "the first tick") { scratch.text("e").contains("tick") }
      try scratch.write("", to: job + "/stop")
      let ended = try await process.wait().expectExit(75)
      #expect(ended.output.isEmpty)
      // It does not stop the next one.
      _ = try await scratch.expectFinishes()
    }
  }
}
