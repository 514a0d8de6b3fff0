import StintCore

/// Partial files in memory, for what need not outlive a process.
package final class MemoryWorkspace: Workspace {
  private let files = Protected<[String: MemoryFile]>([:])
  private let mostBytes: Int

  /// - Parameter mostBytes: A file that would be larger is an error as of a full disk.
  package init(mostBytes: Int = .max) {
    self.mostBytes = mostBytes
  }

  package func partialFile(named name: String) -> any PartialFile { file(name) }

  package func file(_ name: String = "result") -> MemoryFile {
    files.withLock { files in
      if let file = files[name] { return file }
      let file = MemoryFile(mostBytes: mostBytes)
      files[name] = file
      return file
    }
  }

  package func synchronize() {}

  package func removePartialFile(named name: String) {
    files.withLock { $0[name] = nil }
  }

  package var text: String { String(decoding: file().bytes, as: UTF8.self) }
}

/// A file in memory.
package final class MemoryFile: PartialFile {
  private let content: Protected<[UInt8]>
  private let mostBytes: Int
  /// Called after each write.
  private let afterWrite: @Sendable () -> Void

  package init(
    _ bytes: [UInt8] = [], mostBytes: Int = .max, afterWrite: @escaping @Sendable () -> Void = {}
  ) {
    content = Protected(bytes)
    self.mostBytes = mostBytes
    self.afterWrite = afterWrite
  }

  package var bytes: [UInt8] {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }

  package var sizeBytes: Int { content.withLock { $0.count } }

  package func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws {
    try check(offset)
    guard !source.isEmpty else { return }
    let end = offset + source.count
    try content.withLock { content in
      if end > content.count { try resize(&content, to: end) }
      content.withUnsafeMutableBytes { target in
        UnsafeMutableRawBufferPointer(rebasing: target[offset..<end]).copyMemory(from: source)
      }
    }
    afterWrite()
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    try check(offset)
    let (end, overflow) = offset.addingReportingOverflow(buffer.count)
    try withBytes { bytes in
      guard !overflow, end <= bytes.count else {
        throw StintError(
          .damaged, "A file in memory ends after \(bytes.count) bytes, and \(end) are needed.")
      }
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
    }
  }

  package func truncate(to sizeBytes: Int) throws {
    try check(sizeBytes)
    try content.withLock { try resize(&$0, to: sizeBytes) }
  }

  /// All of it.
  package func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try bytes.withUnsafeBytes(body)
  }

  private func resize(_ content: inout [UInt8], to sizeBytes: Int) throws {
    guard sizeBytes <= mostBytes else { throw StintError(.io, "The disk is full.") }
    if content.count > sizeBytes { content.removeLast(content.count - sizeBytes) }
    content.append(contentsOf: repeatElement(0, count: sizeBytes - content.count))
  }

  private func check(_ offset: Int) throws {
    guard offset >= 0 else {
      throw StintError(.usage, "A file in memory has no offset \(offset); the least is 0.")
    }
  }
}
