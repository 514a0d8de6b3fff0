import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

/// A job that is marked finished has its result, whenever power goes and whatever of the disk
/// survives.
@Suite("Durable results")
struct DurableResultTests {
  private static let text = Array("what the job computed, long enough to be torn in places".utf8)
  private static let destination = OutputDestination(
    target: .file(directory: "/out", name: "f.txt"))

  /// The order in which a run says what it has done.
  private enum Order {
    case publishedFirst
    /// The planted fault: marked finished before the result is where it belongs.
    case markedFirst
  }

  private func disk() -> FaultyFileSystem {
    let disk = FaultyFileSystem()
    disk.makeDirectories("/out")
    return disk
  }

  /// Runs a job to its end or to the crash.
  private func run(on disk: FaultyFileSystem, _ order: Order) {
    do {
      let job = try StoreFixture.job(on: disk)
      let output = OutputFile(Self.destination, replacesOthers: false, fileSystem: disk)
      let file = try job.workspace.partialFile(named: "result")
      try Self.text.withUnsafeBytes { try file.write($0, at: 0) }
      try StoreFixture.commit(1, to: job)
      let finished = JournalEvent.finished(
        sizeBytes: Self.text.count, checksum: XXH3Checksum.digest(Self.text).description,
        workTime: .seconds(1))
      if order == .markedFirst { job.record(finished, durably: true) }
      try output.publish(partialFileNamed: "result", in: job.workspace)
      job.record(finished, durably: true)
      try job.removeCheckpoints()
    } catch {
      // The crash, or what came of it.
    }
  }

  /// The crashes after which a job is marked finished, or has nothing to go on from, and the result
  /// is not whole.
  private func violations(_ order: Order, linkFails: Bool) -> (faults: [String], finished: Int) {
    let whole = disk()
    // Where a second name cannot be given, the result is a copy: a way of its own.
    if linkFails { whole.faults.add(.fail(EXDEV), at: .link) }
    run(on: whole, order)
    var violations: [String] = []
    var finished = 0
    for call in 1...whole.calls.count {
      let disk = disk()
      if linkFails { disk.faults.add(.fail(EXDEV), at: .link) }
      disk.faults[call] = .powerLoss
      run(on: disk, order)
      let survivals: [FaultyFileSystem.Survival] =
        [.nothing, .everything] + (0..<8).map { .some(seed: UInt64(call * 100 + $0)) }
      for survival in survivals {
        let after = disk.rebooted(survival)
        guard let job = try? StoreFixture.job(on: after) else { continue }
        let isWhole = after.node("/out/f.txt")?.data == Self.text
        let isFinished = job.summary.finish != nil
        if isFinished { finished += 1 }
        if isFinished, !isWhole {
          violations.append("finished without its result: crash at \(whole.calls[call - 1])")
        }
        let hasCheckpoint = (try? job.restore(StoreFixture.number(in:))) != nil
        let hasHad = job.summary.checkpoints > 0
        if !isWhole, hasHad, !hasCheckpoint {
          violations.append("neither result nor checkpoint: crash at \(whole.calls[call - 1])")
        }
      }
    }
    return (violations, finished)
  }

  @Test(
    "R12 whenever power goes, a job that is marked finished has its result, and another one its checkpoint",
    arguments: [false, true])
  func crashAnywhere(linkFails: Bool) {
    let (faults, finished) = violations(.publishedFirst, linkFails: linkFails)
    #expect(faults == [])
    // Some crashes came late enough for the mark.
    #expect(finished >= 10)
  }

  @Test("R12 C4 whichever record the disk loses, nothing is renamed or removed that counts on it")
  func recordsAreLost() throws {
    let whole = disk()
    run(on: whole, .publishedFirst)
    let waits = whole.calls.filter { $0.kind == .synchronizeData && $0.path.hasSuffix(".jsonl") }
    #expect(waits.count >= 2)
    for skipped in 0..<waits.count {
      let disk = disk()
      disk.faults.add(
        .fail(EIO), at: .synchronizeData, pathSuffix: ".jsonl", skipping: skipped, times: 1)
      run(on: disk, .publishedFirst)
      let after = disk.rebooted(.nothing)
      let job = try StoreFixture.job(on: after)
      let output = OutputFile(Self.destination, replacesOthers: false, fileSystem: after)
      let standing = try output.existing(recorded: job.summary.publishing)
      #expect(standing != .other, "wait \(skipped + 1)")
      let hasCheckpoint = (try? job.restore(StoreFixture.number(in:))) != nil
      #expect(hasCheckpoint || job.isFinished, "wait \(skipped + 1)")
    }
  }

  @Test("C4 what the disk lost once is not taken for durable at the next try of the same process")
  func staysLost() throws {
    let disk = disk()
    disk.faults.add(.fail(EIO), at: .synchronizeData, pathSuffix: ".jsonl", times: 1)
    let job = try StoreFixture.job(on: disk)
    let output = OutputFile(Self.destination, replacesOthers: false, fileSystem: disk)
    let file = try job.workspace.partialFile(named: "result")
    try Self.text.withUnsafeBytes { try file.write($0, at: 0) }
    try StoreFixture.commit(1, to: job)
    for _ in 1...2 {
      expectError(.io, errno: EIO) {
        try output.publish(partialFileNamed: "result", in: job.workspace)
      }
      #expect(disk.node("/out/f.txt") == nil)
    }
  }

  @Test("R12 starting over, killed at any call, neither forgets the result nor misses a checkpoint")
  func startsOver() throws {
    let finished = disk()
    run(on: finished, .publishedFirst)
    let copy = finished.anotherProcess()
    _ = try StoreFixture.job(on: copy, startsOver: true)
    for call in 1...copy.calls.count {
      for survival in [FaultyFileSystem.Survival.nothing, .everything, .some(seed: UInt64(call))] {
        let disk = finished.rebooted(.everything)
        disk.faults[call] = .powerLoss
        _ = try? StoreFixture.job(on: disk, startsOver: true)
        let after = disk.rebooted(survival)
        let job = try StoreFixture.job(on: after)
        let output = OutputFile(Self.destination, replacesOthers: false, fileSystem: after)
        let standing = try output.existing(recorded: job.summary.publishing)
        #expect(standing != .other, "\(copy.calls[call - 1])")
        #expect(throws: Never.self, "\(copy.calls[call - 1])") {
          try job.restore(StoreFixture.number(in:))
        }
      }
    }
  }

  @Test("R12 the checker finds a job that is marked before its result is durable")
  func checkerCanFail() {
    #expect(!violations(.markedFirst, linkFails: false).faults.isEmpty)
  }
}
