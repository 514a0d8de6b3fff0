import Glibc
package import Stint
package import StintCore

// Calls on open files.

extension FaultyFileSystem {
  package func openFile(
    _ name: String, in directory: OpenFile, _ mode: OpenMode
  ) throws(StintError) -> OpenFile {
    try perform(.openFile, directory.path, name) { (disk, process, _) throws(StintError) in
      let path = try Self.path(of: name, in: directory)
      let parent = try Self.node(of: directory, process)
      if let found = parent.entries[name] {
        if mode == .create { throw fileError("there already is", path, EEXIST) }
        switch found.kind {
        case .symbolicLink: throw fileError("a symbolic link is", path, ELOOP)
        case .directory where mode != .read: throw fileError("a directory is", path, EISDIR)
        case .regular, .directory, .device, .fifo, .socket: break
        }
        return Self.open(found, path, &disk, &process)
      }
      if mode == .read || mode == .update { throw fileError("there is no", path, ENOENT) }
      let made = disk.makeNode(.regular)
      parent.entries[name] = made
      return Self.open(made, path, &disk, &process)
    }
  }

  package func status(of file: OpenFile) throws(StintError) -> FileStatus {
    try perform(.status, file.path) { (_, process, _) throws(StintError) in
      Self.status(try Self.node(of: file, process))
    }
  }

  package func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int {
    try perform(.read, file.path) { (_, process, fault) throws(StintError) in
      let node = try Self.node(of: file, process)
      guard node.kind != .directory else { throw fileError("a directory is", file.path, EISDIR) }
      let count = min(buffer.count, max(0, node.data.count - offset))
      guard count > 0 else { return 0 }
      node.data.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
      }
      if fault == .corrupt { buffer[count / 2] ^= 0x10 }
      return count
    }
  }

  package func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int {
    try perform(.write, file.path) { (_, process, fault) throws(StintError) in
      Self.put(bytes, into: try Self.node(of: file, process), at: offset, fault)
    }
  }

  package func append(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer
  ) throws(StintError) -> Int {
    try perform(.append, file.path) { (_, process, fault) throws(StintError) in
      let node = try Self.node(of: file, process)
      return Self.put(bytes, into: node, at: node.data.count, fault)
    }
  }

  package func setPermissions(
    _ permissions: UInt32, of file: OpenFile
  ) throws(StintError) {
    try perform(.setPermissions, file.path) { (_, process, _) throws(StintError) in
      try Self.node(of: file, process).permissions = permissions
    }
  }

  package func truncate(_ file: OpenFile, to sizeBytes: Int) throws(StintError) {
    try perform(.truncate, file.path) { (_, process, _) throws(StintError) in
      try Self.node(of: file, process).truncate(to: sizeBytes)
    }
  }

  package func synchronize(_ file: OpenFile) throws(StintError) {
    try wait(for: file, .synchronize)
  }

  package func synchronizeData(_ file: OpenFile) throws(StintError) {
    try wait(for: file, .synchronizeData)
  }

  package func startWriteback(_ file: OpenFile, from offset: Int, sizeBytes: Int) {
    // A hint: what it may have brought to the disk is among what a power loss may leave.
  }

  package func lock(_ file: OpenFile) throws(StintError) -> Bool {
    try perform(.lock, file.path) { (_, process, _) throws(StintError) in
      let node = try Self.node(of: file, process)
      if let holder = node.lockedBy, holder != file.descriptor { return false }
      node.lockedBy = file.descriptor
      return true
    }
  }

  package func unlock(_ file: OpenFile) {
    withoutCall { (_, process) in
      guard let node = process.open[file.descriptor] else { return }
      if node.lockedBy == file.descriptor { node.lockedBy = nil }
    }
  }

  package func isLocked(_ file: OpenFile) throws(StintError) -> Bool {
    try perform(.isLocked, file.path) { (_, process, _) throws(StintError) in
      let holder = try Self.node(of: file, process).lockedBy
      return holder != nil && holder != file.descriptor
    }
  }

  package func close(_ file: OpenFile) {
    withoutCall { (_, process) in
      guard let node = process.open.removeValue(forKey: file.descriptor) else { return }
      if node.lockedBy == file.descriptor { node.lockedBy = nil }
      node.close()
    }
  }

  private func wait(for file: OpenFile, _ kind: FileCall.Kind) throws(StintError) {
    try perform(kind, file.path) { (disk, process, _) throws(StintError) in
      let node = try Self.node(of: file, process)
      let isIgnored =
        switch disk.ignoredSynchronization {
        case .none: false
        case .directories: node.kind == .directory
        case .all: true
        }
      if !isIgnored { node.synchronize() }
    }
  }

  /// Writes what the fault lets through.
  private static func put(
    _ bytes: UnsafeRawBufferPointer, into node: DiskNode, at offset: Int, _ fault: FileFault?
  ) -> Int {
    let taken =
      switch fault {
      case .short: bytes.count / 2
      case .interrupted: min(bytes.count, max(1, bytes.count / 2))
      case .corrupt, .fail, .kill, .powerLoss, .repeated, nil: bytes.count
      }
    node.write(UnsafeRawBufferPointer(rebasing: bytes[..<taken]), at: offset)
    if fault == .corrupt, taken > 0 { node.data[offset + taken / 2] ^= 0x10 }
    return taken
  }
}
