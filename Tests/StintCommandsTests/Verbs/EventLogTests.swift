import Foundation
import Glibc
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("The events file")
struct EventLogTests {
  @Test("it gets the lines of the journal byte for byte, the store's own included")
  func lines() throws {
    let fixture = VerbFixture()
    let job = try fixture.job(1)
    try job.materialize()
    let path = fixture.path + "/events.jsonl"
    let log = try EventLog(path: path) { Issue.record("\($0)") }
    job.observeRecords { log.write($0) }
    fixture.begin(job)
    try fixture.commit(job, fraction: 0.5)
    job.record(.setAside(file: "a \"b\"", why: "is\nbad"), durably: false)
    job.record(.finished(sizeBytes: 1, checksum: "c", workTime: .seconds(1)), durably: true)
    #expect(log.flush(within: .seconds(60)))
    let journal = try Data(contentsOf: URL(fileURLWithPath: job.path + "/journal.jsonl"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == journal)
    #expect(String(decoding: journal, as: UTF8.self).split(separator: "\n").count == 4)
  }

  @Test("a tick is a line of its own")
  func tick() throws {
    let fixture = VerbFixture()
    let path = fixture.path + "/events.jsonl"
    let log = try EventLog(path: path) { Issue.record("\($0)") }
    log.write(
      StatusReport(
        state: .running, progress: WorkProgress(fraction: 0.5, phase: "p"), remaining: .unlimited))
    #expect(log.flush(within: .seconds(60)))
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let json = try VerbFixture.object(text)
    #expect(text.last == "\n")
    #expect(json["event"] as? String == "tick")
    #expect(json["remainingSeconds"] == nil)
    #expect(ProgressReading(json: Array(text.utf8))?.stamp.pid == getpid())
  }

  @Test(
    "a file that cannot be opened is refused before the work, one that fails later is said once")
  func failures() throws {
    expectError(.cannotCreate) { _ = try EventLog(path: "/nonexistent/events") { _ in } }
    let sentences = Protected([String]())
    let log = try EventLog(path: "/dev/full") { text in sentences.withLock { $0.append(text) } }
    for _ in 1...3 {
      log.write(
        StatusReport(
          state: .running, progress: WorkProgress(fraction: 0, phase: "p"), remaining: .unlimited))
    }
    #expect(log.flush(within: .seconds(60)))
    #expect(sentences.withLock { $0.count } == 1)
  }

  @Test(
    "a reader that sleeps holds up nobody; past the limit events are left out, which is said once")
  func sleepingReader() throws {
    let fixture = VerbFixture()
    let path = fixture.path + "/pipe"
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    try #require(reader >= 0)
    let sentences = Protected([String]())
    let log = try EventLog(path: path) { text in sentences.withLock { $0.append(text) } }
    let report = StatusReport(
      state: .running, progress: WorkProgress(fraction: 0, phase: "p"), remaining: .unlimited)
    // The pipe takes 64 KiB, some hundred lines; nobody reads.
    for _ in 1...(2 * EventLog.mostWaiting) { log.write(report) }
    #expect(sentences.withLock { $0 }.map { $0.contains("too slow") } == [true])
    #expect(!log.flush(within: .milliseconds(1)))
    // It wakes up: everything that waited comes, whole lines only.
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var isDone = false
    while !isDone {
      isDone = log.flush(within: .milliseconds(1))
      while case let count = read(reader, &buffer, buffer.count), count > 0 {
        text += buffer[..<count]
      }
    }
    close(reader)
    let lines = text.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count >= EventLog.mostWaiting)
    #expect(lines.count <= EventLog.mostWaiting + 1_000)
    #expect(
      try VerbFixture.object(String(decoding: lines[lines.count - 1], as: UTF8.self)).isEmpty
        == false)
  }

  @Test("the progress file goes with its job")
  func progressFile() throws {
    let fixture = VerbFixture()
    let key: String
    do {
      let job = try fixture.job(1)
      try job.materialize()
      try job.tellProgress(Array("{}".utf8))
      try job.tellProgress(Array("{\"a\":1}".utf8))
      key = job.key
    }
    let catalog = try fixture.context("list").catalog
    #expect(
      catalog.progressBytes(of: key).map { String(decoding: $0, as: UTF8.self) } == "{\"a\":1}")
    try catalog.remove(key)
    #expect(!fixture.exists(key))
  }
}
