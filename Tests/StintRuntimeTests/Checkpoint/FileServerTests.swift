import Foundation
import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

/// What file servers do to a job: they lose locks, and keep removed files that are open.
@Suite("Jobs on a file server")
struct FileServerTests {
  private let disk = FaultyFileSystem()

  // MARK: Locks

  @Test("C6 before a commit the lock is opened by its name and read through its own descriptor")
  func looksAtTheLock() throws {
    let job = try StoreFixture.job(on: disk)
    try StoreFixture.commit(1, to: job)
    let before = disk.calls.count
    try StoreFixture.commit(2, to: job)
    let calls = disk.calls[before...].map(\.description)
    let rename = try #require(calls.firstIndex { $0.hasPrefix("rename ") })
    let open = try #require(calls[..<rename].lastIndex(of: "openFile \(job.path)/lock"))
    #expect(calls[open..<rename].contains("read \(job.path)/lock"))
  }

  @Test("C6 a lock whose descriptor cannot be read any more commits and publishes nothing: 74")
  func lostLock() throws {
    disk.makeDirectories("/out")
    let job = try StoreFixture.job(on: disk)
    let file = try job.workspace.partialFile(named: "result")
    try [1].withUnsafeBytes { try file.write($0, at: 0) }
    try StoreFixture.commit(1, to: job)
    let generations = StoreFixture.generations(of: job, on: disk)
    disk.faults.add(.fail(EIO), at: .read, pathSuffix: "/lock", times: .max)
    let output = OutputFile(
      OutputDestination(target: .file(directory: "/out", name: "f")), replacesOthers: true,
      fileSystem: disk)
    let attempts: [() throws -> Void] = [
      { try StoreFixture.commit(2, to: job) },
      { try output.publish(partialFileNamed: "result", in: job.workspace) },
      { try job.removeCheckpoints() },
      { try job.workspace.makeAllDurable() },
    ]
    for attempt in attempts {
      expectError(.io, errno: EIO, saying: "may be lost") { try attempt() }
    }
    #expect(StoreFixture.generations(of: job, on: disk) == generations)
    #expect(disk.files(below: "/out") == [])
    disk.faults = [:]
    try StoreFixture.commit(2, to: job)
  }

  @Test("C6 a server that forgot the lock and gave it to another one: nothing is committed, 69")
  func lockOfAnother() throws {
    let job = try StoreFixture.job(on: disk)
    try StoreFixture.commit(1, to: job)
    let lock = try #require(disk.node(job.path + "/lock"))
    lock.lockedBy = nil
    let second = try StoreFixture.job(
      on: disk.anotherProcess(), identity: StoreFixture.identity(pid: 43, host: "there"))
    for _ in 1...2 {
      expectError(.busy, saying: "process 43 on there") { try StoreFixture.commit(2, to: job) }
    }
    #expect(job.loss != nil)
    try StoreFixture.commit(2, to: second)
  }

  @Test("C6 a lock file that somebody emptied is written again, unless another one has the lock")
  func emptied() throws {
    let job = try StoreFixture.job(on: disk)
    try StoreFixture.commit(1, to: job)
    disk.setContents([], of: job.path + "/lock")
    try StoreFixture.commit(2, to: job)
    let holder = try StoreFixture.catalog(of: disk.anotherProcess()).holder(of: job.key)
    #expect(holder??.pid == 42)
    disk.setContents([], of: job.path + "/lock")
    // The descriptor of nobody here.
    disk.node(job.path + "/lock")?.lockedBy = -1
    expectError(.busy) { try StoreFixture.commit(3, to: job) }
  }

  @Test("C6 a lock file whose holder's name finds no room does not end the work")
  func namelessHolder() throws {
    disk.faults.add(.diskFull, at: .write, pathSuffix: "/lock", times: .max)
    let job = try StoreFixture.job(on: disk)
    try StoreFixture.commit(1, to: job)
    #expect(disk.contents(of: job.path + "/lock") == [])
  }

  @Test("C6 a lock file that another machine removed, so that its handle is stale, is made anew")
  func staleDescriptor() throws {
    let job = try StoreFixture.job(on: disk)
    try StoreFixture.commit(1, to: job)
    let old = try #require(disk.node(job.path + "/lock")?.inode)
    disk.removeContents(of: job.path + "/lock")
    try StoreFixture.commit(2, to: job)
    #expect(disk.node(job.path + "/lock")?.inode != old)
    // Another machine has made it anew meanwhile: this one's descriptor says no more than that.
    disk.removeContents(of: job.path + "/lock")
    disk.setContents([], of: job.path + "/lock")
    disk.faults.add(.fail(ESTALE), at: .status, pathSuffix: "/lock", skipping: 1)
    expectError(.busy) { try StoreFixture.commit(3, to: job) }
  }

  // MARK: Stale handles

  @Test("C2 a stale handle of a folder, file or lock is no damage: 74, and no file is touched")
  func staleHandles() throws {
    for number: UInt8 in 1...2 {
      try StoreFixture.commit(number, to: try StoreFixture.job(on: disk))
    }
    let files = disk.files()
    let whole = disk.anotherProcess()
    do { _ = try StoreFixture.job(on: whole).restore(StoreFixture.number(in:)) }
    let kinds: Set<FileCall.Kind> = [.openDirectory, .openFile, .read, .lock, .isLocked, .list]
    var failed = 0
    for (index, call) in whole.calls.enumerated() where kinds.contains(call.kind) {
      let comment: Comment = "\(call)"
      let next = disk.rebooted(.everything)
      next.faults[index + 1] = .fail(ESTALE)
      do {
        let restored = try StoreFixture.job(on: next).restore(StoreFixture.number(in:))
        #expect(restored?.state == 2, comment)
      } catch let error as StintError {
        failed += 1
        #expect(error.code == .io && error.errno == ESTALE, comment)
      }
      #expect(next.files() == files, comment)
    }
    #expect(failed > 8)
  }

  // MARK: Removal

  private func removed(from disk: FaultyFileSystem) throws -> String? {
    let catalog = try StoreFixture.catalog(of: disk)
    return try catalog.remove(try #require(try catalog.keys().first))
  }

  @Test("a job on a file server is removed with nothing left, its own open files notwithstanding")
  func removal() throws {
    disk.keepsOpenFiles = true
    do { try StoreFixture.commit(1, to: try StoreFixture.job(on: disk)) }
    #expect(try removed(from: disk) == nil)
    #expect(disk.files() == [])
    #expect(try StoreFixture.catalog(of: disk).keys() == [])
    // So is one that was reserved and never filled.
    let job = try StoreFixture.job(on: disk)
    try job.reserve()
    job.withdraw()
    #expect(try StoreFixture.catalog(of: disk).keys() == [])
  }

  @Test("files that another process has open do not fail a removal; the next one takes the rest")
  func leftovers() throws {
    disk.keepsOpenFiles = true
    do {
      let job = try StoreFixture.job(on: disk)
      _ = try job.workspace.partialFile(named: "digits")
      try StoreFixture.commit(1, to: job)
    }
    let watcher = disk.anotherProcess()
    let path = try #require(try StoreFixture.catalog(of: disk).jobs().first?.path)
    for folder in ["", "/checkpoints", "/partial"] {
      let opened = try watcher.openDirectory(at: path + folder)
      for name in try watcher.list(opened)
      where disk.node(path + "\(folder)/\(name)")?.kind == .regular {
        _ = try watcher.openFile(name, in: opened, .read)
      }
    }
    for _ in 1...2 {
      #expect(try removed(from: disk)?.contains("until it closes them") == true)
      #expect(disk.files().count > 4 && disk.files().allSatisfy { $0.contains("/.nfs") })
      #expect(try StoreFixture.catalog(of: disk).jobs().isEmpty)
      let summary = try StoreFixture.catalog(of: disk).summary(
        of: try #require(try StoreFixture.catalog(of: disk).keys().first))
      #expect(summary.isHalfMade && summary.problem == nil)
    }
    watcher.killProcess()
    #expect(try removed(from: disk) == nil)
    #expect(try StoreFixture.catalog(of: disk).keys() == [])
  }

  @Test("a new run of a job of which only leftovers are there begins, and ends as any other")
  func beginsAmongLeftovers() throws {
    disk.makeDirectories(StoreFixture.jobsPath)
    let key = try StoreFixture.job(on: disk).key
    disk.setContents([1], of: StoreFixture.jobsPath + "/\(key)/partial/.nfs0001")
    let job = try StoreFixture.job(on: disk)
    try StoreFixture.commit(1, to: job)
    #expect(try job.restore(StoreFixture.number(in:))?.state == 1)
  }

  @Test("a file server that is asked twice to remove, at any call: the job is gone, and no error")
  func repeatedRemoval() throws {
    do { try StoreFixture.commit(1, to: try StoreFixture.job(on: disk)) }
    let whole = disk.rebooted(.everything)
    #expect(try removed(from: whole) == nil)
    for call in 1...whole.calls.count {
      let next = disk.rebooted(.everything)
      next.faults[call] = .repeated
      #expect(try removed(from: next) == nil, "\(whole.calls[call - 1])")
      #expect(next.files() == [])
    }
  }

  // MARK: What a file system lacks

  @Test("without files that have no name a partial file gets its name at once, and all is the same")
  func withoutNamelessFiles() throws {
    disk.makeDirectories("/out")
    disk.faults.add(.fail(EOPNOTSUPP), at: .openNameless, times: .max)
    let job = try StoreFixture.job(on: disk)
    let file = try job.workspace.partialFile(named: "result")
    #expect(job.isMaterialized)
    try ([1, 2] as [UInt8]).withUnsafeBytes { try file.write($0, at: 0) }
    try StoreFixture.commit(1, to: job)
    let output = OutputFile(
      OutputDestination(target: .file(directory: "/out", name: "f")), replacesOthers: false,
      fileSystem: disk)
    try output.publish(partialFileNamed: "result", in: job.workspace)
    #expect(disk.contents(of: "/out/f") == [1, 2])
    #expect(disk.calls.contains { $0.kind == .openNameless })
  }

  @Test("a directory that can have no files without a name says so in one way")
  func namelessFilesOfTheKernel() throws {
    let files = PosixFileSystem()
    let proc = try files.openDirectory(at: "/proc")
    defer { files.close(proc) }
    expectError(errno: EOPNOTSUPP) { try files.openNameless(in: proc) }
  }
}
