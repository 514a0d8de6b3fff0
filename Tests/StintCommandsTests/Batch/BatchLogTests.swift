import Foundation
import Glibc
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintCommands

@Suite("Log of a batch")
struct BatchLogTests {
  private static let job = BatchJob(
    number: 7, verb: .exec, words: ["--", "echo", "a\n\"b\""], key: "exec-0123456789abcdef")

  private static func record(
    _ event: BatchRecord.Event, _ outcome: BatchLineEnd? = nil, stints: Int = 1,
    of job: BatchJob = job
  ) -> BatchRecord {
    var record = BatchRecord(
      event, of: job, stints: stints, unixNanoseconds: 1_800_000_000_000_000_000)
    record.outcome = outcome
    record.words = job.words
    record.totalSeconds = Double(stints)
    return record
  }

  private static func identity() -> StoreIdentity {
    var identity = StoreIdentity.current()
    identity.userID = 1000
    return identity
  }

  private static func open(
    _ disk: FaultyFileSystem, fresh: Bool = false, parameters: JobParameters = ["file": "/jobs.txt"]
  ) throws(StintError) -> BatchDirectory {
    try BatchDirectory(
      parameters: parameters, jobsPath: "/jobs", startsOver: fresh, fileSystem: disk,
      identity: identity(), report: { _ in })
  }

  @Test("a record comes back as it was written")
  func record() {
    var record = Self.record(.lineEnded, .failed, stints: 3)
    record.exitStatus = 9
    record.startUnixSeconds = 1_799_999_999.25
    record.seconds = 0.75
    record.reason = "it said \"no\"\n"
    #expect(BatchRecord(line: Array(record.text.dropLast().utf8)[...]) == record)
    #expect(record.text.hasSuffix("}\n"))
  }

  @Test("R11 what a log says of a line is found by its key, and the last word counts")
  func fold() {
    let texts = [
      Self.record(.lineBegan).text, Self.record(.lineEnded, .unfinished).text,
      Self.record(.lineBegan, stints: 2).text, Self.record(.lineEnded, .finished, stints: 2).text,
    ]
    func entry(_ count: Int) -> BatchLog.Entry? {
      BatchLog.fold(Array(texts.prefix(count).joined().utf8)).entries[Self.job.key]
    }
    #expect(entry(0) == nil)
    #expect(entry(1)?.history == .begun)
    #expect(entry(2)?.history == .begun)
    #expect(entry(3)?.stints == 2)
    #expect(entry(4)?.history == .finished)
    #expect(entry(4)?.seconds == 2)
    // Torn, and garbage between.
    let torn = texts.prefix(3).joined() + "{\"event\":\"lineEn\n" + texts[3].dropLast(9)
    #expect(BatchLog.fold(Array(torn.utf8)).entries[Self.job.key]?.history == .begun)
  }

  @Test("C1 killed or without power at every call of the disk, what was acknowledged is there")
  func killed() throws {
    for fault in [FileFault.kill, .powerLoss] {
      var call = 0
      var wasReached = true
      while wasReached {
        call += 1
        let disk = FaultyFileSystem()
        disk.faults[call] = fault
        var isAcknowledged = false
        if let directory = try? Self.open(disk) {
          do {
            try directory.log.append(Self.record(.lineBegan), durably: false)
            try directory.log.append(Self.record(.lineEnded, .finished), durably: true)
            isAcknowledged = true
          } catch {}
          withExtendedLifetime(directory) {}
        }
        wasReached = disk.callCount >= call
        let after = fault == .kill ? disk.anotherProcess() : disk.rebooted(.nothing)
        if fault == .kill { disk.killProcess() }
        let next = try Self.open(after)
        let entry = next.log.entries[Self.job.key]
        if isAcknowledged {
          #expect(entry?.history == .finished, "\(fault) at call \(call)")
        }
        if entry?.history == .finished { #expect(entry?.stints == 1) }
        try next.log.append(Self.record(.lineEnded, .finished, stints: 2), durably: true)
      }
      #expect(call > 10, "\(fault)")
    }
  }

  @Test("R4 C4 a full disk is an error, and what was written before and after it stands")
  func fullDisk() throws {
    let disk = FaultyFileSystem()
    do {
      let directory = try Self.open(disk)
      try directory.log.append(Self.record(.lineEnded, .finished), durably: true)
      disk.faults.add(.diskFull, at: .append, pathSuffix: "lines.jsonl")
      expectError(errno: ENOSPC) {
        try directory.log.append(Self.record(.lineBegan, stints: 2), durably: false)
      }
      disk.faults.add(.short, at: .append, pathSuffix: "lines.jsonl")
      #expect(throws: StintError.self) {
        try directory.log.append(Self.record(.lineBegan, stints: 3), durably: false)
      }
      var other = Self.job
      other.key = "exec-fedcba9876543210"
      try directory.log.append(Self.record(.lineEnded, .failed, of: other), durably: true)
    }
    let next = try Self.open(disk.anotherProcess())
    #expect(next.log.entries[Self.job.key]?.history == .finished)
    #expect(next.log.entries["exec-fedcba9876543210"]?.history == .failed)
  }

  @Test("C6 a second batch on the directory is refused and told who holds it")
  func locked() throws {
    let disk = FaultyFileSystem()
    let directory = try Self.open(disk)
    let other = disk.anotherProcess()
    expectError(.busy, saying: "in use by process") { try Self.open(other) }
    // Another name is another batch.
    _ = try Self.open(other, parameters: ["file": "/jobs.txt", "name": "second"])
    withExtendedLifetime(directory) {}
  }

  @Test("--fresh forgets what was done; without it nothing is forgotten")
  func fresh() throws {
    let disk = FaultyFileSystem()
    try Self.open(disk).log.append(Self.record(.lineEnded, .finished), durably: true)
    #expect(try Self.open(disk).log.entries.count == 1)
    #expect(try Self.open(disk, fresh: true).log.entries.isEmpty)
    #expect(try Self.open(disk).log.entries.isEmpty)
  }

  @Test("a log that has become long is written anew, with the last word on each line")
  func compacted() throws {
    let disk = FaultyFileSystem()
    let root = try JobsDirectory.openOrMake("/batch", fileSystem: disk)
    let log = try BatchLog(in: root, fileSystem: disk)
    for stint in 1...50 {
      try log.append(Self.record(.lineBegan, stints: stint), durably: false)
      try log.append(Self.record(.lineEnded, .unfinished, stints: stint), durably: false)
    }
    let before = try disk.status(of: JobFiles.batchLog, in: root).sizeBytes
    let short = try BatchLog(in: root, fileSystem: disk, usualBytes: 1_000)
    #expect(short.entries[Self.job.key]?.stints == 50)
    let after = try disk.status(of: JobFiles.batchLog, in: root).sizeBytes
    #expect(after < before / 50)
    try short.append(Self.record(.lineEnded, .finished, stints: 51), durably: true)
    let last = try BatchLog(in: root, fileSystem: disk).entries[Self.job.key]
    #expect(last?.history == .finished && last?.stints == 51)
  }

  @Test("a result is known by its size, its file and its time, and looked at without being read")
  func mark() throws {
    let fixture = VerbFixture()
    let path = fixture.path + "/result"
    #expect(BatchOutputMark(path: FilePath(path)) == nil)
    try "12345".write(toFile: path, atomically: false, encoding: .utf8)
    let mark = try #require(BatchOutputMark(path: FilePath(path)))
    #expect(mark.holds(nil))
    #expect(mark.sizeBytes == 5)
    try "12346".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(!mark.holds(nil))
    unlink(path)
    #expect(!mark.holds(nil))
    #expect(BatchOutputMark(path: FilePath(fixture.path)) == nil)
  }
}
