import Foundation
import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("A job's directory is made whole or not at all")
struct JobMakingTests {
  /// The calls that a full disk refuses.
  private static let growing: Set<FileCall.Kind> = [
    .makeDirectory, .openFile, .write, .append, .synchronize, .synchronizeData, .rename,
  ]

  /// The calls of a job that makes its directory, by their numbers.
  private static func callsOfMaking() throws -> [(number: Int, kind: FileCall.Kind)] {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    let first = disk.calls.count
    try job.materialize()
    let calls = disk.calls.indices.dropFirst(first).map { ($0 + 1, disk.calls[$0].kind) }
    #expect(Set(calls.map(\.1)).isSuperset(of: growing.subtracting([.append, .synchronizeData])))
    // The lock's file is opened once more, which needs no room.
    var opened: Set<String> = []
    return calls.filter { number, kind in
      kind != .openFile || opened.insert(disk.calls[number - 1].path).inserted
    }
  }

  @Test(
    "R4 C4 a disk that is full from any call on leaves a directory that says what its job is, or none",
    arguments: [ENOSPC, EIO, EDQUOT, EROFS], [false, true])
  func fullDisk(code: Int32, forGood: Bool) throws {
    var refused = 0
    for call in try Self.callsOfMaking() where Self.growing.contains(call.kind) {
      let told: Comment = "errno \(code) at \(call.kind), call \(call.number)"
      let disk = FaultyFileSystem()
      let job = try StoreFixture.job(on: disk)
      disk.faults[call.number] = .fail(code)
      if forGood {
        // From there on whatever needs room is refused; what gives it back is not.
        for kind in Self.growing.subtracting([.openFile]) {
          let before = try Self.callsOfMaking()
            .count { $0.kind == kind && $0.number < call.number }
          disk.faults.add(.fail(code), at: kind, skipping: before, times: .max)
        }
      }
      do {
        try job.materialize()
      } catch {
        refused += 1
        #expect((error as? StintError)?.errno == code, told)
        #expect(try StoreFixture.catalog(of: disk.anotherProcess()).keys() == [], told)
      }
      disk.faults = [:]
      try StoreFixture.commit(1, to: job)
      let summary = try StoreFixture.catalog(of: disk.anotherProcess()).jobs()
      #expect(summary.map(\.problem) == [nil], told)
      #expect(summary.map { $0.record != nil } == [true], told)
    }
    #expect(refused > 8)
  }

  @Test("C1 a kill at any call leaves a job, or what every verb passes over and the next run takes")
  func killed() throws {
    var halfMade = 0
    for call in try Self.callsOfMaking() {
      let told: Comment = "killed at \(call.kind), call \(call.number)"
      let disk = FaultyFileSystem()
      let job = try StoreFixture.job(on: disk)
      disk.faults[call.number] = .kill
      #expect(throws: StintError.self) { try job.materialize() }
      for later in [disk.anotherProcess(), disk.rebooted(.nothing), disk.rebooted(.some(seed: 7))] {
        let catalog = try StoreFixture.catalog(of: later)
        for summary in try catalog.keys().map(catalog.summary(of:)) {
          #expect(summary.problem == nil, told)
          #expect(summary.isHalfMade == (summary.record == nil), told)
          halfMade += summary.isHalfMade ? 1 : 0
        }
        #expect(try catalog.jobs().allSatisfy { $0.record != nil }, told)
        let next = try StoreFixture.job(on: later)
        try StoreFixture.commit(1, to: next)
        #expect(try catalog.jobs().map(\.generations) == [[1]], told)
      }
    }
    #expect(halfMade > 4)
  }

  @Test("what a kill left half made is removed under its lock, and nothing else is")
  func removed() throws {
    for call in try Self.callsOfMaking() {
      let disk = FaultyFileSystem()
      let job = try StoreFixture.job(on: disk)
      disk.faults[call.number] = .kill
      #expect(throws: StintError.self) { try job.materialize() }
      let catalog = try StoreFixture.catalog(of: disk.anotherProcess())
      for summary in try catalog.keys().map(catalog.summary(of:)) {
        if summary.isHalfMade {
          try catalog.removeHalfMade(summary.key)
          #expect(try catalog.keys() == [])
        } else {
          expectError(.busy) { try catalog.removeHalfMade(summary.key) }
          #expect(try catalog.keys() == [summary.key])
        }
      }
    }
  }

  @Test("C8 a directory without job.json that holds anything of a job is no half-made one")
  func holdsSomething() throws {
    for name in ["journal.jsonl", "checkpoints/000001.ckpt", "partial/digits"] {
      let scratch = ScratchDirectory()
      let key = try StoreFixture.past(
        try StoreFixture.realJob(at: scratch.path), commits: 0
      ).key
      let root = scratch.path + "/" + key
      try FileManager.default.removeItem(atPath: root + "/job.json")
      try FileManager.default.removeItem(atPath: root + "/journal.jsonl")
      let catalog = try JobCatalog(jobsDirectory: scratch.path)
      #expect(catalog.summary(of: key).isHalfMade)
      try Data("x".utf8).write(to: URL(fileURLWithPath: root + "/" + name))
      let summary = catalog.summary(of: key)
      #expect(!summary.isHalfMade)
      #expect(summary.problem?.message.contains("has no job.json") == true)
      #expect(throws: StintError.self) { try catalog.removeHalfMade(key) }
      #expect(FileManager.default.fileExists(atPath: root + "/" + name))
    }
  }

  @Test("C6 a new directory that is taken away before it is locked is made again")
  func takenAway() throws {
    let scratch = ScratchDirectory()
    let disk = HookedFileSystem()
    let job = try StoreFixture.realJob(on: disk, at: scratch.path)
    let root = scratch.path + "/" + job.key
    let left = Protected(2)
    disk.setHook { (call, name) throws(StintError) in
      guard call == "openFile", name == "lock" else { return }
      let mustTake = left.withLock { left in
        left -= 1
        return left >= 0
      }
      if mustTake { rmdir(root) }
    }
    try StoreFixture.commit(1, to: job)
    #expect(try JobCatalog(jobsDirectory: scratch.path).jobs().map(\.generations) == [[1]])
  }
}
