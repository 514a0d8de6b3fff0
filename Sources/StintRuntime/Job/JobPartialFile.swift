import StintCore

/// A file below `partial/`.
final class JobPartialFile: PartialFile {
  private struct State {
    /// How many changes are complete, and how many of them are known to be on disk.
    var changes = 0
    var durableChanges = 0
    var failure: StintError?
    /// Where the newest bytes are that the disk has not been asked for, and how many.
    var unasked = 0..<0
    var unaskedBytes = 0
    /// The parts whose checksums are kept, by where they begin.
    var parts: [GrowingOutput] = []

    /// Tells each part of the bytes that were written to it.
    mutating func wrote(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
      let written = offset..<offset + bytes.count
      for index in parts.indices {
        let next = index + 1 < parts.count ? parts[index + 1].start : .max
        let range = written.clamped(to: parts[index].start..<next)
        guard !range.isEmpty else { continue }
        let piece = bytes[(range.lowerBound - offset)..<(range.upperBound - offset)]
        parts[index].wrote(UnsafeRawBufferPointer(rebasing: piece), at: range.lowerBound)
      }
    }

    /// Forgets what is known of the bytes from an offset on.
    mutating func cut(to offset: Int) {
      for index in parts.indices { parts[index].cut(to: offset) }
    }
  }

  /// The disk is asked to begin after that many bytes, so that waiting for it is short when
  /// somebody has to wait.
  private static let writebackBytes = 8 << 20

  let file: OpenFile
  private let fileSystem: any FileSystem
  private let state = Protected(State())

  init(file: OpenFile, fileSystem: any FileSystem) {
    self.file = file
    self.fileSystem = fileSystem
  }

  deinit {
    fileSystem.close(file)
  }

  var sizeBytes: Int {
    get throws { try fileSystem.status(of: file).sizeBytes }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    try check(offset)
    defer { changed() }
    do {
      try fileSystem.writeAll(file, bytes, at: offset)
    } catch {
      state.withLock { $0.cut(to: offset) }
      throw error
    }
    state.withLock { $0.wrote(bytes, at: offset) }
    beginWriteback(after: offset..<offset + bytes.count)
  }

  /// Asks for what has become long enough: pieces side by side, which several threads write in any
  /// order.
  ///
  /// Corrections far before them do not count.
  private func beginWriteback(after written: Range<Int>) {
    let run: Range<Int>? = state.withLock { state in
      let (old, near) = (state.unasked, Self.writebackBytes)
      if written.lowerBound - near > old.upperBound {
        (state.unasked, state.unaskedBytes) = (written, written.count)
      } else if written.upperBound > old.lowerBound - near {
        state.unasked =
          min(old.lowerBound, written.lowerBound)..<max(old.upperBound, written.upperBound)
        state.unaskedBytes += written.count
      }
      guard state.unaskedBytes >= Self.writebackBytes else { return nil }
      let end = state.unasked.upperBound
      defer { (state.unasked, state.unaskedBytes) = (end..<end, 0) }
      return state.unasked
    }
    guard let run else { return }
    fileSystem.startWriteback(file, from: run.lowerBound, sizeBytes: run.count)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    try check(offset)
    let count = try fileSystem.readAll(file, into: buffer, at: offset)
    guard count == buffer.count else {
      throw StintError(
        .damaged,
        "\(file.path) ends after \(offset + count) bytes, and \(offset + buffer.count) are needed")
    }
  }

  func truncate(to sizeBytes: Int) throws {
    try check(sizeBytes)
    defer { changed() }
    state.withLock { $0.cut(to: sizeBytes) }
    try fileSystem.truncate(file, to: sizeBytes)
  }

  /// Waits until everything that was written is on disk.
  ///
  /// After a failure the kernel takes the lost pages for clean, and the next call would succeed for
  /// nothing: the failure therefore stays with the file for the life of the process. Whoever comes
  /// while another call waits for the disk waits for it as well: the other one may fail yet.
  func synchronize() throws(StintError) {
    let (changes, durableChanges, failure) = state.withLock { state in
      (state.changes, state.durableChanges, state.failure)
    }
    if let failure { throw failure }
    guard changes > durableChanges else { return }
    do {
      try fileSystem.synchronizeData(file)
    } catch {
      state.withLock { $0.failure = error }
      throw error
    }
    state.withLock { $0.durableChanges = max($0.durableChanges, changes) }
  }

  /// Counts a change when it is complete: counted before, a checkpoint that waits for the disk in
  /// between would take it for durable, and the next one, which relies on it, would not wait again.
  private func changed() {
    state.withLock { $0.changes += 1 }
  }

  private func check(_ offset: Int) throws(StintError) {
    guard offset >= 0 else {
      throw StintError(.usage, "\(file.path) has no offset \(offset); the least is 0")
    }
  }
}

// MARK: Checksums

extension JobPartialFile {
  /// Keeps the checksums of a part up to an end; reads what was not written in order.
  ///
  /// Nobody writes meanwhile: a state counts on what its chunk has written.
  func keepChecksums(from start: Int, upTo end: Int) throws {
    var part = take(partAt: start) ?? GrowingOutput(start: start)
    defer { put(part) }
    part.cut(to: end)
    _ = try OutputChecksums.forEachMegabyte(of: part.end..<end, read) { bytes in
      part.append(bytes)
      return true
    }
  }

  /// Goes on from stored checksums, after the last piece has been read back.
  func goOn(from stored: OutputChecksums) throws {
    let last = stored.pieces.indices.last
    put(GrowingOutput(stored, last: try last.flatMap { try stored.readBack($0, read) }))
  }

  /// The checksums of all parts.
  func checksums(of name: String) -> [OutputChecksums] {
    state.withLock { state in state.parts.map { $0.checksums(of: name) } }
  }

  private func take(partAt start: Int) -> GrowingOutput? {
    state.withLock { state in
      state.parts.firstIndex { $0.start == start }.map { state.parts.remove(at: $0) }
    }
  }

  private func put(_ part: GrowingOutput) {
    state.withLock { state in
      state.parts.removeAll { $0.start == part.start }
      let place = state.parts.firstIndex { $0.start > part.start } ?? state.parts.endIndex
      state.parts.insert(part, at: place)
    }
  }
}

extension JobPartialFile: MappableFile {
  /// The descriptor as Linux names it; a file without a name is reached by it too.
  var descriptorPath: String? {
    fileSystem is PosixFileSystem ? "/proc/self/fd/\(file.descriptor)" : nil
  }
}
