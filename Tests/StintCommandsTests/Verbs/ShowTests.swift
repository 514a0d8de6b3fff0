import Foundation
import Glibc
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("stint list and stint status")
struct ShowTests {
  let fixture = VerbFixture()

  @Test("an empty place is an empty list and a sentence")
  func empty() throws {
    let result = try fixture.list()
    #expect(result.output == "")
    #expect(result.messages == ["There are no jobs in \(fixture.jobsPath)."])
    #expect(try fixture.list("--json").output == "[]\n")
  }

  @Test("every state of a job is listed, and none is fatal to the list")
  func states() throws {
    let waiting = try fixture.waitingJob(1)
    let finished = try fixture.finishedJob(2)
    let damaged = try fixture.waitingJob(3)
    try "{".write(
      toFile: fixture.jobsPath + "/\(damaged)/job.json", atomically: false, encoding: .utf8)
    let running = try fixture.job(4)
    fixture.begin(running)
    try fixture.commit(running, fraction: 0.5)

    let list = try VerbFixture.objects(try fixture.list("--json").output)
    let states = Dictionary(
      uniqueKeysWithValues: list.map { ($0["job"] as? String, $0["state"] as? String) })
    #expect(
      states == [
        waiting: "waiting", finished: "finished", damaged: "damaged", running.key: "running",
      ])
    let text = try fixture.list().output
    #expect(text.split(separator: "\n").count == 5)
    #expect(text.contains("50.0%"))
    #expect(text.contains("100.0%"))
  }

  @Test("the job of another user is told from a damaged one")
  func foreign() throws {
    let key = try fixture.waitingJob(1)
    var summary = try fixture.context("list").catalog.summary(of: key)
    summary.problem = StintError(.damaged, "no")
    #expect(JobView.state(of: summary, isForeign: true, isStopped: false) == .foreign)
    #expect(JobView.state(of: summary, isForeign: false, isStopped: false) == .damaged)
    summary.problem = nil
    summary.isRunning = true
    #expect(JobView.state(of: summary, isForeign: false, isStopped: true) == .paused)
  }

  @Test("status says how the stints ended, and what is inferred of the last")
  func status() throws {
    let key = try fixture.waitingJob(1)
    fixture.begin(try fixture.job(1))
    let json = try VerbFixture.object(try fixture.status(key, "--json").output)
    let history = try #require(json["stintHistory"] as? [[String: Any]])
    #expect(history.map { $0["ended"] as? String } == ["didNotFit", nil])
    #expect(json["lastTermination"] as? String == "killed")
    #expect((json["generations"] as? [[String: Any]])?.first?["sequence"] as? Int == 1)
    #expect(json["workTimeSeconds"] as? Double == 2)
    let text = try fixture.status(key).output
    #expect(text.contains("the next chunk did not fit"))
    #expect(text.contains("it was killed, or it crashed"))
    #expect(text.contains("000001.ckpt, 328 bytes"))
  }

  @Test("status of a damaged job shows what is left of it and exits with 65")
  func damaged() throws {
    let key = try fixture.waitingJob(1)
    try "{".write(
      toFile: fixture.jobsPath + "/\(key)/job.json", atomically: false, encoding: .utf8)
    let result = try fixture.status(key)
    #expect(result.exitStatus == ExitStatus.damaged)
    #expect(result.output.contains("000001.ckpt"))
  }

  @Test("the word of a running process stands above the last checkpoint, that of another does not")
  func progress() throws {
    let job = try fixture.job(1)
    fixture.begin(job)
    try fixture.commit(job, fraction: 0.1)
    func fraction(saidBy pid: Int32) throws -> Double? {
      let identity = StoreIdentity.current()
      var stamp = JournalRecord.Stamp(identity)
      stamp.pid = pid
      let report = StatusReport(
        state: .running, progress: WorkProgress(fraction: 0.75, phase: "digits"),
        remaining: .limited(.seconds(3)))
      try job.tellProgress(Array(ReportJSON.tick(report, stamp: stamp).utf8))
      return try fixture.context("status", job.key).view(of: job.key).fraction
    }
    #expect(try fraction(saidBy: getpid()) == 0.75)
    #expect(try fraction(saidBy: getpid() + 1) == 0.1)
    job.forgetProgress()
    #expect(try fixture.context("status", job.key).view(of: job.key).progress == nil)
  }

  @Test("what was written a while ago is shown as of now, unless the clocks stand")
  func aging() throws {
    let stamp = JournalRecord.Stamp(
      unixNanoseconds: 0, bootID: "b", instant: Instant(nanoseconds: 10_000_000_000), pid: 1)
    func reading(_ state: StatusReport.State) throws -> ProgressReading {
      let report = StatusReport(
        state: state, progress: WorkProgress(fraction: 0.5, phase: "p"),
        remaining: .limited(.seconds(3)), checkpointAge: .seconds(1), elapsed: .seconds(5))
      return try #require(ProgressReading(json: Array(ReportJSON.tick(report, stamp: stamp).utf8)))
    }
    let later = Instant(nanoseconds: 12_000_000_000)
    let running = try reading(.running).report(now: later)
    #expect(running.remaining == .limited(.seconds(1)))
    #expect(running.checkpointAge == .seconds(3))
    #expect(running.elapsed == .seconds(7))
    #expect(try reading(.paused).report(now: later).remaining == .limited(.seconds(3)))
    let muchLater = Instant(nanoseconds: 99_000_000_000)
    #expect(try reading(.running).report(now: muchLater).remaining == .limited(.zero))
    #expect(ProgressReading(json: Array("{}".utf8)) == nil)
  }

  @Test("what could move the cursor is shown as escapes in a table")
  func control() {
    var table = TextTable([("A", .left), ("B", .right)])
    table.add(["x\u{1B}[2J\ny", "1"])
    #expect(table.render() == "A            B\nx\\x1b[2J\\ny  1\n")
  }

  @Test("W10 a stint that finished has kept all of its work, also what was never a checkpoint")
  func finishedStint() throws {
    let identity = VerbFixture.slowly()
    let key = try fixture.waitingJob(1, identity: identity)
    do {
      let job = try fixture.job(1, identity: identity)
      fixture.begin(job)
      job.record(
        .finished(sizeBytes: 1, checksum: "c", workTime: .seconds(5)), durably: false)
      job.record(
        .stintEnded(reason: .finished, saved: .zero, lost: .seconds(3)), durably: false)
    }
    let history = StintHistory(
      journal: try fixture.context("list").catalog.journalBytes(of: key).bytes)
    #expect(history.stints.map(\.saved) == [.seconds(2), .seconds(3)])
    #expect(history.stints.map(\.lost) == [.zero, .zero])
  }
}
