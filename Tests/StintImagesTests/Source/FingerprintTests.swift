#if Images
import Glibc
import StintRuntime
import StintCore
import Testing

@testable import StintImages

@Suite("Fingerprints of sources")
struct FingerprintTests {
  let folder: ImageFolder
  let jobs: ImageFolder

  init() throws {
    folder = try ImageFolder()
    jobs = try ImageFolder()
  }

  var cache: FingerprintCache { FingerprintCache(jobsDirectory: jobs.path) }

  /// Long after the files of the test were written.
  var later: Int64 { StoreIdentity.current().wallClock() + 60_000_000_000 }

  /// A file of two pieces and a bit, almost all of it a hole.
  func longFile() throws -> SourceFile {
    let path = try folder.write([1, 2, 3], "long")
    truncate(path, 2 * SourceFingerprint.pieceBytes + 5)
    return try SourceFile(path)
  }

  func complete(_ outcome: FingerprintOutcome) -> SourceFingerprint? {
    if case .complete(let fingerprint) = outcome { fingerprint } else { nil }
  }

  @Test("a short file has the checksum of its bytes, and leaves nothing beside the jobs")
  func short() throws {
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let file = try SourceFile(folder.write(bytes, "short"))
    let outcome = try file.fingerprint(cache: cache, now: later, shouldStop: { false })
    #expect(
      outcome
        == .complete(
          SourceFingerprint(sizeBytes: 10_000, checksum: XXH3Checksum.digest(bytes))))
    #expect(jobs.names == [])
  }

  @Test("a long one is that of its pieces, and one bit anywhere changes it")
  func long() throws {
    let file = try longFile()
    let whole = try complete(
      file.fingerprint(cache: cache, now: later, shouldStop: { false }))
    let zeros = [UInt8](repeating: 0, count: SourceFingerprint.pieceBytes)
    var first = zeros
    first.replaceSubrange(0..<3, with: [1, 2, 3])
    let pieces = [first, zeros, [UInt8](repeating: 0, count: 5)].map { XXH3Checksum.digest($0) }
    #expect(whole?.checksum == XXH3Checksum.digest(pieces.flatMap(\.bytes)))
    let descriptor = open(folder.path("long"), O_WRONLY | O_CLOEXEC)
    var byte: UInt8 = 1
    pwrite(descriptor, &byte, 1, 2 * SourceFingerprint.pieceBytes + 4)
    close(descriptor)
    let other = try SourceFile(folder.path("long"))
      .fingerprint(cache: cache, now: later, shouldStop: { false })
    #expect(complete(other) != nil && complete(other) != whole)
  }

  @Test("what was read before a stop is remembered, and the next run reads the rest alone")
  func resumed() throws {
    let file = try longFile()
    let whole = try complete(
      file.fingerprint(cache: FingerprintCache(jobsDirectory: "/nowhere"), now: later) { false })
    var stops = 0
    // Every run may look at a piece of sixty-four megabytes.
    for expected in [1.0 / 3, 2.0 / 3] {
      let left = Protected(64)
      let outcome = try file.fingerprint(cache: cache, now: later) {
        left.withLock { left in
          left -= 1
          return left < 0
        }
      }
      // The megabytes of the piece that was cut count as read, although they are not remembered.
      #expect(outcome == .stopped(fraction: expected, pieces: 1, bytesRead: 64 << 20))
      stops += 1
    }
    let looks = Protected(0)
    let last = try file.fingerprint(cache: cache, now: later) {
      looks.withLock { $0 += 1 }
      return false
    }
    #expect(complete(last) == whole)
    #expect(looks.withLock { $0 } == 1)
    let again = try file.fingerprint(cache: cache, now: later, shouldStop: { true })
    #expect(complete(again) == whole)
    #expect(stops == 2 && jobs.names == [FingerprintCache.fileName])
  }

  @Test("several pieces are read at once, and those after one that was stopped are read again")
  func threads() throws {
    let file = try longFile()
    let nowhere = FingerprintCache(jobsDirectory: "/nowhere")
    let whole = try complete(file.fingerprint(cache: nowhere, now: later) { false })
    for threads in [2, 3, 8] {
      let outcome = try file.fingerprint(cache: nowhere, now: later, threads: threads) { false }
      #expect(complete(outcome) == whole)
    }
    // Whichever piece sees it, the stop leaves none out in between.
    let left = Protected(100)
    let cut = try file.fingerprint(cache: cache, now: later, threads: 2) {
      left.withLock { left in
        left -= 1
        return left < 0
      }
    }
    guard case .stopped = cut else {
      Issue.record("it was not stopped")
      return
    }
    let rest = try file.fingerprint(cache: cache, now: later, threads: 2) { false }
    #expect(complete(rest) == whole)
  }

  @Test("a file that was changed shortly before it was read is not trusted the next time")
  func racy() throws {
    let file = try longFile()
    let soon = max(file.identity.modified, file.identity.changed) + 1_999_999_999
    _ = try file.fingerprint(cache: cache, now: soon, shouldStop: { false })
    #expect(
      try file.fingerprint(cache: cache, now: soon, shouldStop: { true })
        == .stopped(fraction: 0, pieces: 0, bytesRead: 0))
    _ = try file.fingerprint(cache: cache, now: soon + 1, shouldStop: { false })
    #expect(
      try complete(file.fingerprint(cache: cache, now: soon, shouldStop: { true })) != nil)
  }

  @Test("R2 a cache with any byte changed or missing is ignored")
  func damaged() throws {
    let file = try longFile()
    _ = try file.fingerprint(cache: cache, now: later, shouldStop: { false })
    let bytes = try jobs.bytes(FingerprintCache.fileName)
    #expect(FingerprintCache.decoded(bytes).count == 1)
    for offset in bytes.indices {
      var changed = bytes
      changed[offset] ^= 1
      #expect(FingerprintCache.decoded(changed) == [], "byte \(offset)")
      #expect(FingerprintCache.decoded(Array(bytes[..<offset])) == [], "cut at \(offset)")
    }
    #expect(cache.entry(for: file.identity) != nil)
    try jobs.write(Array(bytes.dropLast()), FingerprintCache.fileName)
    #expect(cache.entry(for: file.identity) == nil)
  }

  @Test("C8 a cache of somebody else is ignored")
  func foreign() throws {
    let file = try longFile()
    _ = try file.fingerprint(cache: cache, now: later, shouldStop: { false })
    let foreign = FingerprintCache(jobsDirectory: jobs.path, userID: getuid() + 1)
    #expect(cache.entry(for: file.identity) != nil)
    #expect(foreign.entry(for: file.identity) == nil)
  }

  @Test("only so many files are remembered, the last ones")
  func limit() throws {
    for number in 0..<FingerprintCache.mostEntries + 3 {
      let identity = SourceFile.Identity(
        device: 1, inode: UInt64(number), sizeBytes: FingerprintCache.leastBytes, modified: 0,
        changed: 0)
      cache.store(
        .init(
          identity: identity, readAt: later, pieces: [Checksum128(high: 0, low: UInt64(number))]))
    }
    let entries = FingerprintCache.decoded(try jobs.bytes(FingerprintCache.fileName))
    #expect(entries.count == FingerprintCache.mostEntries)
    #expect(entries.first?.identity.inode == UInt64(FingerprintCache.mostEntries + 2))
  }
}
#endif
