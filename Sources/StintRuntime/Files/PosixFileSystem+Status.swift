import Glibc
package import StintCore

extension PosixFileSystem {
  package func list(_ directory: OpenFile) throws(StintError) -> [String] {
    try names(in: directory).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The same, byte by byte, also where that is not UTF-8.
  package func names(in directory: OpenFile) throws(StintError) -> [[UInt8]] {
    // A new description of the directory: its position in the listing is then nobody else's.
    let descriptor = openat(directory.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try check(descriptor, "cannot list", directory.path)
    guard let stream = fdopendir(descriptor) else {
      let code = errno
      _ = Glibc.close(descriptor)
      throw fileError("cannot list", directory.path, code)
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw fileError("cannot list", directory.path, errno) }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee))
        {
          UnsafeBufferPointer(start: $0, count: strlen($0)).map(UInt8.init(bitPattern:))
        }
      }
      if name != Array(".".utf8) && name != Array("..".utf8) { names.append(name) }
    }
  }

  package func status(
    of name: String, in directory: OpenFile
  ) throws(StintError) -> FileStatus {
    let path = try path(of: name, in: directory)
    var status = stat()
    let result = fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW)
    try check(result, "cannot look at", path)
    return FileStatus(status)
  }

  package func status(of file: OpenFile) throws(StintError) -> FileStatus {
    var status = stat()
    try check(fstat(file.descriptor, &status), "cannot look at", file.path)
    return FileStatus(status)
  }

  package func freeBytes(in directory: OpenFile) throws(StintError) -> Int {
    var status = statvfs()
    let result = restarted { fstatvfs(directory.descriptor, &status) }
    try check(result, "cannot see the free space of", directory.path)
    let (bytes, overflow) = Int(clamping: status.f_bavail)
      .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
    return overflow ? .max : bytes
  }
}

extension FileStatus {
  /// Takes over what the kernel says.
  init(_ status: stat) {
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFIFO: .fifo
      case S_IFSOCK: .socket
      case S_IFCHR, S_IFBLK: .device
      default: .regular
      }
    self.init(
      kind: kind, sizeBytes: Int(status.st_size), userID: status.st_uid,
      permissions: status.st_mode & 0o7777, device: UInt64(status.st_dev),
      inode: UInt64(status.st_ino), linkCount: Int(status.st_nlink))
  }
}
