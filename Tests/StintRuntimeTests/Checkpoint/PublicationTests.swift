import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

/// Power goes, or a call fails, at every point of the way of a result to its final name.
@Suite("Publication")
struct PublicationTests {
  private static let text = Array("what the job computed, long enough to be torn in places".utf8)
  private static let destination = OutputDestination(
    target: .file(directory: "/out", name: "f.txt"))

  /// What a file system lacks.
  enum Lack: CaseIterable {
    case nothing
    /// As NFS: a file gets the new name beside the old one.
    case exclusiveRenaming
    case exclusiveRenamingAndLinks
  }

  private func disk(without lack: Lack = .nothing) -> FaultyFileSystem {
    let disk = FaultyFileSystem()
    disk.makeDirectories("/out")
    disk.lacks(lack)
    return disk
  }

  /// Runs a job to its end; true once the result is said to be published.
  private func run(on disk: FaultyFileSystem) -> Bool {
    do {
      let job = try StoreFixture.job(on: disk)
      let output = OutputFile(Self.destination, replacesOthers: false, fileSystem: disk)
      let existing = try output.existing(recorded: job.summary.publishing)
      if case .result = existing, job.isFinished { return true }
      try output.check(existing)
      let file = try job.workspace.partialFile(named: "result")
      try Self.text.withUnsafeBytes { try file.write($0, at: 0) }
      try StoreFixture.commit(1, to: job)
      let result = try output.publish(partialFileNamed: "result", in: job.workspace)
      job.record(
        .finished(
          sizeBytes: result.sizeBytes, checksum: result.checksum, workTime: .seconds(1)),
        durably: true)
      return true
    } catch {
      return false
    }
  }

  /// Every crash point with every way to lose what was not synchronized; the violations found.
  private func violations(ignoresSynchronize: Bool, without lack: Lack = .nothing) -> [String] {
    let whole = disk(without: lack)
    #expect(run(on: whole))
    var violations: [String] = []
    for call in 1...whole.calls.count {
      let disk = disk(without: lack)
      disk.ignoredSynchronization = ignoresSynchronize ? .all : .none
      disk.faults[call] = .powerLoss
      let published = run(on: disk)
      let survivals: [FaultyFileSystem.Survival] =
        [.nothing, .everything] + (0..<8).map { .some(seed: UInt64(call * 100 + $0)) }
      for survival in survivals {
        let after = disk.rebooted(survival)
        after.lacks(lack)
        let found = after.node("/out/f.txt")?.data
        let ended = run(on: after)
        let names = after.node("/out")?.entries.keys.sorted()
        let isWhole = found == Self.text || (found == nil && !published)
        if !isWhole || !ended || after.node("/out/f.txt")?.data != Self.text || names != ["f.txt"] {
          violations.append("crash at \(whole.calls[call - 1]), \(survival): \(names ?? [])")
        }
      }
    }
    return violations
  }

  @Test(
    "W9 after a crash at any call the final name has the whole result or nothing",
    arguments: Lack.allCases)
  func crashAnywhere(lack: Lack) {
    #expect(violations(ignoresSynchronize: false, without: lack) == [])
  }

  @Test(
    "W9 a file that took the name meanwhile is not replaced, whatever the file system lacks",
    arguments: Lack.allCases)
  func takenMeanwhile(lack: Lack) throws {
    let disk = disk(without: lack)
    let job = try StoreFixture.job(on: disk)
    let output = OutputFile(Self.destination, replacesOthers: false, fileSystem: disk)
    let file = try job.workspace.partialFile(named: "result")
    try Self.text.withUnsafeBytes { try file.write($0, at: 0) }
    // The name is taken at the last moment: when the record of the result has just been written.
    job.observeRecords { record in
      if case .publishing = record.content { disk.setContents([1], of: "/out/f.txt") }
    }
    expectError(.cannotCreate) { try output.publish(partialFileNamed: "result", in: job.workspace) }
    #expect(disk.files(below: "/out") == ["/out/f.txt"])
    #expect(disk.contents(of: "/out/f.txt") == [1])
  }

  @Test(
    "W9 a file server that is asked twice, at any call: the result is published, and nothing else",
    arguments: Lack.allCases)
  func repeated(lack: Lack) {
    let whole = disk(without: lack)
    #expect(run(on: whole))
    for call in 1...whole.calls.count {
      let disk = disk(without: lack)
      disk.faults[call] = .repeated
      let comment: Comment = "repeated: \(whole.calls[call - 1])"
      #expect(run(on: disk), comment)
      #expect(disk.files(below: "/out") == ["/out/f.txt"], comment)
      #expect(disk.contents(of: "/out/f.txt") == Self.text, comment)
    }
  }

  @Test("W9 the checker finds a disk that never synchronizes")
  func checkerCanFail() {
    #expect(!violations(ignoresSynchronize: true).isEmpty)
  }

  @Test(
    "R18 a call that fails leaves nothing partial under the final name, and the next run succeeds",
    arguments: [FileFault.fail(ENOSPC), .fail(EIO), .fail(EXDEV), .short])
  func failAnywhere(fault: FileFault) throws {
    let whole = disk()
    #expect(run(on: whole))
    for call in 1...whole.calls.count {
      let disk = disk()
      disk.faults[call] = fault
      let published = run(on: disk)
      let comment: Comment = "\(fault) at \(whole.calls[call - 1])"
      let found = disk.node("/out/f.txt")?.data
      #expect(found == nil || found == Self.text, comment)
      if published { #expect(found == Self.text, comment) }
      let after = disk.rebooted(.everything)
      #expect(run(on: after), comment)
      #expect(after.node("/out/f.txt")?.data == Self.text, comment)
    }
  }
}

extension FaultyFileSystem {
  /// Refuses what file servers refuse.
  fileprivate func lacks(_ lack: PublicationTests.Lack) {
    let always = Int.max
    if lack != .nothing { faults.add(.fail(EINVAL), at: .renameExclusively, times: always) }
    if lack == .exclusiveRenamingAndLinks { faults.add(.fail(EPERM), at: .link, times: always) }
  }
}
