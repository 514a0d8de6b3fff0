import Glibc
import StintCore

@testable import StintRuntime

/// The real file system, but a test sees every call before it happens, and may act, or fail it,
/// there.
final class HookedFileSystem: FileSystem {
  /// Called with the name of a call and the last part of its path; what it throws is the call's
  /// failure.
  typealias Hook = @Sendable (_ call: String, _ name: String) throws(StintError) -> Void

  struct State {
    var hook: Hook = { (_, _) throws(StintError) in }
    var calls: [String] = []
    var open: Set<Int32> = []
    var closedTwice: [String] = []
    var largestReadBytes = 0
    var writebacks: [Range<Int>] = []
    /// What every file's length is said to be.
    var claimedBytes: Int?
  }

  private let real = PosixFileSystem()
  private let state = Protected(State())

  /// What was called, as "call name".
  var calls: [String] { state.withLock { $0.calls } }
  /// The descriptors that are open.
  var open: Set<Int32> { state.withLock { $0.open } }
  /// What was closed without being open.
  var closedTwice: [String] { state.withLock { $0.closedTwice } }
  /// The most that was read at once.
  var largestReadBytes: Int { state.withLock { $0.largestReadBytes } }

  /// What the disk was asked to begin with.
  var writebacks: [Range<Int>] { state.withLock { $0.writebacks } }

  func setHook(_ hook: @escaping Hook) { state.withLock { $0.hook = hook } }
  func claimLength(_ sizeBytes: Int?) { state.withLock { $0.claimedBytes = sizeBytes } }

  private func call(_ call: String, _ path: String) throws(StintError) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let hook = state.withLock { state in
      state.calls.append("\(call) \(name)")
      return state.hook
    }
    try hook(call, name)
  }

  private func opened(_ file: OpenFile) -> OpenFile {
    state.withLock { _ = $0.open.insert(file.descriptor) }
    return file
  }

  private func claimed(_ status: FileStatus) -> FileStatus {
    var status = status
    if status.kind == .regular, let bytes = state.withLock({ $0.claimedBytes }) {
      status.sizeBytes = bytes
    }
    return status
  }
}

extension HookedFileSystem {
  func openDirectory(at path: String) throws(StintError) -> OpenFile {
    try call("openDirectory", path)
    return opened(try real.openDirectory(at: path))
  }
  func makeDirectory(at path: String) throws(StintError) {
    try call("makeDirectory", path)
    try real.makeDirectory(at: path)
  }
  func openDirectory(_ name: String, in directory: OpenFile) throws(StintError) -> OpenFile {
    try call("openDirectory", name)
    return opened(try real.openDirectory(name, in: directory))
  }
  func makeDirectory(_ name: String, in directory: OpenFile) throws(StintError) {
    try call("makeDirectory", name)
    try real.makeDirectory(name, in: directory)
  }
  func list(_ directory: OpenFile) throws(StintError) -> [String] {
    try call("list", directory.path)
    return try real.list(directory)
  }
  func status(of name: String, in directory: OpenFile) throws(StintError) -> FileStatus {
    try call("status", name)
    return claimed(try real.status(of: name, in: directory))
  }
  func renameOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    try call("rename", newName)
    try real.renameOnce(name, in: directory, to: newName, in: newDirectory)
  }
  func renameExclusivelyOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    try call("rename", newName)
    try real.renameExclusivelyOnce(name, in: directory, to: newName, in: newDirectory)
  }
  func linkOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    try call("link", newName)
    try real.linkOnce(name, in: directory, to: newName, in: newDirectory)
  }
  func remove(_ name: String, in directory: OpenFile) throws(StintError) {
    try call("remove", name)
    try real.remove(name, in: directory)
  }
  func openNameless(in directory: OpenFile) throws(StintError) -> OpenFile {
    try call("openNameless", directory.path)
    return opened(try real.openNameless(in: directory))
  }
  func giveNameOnce(
    _ name: String, in directory: OpenFile, to file: OpenFile
  ) throws(StintError) {
    try call("giveName", name)
    try real.giveNameOnce(name, in: directory, to: file)
  }
  func removeDirectory(_ name: String, in directory: OpenFile) throws(StintError) {
    try call("removeDirectory", name)
    try real.removeDirectory(name, in: directory)
  }
  func freeBytes(in directory: OpenFile) throws(StintError) -> Int {
    try real.freeBytes(in: directory)
  }
}

extension HookedFileSystem {
  func openFile(
    _ name: String, in directory: OpenFile, _ mode: OpenMode
  ) throws(StintError) -> OpenFile {
    try call("openFile", name)
    return opened(try real.openFile(name, in: directory, mode))
  }
  func status(of file: OpenFile) throws(StintError) -> FileStatus {
    claimed(try real.status(of: file))
  }
  func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int {
    try call("read", file.path)
    state.withLock { $0.largestReadBytes = max($0.largestReadBytes, buffer.count) }
    return try real.read(file, into: buffer, at: offset)
  }
  func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int {
    try call("write", file.path)
    return try real.write(file, bytes, at: offset)
  }
  func append(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) throws(StintError) -> Int {
    try call("append", file.path)
    return try real.append(file, bytes)
  }
  func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(StintError) {
    try real.setPermissions(permissions, of: file)
  }
  func truncate(_ file: OpenFile, to sizeBytes: Int) throws(StintError) {
    try call("truncate", file.path)
    try real.truncate(file, to: sizeBytes)
  }
  func synchronize(_ file: OpenFile) throws(StintError) {
    try call("synchronize", file.path)
    try real.synchronize(file)
  }
  func synchronizeData(_ file: OpenFile) throws(StintError) {
    try call("synchronizeData", file.path)
    try real.synchronizeData(file)
  }
  func startWriteback(_ file: OpenFile, from offset: Int, sizeBytes: Int) {
    state.withLock { $0.writebacks.append(offset..<offset + sizeBytes) }
  }

  func lock(_ file: OpenFile) throws(StintError) -> Bool { try real.lock(file) }
  func unlock(_ file: OpenFile) { real.unlock(file) }
  func isLocked(_ file: OpenFile) throws(StintError) -> Bool { try real.isLocked(file) }
  func close(_ file: OpenFile) {
    let wasOpen = state.withLock { state in
      let wasOpen = state.open.remove(file.descriptor) != nil
      if !wasOpen { state.closedTwice.append(file.path) }
      return wasOpen
    }
    // A descriptor that is closed already may be somebody else's by now.
    if wasOpen { real.close(file) }
  }
}
