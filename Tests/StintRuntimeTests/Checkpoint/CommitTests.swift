import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("Commits")
struct CommitTests {
  /// Runs a job up to a number of commits and says which commit was the last to be acknowledged.
  private func run(on disk: FaultyFileSystem, upTo last: UInt8) -> (
    acknowledged: UInt8, tried: UInt8
  ) {
    var acknowledged: UInt8 = 0
    var tried: UInt8 = 0
    guard let job = try? StoreFixture.job(on: disk) else { return (0, 0) }
    for number in 1...last {
      tried = number
      guard (try? StoreFixture.commit(number, to: job)) != nil else { break }
      acknowledged = number
    }
    return (acknowledged, tried)
  }

  /// What is wrong with a disk after a crash, or nil.
  private func violation(
    on disk: FaultyFileSystem, acknowledged: UInt8, tried: UInt8
  ) -> String? {
    do {
      let job = try StoreFixture.job(on: disk)
      let restored = try job.restore(StoreFixture.number(in:))?.state ?? 0
      guard (acknowledged...tried).contains(restored) else {
        return "restored \(restored), and \(acknowledged) was acknowledged of \(tried)"
      }
      try StoreFixture.commit(9, to: job)
      guard try job.restore(StoreFixture.number(in:))?.state == 9 else { return "commit lost" }
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("C1 a directory that an ended run made without waiting is made durable by the next one")
  func namesOfAnEndedRun() throws {
    let disk = FaultyFileSystem()
    disk.ignoredSynchronization = .directories
    _ = run(on: disk, upTo: 1)
    disk.ignoredSynchronization = .none
    try StoreFixture.commit(2, to: try StoreFixture.job(on: disk))
    #expect(violation(on: disk.rebooted(.nothing), acknowledged: 2, tried: 2) == nil)
  }

  /// Every crash point with every way to lose what was not synchronized; the violations found.
  private func violations(ignoresSynchronize: Bool) -> [String] {
    let commits: UInt8 = 4
    let whole = FaultyFileSystem()
    #expect(run(on: whole, upTo: commits).acknowledged == commits)
    var violations: [String] = []
    for call in 1...whole.calls.count {
      let disk = FaultyFileSystem()
      disk.ignoredSynchronization = ignoresSynchronize ? .all : .none
      disk.faults[call] = .powerLoss
      let (acknowledged, tried) = run(on: disk, upTo: commits)
      let survivals: [FaultyFileSystem.Survival] =
        [.nothing, .everything] + (0..<8).map { .some(seed: UInt64(call * 100 + $0)) }
      for survival in survivals {
        let found = violation(
          on: disk.rebooted(survival), acknowledged: acknowledged, tried: tried)
        if let found {
          violations.append("crash at \(whole.calls[call - 1]), \(survival): \(found)")
        }
      }
    }
    return violations
  }

  @Test("C1 after a crash at any call, with any loss, the newest acknowledged state is found whole")
  func crashAnywhere() {
    #expect(violations(ignoresSynchronize: false) == [])
  }

  @Test("C1 the checker finds a disk that never synchronizes")
  func checkerCanFail() {
    #expect(!violations(ignoresSynchronize: true).isEmpty)
  }

  @Test(
    "R4 C4 a call that fails leaves the old generation intact and is never counted as saved",
    arguments: [
      FileFault.fail(ENOSPC), .fail(EIO), .fail(EFBIG), .fail(EDQUOT), .short,
    ])
  func failAnywhere(fault: FileFault) throws {
    let whole = FaultyFileSystem()
    _ = run(on: whole, upTo: 3)
    for call in 1...whole.calls.count {
      let disk = FaultyFileSystem()
      disk.faults[call] = fault
      var acknowledged: UInt8 = 0
      var failures: [any Error] = []
      do {
        let job = try StoreFixture.job(on: disk)
        for number: UInt8 in 1...3 {
          do {
            try StoreFixture.commit(number, to: job)
            acknowledged = number
          } catch {
            failures.append(error)
          }
        }
      } catch {
        failures.append(error)
      }
      for failure in failures {
        #expect(failure is StintError, "a failure without a sentence at \(whole.calls[call - 1])")
      }
      let after = disk.rebooted(.nothing)
      let found = violation(on: after, acknowledged: acknowledged, tried: 3)
      #expect(found == nil, "\(fault) at \(whole.calls[call - 1])")
      let folder = disk.node(StoreFixture.jobsPath)?.entries.values.first?.entries["checkpoints"]
      #expect(folder?.entries.keys.contains { $0.hasSuffix(".tmp") } != true)
    }
  }

  @Test("C4 a file server that is asked twice, at any call: every commit succeeds")
  func repeated() {
    let whole = FaultyFileSystem()
    _ = run(on: whole, upTo: 3)
    for call in 1...whole.calls.count {
      let disk = FaultyFileSystem()
      disk.faults[call] = .repeated
      let comment: Comment = "repeated: \(whole.calls[call - 1])"
      #expect(run(on: disk, upTo: 3).acknowledged == 3, comment)
      #expect(disk.files() == whole.files(), comment)
      #expect(violation(on: disk, acknowledged: 3, tried: 3) == nil, comment)
    }
  }

  @Test("R4 C4 the error of a full disk names the file and keeps the errno")
  func fullDisk() throws {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    try StoreFixture.commit(1, to: job)
    disk.faults.add(.diskFull, at: .write, times: 400)
    expectError(.io, errno: ENOSPC, saying: "000002.ckpt") { try StoreFixture.commit(2, to: job) }
    disk.faults = [:]
    #expect(try job.restore(StoreFixture.number(in:))?.state == 1)
    #expect(job.summary.failedCheckpoints == 1)
  }

  @Test("C3 two verified generations stay, and nothing goes before a newer one is verified")
  func keepsTwo() throws {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    for number: UInt8 in 1...5 {
      try StoreFixture.commit(number, to: job)
      let names = StoreFixture.generations(of: job, on: disk).map { $0.suffix(11) }
      #expect(names.count == min(Int(number), 2))
      #expect(names.last == "00000\(number).ckpt")
    }
  }

  @Test("C3 a checkpoint that reads back wrong never gets its name, and the old ones stay")
  func verifiesBeforeRename() throws {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    for number: UInt8 in 1...2 { try StoreFixture.commit(number, to: job) }
    let before = StoreFixture.generations(of: job, on: disk)
    let start = disk.calls.count
    try StoreFixture.commit(3, to: job)
    let reads = disk.calls.indices.filter {
      $0 >= start && disk.calls[$0].kind == .read && disk.calls[$0].path.hasSuffix(".tmp")
    }
    #expect(reads.count >= 2, "the commit does not read back")

    for read in reads.map({ $0 - start }) {
      let disk = FaultyFileSystem()
      let job = try StoreFixture.job(on: disk)
      for number: UInt8 in 1...2 { try StoreFixture.commit(number, to: job) }
      disk.faults[disk.calls.count + read + 1] = .corrupt
      #expect(throws: StintError.self) { try StoreFixture.commit(3, to: job) }
      #expect(StoreFixture.generations(of: job, on: disk) == before)
      #expect(try job.restore(StoreFixture.number(in:))?.state == 2)
    }
  }

  @Test("C1 numbers are never used twice, also after the newest file was set aside")
  func sequencesGrow() throws {
    let disk = FaultyFileSystem()
    do {
      let job = try StoreFixture.job(on: disk)
      for number: UInt8 in 1...3 { try StoreFixture.commit(number, to: job) }
    }
    let path = try #require(
      StoreFixture.generations(of: try StoreFixture.job(on: disk), on: disk).last)
    disk.node(path)?.data[60] ^= 1
    let job = try StoreFixture.job(on: disk)
    #expect(try job.restore(StoreFixture.number(in:))?.sequence == 2)
    #expect(try StoreFixture.commit(4, to: job).sequence == 4)
  }
}
