import StintCore
import StintRuntime

/// Partial files in memory.
final class MemoryWorkspace: Workspace {
  private let files = Protected<[String: MemoryFile]>([:])

  func partialFile(named name: String) -> any PartialFile {
    file(name)
  }

  func file(_ name: String = "result") -> MemoryFile {
    files.withLock { files in
      if let file = files[name] { return file }
      let file = MemoryFile()
      files[name] = file
      return file
    }
  }

  func synchronize() {}

  func removePartialFile(named name: String) {
    files.withLock { $0[name] = nil }
  }

  /// The output as text.
  var text: String { String(decoding: file().bytes, as: UTF8.self) }
}

final class MemoryFile: PartialFile {
  private let contents = Protected<[UInt8]>([])

  var bytes: [UInt8] {
    get { contents.withLock { $0 } }
    set { contents.withLock { $0 = newValue } }
  }

  var sizeBytes: Int { contents.withLock { $0.count } }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    contents.withLock { contents in
      let end = offset + bytes.count
      if contents.count < end {
        contents += [UInt8](repeating: 0, count: end - contents.count)
      }
      contents.replaceSubrange(offset..<end, with: bytes)
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    try contents.withLock { contents in
      guard offset + buffer.count <= contents.count else {
        throw StintError(.damaged, "The file ends before.")
      }
      contents[offset..<offset + buffer.count].withUnsafeBytes { buffer.copyMemory(from: $0) }
    }
  }

  func truncate(to sizeBytes: Int) {
    contents.withLock { contents in
      if contents.count > sizeBytes { contents.removeLast(contents.count - sizeBytes) }
      contents += [UInt8](repeating: 0, count: sizeBytes - contents.count)
    }
  }
}
