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

  /// Copies a file to a descriptor; with a tag, each line behind the tag and a tab.
  ///
  /// - Throws: ``StintError`` with the code `io`; the errno is `EPIPE` if the reader has gone.
  static func copy(
    _ path: String, to descriptor: Int32, tag: String? = nil
  ) throws(StintError) {
    let name = descriptor == STDOUT_FILENO ? "the standard output" : "the standard error"
    let target = OpenFile(descriptor: descriptor, path: name)
    let start = tag.map { Array($0.utf8) + [UInt8(ascii: "\t")] }
    var isAtStart = true
    try read(path) { (piece) throws(StintError) in
      guard let start else { return try write(piece, to: target) }
      var tagged: [UInt8] = []
      for byte in piece {
        if isAtStart { tagged += start }
        tagged.append(byte)
        isAtStart = byte == UInt8(ascii: "\n")
      }
      try write(tagged[...], to: target)
    }
    // The next tag begins a line.
    if tag != nil, !isAtStart { try write([UInt8(ascii: "\n")], to: target) }
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to file: OpenFile) throws(StintError) {
    do {
      try bytes.withUnsafeBytes { try file.writeStream($0) }
    } catch {
      throw StintError(wrapping: error, while: "passing output on")
    }
  }

  /// Reads a file in pieces; nothing if there is none.
  private static func read(
    _ path: String, _ take: (ArraySlice<UInt8>) throws(StintError) -> Void
  ) throws(StintError) {
    let source = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard source >= 0 else {
      if errno == ENOENT { return }
      throw fileError("cannot open", path, errno)
    }
    defer { close(source) }
    try OpenFile(descriptor: source, path: path).readStream { (piece) throws(StintError) in
      try take(piece)
      return true
    }
  }

  /// Copies what a line has written into a folder of its own below another, with its words.
  ///
  /// Each file appears under its name when it is complete.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  static func keep(_ paths: Paths, of job: BatchJob, in folder: FilePath) throws(StintError) {
    let place = folder.appending(FilePath("\(job.number)")).text
    guard mkdir(place, 0o777) == 0 || errno == EEXIST else {
      throw fileError("cannot make", place, errno)
    }
    let command = Array((job.title + "\n").utf8)
    for (name, source) in [("stdout", paths.output), ("stderr", paths.errors), ("command", nil)] {
      let path = "\(place)/\(name)"
      let file = open(path + ".tmp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
      guard file >= 0 else { throw fileError("cannot make", path, errno) }
      do throws(StintError) {
        defer { close(file) }
        let target = OpenFile(descriptor: file, path: path)
        if let source {
          try read(source) { (piece) throws(StintError) in try write(piece, to: target) }
        } else {
          try write(command[...], to: target)
        }
      } catch {
        unlink(path + ".tmp")
        throw error
      }
      guard rename(path + ".tmp", path) == 0 else { throw fileError("cannot make", path, errno) }
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
