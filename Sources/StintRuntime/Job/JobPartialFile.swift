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
    try fileSystem.writeAll(file, bytes, at: offset)
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

extension JobPartialFile: MappableFile {
  /// The descriptor as Linux names it; a file without a name is reached by it too.
  var descriptorPath: String? {
    fileSystem is PosixFileSystem ? "/proc/self/fd/\(file.descriptor)" : nil
  }
}
