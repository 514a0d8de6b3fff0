import Glibc
import StintCore
import StintRuntime

/// What the processes of lines wrote: kept in files, and passed on as a whole when the line is
/// over.
enum BatchOutput {
  /// The files of a line's output.
  struct Paths: Hashable, Sendable {
    var output: String
    var errors: String
  }

  /// Copies a file to a descriptor.
  ///
  /// - Throws: ``StintError`` with the code `io`; the errno is `EPIPE` if the reader has gone.
  static func copy(_ path: String, to descriptor: Int32) throws(StintError) {
    let source = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard source >= 0 else {
      if errno == ENOENT { return }
      throw fileError("cannot open", path, errno)
    }
    defer { close(source) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw fileError("cannot read", path, errno) }
      if count == 0 { return }
      do {
        try buffer.withUnsafeBytes { bytes in
          let name = descriptor == STDOUT_FILENO ? "the standard output" : "the standard error"
          try OpenFile(descriptor: descriptor, path: name)
            .writeStream(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
        }
      } catch {
        throw StintError(wrapping: error, while: "passing output on")
      }
    }
  }

  /// Gives what a line has written second names, under which it stays when it was passed on; what
  /// is empty stays nowhere.
  static func keep(_ paths: Paths, as kept: Paths) {
    for (path, name) in [(paths.output, kept.output), (paths.errors, kept.errors)] {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_size > 0 else { continue }
      unlink(name)
      // Not every file system has second names; then it gets the other name later.
      link(path, name)
    }
  }

  /// Removes a file that was passed on; what is to stay has its second name from now on.
  static func putAway(_ path: String, as kept: String?) {
    var status = stat()
    if let kept, lstat(path, &status) == 0, status.st_size > 0 { rename(path, kept) }
    // Where both are names of one file, that changes nothing.
    unlink(path)
  }

  /// The last line of a file that is not blank, at most 200 characters of it; nil if there is none.
  static func lastWords(in path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let size = lseek(file, 0, SEEK_END)
    let count = pread(file, &buffer, buffer.count, max(0, size - buffer.count))
    guard count > 0 else { return nil }
    let lines = String(decoding: buffer.prefix(count), as: UTF8.self)
      .split(whereSeparator: \.isNewline)
    guard let last = lines.last(where: { $0.contains { !$0.isWhitespace } }) else { return nil }
    // The program's own name says nothing here.
    return CellWidth.fitted(String(last.hasPrefix("stint: ") ? last.dropFirst(7) : last), to: 200)
  }
}
