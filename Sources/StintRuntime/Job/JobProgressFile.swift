package import StintCore

/// The file `progress.json`: how far the running process is, for those who watch it.
///
/// The journal knows durable points only. This file is replaced by rename at most once a second and
/// never waited for: it tells nothing that a resumption needs, and may be gone or stale after a
/// crash. It names its process, so that nobody takes the word of one that is gone.
package enum JobProgressFile {
  /// The file's name.
  package static let fileName = "progress.json"
  /// Its name while it is written.
  static let temporaryName = fileName + ".tmp"
  /// More than this is not ours.
  private static let largestBytes = 1 << 16

  static func write(
    _ bytes: [UInt8], in directory: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) {
    let file = try fileSystem.openFile(temporaryName, in: directory, .createOrUpdate)
    defer { fileSystem.close(file) }
    try fileSystem.truncate(file, to: 0)
    try fileSystem.writeAll(file, bytes, at: 0)
    try fileSystem.rename(temporaryName, in: directory, to: fileName, in: directory)
  }

  static func read(
    in directory: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> [UInt8] {
    let file = try fileSystem.openFile(fileName, in: directory, .read)
    defer { fileSystem.close(file) }
    return try fileSystem.readBytes(file, atMost: largestBytes)
  }
}

extension Job {
  /// Tells those who watch how far this process is, and makes sure that they find who works on the
  /// job; does nothing while the directory does not exist.
  ///
  /// One thread at a time.
  ///
  /// - Parameter bytes: A JSON object.
  /// - Throws: ``StintError``: `io`, and the work does not depend on it; `busy` if the job is
  ///   another process's by now.
  package func tellProgress(_ bytes: [UInt8]) throws(StintError) {
    guard let opened = directory.opened else { return }
    try directory.keepLock(opened)
    try JobProgressFile.write(bytes, in: opened.root, fileSystem: directory.fileSystem)
  }

  /// What this process, or one that is gone, told last; nil if there is nothing of it.
  package func progressBytes() -> [UInt8]? {
    guard let opened = directory.opened else { return nil }
    return try? JobProgressFile.read(in: opened.root, fileSystem: directory.fileSystem)
  }

  /// Takes the word of this process back: it is about to end.
  package func forgetProgress() {
    guard let opened = directory.opened, loss == nil else { return }
    try? directory.fileSystem.removeIfPresent(JobProgressFile.fileName, in: opened.root)
  }
}
