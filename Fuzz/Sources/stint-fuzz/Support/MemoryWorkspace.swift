import StintCore
import StintRuntime

/// One partial file in memory, whatever its name.
///
/// One thread only.
final class MemoryWorkspace: Workspace, @unchecked Sendable {
  let file: MemoryFile

  init(_ bytes: [UInt8] = []) {
    file = MemoryFile(bytes)
  }

  func partialFile(named name: String) -> any PartialFile { file }
  func synchronize() {}
  func removePartialFile(named name: String) { file.bytes = [] }
}

/// The file of a ``MemoryWorkspace``.
final class MemoryFile: PartialFile, @unchecked Sendable {
  /// A file that would be larger is an error as of a full disk.
  private static let largestBytes = 1 << 20

  var bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var sizeBytes: Int { bytes.count }

  func write(_ new: UnsafeRawBufferPointer, at offset: Int) throws {
    let end = offset + new.count
    try truncate(to: max(bytes.count, end))
    bytes.replaceSubrange(offset..<end, with: new)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    guard offset >= 0, buffer.count <= bytes.count, offset <= bytes.count - buffer.count else {
      throw StintError(.damaged, "The file ends before.")
    }
    bytes[offset..<offset + buffer.count].withUnsafeBytes { buffer.copyMemory(from: $0) }
  }

  func truncate(to sizeBytes: Int) throws {
    guard (0...Self.largestBytes).contains(sizeBytes) else {
      throw StintError(.io, "The disk is full.")
    }
    if bytes.count > sizeBytes { bytes.removeLast(bytes.count - sizeBytes) }
    bytes += [UInt8](repeating: 0, count: sizeBytes - bytes.count)
  }
}
