import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

/// The store below a job, which asks nobody and tells nobody unless it is given somebody.
@Suite("A checkpoint store by itself")
struct CheckpointStoreTests {
  private let disk = FaultyFileSystem()

  private func store() throws -> CheckpointStore {
    disk.makeDirectories("/checkpoints")
    return try CheckpointStore(
      fileSystem: disk, directory: try disk.openDirectory(at: "/checkpoints"),
      expected: CheckpointExpectation(
        kind: "test", parameterHash: Checksum128(high: 1, low: 2), stateVersion: 1),
      identity: StoreFixture.identity())
  }

  private func path(_ sequence: UInt64) -> String {
    "/checkpoints/" + Generations.name(of: sequence)
  }

  /// A store with the generations 2 and 3.
  private func filled() throws -> CheckpointStore {
    let store = try store()
    for number: UInt8 in 1...3 {
      let committed = try store.commit(
        StoreFixture.payload(number), workTime: .seconds(Int(number)))
      #expect(committed.sequence == UInt64(number))
    }
    #expect(try store.generations().newestFirst == [3, 2])
    return store
  }

  @Test("C2 a damaged generation is set aside and the one before is loaded")
  func damaged() throws {
    let store = try filled()
    disk.flipBit(200 * 8, of: path(3))
    let restored = try store.restore(StoreFixture.number(in:))
    #expect(restored?.state == 2 && restored?.sequence == 2)
    #expect(restored?.workTime == .seconds(2))
    #expect(try store.generations().setAside == ["000003.ckpt.bad"])
  }

  @Test("C2 a damaged generation in a folder that lets nothing be renamed stays, and that is told")
  func staysDamaged() throws {
    let store = try filled()
    disk.flipBit(200 * 8, of: path(3))
    disk.faults.add(.fail(EROFS), at: .rename, times: .max)
    #expect(try store.restore(StoreFixture.number(in:))?.state == 2)
    #expect(try store.generations().newestFirst == [3, 2])
    let told = Protected<[String]>([])
    let hooks = CheckpointStore.RestoreHooks(
      didSetAside: { file, _ in told.withLock { $0.append(file) } },
      notice: { sentence in told.withLock { $0.append(sentence) } })
    #expect(try store.restore(hooks: hooks, StoreFixture.number(in:))?.state == 2)
    let sentences = told.withLock { $0 }
    #expect(sentences.count == 1)
    #expect(sentences.first?.hasPrefix("000003.ckpt has damaged contents: ") == true)
    #expect(sentences.first?.contains("and it cannot be set aside: ") == true)
  }

  @Test("C2 an error of the device while a generation is decoded touches no file")
  func decodeError() throws {
    let store = try filled()
    let error = expectError(.io, errno: EIO) {
      try store.restore { _ in throw StintError(.io, "cannot read", errno: EIO) }
    }
    #expect(error?.message.hasPrefix("checkpoint 3 cannot be loaded: ") == true)
    #expect(try store.generations().newestFirst == [3, 2])
    #expect(try store.generations().setAside == [])
  }

  @Test("C2 a file that is shorter by the time it is read is damaged")
  func shrinks() throws {
    let scratch = ScratchDirectory()
    let real = HookedFileSystem()
    let job = try StoreFixture.job(
      on: real, at: scratch.path, identity: StoreFixture.identity(userID: geteuid()))
    for number: UInt8 in 1...2 { try StoreFixture.commit(number, to: job) }
    #expect(truncate(job.path + "/checkpoints/000002.ckpt", 200) == 0)
    // What the length was a moment ago.
    real.claimLength(328)
    #expect(try job.restore(StoreFixture.number(in:))?.state == 1)
    #expect(job.summary.setAside == ["000002.ckpt"])
    #expect(access(job.path + "/checkpoints/000002.ckpt.bad", F_OK) == 0)
  }
}
