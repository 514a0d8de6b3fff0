import StintCore
import StintRuntime

/// Whole files of jobs, as those read them who do not hold the job.
enum JobFileContents {
  /// The lines of a file; none if it cannot be read.
  ///
  /// A last line without an end is left out.
  static func lines(of path: String) -> [ArraySlice<UInt8>] {
    var lines = (bytes(of: path) ?? []).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    _ = lines.popLast()
    return lines
  }

  /// The bytes of a file; nil if it cannot be read.
  static func bytes(of path: String) -> [UInt8]? {
    let (fileSystem, path) = (PosixFileSystem(), FilePath(path))
    guard let folder = path.folder,
      let directory = try? fileSystem.openDirectory(at: folder.text)
    else { return nil }
    defer { fileSystem.close(directory) }
    guard let file = try? fileSystem.openFile(path.name.text, in: directory, .read) else {
      return nil
    }
    defer { fileSystem.close(file) }
    return try? fileSystem.readBytes(file, atMost: .max)
  }
}
