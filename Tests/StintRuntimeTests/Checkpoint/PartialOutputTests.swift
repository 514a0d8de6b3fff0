import Glibc
import StintCore
import Testing

@testable import StintRuntime

/// Partial output against what other threads, a full disk and other processes do at the worst
/// moment.
@Suite("Partial output at bad moments")
struct PartialOutputTests {
  private let scratch = ScratchDirectory()
  private let disk = HookedFileSystem()

  private func job(_ disk: HookedFileSystem) throws -> Job {
    try StoreFixture.job(
      on: disk, at: scratch.path + "/jobs", identity: StoreFixture.identity(userID: geteuid()))
  }

  private func write(_ bytes: [UInt8], to file: any PartialFile) throws {
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
  }

  private func bytes(of file: any PartialFile) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: try file.sizeBytes)
    try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return bytes
  }

  /// Lets the next call of this name fail, or act, once.
  private func once(
    _ call: String, _ name: String, skipping skipped: Int = 0,
    _ body: @escaping @Sendable () throws(StintError) -> Void
  ) {
    let left = Protected(skipped)
    disk.setHook { (made, path) throws(StintError) in
      guard made == call, path == name else { return }
      let isIt = left.withLock { left in
        left -= 1
        return left == -1
      }
      if isIt { try body() }
    }
  }

  @Test("C1 bytes written while an earlier checkpoint waits for the disk are durable with the next")
  func writeDuringCommit() throws {
    let job = try job(disk)
    let file = try job.workspace.partialFile(named: "digits")
    try write([1], to: file)
    try StoreFixture.commit(1, to: job)
    // The write has begun and its bytes are not there yet when the checkpoint takes what there is.
    once("write", file.name) { () throws(StintError) in try job.files.synchronize() }
    try write([2], to: file)
    // The hook holds the job, which holds the disk.
    disk.setHook { (_, _) throws(StintError) in }
    let before = disk.calls.count
    try StoreFixture.commit(2, to: job)
    #expect(disk.calls[before...].contains("synchronizeData \(file.name)"))
  }

  @Test("C1 a file that was synchronized before the job had a directory has a durable name there")
  func synchronizedEarly() throws {
    let job = try job(disk)
    try write([1], to: try job.workspace.partialFile(named: "digits"))
    try job.workspace.synchronize()
    try StoreFixture.commit(1, to: job)
    let named = try #require(disk.calls.firstIndex(of: "giveName digits"))
    let renamed = try #require(disk.calls.firstIndex(of: "rename 000001.ckpt"))
    #expect(disk.calls[named..<renamed].contains("synchronize partial"))
  }

  @Test("C1 what is shown before the next checkpoint is durable first, with its name and folder")
  func shownEarly() throws {
    let job = try job(disk)
    try write([1], to: try job.workspace.partialFile(named: "digits"))
    try job.workspace.makeAllDurable()
    let calls = disk.calls
    let bytes = try #require(calls.firstIndex { $0.hasPrefix("synchronizeData") })
    let named = try #require(calls.firstIndex(of: "giveName digits"))
    let folder = try #require(calls.lastIndex(of: "synchronize partial"))
    #expect(bytes < folder && named < folder)
    #expect(!calls.contains { $0.hasSuffix(".ckpt") }, "and it needed no checkpoint")
  }

  @Test("C4 a disk that is full for a moment when the directory is made loses no partial output")
  func fullWhileNaming() throws {
    let job = try job(disk)
    try write([1], to: try job.workspace.partialFile(named: "a"))
    try write([2], to: try job.workspace.partialFile(named: "b"))
    let count = Protected(0)
    disk.setHook { (call, _) throws(StintError) in
      guard call == "giveName" else { return }
      let isSecond = count.withLock { count in
        count += 1
        return count == 2
      }
      if isSecond { throw fileError("cannot give a name to", "it", ENOSPC) }
    }
    #expect(throws: StintError.self) { try StoreFixture.commit(1, to: job) }
    try StoreFixture.commit(1, to: job)
    let again = PosixFileSystem()
    let folder = try again.openDirectory(at: job.path + "/partial")
    defer { again.close(folder) }
    for (name, byte) in [("a", UInt8(1)), ("b", 2)] {
      let file = try again.openFile(name, in: folder, .read)
      defer { again.close(file) }
      #expect(try again.readBytes(file, atMost: 10) == [byte])
    }
  }

  @Test("C6 a run that comes late to a job which another one took further leaves that work alone")
  func overtaken() throws {
    let late = try job(HookedFileSystem())
    try write([9, 9], to: try late.workspace.partialFile(named: "digits"))
    do {
      let first = try job(disk)
      try write([1, 2, 3], to: try first.workspace.partialFile(named: "digits"))
      try StoreFixture.commit(5, to: first)
    }
    expectError(.busy) { try StoreFixture.commit(1, to: late) }
    let next = try job(disk)
    #expect(try next.restore(StoreFixture.number(in:))?.state == 5)
    #expect(try bytes(of: try next.workspace.partialFile(named: "digits")) == [1, 2, 3])
  }

  @Test("C1 a file that is removed before the job has a directory is gone and begins empty")
  func removedEarly() throws {
    let job = try job(disk)
    try write([7], to: try job.workspace.partialFile(named: "digits"))
    try write([8], to: try job.workspace.partialFile(named: "more"))
    try job.workspace.removePartialFile(named: "digits")
    try job.workspace.removePartialFile(named: "more")
    #expect(try job.workspace.partialFile(named: "digits").sizeBytes == 0)
    try StoreFixture.commit(1, to: job)
    #expect(!disk.calls.contains("giveName more"))
  }

  @Test("C4 checkpoints stay when the journal has no room for the end of the job")
  func fullAtTheEnd() throws {
    do {
      let job = try job(disk)
      try StoreFixture.commit(1, to: job)
      disk.setHook { (call, name) throws(StintError) in
        if call == "append" { throw fileError("cannot append to", name, ENOSPC) }
      }
      job.record(.finished(sizeBytes: 1, checksum: "ab", workTime: .seconds(1)), durably: true)
      #expect(job.summary.finish != nil)
      expectError(errno: ENOSPC) { try job.removeCheckpoints() }
      disk.setHook { (_, _) throws(StintError) in }
    }
    let job = try job(disk)
    #expect(try job.restore(StoreFixture.number(in:))?.state == 1)
    job.record(.finished(sizeBytes: 1, checksum: "ab", workTime: .seconds(1)), durably: true)
    try job.removeCheckpoints()
    #expect(try job.restore(StoreFixture.number(in:))?.state == nil)
  }

  @Test("C4 a published file whose copy fails is closed once")
  func failedCopy() throws {
    let path: String
    do {
      let job = try job(disk)
      try write([1, 2], to: try job.workspace.partialFile(named: "result"))
      try StoreFixture.commit(1, to: job)
      path = job.path + "/partial/result"
    }
    #expect(Glibc.link(path, scratch.path + "/published") == 0)
    do {
      let job = try job(disk)
      once("rename", "result") { () throws(StintError) in throw fileError("full:", "it", ENOSPC) }
      #expect(throws: StintError.self) { try job.workspace.partialFile(named: "result") }
      #expect(try bytes(of: try job.workspace.partialFile(named: "result")) == [1, 2])
    }
    #expect(disk.closedTwice == [])
    #expect(disk.open == [])
  }

  @Test("C4 a job that cannot be opened leaves no descriptor behind, whichever call fails")
  func noDescriptorLeaks() throws {
    do {
      let job = try job(disk)
      try write([1, 2], to: try job.workspace.partialFile(named: "result"))
      try StoreFixture.commit(1, to: job)
      try StoreFixture.commit(2, to: job)
    }
    let calls = disk.calls.count
    _ = try job(disk)
    let needed = disk.calls.count - calls
    #expect(needed > 10)
    for number in 1...needed {
      let left = Protected(number)
      disk.setHook { (_, name) throws(StintError) in
        let isIt = left.withLock { left in
          left -= 1
          return left == 0
        }
        if isIt { throw fileError("planted:", name, EIO) }
      }
      _ = try? job(disk)
      #expect(disk.open == [], "call \(number), \(disk.calls.last ?? "")")
      #expect(disk.closedTwice == [], "call \(number)")
    }
  }
}

extension PartialFile {
  /// The last part of the path that a hook sees.
  fileprivate var name: String {
    (self as? JobPartialFile)?.file.path.split(separator: "/").last.map(String.init) ?? ""
  }
}
