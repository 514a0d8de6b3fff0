import Glibc
import StintCore
import StintRuntime

/// Where the lines of a batch come from.
struct BatchSource: Sendable {
  /// The absolute path with every link resolved; nil for standard input.
  let path: String?
  /// What messages call it.
  let name: String

  /// Finds the file.
  ///
  /// - Parameter file: The path as it was given; nil for standard input.
  /// - Throws: ``StintError`` with the code `io` if there is none.
  init(_ file: String?) throws(StintError) {
    guard let file else {
      (path, name) = (nil, "the standard input")
      return
    }
    do throws(StintError) {
      path = try FilePath(file).resolved().text
    } catch  where error.errno != 0 {
      let why = String(cString: strerror(error.errno))
      throw StintError(.io, "the file \(file) cannot be opened: \(why)", errno: error.errno)
    }
    name = "the file \(file)"
  }

  /// Reads all of it; of a text that is too long, enough to see that.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func read() throws(StintError) -> [UInt8] {
    var descriptor = STDIN_FILENO
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

  /// What tells a batch from others: the file, where it is run, and the name that it was given.
  func parameters(name: String?, workingDirectory: String) -> JobParameters {
    var values = ["file": path ?? "-", "directory": workingDirectory]
    if let name { values["name"] = name }
    return JobParameters(values)
  }
}
