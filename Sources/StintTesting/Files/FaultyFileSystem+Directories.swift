import Glibc
package import Stint
package import StintCore

// Calls that look at names and change them.

extension FaultyFileSystem {
  package func openDirectory(at path: String) throws(StintError) -> OpenFile {
    try perform(.openDirectory, path) { (disk, process, _) throws(StintError) in
      guard let found = disk.node(path) else { throw fileError("there is no", path, ENOENT) }
      guard found.kind == .directory else { throw fileError("no directory is", path, ENOTDIR) }
      return Self.open(found, path, &disk, &process)
    }
  }

  package func makeDirectory(at path: String) throws(StintError) {
    try perform(.makeDirectory, path) { (disk, _, _) throws(StintError) in
      let parts = path.split(separator: "/").map(String.init)
      guard let name = parts.last else { throw fileError("there already is", path, EEXIST) }
      guard let parent = disk.node(parts.dropLast().joined(separator: "/")) else {
        throw fileError("there is no parent of", path, ENOENT)
      }
      try Self.refuseExisting(name, in: parent, path)
      parent.entries[name] = disk.makeNode(.directory)
    }
  }

  package func openDirectory(
    _ name: String, in directory: OpenFile
  ) throws(StintError) -> OpenFile {
    try perform(.openDirectory, directory.path, name) { (disk, process, _) throws(StintError) in
      let path = try Self.path(of: name, in: directory)
      let found = try Self.child(name, of: Self.node(of: directory, process), path)
      if found.kind == .symbolicLink { throw fileError("a symbolic link is", path, ELOOP) }
      guard found.kind == .directory else { throw fileError("no directory is", path, ENOTDIR) }
      return Self.open(found, path, &disk, &process)
    }
  }

  package func makeDirectory(_ name: String, in directory: OpenFile) throws(StintError) {
    try perform(.makeDirectory, directory.path, name) { (disk, process, _) throws(StintError) in
      let path = try Self.path(of: name, in: directory)
      let parent = try Self.node(of: directory, process)
      try Self.refuseExisting(name, in: parent, path)
      parent.entries[name] = disk.makeNode(.directory)
    }
  }

  package func list(_ directory: OpenFile) throws(StintError) -> [String] {
    try perform(.list, directory.path) { (_, process, _) throws(StintError) in
      // In one order, so that a history is the same at every run.
      try Self.node(of: directory, process).entries.keys.sorted()
    }
  }

  package func status(
    of name: String, in directory: OpenFile
  ) throws(StintError) -> FileStatus {
    try perform(.status, directory.path, name) { (_, process, _) throws(StintError) in
      let path = try Self.path(of: name, in: directory)
      return Self.status(try Self.child(name, of: Self.node(of: directory, process), path))
    }
  }

  package func renameOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    try perform(.rename, newDirectory.path, newName) { (disk, process, _) throws(StintError) in
      try Self.move(name, in: directory, to: newName, in: newDirectory, disk, process)
    }
  }

  package func renameExclusivelyOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    try perform(.renameExclusively, newDirectory.path, newName) {
      (disk, process, _) throws(StintError) in
      let path = try Self.path(of: newName, in: newDirectory)
      try Self.refuseExisting(newName, in: try Self.node(of: newDirectory, process), path)
      try Self.move(name, in: directory, to: newName, in: newDirectory, disk, process)
    }
  }

  package func linkOnce(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile
  ) throws(StintError) {
    try perform(.link, newDirectory.path, newName) { (_, process, _) throws(StintError) in
      let path = try Self.path(of: name, in: directory)
      let linked = try Self.child(name, of: Self.node(of: directory, process), path)
      guard linked.kind != .directory else { throw fileError("a directory is", path, EPERM) }
      try Self.name(linked, newName, in: newDirectory, process)
    }
  }

  package func remove(_ name: String, in directory: OpenFile) throws(StintError) {
    try perform(.remove, directory.path, name) { (disk, process, _) throws(StintError) in
      let path = try Self.path(of: name, in: directory)
      let parent = try Self.node(of: directory, process)
      let removed = try Self.child(name, of: parent, path)
      guard removed.kind != .directory else { throw fileError("a directory is", path, EISDIR) }
      disk.takeName(name, of: removed, in: parent)
    }
  }

  package func removeDirectory(_ name: String, in directory: OpenFile) throws(StintError) {
    try perform(.removeDirectory, directory.path, name) { (_, process, _) throws(StintError) in
      let path = try Self.path(of: name, in: directory)
      let parent = try Self.node(of: directory, process)
      let removed = try Self.child(name, of: parent, path)
      guard removed.kind == .directory else { throw fileError("no directory is", path, ENOTDIR) }
      guard removed.entries.isEmpty else { throw fileError("not empty:", path, ENOTEMPTY) }
      parent.entries[name] = nil
    }
  }

  package func openNameless(in directory: OpenFile) throws(StintError) -> OpenFile {
    try perform(.openNameless, directory.path) { (disk, process, _) throws(StintError) in
      _ = try Self.node(of: directory, process)
      let made = disk.makeNode(.regular)
      made.linkCount = 0
      return Self.open(made, directory.path + "/(no name yet)", &disk, &process)
    }
  }

  package func giveNameOnce(
    _ name: String, in directory: OpenFile, to file: OpenFile
  ) throws(StintError) {
    try perform(.giveName, directory.path, name) { (_, process, _) throws(StintError) in
      try Self.name(Self.node(of: file, process), name, in: directory, process)
    }
  }

  package func freeBytes(in directory: OpenFile) throws(StintError) -> Int {
    // A disk that is full is a fault of the writes; this much is always said to be free.
    try perform(.freeBytes, directory.path) { (_, _, _) throws(StintError) in 1 << 50 }
  }

  // MARK: Names

  static func node(of file: OpenFile, _ process: Process) throws(StintError) -> DiskNode {
    guard let found = process.open[file.descriptor] else {
      throw fileError("not open:", file.path, EBADF)
    }
    return found
  }

  static func child(
    _ name: String, of directory: DiskNode, _ path: String
  ) throws(StintError) -> DiskNode {
    guard let found = directory.entries[name] else { throw fileError("there is no", path, ENOENT) }
    return found
  }

  /// The path of a name, after a check that it is one.
  static func path(of name: String, in directory: OpenFile) throws(StintError) -> String {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2F })
    else {
      throw fileError("\"\(name)\" is not a file name below", directory.path, EINVAL)
    }
    return directory.path == "/" ? "/" + name : directory.path + "/" + name
  }

  static func open(
    _ node: DiskNode, _ path: String, _ disk: inout MemoryDisk, _ process: inout Process
  ) -> OpenFile {
    disk.nextDescriptor += 1
    process.open[disk.nextDescriptor] = node
    node.open()
    return OpenFile(descriptor: disk.nextDescriptor, path: path)
  }

  static func status(_ node: DiskNode) -> FileStatus {
    FileStatus(
      kind: node.kind, sizeBytes: node.data.count, userID: node.userID,
      permissions: node.permissions, device: 1, inode: node.inode, linkCount: node.linkCount)
  }

  private static func refuseExisting(
    _ name: String, in directory: DiskNode, _ path: String
  ) throws(StintError) {
    if directory.entries[name] != nil { throw fileError("there already is", path, EEXIST) }
  }

  private static func move(
    _ name: String, in directory: OpenFile, to newName: String, in newDirectory: OpenFile,
    _ disk: MemoryDisk, _ process: Process
  ) throws(StintError) {
    let path = try path(of: name, in: directory)
    let newPath = try self.path(of: newName, in: newDirectory)
    let source = try node(of: directory, process)
    let target = try node(of: newDirectory, process)
    let moved = try child(name, of: source, path)
    if let replaced = target.entries[newName] {
      // Renaming one name of a file to another name of the same file does nothing (rename(2)).
      if replaced === moved { return }
      guard replaced.kind != .directory else { throw fileError("a directory is", newPath, EISDIR) }
      disk.takeName(newName, of: replaced, in: target)
    }
    source.entries[name] = nil
    target.entries[newName] = moved
  }

  private static func name(
    _ file: DiskNode, _ name: String, in directory: OpenFile, _ process: Process
  ) throws(StintError) {
    let parent = try node(of: directory, process)
    try refuseExisting(name, in: parent, try path(of: name, in: directory))
    file.linkCount += 1
    parent.entries[name] = file
  }
}
