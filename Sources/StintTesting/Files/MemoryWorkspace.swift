import StintCore
package import StintRuntime

/// Partial files in memory.
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

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    let end = offset + bytes.count
    try content.withLock { content in
      if end > content.count { try resize(&content, to: end) }
      content.replaceSubrange(offset..<end, with: bytes)
    }
    afterWrite()
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    try content.withLock { content in
      guard offset >= 0, offset <= content.count, buffer.count <= content.count - offset else {
        throw StintError(.damaged, "The file ends before.")
      }
      buffer.copyBytes(from: content[offset..<offset + buffer.count])
    }
  }

  package func truncate(to sizeBytes: Int) throws {
    try content.withLock { try resize(&$0, to: sizeBytes) }
  }

  private func resize(_ content: inout [UInt8], to sizeBytes: Int) throws {
    guard (0...mostBytes).contains(sizeBytes) else { throw StintError(.io, "The disk is full.") }
    if content.count > sizeBytes { content.removeLast(content.count - sizeBytes) }
    content += [UInt8](repeating: 0, count: sizeBytes - content.count)
  }
}
