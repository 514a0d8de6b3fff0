import Glibc
import StintCore
import StintRuntime

/// A file system that holds one file, in memory, under every name, and can only be read.
final class SingleFile: FileSystem {
  private let contents: [UInt8]
  /// Where reading ends, though the status says more: a file that somebody cuts at the same time.
  private let readableBytes: Int

  let directory = OpenFile(descriptor: 3, path: "/fuzz")

  init(_ contents: [UInt8], readableBytes: Int? = nil) {
    self.contents = contents
    self.readableBytes = min(readableBytes ?? contents.count, contents.count)
  }

  func openFile(
    _ name: String, in directory: OpenFile, _ mode: OpenMode
  ) throws(StintError) -> OpenFile {
    guard mode == .read else { throw refused("openFile") }
    return OpenFile(descriptor: 4, path: directory.path + "/" + name)
  }

  func status(of file: OpenFile) throws(StintError) -> FileStatus {
    FileStatus(kind: .regular, sizeBytes: contents.count, userID: 0, permissions: 0o600)
  }

  func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int {
    guard offset < readableBytes else { return 0 }
    let bytes = contents[offset..<min(readableBytes, offset + buffer.count)]
    buffer.copyBytes(from: bytes)
    return bytes.count
  }

  func startWriteback(_ file: OpenFile, from offset: Int, sizeBytes: Int) {}
  func unlock(_ file: OpenFile) {}
  func close(_ file: OpenFile) {}

  // MARK: What no reader calls

  private func refused(_ name: String) -> StintError {
    fatalError("a reader called \(name)")
  }

  func openDirectory(at path: String) throws(StintError) -> OpenFile { throw refused("open") }
  func makeDirectory(at path: String) throws(StintError) { throw refused("make") }
  func openDirectory(_ name: String, in directory: OpenFile) throws(StintError) -> OpenFile {
    throw refused("openDirectory")
  }
  func makeDirectory(_ name: String, in directory: OpenFile) throws(StintError) {
    throw refused("makeDirectory")
  }
  func list(_ directory: OpenFile) throws(StintError) -> [String] { throw refused("list") }
  func status(of name: String, in directory: OpenFile) throws(StintError) -> FileStatus {
    throw refused("status")
  }
  func renameOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) { throw refused("rename") }
  func renameExclusivelyOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) { throw refused("renameExclusively") }
  func linkOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) { throw refused("link") }
  func remove(_ name: String, in directory: OpenFile) throws(StintError) {
    throw refused("remove")
  }
  func removeDirectory(_ name: String, in directory: OpenFile) throws(StintError) {
    throw refused("removeDirectory")
  }
  func freeBytes(in directory: OpenFile) throws(StintError) -> Int { throw refused("freeBytes") }
  func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int { throw refused("write") }
  func append(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) throws(StintError) -> Int {
    throw refused("append")
  }
  func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(StintError) {
    throw refused("setPermissions")
  }
  func truncate(_ file: OpenFile, to sizeBytes: Int) throws(StintError) {
    throw refused("truncate")
  }
  func synchronize(_ file: OpenFile) throws(StintError) { throw refused("synchronize") }
  func synchronizeData(_ file: OpenFile) throws(StintError) { throw refused("synchronizeData") }
  func lock(_ file: OpenFile) throws(StintError) -> Bool { throw refused("lock") }
  func isLocked(_ file: OpenFile) throws(StintError) -> Bool { throw refused("isLocked") }
}
