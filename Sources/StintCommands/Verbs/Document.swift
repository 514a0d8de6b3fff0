import Glibc
import StintCore
import StintRuntime

/// A text that a verb makes for people or programs to open: a page, a trace.
package struct Document: Sendable {
  private let text: String

  package init(_ text: String) { self.text = text }

  /// Writes it where the command line says; `-` is the standard output.
  ///
  /// A regular file replaces an older one in one step and keeps its permissions; a stream is
  /// written directly.
  ///
  /// - Throws: ``StintError``: `cannotCreate`, `io`, with `EPIPE` if the reader of a stream has
  ///   gone.
  package func write(to path: String) throws {
    let destination = try OutputDestination(path)
    switch destination.target {
    case .file(let directory, let name):
      let folder = try PosixFileSystem().openDirectory(at: directory.text)
      defer { PosixFileSystem().close(folder) }
      try replace(name.text, in: folder)
    case .descriptor, .stream:
      let stream = try destination.openStream()
      var text = text
      try text.withUTF8 { try stream.writeStream(UnsafeRawBufferPointer($0)) }
    case .folder(let path):
      throw StintError(.cannotCreate, "\(path) is a folder; name a file in it.")
    }
  }

  private func replace(_ name: String, in folder: OpenFile) throws(StintError) {
    let fileSystem = PosixFileSystem()
    let permissions = try fileSystem.permissions(replacing: name, in: folder)
    let temporary = try fileSystem.freeName(beside: name, in: folder, mark: "\(getpid())")
    let file = try fileSystem.stage(temporary, as: name, in: folder) { (file) throws(StintError) in
      try fileSystem.writeAll(file, Array(text.utf8), at: 0)
      try fileSystem.setPermissions(permissions, of: file)
    }
    fileSystem.close(file)
    try fileSystem.synchronize(folder)
  }
}
