import Foundation
import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("Journal")
struct JournalTests {
  private let stamp = JournalRecord.Stamp(
    unixNanoseconds: 1_795_246_242_123_000_000, bootID: "b-1",
    instant: Instant(nanoseconds: 98_765_432_109_876), pid: 4711)

  /// One of every kind of line.
  private var contents: [JournalRecord.Content] {
    let events: [JournalEvent] = [
      .stintBegan(
        budget: .milliseconds(1500), end: nil, restoredSequence: 41, workTime: .seconds(3)),
      .stintBegan(budget: nil, end: nil, restoredSequence: nil, workTime: .zero),
      .stintBegan(
        budget: .seconds(9),
        end: Deadline(source: "until", instant: Instant(nanoseconds: 98_774_432_000_000)),
        restoredSequence: nil, workTime: .zero),
      .deadlineMoved(
        to: Deadline(source: "file \"a\"", instant: Instant(nanoseconds: 98_765_000_000_000))),
      .deadlineMoved(to: nil),
      .restoreProved(sequence: 41),
      .expiryAnnounced(
        reason: .timeElapsed, deadline: Instant(nanoseconds: 123_456_789), openTasks: ["a", "b"]),
      .expiryAnnounced(reason: .signal(15), deadline: Instant(nanoseconds: 1), openTasks: []),
      .expiryAnnounced(reason: .revoked, deadline: Instant(nanoseconds: 1), openTasks: []),
      .expiryAnnounced(
        reason: .denied(.refused("no")), deadline: Instant(nanoseconds: 1), openTasks: []),
      .expiryAnnounced(reason: .stopRequested, deadline: Instant(nanoseconds: 1), openTasks: []),
      .expiryAnnounced(reason: .engineEndTime, deadline: Instant(nanoseconds: 1), openTasks: []),
      .checkpoint(
        sequence: 42, sizeBytes: 1_048_704, took: .nanoseconds(12_345_678),
        workTime: .nanoseconds(9_876_543_211), fraction: 0.625),
      .progressKept, .stepTooLong(expected: .milliseconds(4780)),
      .checkpointFailed(message: "disk \"full\"\n\tat 100 %\u{1}", errno: 28),
      .setAside(file: "000041.ckpt", why: "is cut off"),
      .finished(sizeBytes: 20_898_764, checksum: "00ff", workTime: .seconds(12)),
      .terminationInferred(cause: "it crashed"), .workerEnded(signal: 11),
      .notice("Größe: 7 µm \\ 🚀"),
    ]
    let ends = StintEnd.allCases.map {
      JournalEvent.stintEnded(
        reason: $0, saved: .milliseconds(990), lost: .milliseconds(10), leastBudget: .seconds(2))
    }
    return (events + ends).map { .event($0) } + [
      .restoreAttempted(sequence: 7), .publishing(sizeBytes: 5, checksum: "ab"),
      .lockAwaited(took: .milliseconds(1500)), .streaming,
    ]
  }

  @Test("every event comes back from its line as it was")
  func roundTrip() throws {
    for content in contents {
      let record = JournalRecord(stamp: stamp, content: content)
      let line = record.line
      #expect(line.hasSuffix("}\n") && line.dropLast().allSatisfy { !$0.isNewline })
      #expect(JournalRecord(line: line.utf8.dropLast()) == record, "\(line)")
      #expect(
        (try? JSONSerialization.jsonObject(with: Data(line.utf8))) is [String: Any], "\(line)")
    }
  }

  @Test("instants of events are by the machine's clock, as stamps are; all else is as it was")
  func machineClock() throws {
    // A container whose own clock is half a minute ahead, or behind.
    for ahead in [Duration.seconds(30), .seconds(-30)] {
      var identity = StoreFixture.identity()
      identity.clockOffset = ahead
      let told = Protected<[JournalRecord.Content]>([])
      let job = try StoreFixture.job(on: FaultyFileSystem(), identity: identity)
      job.observeRecords { record in told.withLock { $0.append(record.content) } }
      let own = Instant(nanoseconds: 100_000_000_000)
      let machine = own.advanced(by: .zero - ahead)
      func began(_ end: Instant?) -> JournalEvent {
        .stintBegan(
          budget: .seconds(9), end: end.map { Deadline(source: "x", instant: $0) },
          restoredSequence: 4, workTime: .seconds(3))
      }
      func announced(_ deadline: Instant) -> JournalEvent {
        .expiryAnnounced(reason: .revoked, deadline: deadline, openTasks: ["a"])
      }
      func moved(_ end: Instant?) -> JournalEvent {
        .deadlineMoved(to: end.map { Deadline(source: "y", instant: $0) })
      }
      var pairs: [(given: JournalEvent, written: JournalEvent)] = [
        (began(own), began(machine)), (began(.distantFuture), began(.distantFuture)),
        (began(nil), began(nil)), (moved(own), moved(machine)), (moved(nil), moved(nil)),
        (moved(.distantFuture), moved(.distantFuture)), (announced(own), announced(machine)),
        (announced(.distantFuture), announced(.distantFuture)),
      ]
      for case .event(let event) in contents {
        switch event {
        case .stintBegan, .deadlineMoved, .expiryAnnounced: break
        default: pairs.append((event, event))
        }
      }
      for (given, _) in pairs { job.record(given, durably: false) }
      #expect(told.withLock { $0 } == pairs.map { .event($0.written) })
    }
  }

  @Test("every event is read as a general reader of JSON reads it, and no part of its line is")
  func generalReader() throws {
    for content in contents {
      let line = Array(JournalRecord(stamp: stamp, content: content).line.utf8.dropLast())
      let object = try JSONObject(line)
      let general = try #require(
        try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
      #expect(Set(object.members.map(\.name)) == Set(general.keys))
      for member in object.members {
        switch member.value {
        case .text(let text): #expect(general[member.name] as? String == text)
        case .number: #expect(general[member.name] as? Double == member.value.double)
        case .list: #expect(general[member.name] as? [String] == member.value.texts)
        case .truth, .object, .null: Issue.record("no event has such a member: \(member)")
        }
      }
      for cut in 0..<line.count { #expect(JournalRecord(line: line[..<cut]) == nil) }
    }
  }

  @Test(
    "C8 a number that JSON does not have makes no record",
    arguments: [
      "03", "03990000000", "-03", "+3", "3.", ".5", "1.e3", "-", "1e", "1e+", "--1", "1-1", "nan",
      "",
    ])
  func numbersOfJSON(number: String) {
    let line = Array(
      ("{\"event\":\"stintEnded\",\"unixSeconds\":1,\"bootId\":\"b\",\"bootSeconds\":2,\"pid\":3,"
        + "\"reason\":\"expired\",\"savedSeconds\":\(number)}").utf8)
    #expect(JournalRecord(line: line) == nil)
  }

  @Test("C8 a member given twice does not stand for one that is missing")
  func twice() {
    let line = Array(
      #"{"event":"x","unixSeconds":1,"unixSeconds":1,"bootId":"b","pid":3}"#.utf8)
    #expect(JournalRecord(line: line) == nil)
  }

  @Test(
    "C8 every number that JSON has is read",
    arguments: [
      ("0", 0), ("-0.5", -0.5), ("10", 10), ("1e3", 1000), ("1.5e-1", 0.15), ("2e+2", 200),
    ]
      as [(String, Double)])
  func numbers(number: String, value: Double) throws {
    let line = Array(
      ("{\"event\":\"x\",\"unixSeconds\":1,\"bootId\":\"b\",\"pid\":3,"
        + "\"bootSeconds\":\(number)}").utf8)
    let instant = Instant(nanoseconds: Duration(clampingSeconds: value).nanoseconds)
    #expect(try #require(JournalRecord(line: line)).stamp.instant == instant)
  }

  @Test("the lines are those of the format's document")
  func golden() {
    let record = JournalRecord(
      stamp: stamp,
      content: .event(
        .checkpoint(
          sequence: 42, sizeBytes: 1_048_704, took: .milliseconds(12), workTime: .seconds(9),
          fraction: 0.5)))
    #expect(
      record.line
        == "{\"event\":\"checkpoint\",\"time\":\"2026-11-21T07:30:42.123Z\","
        + "\"unixSeconds\":1795246242.123,\"bootId\":\"b-1\",\"bootSeconds\":98765.432109876,"
        + "\"pid\":4711,\"sequence\":42,\"sizeBytes\":1048704,\"tookSeconds\":0.012000000,"
        + "\"workTimeSeconds\":9.000000000,\"fraction\":0.5}\n")
  }

  @Test("a torn last line is ignored at every cut and completed before the next append")
  func tornLine() throws {
    let first = JournalRecord(stamp: stamp, content: .event(.notice("first"))).line
    let second = JournalRecord(stamp: stamp, content: .event(.notice("second"))).line
    for cut in 0..<second.utf8.count {
      let disk = FaultyFileSystem()
      let root = try disk.openDirectory(at: "/")
      disk.setContents(
        Array(first.utf8) + Array(second.utf8.prefix(cut)), of: "/" + Journal.fileName)
      let node = try #require(disk.node("/" + Journal.fileName))
      let journal = try Journal(fileSystem: disk, directory: root) { Issue.record("\($0)") }
      let (before, garbageBefore) = Journal.parse(node.data)
      #expect(before.count == (cut == second.utf8.count - 1 ? 2 : 1))
      #expect(garbageBefore == 0)
      journal.append(JournalRecord(stamp: stamp, content: .event(.notice("third"))), durably: true)
      let (after, garbage) = Journal.parse(node.data)
      #expect(after.first?.content == .event(.notice("first")))
      #expect(after.last?.content == .event(.notice("third")))
      #expect(garbage == (cut == 0 || cut == second.utf8.count - 1 ? 0 : 1))
    }
  }

  @Test("garbage lines are counted and reported, never fatal; unknown events are kept")
  func garbage() throws {
    let good = JournalRecord(stamp: stamp, content: .event(.restoreProved(sequence: 3))).line
    let unknown = good.replacing("restoreProved", with: "fromTheFuture")
    let bytes: [UInt8] =
      Array(good.utf8) + [0xFF, 0xFE, 0x0A] + Array("{}\nnull\n\n[1]\n".utf8)
      + Array(good.replacing("\"sequence\":3", with: "\"sequence\":-3").utf8) + Array(unknown.utf8)
      + Array(good.utf8)
    let (records, garbage) = Journal.parse(bytes)
    #expect(records.count == 3)
    #expect(records[1].content == .unknown("fromTheFuture"))
    #expect(garbage == 5)

    let disk = FaultyFileSystem()
    do { try StoreFixture.commit(1, to: try StoreFixture.job(on: disk)) }
    let job = try StoreFixture.job(on: disk)
    disk.node(job.path + "/journal.jsonl")?.data += Array("garbage\n".utf8)
    let reports = Protected<[String]>([])
    let other = disk.rebooted(.everything)
    _ = try StoreFixture.job(on: other) { report in reports.withLock { $0.append(report) } }
    #expect(reports.withLock { $0 }.count == 1)
  }

  @Test("C4 a journal that cannot be written is reported once and stops nothing")
  func fullDisk() throws {
    let disk = FaultyFileSystem()
    let reports = Protected<[String]>([])
    let job = try StoreFixture.job(on: disk) { report in reports.withLock { $0.append(report) } }
    try job.materialize()
    for call in disk.calls.count..<disk.calls.count + 10 { disk.faults[call] = .fail(ENOSPC) }
    for _ in 1...3 { job.record(.notice("lost"), durably: true) }
    #expect(reports.withLock { $0 }.count == 1)
    disk.faults = [disk.calls.count + 1: .short]
    job.record(.notice("torn"), durably: false)
    job.record(.notice("whole"), durably: false)
    let (records, garbage) = Journal.parse(
      try #require(disk.node(job.path + "/journal.jsonl")).data)
    #expect(records.map(\.content) == [.event(.notice("whole"))])
    #expect(garbage == 1)
  }
}
