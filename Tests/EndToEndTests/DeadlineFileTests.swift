import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// A file says when the time ends, and changes its mind while real programs work.
  @Suite("Deadline files")
  struct DeadlineFileTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let work = "\(StintsTests.n * 8)"

    /// Publishes a deadline as a script would: whole, by a rename.
    private static func say(_ seconds: Double, in scratch: Scratch) throws {
      let time = Date().timeIntervalSince1970 + seconds
      try scratch.write(String(format: "@%.3f\n", time), to: "d.new")
      try #require(rename(scratch("d.new"), scratch("d")) == 0)
    }

    private static func moves(_ journal: Journal) -> [Journal.Line] {
      journal.all("deadlineMoved")
    }

    @Test("E1 a deadline that appears while a run works ends it, and is written down")
    func appears() async throws {
      let run = try scratch.start(
        ["run", "fibonacci", Self.work, "--output", "f", "--deadline-file", "d", "--lead", "300ms"])
      try await waitUntil("the stint") { !scratch.journal.all("stintBegan").isEmpty }
      #expect(scratch.journal.all("stintBegan").first?.endSource == nil)
      try Self.say(1.5, in: scratch)
      try await run.wait(atMost: .seconds(30)).expectExit(75)
      let moves = Self.moves(scratch.journal)
      #expect(moves.count == 1 && moves.first?.endSource == "deadline-file")
      // Where nothing more fits, the run ends before anybody has to be warned.
      let announced = scratch.journal.all("expiryAnnounced").first?.reason
      #expect(announced == "engineEndTime" || scratch.journal.ends("didNotFit") == 1)
      #expect(scratch.journal.all("checkpoint").count >= 1)
    }

    @Test("E1 a deadline that goes lets a run finish, and one that moves nearer ends it")
    func goes() async throws {
      // Far enough for the job to be there before, also on a busy machine.
      try Self.say(15, in: scratch)
      let run = try scratch.start(
        ["run", "fibonacci", Self.work, "--output", "f", "--deadline-file", "d", "--lead", "300ms"])
      try await waitUntil("the stint") { !scratch.journal.all("stintBegan").isEmpty }
      #expect(
        scratch.journal.all("stintBegan").first?.endSource == "deadline-file")
      unlink(scratch("d"))
      try await run.wait(until: "no end") { Self.moves(scratch.journal).count == 1 }
      try Self.say(60, in: scratch)
      try await run.wait(until: "an end") { Self.moves(scratch.journal).count == 2 }
      try Self.say(0.5, in: scratch)
      try await run.wait(atMost: .seconds(30)).expectExit(75)
      #expect(Self.moves(scratch.journal).count == 3)
    }

    @Test("E1 a command is told by a deadline that appears; one that was told stays told")
    func command() async throws {
      // Told, it saves for two seconds: beyond the first deadline, within the second.
      let script = """
        trap 'touch told; sleep 2; touch saved; exit 75' TERM
        touch ready
        while :; do sleep 0.05; done
        """
      let run = try scratch.start(
        ["exec", "--deadline-file", "d", "--lead", "900ms", "--", "bash", "-c", script])
      try await run.wait(until: "the command") { scratch.exists("ready") }
      try Self.say(1.2, in: scratch)
      try await run.wait(until: "the signal") { scratch.exists("told") }
      try Self.say(60, in: scratch)
      let end = try await run.wait(atMost: .seconds(30)).expectExit(75)
      #expect(scratch.exists("saved"), "\(end.errors)")
    }

    @Test("E1 a batch and its lines end by a deadline that appears, and all of them are saved")
    func batch() async throws {
      try scratch.write(
        "fibonacci \(Self.work) -o a\nfibonacci \(StintsTests.n * 9) -o b\n", to: "lines")
      let run = try scratch.start([
        "batch", "lines", "-j", "2", "--deadline-file", "d", "--lead", "500ms",
      ])
      try await run.wait(until: "both lines") {
        scratch.names(in: "jobs").filter { $0.hasPrefix("fibonacci") }.count == 2
      }
      try Self.say(2, in: scratch)
      try await run.wait(atMost: .seconds(30)).expectExit(75)
      for name in scratch.names(in: "jobs") where name.hasPrefix("fibonacci") {
        let journal = Journal(text: scratch.text("jobs/\(name)/journal.jsonl"))
        #expect(!journal.all("stintEnded").isEmpty, "\(name) was cut")
      }
    }

    @Test("E1 an isolated run obeys a deadline that appears, and its worker writes it down")
    func isolated() async throws {
      let run = try scratch.start([
        "run", "fibonacci", Self.work, "--output", "f", "--deadline-file", "d", "--lead", "400ms",
        "--isolated",
      ])
      try await waitUntil("the stint") { !scratch.journal.all("stintBegan").isEmpty }
      try Self.say(1.5, in: scratch)
      try await run.wait(atMost: .seconds(30)).expectExit(75)
      #expect(Self.moves(scratch.journal).first?.endSource == "supervisor")
    }

    @Test(
      "E1 a file that cannot be used is named once, and sets no end",
      arguments: ["tomorrow\n", "2026-11-21T06:00:00\n", String(repeating: "1", count: 300), "/"])
    func unusable(content: String) async throws {
      if content == "/" {
        mkfifo(scratch("d"), 0o600)
      } else {
        try scratch.write(content, to: "d")
      }
      let run = try await scratch.stint("exec", "--deadline-file", "d", "--", "sleep", "1.5")
        .expectExit(0)
      #expect(run.errors.components(separatedBy: "deadline file").count == 2, "\(run.errors)")
    }

    @Test(
      "E1 a time in the past that appears while work is done ends it, and the work is saved",
      arguments: ["run", "isolated", "batch", "exec"])
    func past(form: String) async throws {
      let script =
        "trap 'sleep 0.3; touch saved; exit 75' TERM; touch ready; "
        + "while :; do sleep 0.05; done"
      try scratch.write("fibonacci \(Self.work) -o f\nexec -- bash -c \"\(script)\"\n", to: "lines")
      let run = ["run", "fibonacci", Self.work, "--output", "f"]
      let words =
        switch form {
        case "run": run
        case "isolated": run + ["--isolated"]
        case "batch": ["batch", "lines", "-j", "2"]
        case _: ["exec"]
        }
      let command = form == "exec" ? ["--", "bash", "-c", script] : []
      let process = try scratch.start(
        words + ["--deadline-file", "d", "--stop-grace", "10s"] + command)
      let isCommand = form == "exec" || form == "batch"
      try await process.wait(until: "the work") {
        (!isCommand || scratch.exists("ready"))
          && (form == "exec" || scratch.names(in: "jobs").contains { $0.hasPrefix("fibonacci-") })
      }
      try Self.say(-3600, in: scratch)
      try await process.wait(atMost: .seconds(30)).expectExit(75)
      #expect(!isCommand || scratch.exists("saved"))
      for name in scratch.names(in: "jobs") where name.hasPrefix("fibonacci-") {
        let journal = Journal(text: scratch.text("jobs/\(name)/journal.jsonl"))
        #expect(journal.all("checkpoint").count >= 1, "\(form): nothing was saved")
      }
    }

    @Test("E1 a line without its newline is no deadline yet, and one in the past ends the time")
    func halfALine() async throws {
      try scratch.write("@1", to: "d")
      let run = try await scratch.stint("exec", "--deadline-file", "d", "--", "sleep", "1")
      #expect(run.end == .exited(0), "\(run.errors)")
      #expect(run.errors.isEmpty)
      try scratch.write("@1\n", to: "d")
      try await scratch.stint(
        "run", "fibonacci", Self.work, "--output", "f", "--deadline-file", "d"
      ).expectExit(75)
    }
  }
}
