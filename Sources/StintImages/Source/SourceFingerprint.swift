#if Images
import StintRuntime
package import StintCore

/// Length and checksum of a source: a part of the job's parameters, so that work on one image never
/// goes on with another.
///
/// The checksum of a file of up to ``pieceBytes`` is its XXH3-128, as `xxhsum -H2` prints it; that
/// of a longer one is the XXH3-128 of the checksums of its pieces one after the other, so that
/// reading it can be interrupted like all other work.
package struct SourceFingerprint: Hashable, Sendable {
  /// The length of a piece.
  package static let pieceBytes = 64 << 20

  /// The length of the file.
  package var sizeBytes: Int
  package var checksum: Checksum128
}

extension SourceFingerprint {
  /// That of a file that nobody reads, for work that is only estimated.
  package static func none(of file: SourceFile) -> SourceFingerprint {
    SourceFingerprint(
      sizeBytes: file.identity.sizeBytes, checksum: Checksum128(high: 0, low: 0))
  }

  /// Puts the checksums of all pieces together.
  init(sizeBytes: Int, pieces: [Checksum128]) {
    self.init(
      sizeBytes: sizeBytes,
      checksum: pieces.count == 1 ? pieces[0] : XXH3Checksum.digest(pieces.flatMap(\.bytes)))
  }

  /// How many pieces a file of that length has.
  static func pieceCount(_ sizeBytes: Int) -> Int {
    max(1, sizeBytes / pieceBytes + (sizeBytes % pieceBytes > 0 ? 1 : 0))
  }
}

/// How far the reading of a source came.
package enum FingerprintOutcome: Hashable, Sendable {
  /// All of it was read.
  case complete(SourceFingerprint)
  /// It was asked to stop: the share that is read and remembered, how many pieces of it this time,
  /// and how many bytes were read.
  case stopped(fraction: Double, pieces: Int, bytesRead: Int)
}

extension SourceFile {
  /// Reads the file for its fingerprint, or takes what was read before.
  ///
  /// - Parameters:
  ///   - cache: What earlier runs have read.
  ///   - now: The wall clock, in nanoseconds since 1970.
  ///   - threads: How many pieces are read at once.
  ///   - shouldStop: Asked after each megabyte or so, on any thread.
  /// - Returns: The fingerprint, or how far it came.
  /// - Throws: ``StintError``: `io`, or `mismatch` if the file changes while it is read.
  package func fingerprint(
    cache: FingerprintCache, now: Int64, threads: Int = 1,
    shouldStop: @escaping @Sendable () -> Bool
  ) throws -> FingerprintOutcome {
    let known = cache.entry(for: identity)
    let count = SourceFingerprint.pieceCount(identity.sizeBytes)
    let bytesRead = Protected(0)
    var entry = known ?? FingerprintCache.Entry(identity: identity, readAt: now, pieces: [])
    while entry.pieces.count < count {
      let first = entry.pieces.count
      let batch = min(max(1, threads), count - first)
      let pieces = try Parallel.map(count: batch, threads: batch) { index in
        try self.piece(first + index, shouldStop: shouldStop) { count in
          bytesRead.withLock { $0 += count }
        }
      }
      // One that comes after one that was stopped is read again.
      let complete = pieces.prefix { $0 != nil }.compactMap(\.self)
      entry.pieces += complete
      if complete.count < batch { break }
    }
    try checkUnchanged()
    if entry.pieces.count > known?.pieces.count ?? 0 { cache.store(entry) }
    guard entry.pieces.count == count else {
      return .stopped(
        fraction: Double(entry.pieces.count) / Double(count),
        pieces: entry.pieces.count - (known?.pieces.count ?? 0),
        bytesRead: bytesRead.withLock { $0 })
    }
    return .complete(SourceFingerprint(sizeBytes: identity.sizeBytes, pieces: entry.pieces))
  }

  /// Reads the whole file without a pause.
  ///
  /// - Throws: ``StintError``: `io`, or `mismatch` if the file changes while it is read.
  func wholeFingerprint() throws(StintError) -> SourceFingerprint {
    var pieces: [Checksum128] = []
    for index in 0..<SourceFingerprint.pieceCount(identity.sizeBytes) {
      if let piece = try piece(index, shouldStop: { false }) { pieces.append(piece) }
    }
    try checkUnchanged()
    return SourceFingerprint(sizeBytes: identity.sizeBytes, pieces: pieces)
  }

  /// The checksum of a piece, or nil if it was asked to stop.
  ///
  /// - Parameters:
  ///   - index: Which one.
  ///   - shouldStop: Asked after each megabyte or so.
  ///   - didRead: Told how many bytes were read.
  /// - Returns: The checksum.
  /// - Throws: ``StintError`` with the code `io`.
  func piece(
    _ index: Int, shouldStop: () -> Bool, didRead: (Int) -> Void = { _ in }
  ) throws(StintError) -> Checksum128? {
    let begin = index * SourceFingerprint.pieceBytes
    let end = min(begin + SourceFingerprint.pieceBytes, identity.sizeBytes)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { buffer.deallocate() }
    let checksum = XXH3Checksum()
    let fileSystem = PosixFileSystem()
    for offset in stride(from: begin, to: end, by: buffer.count) {
      if shouldStop() { return nil }
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(end - offset))
      let count = try fileSystem.readAll(file, into: part, at: offset)
      didRead(count)
      checksum.update(UnsafeRawBufferPointer(rebasing: part[..<count]))
    }
    return checksum.value
  }

  /// Reads a file of one piece for its checksum, and holds its bytes if they are few.
  ///
  /// - Parameters:
  ///   - heldBytes: The largest file that is held.
  ///   - shouldStop: Asked after each megabyte or so of a file that is not held.
  /// - Returns: The checksum; nil if it was to stop.
  /// - Throws: ``StintError`` with the code `io`.
  func holdingPiece(
    atMost heldBytes: Int, shouldStop: () -> Bool
  ) throws(StintError) -> Checksum128? {
    guard identity.sizeBytes <= heldBytes else { return try piece(0, shouldStop: shouldStop) }
    let contents = PixelMemory(unsetBytes: identity.sizeBytes)
    let count = try PosixFileSystem().readAll(file, into: contents.buffer, at: 0)
    let checksum = XXH3Checksum()
    checksum.update(
      UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(contents.buffer)[..<count]))
    if count == identity.sizeBytes { held.withLock { $0 = contents } }
    return checksum.value
  }
}
#endif
