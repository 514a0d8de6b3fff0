import Glibc
import StintCore
import StintRuntime

/// Where the lines of a batch come from.
struct BatchSource: Sendable {
  /// The absolute path with every link resolved; nil for standard input.
  let path: String?
  /// What messages call it.
  let name: String
  /// A copy that is read in its place; nil if there is none.
  private let copy: String?

  /// Finds the file, or where a copy of it lies, which is read in its place; nil is standard input.
  ///
  /// - Throws: ``StintError`` with the code `io` if there is none.
  init(_ file: String?, copy: String? = nil) throws(StintError) {
    self.copy = copy.flatMap { access($0, F_OK) == 0 ? $0 : nil }
    guard let file else {
      (path, name) = (nil, "the standard input")
      return
    }
    do throws(StintError) {
      path = try Self.resolved(FilePath(file), mayBeGone: self.copy != nil).text
    } catch  where error.errno != 0 {
      let why = String(cString: strerror(error.errno))
      throw StintError(.io, "the file \(file) cannot be opened: \(why)", errno: error.errno)
    }
    name = "the file \(file)"
  }

  /// The path with every link resolved; of a file that is gone, that of its folder.
  private static func resolved(_ file: FilePath, mayBeGone: Bool) throws(StintError) -> FilePath {
    do throws(StintError) {
      return try file.resolved()
    } catch  where mayBeGone && error.errno == ENOENT {
      let absolute = file.from(try FilePath(".").resolved())
      return try absolute.folder?.resolved().appending(absolute.name) ?? absolute
    }
  }

  /// Reads all of it; of a text that is too long, enough to see that.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func read() throws(StintError) -> [UInt8] {
    var descriptor = STDIN_FILENO
    let path = copy ?? path
    if let path {
      descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      guard descriptor >= 0 else { throw fileError("cannot open", name, errno) }
    }
    defer { if path != nil { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= BatchText.Limits.fileBytes {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw fileError("cannot read", name, errno) }
      if count == 0 { break }
      bytes += buffer.prefix(count)
    }
    return bytes
  }

  /// What tells a batch from others: the file, where it is run, and the name that it was given; and
  /// the key that the job of all its lines has.
  func key(
    name: String?, workingDirectory: String
  ) -> (parameters: JobParameters, whole: String) {
    var values = ["file": path ?? "-", "directory": workingDirectory]
    values["name"] = name
    let parameters = JobParameters(values)
    let key = JobKey(kind: Kind.batch.name, parameters: parameters, outputPath: nil)
    return (parameters, key.description)
  }
}
