import Foundation
import Glibc
import StintCore
import StintReport
import StintRuntime
import Testing

@testable import StintCommands

@Suite("stint report")
struct ReportTests {
  let fixture = VerbFixture()

  func report(_ words: String...) throws -> VerbResult {
    try ReportCommand(context: fixture.context(["report"] + words)).run()
  }

  /// A job with a stint that did not fit its next chunk, one that was killed and one that lost
  /// something.
  func livedJob() throws -> String {
    let identity = VerbFixture.slowly()
    let key = try fixture.waitingJob(1, identity: identity)
    do {
      let job = try fixture.job(1, identity: identity)
      fixture.begin(job)
      job.record(.notice("a checkpoint was slow"), durably: false)
    }
    do {
      let job = try fixture.job(1, identity: identity)
      job.record(.terminationInferred(cause: "killed"), durably: false)
      fixture.begin(job)
      job.record(
        .expiryAnnounced(
          reason: .signal(15), deadline: BootClock.now.advanced(by: .seconds(5)), openTasks: []),
        durably: false)
      job.record(
        .checkpoint(
          sequence: 1, sizeBytes: 100, took: .milliseconds(20), workTime: .seconds(3),
          fraction: 0.5), durably: false)
      job.record(
        .stintEnded(reason: .stopRequested, saved: .seconds(1), lost: .seconds(2)), durably: false)
    }
    return key
  }

  @Test(
    "the text tells stints, shares, losses, checkpoints with their cost, and expiries with their reasons"
  )
  func text() throws {
    let key = try livedJob()
    let text = try report(key).output
    for part in [
      "fibonacci 1\n", key, "unfinished; run again to continue, 50.0 % done", "work kept    3s",
      "lost         2s in 1 stint; at least", "1 stint that did not say", "checkpoints  2,",
      "expiries     1: signal 15 arrived", "about 3s of work left", "HOW IT ENDED",
      "a checkpoint was slow", "it was killed, or it crashed",
    ] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
  }

  @Test("the life maps every record of the journal")
  func life() throws {
    let key = try livedJob()
    let history = StintHistory(
      journal: try fixture.context("list").catalog.journalBytes(of: key).bytes)
    let life = JobLife.life(of: history, isRunning: false)
    #expect(life.stints.map(\.ending) == [.timeUp, .killed, .asked])
    #expect(life.stints.map(\.lost) == [.zero, nil, .seconds(2)])
    #expect(life.stints[1].remarks.map(\.kind) == [.notice, .termination])
    #expect(life.stints[2].expiries.map(\.reason) == ["signal 15 arrived"])
    #expect(life.stints[2].checkpoints.last?.took == .milliseconds(20))
    #expect(life.stints.allSatisfy { $0.began >= .zero && $0.process == Int(getpid()) })
    #expect(JobLife.life(of: history, isRunning: true).stints.last?.ending == .asked)
  }

  @Test("of a killed stint counts what it made durable, and an open one is not killed")
  func killed() throws {
    let job = try fixture.job(1, identity: VerbFixture.slowly())
    fixture.begin(job)
    try fixture.commit(job, fraction: 0.5)
    let bytes = try fixture.context("list").catalog.journalBytes(of: job.key).bytes
    let history = StintHistory(journal: bytes)
    let killed = JobLife.life(of: history, isRunning: false, lastTermination: .machineRestarted)
    #expect(killed.stints.first?.ending == .killed)
    #expect(killed.stints.first?.saved == .seconds(2))
    #expect(killed.stints.first?.words == "the machine was restarted")
    let began = try #require(history.stints.first?.began)
    var now = began
    now.instant = began.instant.advanced(by: .seconds(800))
    let open = JobLife.life(of: history, isRunning: true, now: now).stints.first
    #expect(open?.ending == .open && open?.elapsed == .seconds(800))
    now.bootID = "another"
    let unknown = JobLife.life(of: history, isRunning: true, now: now).stints.first
    #expect(unknown?.elapsed == history.stints.first?.elapsed)
    #expect(try report(job.key).output.contains("it is running"))
  }

  @Test("a clock that was set back never lets a stint begin before the one before it ended")
  func clock() {
    var lines = ""
    for (unix, boot) in [(1_000, 10), (1_005, 15), (900, 20), (903, 23)] {
      let event: JournalEvent =
        boot % 10 == 0
        ? .stintBegan(budget: .seconds(9), end: nil, restoredSequence: nil, workTime: .zero)
        : .stintEnded(reason: .expired, saved: .seconds(1), lost: .zero)
      let stamp = JournalRecord.Stamp(
        unixNanoseconds: Int64(unix) * 1_000_000_000, bootID: "b",
        instant: Instant(nanoseconds: Int64(boot) * 1_000_000_000), pid: 1)
      lines += JournalRecord(stamp: stamp, content: .event(event)).line
    }
    let life = JobLife.life(of: StintHistory(journal: Array(lines.utf8)), isRunning: false)
    #expect(life.stints.map(\.began) == [.zero, .seconds(5)])
    #expect(life.stints.map(\.elapsed) == [.seconds(5), .seconds(3)])
  }

  @Test(
    "a journal that is half garbage and torn is told as far as it can be read, and what is missing is said"
  )
  func damagedJournal() throws {
    let key = try livedJob()
    let path = fixture.jobsPath + "/\(key)/journal.jsonl"
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    try ("nonsense\n\u{0}\u{1}\n" + whole + "{\"event\":\"checkp").write(
      toFile: path, atomically: false, encoding: .utf8)
    let result = try report(key)
    #expect(result.exitStatus == ExitStatus.finished)
    #expect(result.output.contains("2 lines of the journal cannot be read"))
    #expect(result.output.contains("the journal's last line is incomplete"))
    #expect(result.output.contains("signal 15 arrived"))
    try "{".write(toFile: fixture.jobsPath + "/\(key)/job.json", atomically: false, encoding: .utf8)
    let damaged = try report(key)
    #expect(damaged.exitStatus == ExitStatus.damaged)
    #expect(damaged.output.contains("signal 15 arrived"))
    try "".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try report(key).output.contains("none has begun"))
  }

  @Test("JSON has the figures and the life")
  func json() throws {
    let key = try livedJob()
    let json = try VerbFixture.object(try report(key, "--json").output)
    #expect(json["job"] as? String == key)
    #expect(json["stints"] as? Int == 3)
    #expect(json["lostSeconds"] as? Double == 2)
    #expect((json["life"] as? [[String: Any]])?.count == 3)
    let expiries = json["expiries"] as? [[String: Any]]
    #expect(expiries?.first?["reason"] as? String == "signal 15 arrived")
    #expect(json["expectedRestSeconds"] as? Double == 3)
  }

  @Test("a trace is written whole beside nothing else, and an older one is replaced")
  func trace() throws {
    let key = try livedJob()
    let path = fixture.path + "/trace.json"
    try "old".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try report(key, "--trace", path).output == "")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(try VerbFixture.object(text)["traceEvents"] is [Any])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: fixture.path).sorted() == [
        "jobs", "trace.json",
      ])
  }

  @Test("a page is written whole, with the life and hostile words in it as text")
  func page() throws {
    let key = try livedJob()
    do {
      let job = try fixture.job(1)
      fixture.begin(job)
      job.record(.notice("<script>alert(1)</script>"), durably: false)
    }
    let path = fixture.path + "/report.html"
    #expect(try report(key, "--html", path).output == "")
    let html = try String(contentsOfFile: path, encoding: .utf8)
    #expect(html.hasPrefix("<!DOCTYPE html>") && html.hasSuffix("</html>\n"))
    #expect(html.contains("signal 15 arrived") && html.contains("&lt;script&gt;alert(1)"))
    #expect(!html.contains("<script"))
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o666 & ~StoreIdentity.fileModeMask)
    #expect(chmod(path, 0o640) == 0)
    _ = try report(key, "--html", path)
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  @Test("two documents that would go to one place are refused")
  func places() throws {
    let key = try livedJob()
    for words in [
      ["--html", "a", "--trace", "a"], ["--html", "-", "--trace", "b"], ["--trace", "-", "--json"],
    ] {
      #expect(throws: StintError.self, "\(words)") {
        try ReportCommand(context: fixture.context(["report", key] + words)).run()
      }
    }
    #expect(throws: StintError.self) { try report(key, "--trace", fixture.path) }
  }
}
