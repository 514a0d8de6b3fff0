import Foundation
import StintCore
import StintReport
import StintRuntime
import Testing

@testable import StintCommands

@Suite("Jobs and lines that failed")
struct FailedTests {
  let fixture = VerbFixture()

  /// A job whose last stint ended so.
  private func job(_ n: Int, ended reason: StintEnd?) throws -> String {
    let job = try fixture.job(n)
    fixture.begin(job)
    try fixture.commit(job, fraction: 0.25)
    if let reason {
      job.record(.stintEnded(reason: reason, saved: .zero, lost: .zero), durably: false)
    }
    return job.key
  }

  /// A batch of four lines: one is done, one failed, one was begun, one not; its process holds it.
  private func batch(ended: StintEnd? = nil) throws -> BatchDirectory {
    let directory = try BatchDirectory(
      parameters: ["file": "/lines", "directory": "/"], jobsPath: fixture.jobsPath,
      startsOver: false, report: { _ in })
    directory.record(
      .stintBegan(budget: nil, end: nil, restoredSequence: nil, workTime: .zero))
    try directory.log.append(
      BatchBegin(count: 4, wholeCount: 4, unixNanoseconds: 1), correcting: [])
    func record(_ number: Int, _ outcome: BatchLineEnd?) throws {
      let job = BatchJob(number: number, verb: .exec, words: ["w\(number)"], key: "exec-\(number)")
      var record = BatchRecord(
        outcome == nil ? .lineBegan : .lineEnded, of: job, stints: 1, unixNanoseconds: 1)
      record.outcome = outcome
      record.words = outcome == nil ? nil : ["exec", "w\(number)"]
      record.exitStatus = outcome == .failed ? 3 : nil
      record.reason = outcome == .failed ? "no\u{1B}such file" : nil
      try directory.log.append(record, durably: false)
    }
    try record(1, .finished)
    try record(2, .failed)
    try record(3, nil)
    try "why".write(
      toFile: directory.failedPaths(of: "exec-2").errors, atomically: false, encoding: .utf8)
    if let ended { directory.record(.stintEnded(reason: ended, saved: .zero, lost: .zero)) }
    return directory
  }

  private func report(_ words: String...) throws -> String {
    try ReportCommand(context: fixture.context(["report"] + words)).run().output
  }

  @Test("every end of the last stint has its state, and only a failure is one")
  func states() throws {
    for (index, end) in ([nil] + StintEnd.allCases.map { $0 }).enumerated() {
      let key = try job(index + 1, ended: end)
      let expected: JobState = end == .failed ? .failed : .waiting
      let state = try fixture.context("status", key).view(of: key).state
      #expect(state == expected, "\(String(describing: end))")
    }
    let key = try job(99, ended: .failed)
    let text = try fixture.status(key).output
    #expect(text.contains("failed; stint resume \(key) tries it again"))
    #expect(try report(key).contains("failed; run again to retry"))
    let list = try VerbFixture.objects(try fixture.list("--json", "--state", "failed").output)
    #expect(list.count == 2)
    // Somebody begins again.
    let again = try fixture.job(99)
    fixture.begin(again)
    #expect(try fixture.context("status", key).view(of: key).state == .running)
  }

  @Test("clean leaves a failed job, as it leaves one that waits")
  func clean() throws {
    let key = try job(1, ended: .failed)
    func clean(_ words: String...) throws -> VerbResult {
      try CleanCommand(context: fixture.context(["clean"] + words)).run()
    }
    #expect(try clean().exitStatus == 0)
    #expect(fixture.exists(key))
    #expect(try clean(key).exitStatus == ExitStatus.usage)
    #expect(try clean(key, "--all").exitStatus == 0)
    #expect(!fixture.exists(key))
  }

  @Test("while a chain is to go on, its work waits; once it has ended or was stopped, it failed")
  func chain() throws {
    let key = try job(1, ended: .failed)
    let chain = fixture.jobsPath + "/chain-0123456789abcdef"
    try FileManager.default.createDirectory(atPath: chain, withIntermediateDirectories: false)
    try key.write(toFile: chain + "/work", atomically: false, encoding: .utf8)
    func state(_ chainState: String) throws -> JobState {
      try """
      {"formatVersion":1,"state":"\(chainState)","words":["run"],"directory":"/","submission":1,\
      "links":9,"link":2,"deaths":0}
      """.write(toFile: chain + "/chain.json", atomically: false, encoding: .utf8)
      return try fixture.context("status", key).view(of: key).state
    }
    #expect(try state("active") == .waiting)
    #expect(try state("ended") == .failed)
    _ = try state("active")
    try "".write(toFile: chain + "/stop", atomically: false, encoding: .utf8)
    #expect(try state("active") == .failed)
  }

  @Test("list, status and report count the lines of a batch that runs, and name the failed one")
  func running() throws {
    let directory = try batch()
    let list = try fixture.list().output
    #expect(list.contains("1/4 done, 1 failed"), "\(list)")
    let status = try fixture.status(directory.key).output
    #expect(status.contains("lines        1/4 done, 1 failed, 1 running, 1 waiting"), "\(status)")
    #expect(status.contains("running      line 3\n"))
    let failure = "2: exec w2 (exit status 3, no\\x1bsuch file)"
    let path = directory.failedPaths(of: "exec-2").errors
    for text in [status, try report(directory.key)] {
      #expect(text.contains(failure), "\(text)")
      #expect(text.contains("errors: \(path)\n"), "\(text)")
      #expect(text.contains("1/4 done, 1 failed, 1 running, 1 waiting"))
    }
    for text in [
      try fixture.status(directory.key, "--json").output, try report(directory.key, "--json"),
    ] {
      let json = try VerbFixture.object(text)
      #expect(
        json["lines"] as? [String: Int]
          == ["count": 4, "done": 1, "failed": 1, "running": 1, "waiting": 1])
      let failures = try #require(json["failures"] as? [[String: Any]])
      #expect(failures.map { $0["number"] as? Int } == [2])
      #expect(failures.first?["errorPath"] as? String == path)
      #expect(failures.first?["outputPath"] == nil)
      #expect(json["state"] as? String == "running")
    }
    let json = try VerbFixture.object(try fixture.status(directory.key, "--json").output)
    #expect(json["runningLines"] as? [Int] == [3])
    let listed = try VerbFixture.objects(try fixture.list("--json").output).first
    #expect((listed?["lines"] as? [String: Int])?["done"] == 1)
  }

  @Test("a batch without a process has no line that runs, and its end says whether it failed")
  func ended() throws {
    for end in [nil, StintEnd.expired, .failed] {
      let key = try batch(ended: end).key
      let json = try VerbFixture.object(try fixture.status(key, "--json").output)
      #expect((json["lines"] as? [String: Int])?["running"] == 0)
      #expect(json["state"] as? String == (end == .failed ? "failed" : "waiting"))
    }
  }

  @Test("the page of a batch has its counts and a table of what failed")
  func page() throws {
    let key = try batch(ended: .failed).key
    let path = fixture.path + "/page.html"
    #expect(try report(key, "--html", path) == "")
    let page = try String(contentsOfFile: path, encoding: .utf8)
    #expect(page.contains("Lines: 1/4 done, 1 failed, 2 waiting."))
    #expect(page.contains("Failed lines"))
    #expect(page.contains("exec-2.failed.err"))
  }

  @Test("a batch that is followed tells its counts when they change, and each failure once")
  func followed() throws {
    let directory = try batch()
    let text = Protected("")
    let json = Protected("")
    let terminal = TerminalState.make(
      isTerminal: false, isForeground: false, columns: nil, environment: [:])
    let display = ProgressDisplay(
      quiet: false, terminal: { terminal }, write: { new in text.withLock { $0 += new } })
    var people = LineFollower(directory.path, on: display, writeJSON: nil)
    var programs = LineFollower(directory.path, on: display) { new in
      json.withLock { $0 += new }
    }
    for _ in 1...3 {
      people.tell(isRunning: true)
      programs.tell(isRunning: true)
    }
    let path = directory.failedPaths(of: "exec-2").errors
    #expect(
      text.withLock { $0 }
        == "Line 2 failed: exec w2 (exit status 3, no\\x1bsuch file); errors: \(path)\n"
        + "1/4 done, 1 failed, 1 running, 1 waiting\n")
    let events = try json.withLock { $0 }.split(separator: "\n").map {
      try VerbFixture.object(String($0))["event"] as? String
    }
    #expect(events == ["lineFailed", "lines"])
  }
}
