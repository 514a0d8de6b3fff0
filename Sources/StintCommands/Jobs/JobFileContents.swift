package import StintCore
import StintRuntime

/// Whole files of jobs, as those read them who do not hold the job.
package enum JobFileContents {
  /// The lines of a file; none if it cannot be read.
  ///
  /// A last line without an end is left out.
  static func lines(of path: String) -> [ArraySlice<UInt8>] {
    var lines = ((try? bytes(of: path)) ?? []).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    _ = lines.popLast()
    return lines
  }

  /// The bytes of a file with an absolute path.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  package static func bytes(
    of path: String, atMost limit: Int = .max
  ) throws(StintError) -> [UInt8] {
    let (fileSystem, path) = (PosixFileSystem(), FilePath(path))
    let directory = try fileSystem.openDirectory(at: (path.folder ?? "/").text)
    defer { fileSystem.close(directory) }
    let file = try fileSystem.openFile(path.name.text, in: directory, .read)
    defer { fileSystem.close(file) }
    return try fileSystem.readBytes(file, atMost: limit)
  }

  /// Puts a small file with an absolute path in place, whole or not at all; nil removes it.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  static func put(_ bytes: [UInt8]?, at path: String) throws(StintError) {
    let (fileSystem, path) = (PosixFileSystem(), FilePath(path))
    let directory = try fileSystem.openDirectory(at: (path.folder ?? "/").text)
    defer { fileSystem.close(directory) }
    if let bytes { return try fileSystem.replace(path.name.text, in: directory, with: bytes) }
    try fileSystem.removeIfPresent(path.name.text, in: directory)
    try fileSystem.synchronize(directory)
  }
}
