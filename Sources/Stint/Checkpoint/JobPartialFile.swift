import StintCore

/// A file below `partial/`.
final class JobPartialFile: PartialFile {
  private struct State {
    var isDirty = false
    var failure: StintError?
  }

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
    state.withLock { $0.isDirty = true }
    try fileSystem.writeAll(file, bytes, at: offset)
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
    state.withLock { $0.isDirty = true }
    try fileSystem.truncate(file, to: sizeBytes)
  }

  /// Waits until everything that was written is on disk.
  ///
  /// After a failure the kernel takes the lost pages for clean, and the next call would succeed for nothing: the
  /// failure therefore stays with the file for the life of the process.
  func synchronize() throws(StintError) {
    let (isDirty, failure) = state.withLock { state in
      defer { state.isDirty = false }
      return (state.isDirty, state.failure)
    }
    if let failure { throw failure }
    guard isDirty else { return }
    do {
      try fileSystem.synchronizeData(file)
    } catch {
      state.withLock { $0.failure = error }
      throw error
    }
  }

  private func check(_ offset: Int) throws(StintError) {
    guard offset >= 0 else {
      throw StintError(.usage, "\(file.path) has no offset \(offset); the least is 0")
    }
  }
}
