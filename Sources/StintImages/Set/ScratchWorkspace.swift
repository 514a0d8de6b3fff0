#if Images
import StintRuntime
import StintCore

/// Partial files in memory, for images so small that nothing of them need outlive a process.
final class ScratchWorkspace: Workspace {
  private let files = Protected<[String: ScratchFile]>([:])

  func partialFile(named name: String) -> any PartialFile { file(named: name) }

  func file(named name: String) -> ScratchFile {
    files.withLock { files in
      if let file = files[name] { return file }
      let file = ScratchFile()
      files[name] = file
      return file
    }
  }

  func synchronize() {}

  func removePartialFile(named name: String) {
    files.withLock { $0[name] = nil }
  }
}

/// A file in memory.
final class ScratchFile: PartialFile {
  private let bytes = Protected<[UInt8]>([])

  var sizeBytes: Int { bytes.withLock { $0.count } }

  func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws {
    try check(offset)
    guard !source.isEmpty else { return }
    let rows = LentRows(source)
    bytes.withLock { bytes in
      if offset == bytes.count { return bytes.append(contentsOf: rows.bytes) }
      let end = offset + rows.bytes.count
      if bytes.count < end {
        bytes.append(contentsOf: repeatElement(0, count: end - bytes.count))
      }
      bytes.withUnsafeMutableBytes { target in
        UnsafeMutableRawBufferPointer(rebasing: target[offset..<end]).copyMemory(from: rows.bytes)
      }
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    try check(offset)
    let contents = bytes.withLock { $0 }
    guard offset + buffer.count <= contents.count else {
      throw StintError(
        .damaged,
        "A file in memory ends after \(contents.count) bytes, and \(offset + buffer.count) are needed."
      )
    }
    contents.withUnsafeBytes { bytes in
      buffer.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + buffer.count]))
    }
  }

  func truncate(to sizeBytes: Int) throws {
    try check(sizeBytes)
    bytes.withLock { bytes in
      if bytes.count > sizeBytes { bytes.removeLast(bytes.count - sizeBytes) }
      if bytes.count < sizeBytes {
        bytes.append(contentsOf: repeatElement(0, count: sizeBytes - bytes.count))
      }
    }
  }

  /// All of it.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try bytes.withLock { $0 }.withUnsafeBytes(body)
  }

  private func check(_ offset: Int) throws {
    guard offset >= 0 else {
      throw StintError(.usage, "A file in memory has no offset \(offset); the least is 0.")
    }
  }
}
#endif
