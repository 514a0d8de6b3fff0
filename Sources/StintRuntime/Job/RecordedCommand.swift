package import StintCore

/// The words with which the last process of a job was started: the file `command` in the job's
/// directory, by which the job can be started again.
///
/// They are bytes, each word with a NUL behind it, as in `/proc/PID/cmdline`.
package enum RecordedCommand {
  /// The file's name.
  package static let fileName = "command"
  /// More than this is no command line that a kernel takes.
  static let largestBytes = 8 << 20
  private static let header = Array("stint command 1".utf8)

  /// The contents of the file; nil for words that are too long.
  package static func contents(_ words: [[UInt8]]) -> [UInt8]? {
    let count = words.reduce(header.count + 1) { $0 + $1.count + 1 }
    guard count <= largestBytes, !words.isEmpty, !words.joined().contains(0) else { return nil }
    return ([header] + words).flatMap { $0 + [0] }
  }

  /// Reads the contents of a file; nil if they are not whole.
  package static func words(_ contents: [UInt8]) -> [[UInt8]]? {
    guard contents.count <= largestBytes, contents.last == 0 else { return nil }
    let words = contents.dropLast().split(separator: 0, omittingEmptySubsequences: false)
    guard words.count > 1, words[0].elementsEqual(header) else { return nil }
    return words.dropFirst().map { Array($0) }
  }

  /// Writes the file, unless it says so already.
  ///
  /// The job does without it on a disk that is full.
  static func write(_ contents: [UInt8], in root: OpenFile, fileSystem: any FileSystem) {
    if (try? bytes(in: root, fileSystem: fileSystem)) == contents { return }
    do throws(StintError) {
      try fileSystem.replace(fileName, in: root, with: contents)
    } catch {
      // The words of an older process are not these.
      try? fileSystem.removeIfPresent(fileName, in: root)
    }
  }

  fileprivate static func bytes(
    in root: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> [UInt8]? {
    let opened = try ifPresent(fileSystem.openFile(fileName, in: root, .read))
    guard let file = opened else { return nil }
    defer { fileSystem.close(file) }
    let status = try fileSystem.status(of: file)
    guard status.kind == .regular, status.sizeBytes <= largestBytes else { return nil }
    return try fileSystem.readBytes(file, atMost: status.sizeBytes)
  }
}

extension JobCatalog {
  /// The words with which the last process of a job was started; nil if they are not known.
  ///
  /// - Throws: ``StintError``: `io`.
  package func command(of key: String) throws(StintError) -> [[UInt8]]? {
    let bytes = try withDirectory(of: key) { (root) throws(StintError) in
      try RecordedCommand.bytes(in: root, fileSystem: fileSystem)
    }
    return bytes.flatMap(RecordedCommand.words)
  }
}
