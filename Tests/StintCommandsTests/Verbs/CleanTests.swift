import Foundation
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("stint clean")
struct CleanTests {
  let fixture = VerbFixture()

  func clean(_ words: String...) throws -> VerbResult {
    try CleanCommand(context: fixture.context(["clean"] + words)).run()
  }

  @Test("only finished jobs go, and their results stay")
  func finished() throws {
    let waiting = try fixture.waitingJob(1)
    let finished = try fixture.finishedJob(2)
    let result = try clean()
    #expect(result.exitStatus == 0)
    #expect(result.output.contains(finished))
    #expect(!fixture.exists(finished))
    #expect(fixture.exists(waiting))
    #expect(FileManager.default.fileExists(atPath: fixture.path + "/result-2"))
  }

  @Test("a dry run says the same and removes nothing")
  func dryRun() throws {
    let finished = try fixture.finishedJob(2)
    let dry = try clean("--dry-run")
    #expect(fixture.exists(finished))
    let real = try clean()
    #expect(
      dry.output.replacingOccurrences(of: "Would remove", with: "Removed") == real.output)
  }

  @Test("an unfinished job goes only with --all, also when it is named")
  func unfinished() throws {
    let waiting = try fixture.waitingJob(1)
    let refused = try clean(waiting)
    #expect(refused.exitStatus == ExitStatus.usage)
    #expect(refused.messages.first?.contains("--all") == true)
    #expect(fixture.exists(waiting))
    #expect(try clean(waiting, "--all").exitStatus == 0)
    #expect(!fixture.exists(waiting))
  }

  @Test("C6 a job in use stays, whatever is asked for, and its holder is named")
  func busy() throws {
    let job = try fixture.job(3)
    try job.materialize()
    let result = try clean("--all")
    #expect(result.exitStatus == ExitStatus.unavailable)
    #expect(result.messages.first?.contains("process \(getpid())") == true)
    #expect(fixture.exists(job.key))
    #expect(try clean().exitStatus == 0)
  }

  @Test("a job that was taken up again between the look and the lock stays")
  func raced() throws {
    let key = try fixture.finishedJob(2)
    fixture.begin(try fixture.job(2, output: fixture.path + "/result-2"))
    let catalog = try fixture.context("clean").catalog
    expectError(.busy) { try catalog.removeFinished(key) }
    #expect(fixture.exists(key))
  }

  @Test("C8 a file that is not Stint's stays, and so does what a link points to")
  func strangers() throws {
    let key = try fixture.finishedJob(2)
    let victim = fixture.path + "/victim"
    try "mine".write(toFile: victim, atomically: false, encoding: .utf8)
    let folder = fixture.jobsPath + "/\(key)"
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/partial/result", withDestinationPath: victim)
    try "notes".write(toFile: folder + "/notes.txt", atomically: false, encoding: .utf8)
    let result = try clean()
    #expect(result.exitStatus == ExitStatus.io)
    #expect(FileManager.default.fileExists(atPath: folder + "/notes.txt"))
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
  }

  @Test("files that a process still has open on a file server do not fail clean, and are no job")
  func leftovers() throws {
    let key = try fixture.finishedJob(2)
    let kept = fixture.jobsPath + "/\(key)/.nfs000000000000000700000001"
    try "open".write(toFile: kept, atomically: false, encoding: .utf8)
    let result = try clean()
    #expect(result.exitStatus == 0)
    #expect(result.messages.count == 1)
    #expect(result.messages.first?.contains("until it closes them") == true)
    #expect(try fixture.list().output.contains(key) == false)
    try FileManager.default.removeItem(atPath: kept)
    #expect(try clean().messages == [])
    #expect(!fixture.exists(key))
  }

  @Test("C2 a job that the file server cannot show now is not damaged, and stays: 74")
  func unreadable() throws {
    let key = try fixture.finishedJob(2)
    var summary = try fixture.context("clean").catalog.summary(of: key)
    for code in [ESTALE, EIO] {
      summary.problem = StintError(.io, "cannot open it", errno: code)
      let state = JobView.state(of: summary, isForeign: false, isStopped: false)
      #expect(state == .unreadable)
      let view = JobView(
        summary: summary, kind: KindTable.stint[summary.record?.kind ?? ""], state: state)
      #expect(CleanCommand.decision(view, isNamed: false, all: false) == .skip)
      guard case .refuse(let error) = CleanCommand.decision(view, isNamed: true, all: true) else {
        Issue.record("it would be removed")
        continue
      }
      #expect(ExitStatus.of(error) == ExitStatus.io)
    }
    summary.problem = StintError(.damaged, "torn")
    #expect(JobView.state(of: summary, isForeign: false, isStopped: false) == .damaged)
  }

  @Test("one unknown name among several, and nothing is removed")
  func unknown() throws {
    let finished = try fixture.finishedJob(2)
    #expect(throws: StintError.self) { try clean(finished, "nothing") }
    #expect(fixture.exists(finished))
  }

  @Test("the JSON says what was removed and what was not")
  func json() throws {
    let finished = try fixture.finishedJob(2)
    let waiting = try fixture.waitingJob(1)
    let result = try VerbFixture.object(try clean(finished, waiting, "--json").output)
    let jobs = try #require(result["jobs"] as? [[String: Any]])
    #expect(jobs.map { $0["removed"] as? Bool } == [true, false])
    #expect((result["freedBytes"] as? Int ?? 0) > 0)
  }
}
