import StintCore
package import StintRuntime

/// Partial files in memory.
package final class MemoryWorkspace: Workspace {
  private let files = Protected<[String: MemoryFile]>([:])

  package init() {}

  package func partialFile(named name: String) -> any PartialFile { file(name) }

  package func file(_ name: String = "result") -> MemoryFile {
    files.withLock { files in
      if let file = files[name] { return file }
      let file = MemoryFile()
      files[name] = file
      return file
    }
  }

  package func synchronize() {}

  package func removePartialFile(named name: String) {
    files.withLock { $0[name] = nil }
  }

  /// The output as text.
  package var text: String { String(decoding: file().bytes, as: UTF8.self) }
}

/// A file in memory.
package final class MemoryFile: PartialFile {
  private let content: Protected<[UInt8]>
  /// Called after each write.
  private let afterWrite: @Sendable () -> Void

  package init(_ bytes: [UInt8] = [], afterWrite: @escaping @Sendable () -> Void = {}) {
    content = Protected(bytes)
    self.afterWrite = afterWrite
  }

  package var bytes: [UInt8] {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }

  package var sizeBytes: Int { content.withLock { $0.count } }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    content.withLock { content in
      let missing = offset + bytes.count - content.count
      if missing > 0 { content += [UInt8](repeating: 0, count: missing) }
      content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
    afterWrite()
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    try content.withLock { content in
      guard offset + buffer.count <= content.count else {
        throw StintError(.damaged, "The file ends before.")
      }
      buffer.copyBytes(from: content[offset..<offset + buffer.count])
    }
  }

  package func truncate(to sizeBytes: Int) {
    content.withLock { content in
      if content.count > sizeBytes { content.removeLast(content.count - sizeBytes) }
      content += [UInt8](repeating: 0, count: sizeBytes - content.count)
    }
  }
}
