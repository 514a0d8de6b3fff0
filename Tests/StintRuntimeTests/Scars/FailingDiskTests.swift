import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("A disk that fails for good")
struct FailingDiskTests {
  /// The calls that a disk in trouble refuses: those that change it.
  private static let changing: Set<FileCall.Kind> = [
    .openFile, .write, .append, .truncate, .synchronize, .synchronizeData, .rename, .link,
    .setPermissions,
  ]

  /// The calls that a second and a third commit make, by their numbers.
  private func callsOfLaterCommits() throws -> [(number: Int, kind: FileCall.Kind)] {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    try StoreFixture.commit(1, to: job)
    let first = disk.calls.count
    for number: UInt8 in 2...3 { try StoreFixture.commit(number, to: job) }
    return disk.calls.indices.dropFirst(first)
      .map { ($0 + 1, disk.calls[$0].kind) }
  }

  @Test(
    "R4 C4 a disk that fails from any call on: the old checkpoint is whole, the error loud",
    arguments: [ENOSPC, EIO, EDQUOT, EFBIG, EROFS])
  func failsForGood(code: Int32) throws {
    let calls = try callsOfLaterCommits().filter { Self.changing.contains($0.kind) }
    #expect(Set(calls.map(\.kind)).isSuperset(of: [.openFile, .write, .synchronize, .rename]))
    for start in calls {
      let told: Comment = "errno \(code) from \(start.kind), call \(start.number), on"
      let disk = FaultyFileSystem()
      let job = try StoreFixture.job(on: disk)
      try StoreFixture.commit(1, to: job)
      for call in start.number..<start.number + 400 { disk.faults[call] = .fail(code) }
      var saved: [UInt8] = [1]
      var failures: [StintError] = []
      for number: UInt8 in 2...3 {
        do {
          try StoreFixture.commit(number, to: job)
          saved.append(number)
        } catch {
          failures.append(try #require(error as? StintError))
        }
      }
      #expect(saved.count + failures.count == 3, told)
      for failure in failures {
        #expect(failure.code == .io, told)
        #expect(failure.errno == code, told)
        #expect(failure.message.contains("is not saved, the one before stands"), told)
      }
      #expect(job.summary.failedCheckpoints == failures.count, told)
      // The power goes before the disk is well again: what was said to be saved is there all the
      // same.
      let next = try StoreFixture.job(on: disk.rebooted(.nothing))
      let restored = try next.restore(StoreFixture.number(in:))?.state ?? 0
      #expect(try restored >= #require(saved.last), told)
      // Well again, the same job goes on.
      disk.faults = [:]
      try StoreFixture.commit(4, to: job)
      #expect(try job.restore(StoreFixture.number(in:))?.state == 4, told)
    }
  }
}
