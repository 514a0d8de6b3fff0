import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("Workspace")
struct WorkspaceTests {
  private func write(_ byte: UInt8, at offset: Int, to file: any PartialFile) throws {
    try withUnsafeBytes(of: byte) { try file.write($0, at: offset) }
  }

  @Test("C1 a checkpoint may count on every byte of partial output that was written before it")
  func durableBeforeCheckpoint() throws {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    for number: UInt8 in 1...3 {
      let file = try job.workspace.partialFile(named: "digits")
      try write(number, at: Int(number) - 1, to: file)
      try write(number, at: 0, to: try job.workspace.partialFile(named: "part-\(number)"))
      try StoreFixture.commit(number, to: job)
      let after = disk.rebooted(.nothing)
      #expect(after.node(job.path + "/partial/digits")?.data == Array(1...number))
      for part in 1...number {
        #expect(after.node(job.path + "/partial/part-\(part)")?.data == [part])
      }
    }
    try job.workspace.removePartialFile(named: "part-1")
    try job.workspace.removePartialFile(named: "part-1")
    try job.workspace.synchronize()
    #expect(disk.rebooted(.nothing).node(job.path + "/partial/part-1") == nil)
  }

  @Test("a worker learns what checkpoints took before, unless most of that was partial output")
  func history() throws {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    for number: UInt8 in 1...3 { try StoreFixture.commit(number, to: job) }
    let alone = try StoreFixture.job(on: disk.rebooted(.everything))
    #expect(alone.workHistory.checkpoints.count == 3)
    try write(1, at: 0, to: try job.workspace.partialFile(named: "digits"))
    try StoreFixture.commit(4, to: job)
    let beside = try StoreFixture.job(on: disk.rebooted(.everything))
    #expect(beside.workHistory.checkpoints.isEmpty)
    #expect(beside.workHistory.ran == alone.workHistory.ran)
  }

  @Test("the disk is asked to begin with long output while it is still being written")
  func writeback() throws {
    let folder = ScratchDirectory()
    let fileSystem = HookedFileSystem()
    let directory = try fileSystem.openDirectory(at: folder.path)
    defer { fileSystem.close(directory) }
    let file = JobPartialFile(
      file: try fileSystem.openFile("long", in: directory, .create), fileSystem: fileSystem)
    let piece = [UInt8](repeating: 7, count: 3 << 20)
    func append(at offset: Int) throws {
      try piece.withUnsafeBytes { try file.write($0, at: offset) }
    }
    try append(at: 0)
    try append(at: 3 << 20)
    // A table at the front is filled in meanwhile.
    try write(1, at: 100, to: file)
    #expect(fileSystem.writebacks.isEmpty)
    try append(at: 6 << 20)
    #expect(fileSystem.writebacks == [0..<9 << 20])
    // A process that goes on begins in the middle.
    for number in 20..<23 { try append(at: number * 3 << 20) }
    let inTheMiddle: Range<Int> = 60 << 20..<69 << 20
    #expect(fileSystem.writebacks == [0..<9 << 20, inTheMiddle])
    // Of two threads each may be the first; far before them the table goes on.
    for number in [24, 23, 26] {
      try append(at: number * 3 << 20)
      try write(1, at: 200, to: file)
    }
    #expect(fileSystem.writebacks.dropFirst(2) == [69 << 20..<81 << 20])
    // What came late is asked for with what follows.
    try append(at: 25 * 3 << 20)
    for number in 27..<29 { try append(at: number * 3 << 20) }
    #expect(fileSystem.writebacks.dropFirst(3) == [75 << 20..<87 << 20])
  }

  @Test("C4 partial output whose synchronization failed once is never taken for durable again")
  func failureStays() throws {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    let file = try job.workspace.partialFile(named: "digits")
    try write(1, at: 0, to: file)
    try StoreFixture.commit(1, to: job)
    try write(2, at: 1, to: file)
    disk.faults[disk.calls.count + 1] = .fail(EIO)
    for _ in 1...2 {
      expectError(errno: EIO) { try StoreFixture.commit(2, to: job) }
    }
    #expect(try job.restore(StoreFixture.number(in:))?.state == 1)
  }

  @Test(
    "the same name gives the same file, and a removed one begins empty, with and without a directory",
    arguments: [false, true])
  func names(isMaterialized: Bool) throws {
    let job = try StoreFixture.job(on: FaultyFileSystem())
    if isMaterialized { try job.materialize() }
    let first = try job.workspace.partialFile(named: "digits")
    try write(7, at: 9, to: first)
    let second = try job.workspace.partialFile(named: "digits")
    #expect(first === second)
    #expect(try second.sizeBytes == 10)
    try second.truncate(to: 4)
    #expect(try first.sizeBytes == 4)
    try job.workspace.removePartialFile(named: "digits")
    #expect(try job.workspace.partialFile(named: "digits").sizeBytes == 0)
  }
}
