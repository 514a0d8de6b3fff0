import Foundation
import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

/// A bit of partial output that flips between two processes never gets into a result.
@Suite("Flipped partial output")
struct FlippedOutputTests {
  private typealias Work = ReadBack<WritingComputation>

  private let scratch = ScratchDirectory()
  private static let piece = OutputChecksums.pieceBytes
  /// Two whole pieces and a part of a third.
  private static let blocks = [1 << 20, piece, piece, 1_000, 12_345]

  private func job(_ computation: WritingComputation) throws -> Job {
    try StoreFixture.job(
      on: PosixFileSystem(), at: scratch.path + "/jobs", kind: WritingComputation.kind,
      parameters: computation.parameters, identity: .current())
  }

  private func context(_ job: Job, stopFlag: StopFlag = StopFlag()) -> ChunkContext {
    ChunkContext(stopFlag: stopFlag, workspace: job.workspace)
  }

  private func save(_ state: Work.State, of work: Work, to job: Job) throws {
    var payload = CheckpointPayload()
    try work.encode(state, into: &payload)
    _ = try job.commit(
      payload, workTime: .seconds(1), progress: WorkProgress(fraction: 0.5, phase: ""))
  }

  private func restore(_ work: Work, _ job: Job) throws -> Work.State? {
    try job.restore { try work.decode($0, in: job.workspace) }?.state
  }

  /// Runs so many chunks and saves after each.
  private func begin(_ computation: WritingComputation, chunks: Int) throws -> String {
    let job = try job(computation)
    let work = Work(computation)
    var state = try work.start(in: job.workspace)
    for _ in 0..<chunks {
      state = try #require(try work.run(from: state, atMost: 1, in: context(job))).state
      try save(state, of: work, to: job)
    }
    return job.path
  }

  /// Runs everything that is left, with a checkpoint after each chunk.
  private func finish(_ computation: WritingComputation) throws -> [UInt8] {
    let job = try job(computation)
    let result = Protected<[UInt8]>([])
    var computation = computation
    computation.onFinish = { bytes in result.withLock { $0 = bytes } }
    let work = Work(computation)
    var state = try #require(try restore(work, job))
    while let next = work.outlook(of: state).next {
      state = try #require(try work.run(from: state, atMost: next.smallest, in: context(job))).state
      try save(state, of: work, to: job)
    }
    try work.finish(state, in: job.workspace)
    return result.withLock { $0 }
  }

  private func flip(_ path: String, at offset: Int) throws {
    let file = open(path + "/partial/" + WritingComputation.fileName, O_RDWR)
    defer { close(file) }
    var byte: UInt8 = 0
    try #require(pread(file, &byte, 1, offset) == 1)
    byte ^= 0x10
    try #require(pwrite(file, &byte, 1, offset) == 1)
  }

  @Test("C9 without a flip the result is the whole output", arguments: [false, true])
  func whole(isOutOfOrder: Bool) throws {
    let computation = WritingComputation(blocks: Self.blocks, isOutOfOrder: isOutOfOrder)
    _ = try begin(computation, chunks: 3)
    #expect(try finish(computation) == computation.output)
  }

  @Test(
    "C9 a flip in the last piece is found when the work goes on: the checkpoint before is used",
    arguments: [false, true])
  func lastPiece(isOutOfOrder: Bool) throws {
    let computation = WritingComputation(blocks: Self.blocks, isOutOfOrder: isOutOfOrder)
    let path = try begin(computation, chunks: 2)
    // The checkpoint before counts on one block alone, which is in another piece.
    try flip(path, at: computation.end(2) - 1)
    #expect(try finish(computation) == computation.output)
    #expect(FileManager.default.fileExists(atPath: path + "/checkpoints/000002.ckpt.bad"))
  }

  @Test(
    "C9 a flip anywhere else is found before the result is published",
    arguments: [0, 1 << 20, piece - 1, piece, piece + 77])
  func earlierPiece(offset: Int) throws {
    let computation = WritingComputation(blocks: Self.blocks)
    let path = try begin(computation, chunks: 4)
    try flip(path, at: offset)
    let error = #expect(throws: StintError.self) { try finish(computation) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("partial/output") == true, "\(error?.message ?? "")")
    // Run again, it is still found.
    #expect(throws: StintError.self) { try finish(computation) }
  }

  @Test("C9 bytes behind what the checkpoint counts on may be anything")
  func uncounted() throws {
    let computation = WritingComputation(blocks: Self.blocks)
    let job = try job(computation)
    let work = Work(computation)
    var state = try work.start(in: job.workspace)
    for _ in 0..<2 {
      state = try #require(try work.run(from: state, atMost: 1, in: context(job))).state
    }
    try save(state, of: work, to: job)
    _ = try work.run(from: state, atMost: 1, in: context(job))
    try flip(job.path, at: computation.end(3) - 5)
    #expect(try restore(work, job)?.base == 2)
    // The same process goes on from the older state, as after a chunk that was given up.
    let again = try #require(try work.run(from: state, atMost: 1, in: context(job))).state
    #expect(again.output.parts.map(\.end) == [computation.end(3)])
    #expect(
      again.output.parts[0].pieces.last
        == XXH3Checksum.digest(computation.bytes(2 * Self.piece..<computation.end(3))))
  }

  @Test("C9 a flip in what another process has read back is found before the result is published")
  func betweenCheckAndPublication() throws {
    let computation = WritingComputation(blocks: Self.blocks)
    let path = try begin(computation, chunks: 5)
    do {
      let job = try job(computation)
      let work = Work(computation)
      var state = try #require(try restore(work, job))
      while let next = work.outlook(of: state).next {
        state = try #require(try work.run(from: state, atMost: next.smallest, in: context(job)))
          .state
        try save(state, of: work, to: job)
      }
    }
    try flip(path, at: 3)
    #expect(throws: StintError.self) { try finish(computation) }
  }

  @Test("C4 C9 a disk that is full while output is read back costs nothing but that checkpoint")
  func fullDisk() throws {
    let computation = WritingComputation(blocks: Self.blocks)
    _ = try begin(computation, chunks: 5)
    let disk = HookedFileSystem()
    let work = Work(computation)
    do {
      let job = try StoreFixture.job(
        on: disk, at: scratch.path + "/jobs", kind: WritingComputation.kind,
        parameters: computation.parameters, identity: .current())
      var state = try #require(try restore(work, job))
      let next = try #require(work.outlook(of: state).next)
      state = try #require(try work.run(from: state, atMost: next.smallest, in: context(job))).state
      disk.setHook { (call, name) throws(StintError) in
        if call == "write", name.hasSuffix(".ckpt.tmp") {
          throw fileError("planted:", name, ENOSPC)
        }
      }
      #expect(throws: StintError.self) { try save(state, of: work, to: job) }
      disk.setHook { (_, _) throws(StintError) in }
    }
    #expect(try finish(computation) == computation.output)
  }

  @Test("C9 reading back stops at the flag, goes on where it was, and costs what it reads")
  func chunks() throws {
    let computation = WritingComputation(blocks: Self.blocks)
    _ = try begin(computation, chunks: 5)
    let job = try job(computation)
    let work = Work(computation)
    var state = try #require(try restore(work, job))
    let raised = StopFlag()
    raised.raise()
    #expect(try work.run(from: state, atMost: .infinity, in: context(job, stopFlag: raised)) == nil)
    var fractions: [Double] = []
    while let next = work.outlook(of: state).next {
      #expect(work.outlook(of: state).progress.phase == "checking")
      fractions.append(work.outlook(of: state).progress.fraction)
      let chunk = try #require(try work.run(from: state, atMost: next.smallest, in: context(job)))
      #expect(chunk.cost == next.smallest)
      state = chunk.state
    }
    #expect(fractions.count == 3)
    #expect(fractions == fractions.sorted())
  }

  @Test("a computation that counts on nothing has no checksums, and its checkpoints are version 1")
  func nothingCounted() throws {
    var computation = WritingComputation(blocks: Self.blocks)
    computation.counts = false
    let path = try begin(computation, chunks: 5)
    let newest = try Data(
      contentsOf: URL(fileURLWithPath: path + "/checkpoints/000005.ckpt"))
    #expect(newest[8] == 1)
    #expect(newest.count == CheckpointHeader.sizeBytes + 8)
    #expect(try finish(computation) == computation.output)
  }

  @Test(
    "C9 what an earlier version wrote has no checksums, is taken as it is, and goes on with some")
  func earlierVersion() throws {
    var computation = WritingComputation(blocks: Self.blocks)
    computation.counts = false
    let path = try begin(computation, chunks: 2)
    computation.counts = true
    // What was written since is checked.
    let job = try job(computation)
    let work = Work(computation)
    var state = try #require(try restore(work, job))
    state = try #require(try work.run(from: state, atMost: 1, in: context(job))).state
    let part = try #require(state.output.parts.first)
    #expect(part.start == 0)
    #expect(part.origin == computation.end(2))
    #expect(part.end == computation.end(3))
    try save(state, of: work, to: job)
    try flip(path, at: computation.end(3) - 1)
    var payload = CheckpointPayload()
    try work.encode(state, into: &payload)
    var bytes: [UInt8] = []
    payload.forEachSegment { bytes += $0 }
    #expect(throws: StintError.self) {
      try bytes.withUnsafeBytes { _ = try work.decode($0, in: job.workspace) }
    }
  }

  @Test("C9 a worker ends with `damaged`, and does not publish")
  func worker() async throws {
    var computation = WritingComputation(blocks: Self.blocks)
    let path = try begin(computation, chunks: 3)
    try flip(path, at: 0)
    let isPublished = Protected(false)
    computation.onFinish = { _ in isPublished.withLock { $0 = true } }
    let worker = Worker(
      computation, store: try job(computation), host: FakeHost(), options: WorkerOptions())
    worker.start()
    guard case .failed(let error) = await worker.outcome() else {
      Issue.record("the worker did not fail")
      return
    }
    #expect(error.code == .damaged)
    #expect(!isPublished.withLock { $0 })
  }

  @Test("C9 whatever is written where, the checksums are those of the bytes that are there")
  func anyWrites() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let job = try job(WritingComputation(blocks: [1]))
    let workspace = try #require(job.workspace as? JobWorkspace)
    let file = try workspace.file(named: "any")
    let starts = [0, 1_000, 5 << 20]
    var ends = starts
    for step in 0..<60 {
      let part = Int(random.next() % 3)
      let limit = part < 2 ? starts[part + 1] : .max
      // Mostly at the end; sometimes before it or behind it.
      let jitter = random.next() % 4 == 0 ? Int(random.next() % 3_000_000) - 1_500_000 : 0
      let offset = min(max(starts[part], ends[part] + jitter), limit - 1)
      let count = min(Int(random.next() % 2_000_000) + 1, limit - offset)
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: count)
      try bytes.withUnsafeBytes { try file.write($0, at: offset) }
      ends[part] = min(limit, max(offset + count, starts[part]))
      guard step % 5 == 4 else { continue }
      try file.truncate(to: max(file.sizeBytes, ends.max() ?? 0))
      let outputs = zip(starts, ends).map { PartialOutput("any", from: $0, upTo: $1) }
      for part in try workspace.keepChecksums(of: outputs) {
        for piece in part.pieces.indices {
          #expect(throws: Never.self, "seed \(seed), step \(step)") {
            try part.readBack(piece) { try file.read(into: $0, at: $1) }
          }
        }
      }
    }
  }

  @Test("C8 a record of partial output that is cut or claims too much is refused")
  func hostileRecord() throws {
    let part = OutputChecksums(
      file: "output", start: 0, origin: 5, end: 5 + Self.piece + 1,
      pieces: [Checksum128(high: 1, low: 2), Checksum128(high: 3, low: 4)])
    let record = OutputRecord(parts: [part], checkedBytes: 7)
    var payload = CheckpointPayload()
    payload.append([1, 2, 3])
    payload.append(record)
    var bytes: [UInt8] = []
    payload.forEachSegment { bytes += $0 }
    try bytes.withUnsafeBytes { buffer in
      let (state, found) = try OutputRecord.split(buffer)
      #expect(Array(state) == [1, 2, 3])
      #expect(found?.parts == [part])
      #expect(found?.checkedBytes == 7)
    }
    for index in 3..<bytes.count - 8 {
      var changed = bytes
      changed[index] = 0xFF
      // Refused, or another record; never a crash.
      _ = changed.withUnsafeBytes { try? OutputRecord.split($0) }
    }
    let length = bytes.count
    for count in 0..<length - 19 {
      let cut = Array(bytes[..<3]) + bytes[(3 + length - 19 - count)...]
      _ = cut.withUnsafeBytes { try? OutputRecord.split($0) }
    }
  }
}
