import Glibc
import StintCore

@testable import StintRuntime

/// The real file system, but every second name would be on another one.
final class NoLinksFileSystem: FileSystem {
  private let real = PosixFileSystem()

  func linkOnce(_: String, in _: OpenFile, to _: String, in directory: OpenFile) throws(StintError)
  {
    throw fileError("cannot link to", directory.path, EXDEV)
  }
}

extension NoLinksFileSystem {
  func openDirectory(at path: String) throws(StintError) -> OpenFile {
    try real.openDirectory(at: path)
  }
  func makeDirectory(at path: String) throws(StintError) { try real.makeDirectory(at: path) }
  func openDirectory(_ name: String, in directory: OpenFile) throws(StintError) -> OpenFile {
    try real.openDirectory(name, in: directory)
  }
  func makeDirectory(_ name: String, in directory: OpenFile) throws(StintError) {
    try real.makeDirectory(name, in: directory)
  }
  func list(_ directory: OpenFile) throws(StintError) -> [String] { try real.list(directory) }
  func status(of name: String, in directory: OpenFile) throws(StintError) -> FileStatus {
    try real.status(of: name, in: directory)
  }
  func renameOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    try real.renameOnce(name, in: directory, to: newName, in: newDirectory)
  }
  func renameExclusivelyOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    throw fileError("cannot rename exclusively", name, EINVAL)
  }
  func remove(_ name: String, in directory: OpenFile) throws(StintError) {
    try real.remove(name, in: directory)
  }
  func removeDirectory(_ name: String, in directory: OpenFile) throws(StintError) {
    try real.removeDirectory(name, in: directory)
  }
  func freeBytes(in directory: OpenFile) throws(StintError) -> Int {
    try real.freeBytes(in: directory)
  }
  func openFile(
    _ name: String, in directory: OpenFile, _ mode: OpenMode
  ) throws(StintError) -> OpenFile {
    try real.openFile(name, in: directory, mode)
  }
  func status(of file: OpenFile) throws(StintError) -> FileStatus { try real.status(of: file) }
  func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int {
    try real.read(file, into: buffer, at: offset)
  }
  func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int {
    try real.write(file, bytes, at: offset)
  }
  func append(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) throws(StintError) -> Int {
    try real.append(file, bytes)
  }
  func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(StintError) {
    try real.setPermissions(permissions, of: file)
  }
  func truncate(_ file: OpenFile, to sizeBytes: Int) throws(StintError) {
    try real.truncate(file, to: sizeBytes)
  }
  func synchronize(_ file: OpenFile) throws(StintError) { try real.synchronize(file) }
  func synchronizeData(_ file: OpenFile) throws(StintError) { try real.synchronizeData(file) }
  func startWriteback(_ file: OpenFile, from offset: Int, sizeBytes: Int) {}
  func lock(_ file: OpenFile) throws(StintError) -> Bool { try real.lock(file) }
  func unlock(_ file: OpenFile) { real.unlock(file) }
  func isLocked(_ file: OpenFile) throws(StintError) -> Bool { try real.isLocked(file) }
  func close(_ file: OpenFile) { real.close(file) }
}
