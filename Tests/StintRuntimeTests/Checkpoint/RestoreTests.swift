import Foundation
import Glibc
import StintCore
import StintTesting
import Synchronization
import Testing

@testable import StintRuntime

@Suite("Restores")
struct RestoreTests {
  /// A disk with checkpoints 2 and 3, and the path of the newest.
  private func disk() throws -> (disk: FaultyFileSystem, newest: String) {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    for number: UInt8 in 1...3 { try StoreFixture.commit(number, to: job) }
    return (disk, try #require(StoreFixture.generations(of: job, on: disk).last))
  }

  /// Damages the newest file of a copy and expects the one before, and the file set aside.
  private func expectFallback(
    on original: FaultyFileSystem, newest: String, _ comment: Comment,
    damage: (inout [UInt8]) -> Void
  ) throws {
    let disk = original.rebooted(.everything)
    damage(&disk.node(newest)!.data)
    let job = try StoreFixture.job(on: disk)
    let restored = try job.restore(StoreFixture.number(in:))
    #expect(restored?.state == 2, comment)
    #expect(restored?.workTime == .seconds(2), comment)
    #expect(disk.node(newest) == nil, comment)
    #expect(disk.node(newest + ".bad") != nil, comment)
    #expect(job.summary.setAside == ["000003.ckpt"], comment)
  }

  @Test("R2 C2 the newest checkpoint cut off at every byte is set aside and the one before is used")
  func truncations() throws {
    let (disk, newest) = try disk()
    let size = try #require(disk.node(newest)).data.count
    #expect(size == 328)
    for length in 0..<size {
      try expectFallback(on: disk, newest: newest, "cut to \(length)") {
        $0.removeLast(size - length)
      }
    }
    try expectFallback(on: disk, newest: newest, "one byte more") { $0.append(0) }
  }

  @Test("C2 what two threads read is read whole, and a flipped bit in any part of it is seen")
  func largePayload() throws {
    // Two rounds of two pieces of 4 MiB, and what one thread reads.
    let size = (24 << 20) + 12_345
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    try StoreFixture.commit(1, to: job)
    var payload = CheckpointPayload()
    let block = (0..<UInt32(65_537)).map {
      UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 24)
    }
    var bytes: [UInt8] = []
    while bytes.count < size { bytes += block.prefix(size - bytes.count) }
    payload.append(bytes)
    let progress = WorkProgress(fraction: 0.5, phase: "")
    _ = try job.commit(payload, workTime: .seconds(2), progress: progress)
    let newest = try #require(StoreFixture.generations(of: job, on: disk).last)
    let whole = try StoreFixture.job(on: disk.rebooted(.everything)).restore { Data($0) }
    #expect(whole?.state == Data(bytes))
    for offset in [0, (4 << 20) - 1, 4 << 20, (8 << 20) + 5, 15 << 20, size - 1] {
      let damaged = disk.rebooted(.everything)
      damaged.node(newest)!.data[CheckpointHeader.sizeBytes + offset] ^= 4
      let restored = try StoreFixture.job(on: damaged).restore { Data($0) }
      #expect(restored?.state.count == 200, "offset \(offset)")
    }
  }

  @Test("R2 C2 every bit of the header flipped is detected")
  func headerBits() throws {
    let (disk, newest) = try disk()
    for bit in 0..<CheckpointHeader.sizeBytes * 8 {
      try expectFallback(on: disk, newest: newest, "bit \(bit)") { $0[bit / 8] ^= 1 << (bit % 8) }
    }
  }

  @Test("R2 C2 every byte of the header replaced is detected")
  func headerBytes() throws {
    let (disk, newest) = try disk()
    for index in 0..<CheckpointHeader.sizeBytes {
      for value: UInt8 in [0, 0x0A, 0x7F, 0xFF] where disk.node(newest)?.data[index] != value {
        try expectFallback(on: disk, newest: newest, "byte \(index) is \(value)") {
          $0[index] = value
        }
      }
    }
  }

  @Test(
    "R2 C2 random flips in the payload are detected: 2,000, and 10,000 in the long form",
    arguments: 1...8 as ClosedRange<UInt64>)
  func payloadFlips(seed: UInt64) throws {
    let (disk, newest) = try disk()
    var random = SeededGenerator(seed: seed)
    let isFull = ProcessInfo.processInfo.environment["STINT_FULL"] != nil
    for round in 0..<(isFull ? 1_250 : 250) {
      // A set, because the same flip twice is none.
      let flips = Set(
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
          Int.random(in: CheckpointHeader.sizeBytes * 8..<328 * 8, using: &random)
        })
      try expectFallback(on: disk, newest: newest, "seed \(seed), round \(round)") {
        for flip in flips { $0[flip / 8] ^= 1 << (flip % 8) }
      }
    }
  }

  @Test("C2 with no whole checkpoint left the error says so, now and at every later run")
  func nothingLeft() throws {
    let (disk, newest) = try disk()
    let before = newest.replacing("000003", with: "000002")
    disk.node(newest)?.data[200] ^= 1
    disk.node(before)?.data.removeLast()
    for _ in 1...2 {
      let job = try StoreFixture.job(on: disk)
      let error = expectError(.damaged, saying: "000003.ckpt", "000002.ckpt") {
        try job.restore { _ in Issue.record("garbage was decoded") }
      }
      #expect(error?.remedies.contains(.startOver) == true)
    }
    let fresh = try StoreFixture.job(on: disk, startsOver: true)
    #expect(try fresh.restore(StoreFixture.number(in:)) == nil)
  }

  @Test("C2 checkpoints that vanished are not mistaken for a new job")
  func vanished() throws {
    let (disk, newest) = try disk()
    for name in try #require(disk.node(newest.replacing("/000003.ckpt", with: ""))).entries.keys {
      disk.node(newest.replacing("/000003.ckpt", with: ""))?.entries[name] = nil
    }
    let job = try StoreFixture.job(on: disk)
    expectError(.damaged) { try job.restore(StoreFixture.number(in:)) }
  }

  @Test("C2 a payload that is no state is set aside too")
  func decodeFailure() throws {
    let (disk, newest) = try disk()
    let job = try StoreFixture.job(on: disk)
    let restored = try job.restore { payload -> UInt8 in
      let number = try StoreFixture.number(in: payload)
      if number == 3 { throw StintError(.damaged, "the pair's invariant does not hold") }
      return number
    }
    #expect(restored?.state == 2)
    #expect(disk.node(newest + ".bad") != nil)
  }

  @Test(
    "C2 an error of the device at any call of a restore is no damage: no file is touched",
    arguments: [EIO, EUCLEAN, ESTALE, ETIMEDOUT])
  func deviceErrors(code: Int32) throws {
    let (disk, newest) = try disk()
    let before = StoreFixture.generations(of: try StoreFixture.job(on: disk), on: disk)
    let whole = try StoreFixture.job(on: disk)
    let start = disk.calls.count
    #expect(try whole.restore(StoreFixture.number(in:))?.state == 3)
    let calls = disk.calls.count - start
    var failed = 0
    for offset in 1...calls {
      let copy = disk.rebooted(.everything)
      do {
        let job = try StoreFixture.job(on: copy)
        let from = copy.calls.count
        for call in from + offset..<from + offset + 40 { copy.faults[call] = .fail(code) }
        do {
          #expect(try job.restore(StoreFixture.number(in:))?.state == 3, "call \(offset)")
        } catch let error as StintError {
          failed += 1
          #expect(error.code == .io && error.errno == code, "call \(offset): \(error)")
        }
        #expect(StoreFixture.generations(of: job, on: copy) == before, "call \(offset)")
        copy.faults = [:]
      }
      let next = try StoreFixture.job(on: copy)
      #expect(try next.restore(StoreFixture.number(in:))?.state == 3, "call \(offset)")
      #expect(copy.node(newest) != nil)
    }
    #expect(failed > 3)
  }

  @Test("C2 a file server that is asked twice to set a damaged file aside has done so")
  func repeated() throws {
    let (disk, newest) = try disk()
    disk.flipBit(200 * 8, of: newest)
    disk.faults.add(.repeated, at: .rename, pathSuffix: ".bad")
    let told = Protected<[String]>([])
    let job = try StoreFixture.job(on: disk) { sentence in told.withLock { $0.append(sentence) } }
    #expect(try job.restore(StoreFixture.number(in:))?.state == 2)
    #expect(disk.calls.contains { $0.kind == .rename && $0.path == newest + ".bad" })
    #expect(disk.node(newest) == nil && disk.node(newest + ".bad") != nil)
    #expect(told.withLock { $0 }.allSatisfy { !$0.contains("cannot be set aside") })
  }

  @Test(
    "C2 an error of the device in the partial files is no damage either, however often it comes")
  func deviceErrorWhileDecoding() throws {
    let (disk, newest) = try disk()
    for _ in 1...5 {
      let job = try StoreFixture.job(on: disk)
      expectError(errno: EIO) {
        try job.restore { _ in throw StintError(.io, "cannot read", errno: EIO) }
      }
    }
    #expect(try StoreFixture.job(on: disk).restore(StoreFixture.number(in:))?.state == 3)
    #expect(disk.node(newest) != nil)
  }

  @Test("W10 a newest checkpoint that is gone is told once, with what is done again")
  func newestIsGone() throws {
    let (disk, newest) = try disk()
    let folder = newest.split(separator: "/").dropLast().joined(separator: "/")
    disk.node("/" + folder)?.entries["000003.ckpt"] = nil
    let catalog = try StoreFixture.catalog(of: disk.anotherProcess())
    let seen = catalog.summary(of: try #require(try catalog.keys().first))
    #expect(seen.lostCheckpoint == 3)
    #expect(seen.journal.lastCheckpoint?.fraction == 0.2)
    #expect(seen.journal.workTime == .seconds(2))
    let told = Protected<[String]>([])
    for run in 1...2 {
      let job = try StoreFixture.job(on: disk) { sentence in
        told.withLock { $0.append(sentence) }
      }
      #expect(try job.restore(StoreFixture.number(in:))?.state == 2)
      let sentences = told.withLock { $0 }
      #expect(sentences.count == 1, "run \(run): \(sentences)")
      #expect(sentences.first?.contains("000003.ckpt") == true)
      #expect(sentences.first?.contains("1s of work since checkpoint 2 is done again") == true)
      job.record(
        .stintBegan(budget: nil, end: nil, restoredSequence: 2, workTime: .seconds(2)),
        durably: false)
      #expect(job.summary.lastCheckpoint?.sequence == 2)
      #expect(job.summary.lastCheckpoint?.fraction == 0.2)
    }
    // Numbers are never used twice all the same.
    let next = try StoreFixture.job(on: disk)
    #expect(try StoreFixture.commit(4, to: next).sequence == 4)
  }

  @Test("C2 an error that is not damage leaves the files where they are")
  func otherErrors() throws {
    let (disk, newest) = try disk()
    let job = try StoreFixture.job(on: disk)
    #expect(throws: CancellationError.self) {
      try job.restore { _ in throw CancellationError() }
    }
    #expect(disk.node(newest) != nil)
    #expect(try job.restore(StoreFixture.number(in:))?.state == 3)
  }

  @Test("C5 a checkpoint of other parameters, kind or version is refused with both values named")
  func mismatches() throws {
    let (disk, newest) = try disk()
    let header = Array(try #require(disk.node(newest)).data[..<128])
    let whole = try CheckpointHeader(
      decoding: header, fileLength: 328, sequence: 3, digest: XXH3Checksum.digest)
    let other = Checksum128(high: 1, low: 2)
    let changes: [(String, String, (inout CheckpointHeader) -> Void)] = [
      ("image", "test", { $0.kind = "image" }),
      ("state version 2", "version 1", { $0.stateVersion = 2 }),
      (other.description, whole.parameterHash.description, { $0.parameterHash = other }),
    ]
    for (stored, expected, change) in changes {
      let disk = disk.rebooted(.everything)
      var changed = whole
      change(&changed)
      disk.node(newest)?.data.replaceSubrange(
        ..<128, with: changed.encoded(digest: XXH3Checksum.digest))
      let job = try StoreFixture.job(on: disk)
      expectError(.mismatch, saying: stored, expected) { try job.restore(StoreFixture.number(in:)) }
      #expect(disk.node(newest) != nil, "a whole file of somebody else's is not touched")
    }
  }

  @Test("R10 C7 a checkpoint that crashes the restart is tried three times, then the one before")
  func crashesRestart() throws {
    struct Crash: Error {}
    let (disk, newest) = try disk()
    let tried = Atomic<Int>(0)
    for run in 1...5 {
      let job = try StoreFixture.job(on: disk)
      let state = try? job.restore { payload -> UInt8 in
        let number = try StoreFixture.number(in: payload)
        if number == 3 {
          tried.add(1, ordering: .relaxed)
          throw Crash()
        }
        return number
      }.map(\.state)
      #expect(state == (run <= 3 ? nil : 2), "run \(run)")
    }
    #expect(tried.load(ordering: .relaxed) == 3)
    #expect(disk.node(newest + ".bad") != nil)
  }

  @Test("C7 a restart that went well, or was cut in order, is not counted as a crash")
  func provedRestart() throws {
    let (disk, _) = try disk()
    let ends: [JournalEvent] = [
      .restoreProved(sequence: 3), .stintEnded(reason: .didNotFit, saved: .zero, lost: .zero),
      .expiryAnnounced(reason: .timeElapsed, deadline: Instant(nanoseconds: 5), openTasks: ["w"]),
    ]
    for end in ends {
      for _ in 1...4 {
        let job = try StoreFixture.job(on: disk)
        #expect(try job.restore(StoreFixture.number(in:))?.state == 3)
        job.record(
          .stintBegan(budget: nil, end: nil, restoredSequence: 3, workTime: .seconds(3)),
          durably: false)
        job.record(end, durably: false)
      }
    }
  }

  @Test(
    "C1 what a restart goes on from is durable, even if its process was killed before it could wait for the folder"
  )
  func restoreMakesDurable() throws {
    let disk = FaultyFileSystem()
    try StoreFixture.commit(1, to: try StoreFixture.job(on: disk))
    // Killed after the rename of the second generation.
    disk.ignoredSynchronization = .directories
    try StoreFixture.commit(2, to: try StoreFixture.job(on: disk))
    disk.ignoredSynchronization = .none
    #expect(
      try StoreFixture.job(on: disk.rebooted(.nothing)).restore(StoreFixture.number(in:))?.state
        == 1)
    #expect(try StoreFixture.job(on: disk).restore(StoreFixture.number(in:))?.state == 2)
    // Now power goes.
    #expect(
      try StoreFixture.job(on: disk.rebooted(.nothing)).restore(StoreFixture.number(in:))?.state
        == 2)
  }

  @Test("C7 the last checkpoint of all is tried again rather than given up")
  func crashesLast() throws {
    struct Crash: Error {}
    let disk = FaultyFileSystem()
    try StoreFixture.commit(1, to: try StoreFixture.job(on: disk))
    for _ in 1...4 {
      #expect(throws: Crash.self) {
        try StoreFixture.job(on: disk).restore { _ in throw Crash() }
      }
    }
    #expect(try StoreFixture.job(on: disk).restore(StoreFixture.number(in:))?.state == 1)
  }
}
