import Foundation
import Glibc
import StintCore
import Testing

@testable import StintRuntime

@Suite("Job catalog")
struct JobCatalogTests {
  private let scratch = ScratchDirectory()

  private func job(_ n: String) throws -> Job {
    try StoreFixture.job(
      on: PosixFileSystem(), at: scratch.path, parameters: ["n": n], identity: .current())
  }

  private var catalog: JobCatalog {
    get throws { try JobCatalog(jobsDirectory: scratch.path) }
  }

  @Test("jobs are listed with what they are, what they have, and who works on them")
  func listing() throws {
    #expect(try catalog.jobs().isEmpty)
    #expect(try JobCatalog(jobsDirectory: scratch.path + "/none").jobs().isEmpty)
    let running = try job("1")
    running.record(
      .stintBegan(budget: nil, end: nil, restoredSequence: nil, workTime: .zero), durably: false)
    try StoreFixture.commit(3, to: running)
    do { try StoreFixture.commit(4, to: try job("2")) }
    #expect(mkdir(scratch.path + "/not a job", 0o700) == 0)

    let jobs = try catalog.jobs()
    #expect(jobs.map(\.key) == [running.key, try job("2").key].sorted())
    let summary = try catalog.summary(of: running.key)
    #expect(summary.isRunning)
    #expect(summary.holder?.pid == getpid())
    #expect(summary.record?.parameters == ["n": "1"])
    #expect(summary.generations == [1])
    #expect(summary.journal.lastCheckpoint?.workTime == .seconds(3))
    #expect(summary.sizeBytes == 328)
    #expect(summary.problem == nil)
    #expect(!summary.isFinished)
    #expect(try !catalog.summary(of: try job("2").key).isRunning)
  }

  @Test("a job is found by the beginning of its key or of its hash")
  func names() throws {
    let first = try job("1")
    try first.materialize()
    try job("2").materialize()
    #expect(try catalog.key(named: first.key) == first.key)
    #expect(try catalog.key(named: String(first.key.dropLast(4))) == first.key)
    #expect(try catalog.key(named: String(first.key.suffix(16).prefix(6))) == first.key)
    for name in ["test", "", "nothing"] {
      expectError(.usage) { try catalog.key(named: name) }
    }
  }

  @Test("a verification tells whole generations from damaged ones and changes nothing")
  func verification() throws {
    let job = try job("1")
    for number: UInt8 in 1...3 { try StoreFixture.commit(number, to: job) }
    let path = job.path + "/checkpoints/000002.ckpt"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[300] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    let reports = try catalog.verify(job.key)
    #expect(reports.map(\.sequence) == [3, 2])
    #expect(reports[0].fault == nil)
    #expect(reports[0].workTime == .seconds(3))
    #expect(reports[1].fault?.contains("damaged contents") == true)
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test("C2 an error of the device during a verification says nothing of the file")
  func verificationFails() throws {
    let job = try job("1")
    for number: UInt8 in 1...2 { try StoreFixture.commit(number, to: job) }
    mkfifo(job.path + "/checkpoints/000003.ckpt", 0o600)
    let disk = HookedFileSystem()
    disk.setHook { (call, name) throws(StintError) in
      if call == "read", name == "000002.ckpt" { throw fileError("cannot read", name, EIO) }
    }
    let reports = try JobCatalog(jobsDirectory: scratch.path, fileSystem: disk).verify(job.key)
    #expect(reports.map(\.sequence) == [3, 2, 1])
    // What stands in the place of a file is a fault of that file.
    #expect(reports[0].fault == "does not begin like a checkpoint" && reports[0].error == nil)
    #expect(reports[1].error?.code == .io && reports[1].error?.errno == EIO)
    #expect(reports[1].fault == nil && reports[1].workTime == nil)
    #expect(reports[2].fault == nil && reports[2].error == nil)
    #expect(reports[2].workTime == .seconds(1))
  }

  @Test("headers are listed with what is wrong with them, and a file that goes away is left out")
  func headers() throws {
    let job = try job("1")
    for number: UInt8 in 1...2 { try StoreFixture.commit(number, to: job) }
    let folder = job.path + "/checkpoints"
    try "no checkpoint".write(
      toFile: folder + "/000003.ckpt", atomically: false, encoding: .utf8)
    let disk = HookedFileSystem()
    disk.setHook { (call, name) throws(StintError) in
      if call == "openFile", name == "000001.ckpt" { unlink(folder + "/000001.ckpt") }
    }
    let facts = try JobCatalog(jobsDirectory: scratch.path, fileSystem: disk)
      .generations(of: job.key)
    #expect(facts.map(\.sequence) == [3, 2])
    #expect(facts[0].fault == "is cut off: it has 13 bytes and a header alone has 128")
    #expect(facts[0].header == nil && facts[0].sizeBytes == 13)
    #expect(facts[1].fault == nil && facts[1].sizeBytes == 328)
    #expect(facts[1].header?.sequence == 2)
  }

  @Test("C6 a job that somebody works on is not removed; another one is, with nothing left")
  func removal() throws {
    let key = try StoreFixture.past(try job("1")) { job in
      expectError(.busy) { try catalog.remove(job.key) }
    }.key
    try catalog.set(.pause, to: true, for: key)
    #expect(try catalog.summary(of: key).markers == [.pause])
    try catalog.set(.pause, to: false, for: key)
    #expect(try catalog.summary(of: key).markers.isEmpty)
    try catalog.remove(key)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
  }

  @Test("a job that cannot be read is listed with its problem")
  func problems() throws {
    let path = try StoreFixture.past(try job("1"), commits: 0).path
    try "{".write(toFile: path + "/job.json", atomically: false, encoding: .utf8)
    #expect(try catalog.jobs().first?.problem?.message.contains("job.json") == true)
    chmod(path, 0o777)
    #expect(try catalog.jobs().first?.problem?.message.contains("chmod 700") == true)
    chmod(path, 0o700)
  }

  @Test(
    "the place of the jobs is the one asked for, else STINT_JOBS, else the state directory",
    arguments: [
      ("/x", ["STINT_JOBS": "/y"], "/x"), (nil, ["STINT_JOBS": "/y", "HOME": "/h"], "/y"),
      (nil, ["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/stint/jobs"),
      (nil, ["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/stint/jobs"),
      (nil, ["STINT_JOBS": "", "HOME": "/"], "/.local/state/stint/jobs"), (nil, [:], nil),
      // What was no UTF-8 names another folder.
      (nil, ["STINT_JOBS": "/\u{FFFD}", "HOME": "/h"], nil), (nil, ["HOME": "/\u{FFFD}"], nil),
      ("/x", ["STINT_JOBS": "/\u{FFFD}"], "/x"),
    ] as [(String?, [String: String], String?)])
  func place(explicit: String?, environment: [String: String], expected: String?) {
    let path = try? JobsDirectory.path(explicit: explicit) { environment[$0] }
    #expect(path == expected)
  }
}
