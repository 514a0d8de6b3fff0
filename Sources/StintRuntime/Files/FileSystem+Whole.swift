import Glibc
package import StintCore

extension FileSystem {
  /// Writes all of the bytes; short writes are continued.
  package func writeAll(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StintError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = try write(file, rest, at: offset + done)
      guard count > 0 else { throw fileError("cannot write", file.path, ENOSPC) }
      done += count
    }
  }

  /// Writes all of an array.
  package func writeAll(
    _ file: OpenFile, _ bytes: [UInt8], at offset: Int
  ) throws(StintError) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(StintError) in
      try writeAll(file, UnsafeRawBufferPointer(buffer), at: offset)
    }
  }

  /// Reads until the buffer is full or the file ends.
  ///
  /// - Returns: The number of bytes read; fewer than the buffer holds only at the end of the file.
  package func readAll(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StintError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try read(file, into: rest, at: offset + done)
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads a file from an offset into an array: at most so many bytes, fewer at the end of the
  /// file.
  package func readBytes(
    _ file: OpenFile, at offset: Int = 0, atMost limit: Int
  ) throws(StintError) -> [UInt8] {
    let size = min(limit, max(0, try status(of: file).sizeBytes - offset))
    var bytes = [UInt8](repeating: 0, count: size)
    let count = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(StintError) in
      try readAll(file, into: UnsafeMutableRawBufferPointer(buffer), at: offset)
    }
    bytes.removeLast(size - count)
    return bytes
  }

  /// Copies all of a file through a buffer of fixed size; gives the length and the checksum.
  package func copy(
    _ source: OpenFile, to target: OpenFile
  ) throws(StintError) -> (sizeBytes: Int, checksum: Checksum128) {
    try forEachPiece(of: source) { (piece, offset) throws(StintError) in
      try writeAll(target, piece, at: offset)
    }
  }

  /// Reads a file from an offset through a buffer of fixed size, at most so many bytes: calls the
  /// body with each piece and its offset, and gives the length and the checksum of what was read.
  package func forEachPiece(
    of file: OpenFile, from start: Int = 0, atMost limit: Int = .max,
    _ body: (UnsafeRawBufferPointer, Int) throws(StintError) -> Void = { (_, _) in }
  ) throws(StintError) -> (sizeBytes: Int, checksum: Checksum128) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(1 << 20, max(1, limit)), alignment: 64)
    defer { buffer.deallocate() }
    let checksum = XXH3Checksum()
    var done = 0
    while done < limit {
      let space = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(limit - done))
      let count = try readAll(file, into: space, at: start + done)
      let piece = UnsafeRawBufferPointer(rebasing: space[..<count])
      checksum.update(piece)
      if count > 0 { try body(piece, start + done) }
      done += count
      if count < space.count { break }
    }
    return (done, checksum.value)
  }

  /// Puts a small file in place atomically and durably: temporary name, write, fsync, rename, fsync
  /// the folder.
  package func replace(
    _ name: String, in directory: OpenFile, with bytes: [UInt8]
  ) throws(StintError) {
    let temporary = name + ".tmp"
    try removeIfPresent(temporary, in: directory)
    let file = try stage(temporary, as: name, in: directory) { (file) throws(StintError) in
      try writeAll(file, bytes, at: 0)
    }
    close(file)
    try synchronize(directory)
  }

  /// Makes a file under a temporary name, fills it, and when it is durable gives it its name.
  ///
  /// - Returns: The file, which is open; its name is not durable yet.
  package func stage(
    _ temporary: String, as name: String, in directory: OpenFile,
    fill: (OpenFile) throws(StintError) -> Void
  ) throws(StintError) -> OpenFile {
    let file = try openFile(temporary, in: directory, .create)
    do throws(StintError) {
      try fill(file)
      try synchronize(file)
      try rename(temporary, in: directory, to: name, in: directory)
      return file
    } catch {
      close(file)
      try? remove(temporary, in: directory)
      throw error
    }
  }

  /// The permissions of the file that is replaced, else those of any new file of this user.
  package func permissions(
    replacing name: String, in directory: OpenFile
  ) throws(StintError) -> UInt32 {
    // Those of a link are everybody's and mean nothing.
    if let replaced = try ifPresent(status(of: name, in: directory)), replaced.kind == .regular {
      return replaced.permissions & 0o777
    }
    return 0o666 & ~StoreIdentity.fileModeMask
  }

  /// Removes a file if it exists.
  package func removeIfPresent(_ name: String, in directory: OpenFile) throws(StintError) {
    try ifPresent(remove(name, in: directory))
  }

  /// Opens a directory below another, making it first if it does not exist.
  ///
  /// The name of a new one is not durable yet.
  package func openOrMakeDirectory(
    _ name: String, in directory: OpenFile
  ) throws(StintError) -> OpenFile {
    if let found = try ifPresent(openDirectory(name, in: directory)) { return found }
    do {
      try makeDirectory(name, in: directory)
    } catch  where error.errno == EEXIST {
      // Another process made it in between.
    }
    return try openDirectory(name, in: directory)
  }

  /// A name beside another one for a file on its way there, which nothing has now.
  ///
  /// It is the same at every run, so that what a killed run left is removed. Where that cannot be,
  /// as in a sticky folder a file of another user, it is a name that nobody can foresee. A file
  /// system counts bytes, of which it takes 255.
  package func freeName(
    beside name: String, in directory: OpenFile, mark: String
  ) throws(StintError) -> String {
    let beginning = String(decoding: name.utf8.prefix(120), as: UTF8.self)
    return try freeName(".\(beginning).\(mark)", in: directory, ending: ".stint")
  }

  /// A name that nothing has now: the two parts, or where what has that cannot be removed, with
  /// something between them that nobody can foresee.
  package func freeName(
    _ beginning: String, in directory: OpenFile, ending: String = ""
  ) throws(StintError) -> String {
    do {
      try removeIfPresent(beginning + ending, in: directory)
      return beginning + ending
    } catch  where error.isOfAnotherUser {
      return beginning + "." + String(UInt64.random(in: .min ... .max), radix: 16) + ending
    }
  }

  /// Whether a name exists.
  package func exists(_ name: String, in directory: OpenFile) throws(StintError) -> Bool {
    try ifPresent(status(of: name, in: directory)) != nil
  }
}

/// What a file operation gives; nil where there is no file of that name.
@discardableResult
package func ifPresent<Value>(
  _ operation: @autoclosure () throws(StintError) -> Value
) throws(StintError) -> Value? {
  do {
    return try operation()
  } catch  where error.errno == ENOENT {
    return nil
  }
}

extension StintError {
  /// Whether something else stands in the place of a file.
  ///
  /// An error of the device says nothing of the file: the next look may find it whole.
  package var isOfTheFile: Bool { [ELOOP, EISDIR, ENXIO, EINVAL].contains(errno) }

  /// Whether the device or the file server failed, or this process has no descriptor left, at
  /// whatever file: the next try may succeed.
  package var isOfTheDevice: Bool {
    [EIO, ESTALE, ETIMEDOUT, EUCLEAN, EREMOTEIO, EHOSTDOWN, ENOTCONN, EMFILE, ENFILE].contains(
      errno)
  }

  /// The error of an output that cannot be made: `io` if the device failed, else `cannotCreate`.
  package static func ofOutput(_ message: String, errno: Int32) -> StintError {
    var error = StintError(.cannotCreate, message, errno: errno)
    if error.isOfTheDevice { error.code = .io }
    return error
  }

  /// Whether a name cannot be removed because of whose or what it is.
  package var isOfAnotherUser: Bool { [EPERM, EACCES, EISDIR].contains(errno) }
}

/// The error of a failed file operation, such as "cannot write", with the code `io`.
package func fileError(_ what: String, _ path: String, _ code: Int32) -> StintError {
  StintError(.io, "\(what) \(path): \(String(cString: strerror(code)))", errno: code)
}
