import Glibc
import StintCore

@testable import Stint

/// A file system in memory that knows what is on disk and what only seems to be, and that fails on request.
final class MemoryFileSystem: FileSystem, @unchecked Sendable {
  // Unchecked: a test drives it from one thread.

  /// What happens at a call.
  enum Fault: Hashable {
    /// The call fails with this errno.
    case fail(Int32)
    /// A write takes only half of the bytes.
    case short
    /// Power goes: this call and all after it do nothing and fail.
    case crash
    /// A read gives bytes of which one is wrong.
    case corrupt
  }

  /// What of the bytes and names that were not synchronized survives a crash.
  enum Survival: Hashable {
    case nothing, everything
    case some(seed: UInt64)
  }

  final class Node {
    var kind: FileStatus.Kind
    var data: [UInt8] = []
    var durableData: [UInt8] = []
    var entries: [String: Node] = [:]
    var durableEntries: [String: Node] = [:]
    var lockedBy: Int32?
    var permissions: UInt32
    var linkCount = 1
    var userID: UInt32 = 1000

    init(_ kind: FileStatus.Kind) {
      self.kind = kind
      permissions = kind == .directory ? 0o700 : 0o600
    }
  }

  let root: Node
  /// Faults by the number of the call, from 1.
  var faults: [Int: Fault] = [:]
  /// The planted fault of the double itself: nothing ever gets to the disk.
  var ignoresSynchronize = false
  /// The same for directories alone: as if the process was ended right before it would wait for them.
  var ignoresSynchronizeOfDirectories = false
  private(set) var calls: [String] = []
  private var crashed = false
  private var open: [Int32: (node: Node, path: String)] = [:]
  private var nextDescriptor: Int32 = 3

  init(root: Node = Node(.directory)) {
    self.root = root
  }

  /// The disk as the next boot finds it.
  func rebooted(_ survival: Survival) -> MemoryFileSystem {
    var random = SplitMix64(seed: { if case .some(let seed) = survival { seed } else { 0 } }())
    var copies: [ObjectIdentifier: Node] = [:]
    func copy(_ node: Node) -> Node {
      if let copy = copies[ObjectIdentifier(node)] { return copy }
      let result = Node(node.kind)
      copies[ObjectIdentifier(node)] = result
      result.permissions = node.permissions
      result.userID = node.userID
      result.data = Self.survivors(node, survival, &random)
      for name in Set(node.entries.keys).union(node.durableEntries.keys).sorted() {
        let survivor =
          switch survival {
          case .nothing: node.durableEntries[name]
          case .everything: node.entries[name]
          case .some: Bool.random(using: &random) ? node.entries[name] : node.durableEntries[name]
          }
        if let survivor { result.entries[name] = copy(survivor) }
      }
      result.durableData = result.data
      result.durableEntries = result.entries
      return result
    }
    return MemoryFileSystem(root: copy(root))
  }

  private static func survivors(
    _ node: Node, _ survival: Survival, _ random: inout SplitMix64
  ) -> [UInt8] {
    switch survival {
    case .nothing: return node.durableData
    case .everything: return node.data
    case .some:
      let length = Bool.random(using: &random) ? node.data.count : node.durableData.count
      return (0..<length).map { _ in 0 }.enumerated().map { index, _ in
        // Sector by sector, small ones so that small files are torn too.
        let isNew = SplitMix64(seed: random.state &+ UInt64(index / 16)).first & 1 == 0
        let source = isNew ? node.data : node.durableData
        return index < source.count ? source[index] : 0
      }
    }
  }

  // MARK: Help for tests

  /// The node at a path.
  func node(_ path: String) -> Node? {
    path.split(separator: "/").reduce(root as Node?) { $0?.entries[String($1)] }
  }

  private func call(_ name: String, _ path: String) throws(StintError) -> Fault? {
    guard !crashed else { throw fileError("no power for \(name) of", path, EIO) }
    calls.append("\(name) \(path)")
    let fault = faults[calls.count]
    switch fault {
    case .crash:
      crashed = true
      throw fileError("power went at \(name) of", path, EIO)
    case .fail(let code):
      throw fileError("\(name) fails on", path, code)
    case .short, .corrupt, nil:
      return fault
    }
  }

  private func opened(_ node: Node, _ path: String) -> OpenFile {
    nextDescriptor += 1
    open[nextDescriptor] = (node, path)
    return OpenFile(descriptor: nextDescriptor, path: path)
  }

  private func node(of file: OpenFile) throws(StintError) -> Node {
    guard let found = open[file.descriptor] else { throw fileError("not open:", file.path, EBADF) }
    return found.node
  }

  private func child(_ name: String, of directory: OpenFile) throws(StintError) -> Node {
    guard let found = try node(of: directory).entries[name] else {
      throw fileError("there is no", directory.path + "/" + name, ENOENT)
    }
    return found
  }

  // MARK: Directories

  func openDirectory(at path: String) throws(StintError) -> OpenFile {
    _ = try call("openDirectory", path)
    guard let found = node(path) else { throw fileError("there is no", path, ENOENT) }
    return opened(found, path)
  }

  func makeDirectory(at path: String) throws(StintError) {
    _ = try call("makeDirectory", path)
    let parts = path.split(separator: "/").map(String.init)
    guard let parent = node(parts.dropLast().joined(separator: "/")), let name = parts.last else {
      throw fileError("there is no parent of", path, ENOENT)
    }
    guard parent.entries[name] == nil else { throw fileError("there already is", path, EEXIST) }
    parent.entries[name] = Node(.directory)
  }

  func openDirectory(_ name: String, in directory: OpenFile) throws(StintError) -> OpenFile {
    _ = try call("openDirectory", name)
    return opened(try child(name, of: directory), directory.path + "/" + name)
  }

  func makeDirectory(_ name: String, in directory: OpenFile) throws(StintError) {
    _ = try call("makeDirectory", name)
    let parent = try node(of: directory)
    guard parent.entries[name] == nil else { throw fileError("there already is", name, EEXIST) }
    parent.entries[name] = Node(.directory)
  }

  func list(_ directory: OpenFile) throws(StintError) -> [String] {
    _ = try call("list", directory.path)
    return Array(try node(of: directory).entries.keys)
  }

  func status(of name: String, in directory: OpenFile) throws(StintError) -> FileStatus {
    _ = try call("status", name)
    return status(try child(name, of: directory))
  }

  func rename(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    _ = try call("rename", newName)
    let moved = try child(name, of: directory)
    if let replaced = try node(of: newDirectory).entries[newName] {
      if replaced === moved { return }
      replaced.linkCount -= 1
    }
    try node(of: directory).entries[name] = nil
    try node(of: newDirectory).entries[newName] = moved
  }

  func renameExclusively(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    guard try node(of: newDirectory).entries[newName] == nil else {
      throw fileError("there already is", newName, EEXIST)
    }
    try rename(name, in: directory, to: newName, in: newDirectory)
  }

  func link(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    _ = try call("link", newName)
    guard try node(of: newDirectory).entries[newName] == nil else {
      throw fileError("there already is", newName, EEXIST)
    }
    let linked = try child(name, of: directory)
    linked.linkCount += 1
    try node(of: newDirectory).entries[newName] = linked
  }

  func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(StintError) {
    _ = try call("setPermissions", file.path)
    try node(of: file).permissions = permissions
  }

  func remove(_ name: String, in directory: OpenFile) throws(StintError) {
    _ = try call("remove", name)
    try child(name, of: directory).linkCount -= 1
    try node(of: directory).entries[name] = nil
  }

  func removeDirectory(_ name: String, in directory: OpenFile) throws(StintError) {
    _ = try call("removeDirectory", name)
    guard try child(name, of: directory).entries.isEmpty else {
      throw fileError("not empty:", name, ENOTEMPTY)
    }
    try node(of: directory).entries[name] = nil
  }

  func freeBytes(in directory: OpenFile) throws(StintError) -> Int {
    _ = try call("freeBytes", directory.path)
    return .max
  }

  // MARK: Files

  func openFile(
    _ name: String, in directory: OpenFile, _ mode: OpenMode
  ) throws(StintError) -> OpenFile {
    _ = try call("openFile", name)
    let parent = try node(of: directory)
    let path = directory.path + "/" + name
    if let found = parent.entries[name] {
      if mode == .create { throw fileError("there already is", path, EEXIST) }
      if found.kind == .symbolicLink { throw fileError("a link is", path, ELOOP) }
      return opened(found, path)
    }
    if mode == .read || mode == .update { throw fileError("there is no", path, ENOENT) }
    let made = Node(.regular)
    parent.entries[name] = made
    return opened(made, path)
  }

  func status(of file: OpenFile) throws(StintError) -> FileStatus {
    _ = try call("status", file.path)
    return status(try node(of: file))
  }

  func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int {
    let fault = try call("read", file.path)
    let data = try node(of: file).data
    guard offset < data.count else { return 0 }
    let bytes = data[offset..<min(data.count, offset + buffer.count)]
    buffer.copyBytes(from: bytes)
    if fault == .corrupt { buffer[bytes.count / 2] ^= 0x10 }
    return bytes.count
  }

  func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int {
    let fault = try call("write", file.path)
    let node = try node(of: file)
    let taken = fault == .short ? bytes.count / 2 : bytes.count
    if node.data.count < offset + taken {
      node.data += [UInt8](repeating: 0, count: offset + taken - node.data.count)
    }
    node.data.replaceSubrange(offset..<offset + taken, with: bytes[..<taken])
    return taken
  }

  func append(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) throws(StintError) -> Int {
    let fault = try call("append", file.path)
    let taken = fault == .short ? bytes.count / 2 : bytes.count
    try node(of: file).data += bytes[..<taken]
    return taken
  }

  func truncate(_ file: OpenFile, to sizeBytes: Int) throws(StintError) {
    _ = try call("truncate", file.path)
    let node = try node(of: file)
    node.data =
      Array(node.data.prefix(sizeBytes))
      + [UInt8](repeating: 0, count: max(0, sizeBytes - node.data.count))
  }

  func synchronize(_ file: OpenFile) throws(StintError) {
    _ = try call("synchronize", file.path)
    let node = try node(of: file)
    if ignoresSynchronize { return }
    if ignoresSynchronizeOfDirectories && node.kind == .directory { return }
    node.durableData = node.data
    node.durableEntries = node.entries
  }

  func synchronizeData(_ file: OpenFile) throws(StintError) {
    try synchronize(file)
  }

  func startWriteback(_ file: OpenFile, from offset: Int, sizeBytes: Int) {}

  func lock(_ file: OpenFile) throws(StintError) -> Bool {
    _ = try call("lock", file.path)
    let node = try node(of: file)
    if let holder = node.lockedBy, holder != file.descriptor { return false }
    node.lockedBy = file.descriptor
    return true
  }

  func unlock(_ file: OpenFile) {
    open[file.descriptor]?.node.lockedBy = nil
  }

  func isLocked(_ file: OpenFile) throws(StintError) -> Bool {
    _ = try call("isLocked", file.path)
    return try node(of: file).lockedBy != nil
  }

  func close(_ file: OpenFile) {
    guard let found = open.removeValue(forKey: file.descriptor) else { return }
    if found.node.lockedBy == file.descriptor { found.node.lockedBy = nil }
  }

  private func status(_ node: Node) -> FileStatus {
    FileStatus(
      kind: node.kind, sizeBytes: node.data.count, userID: node.userID,
      permissions: node.permissions, device: 1,
      inode: UInt64(UInt(bitPattern: ObjectIdentifier(node).hashValue)),
      linkCount: node.linkCount)
  }
}

/// A small seeded generator (Steele, Lea and Flood, OOPSLA 2014).
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// The first number that the seed gives.
  var first: UInt64 {
    var copy = self
    return copy.next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
