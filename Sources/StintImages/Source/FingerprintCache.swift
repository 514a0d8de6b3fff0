#if Images
import Glibc
package import StintRuntime
import StintCore

/// Remembers the fingerprints of large sources beside the jobs, so that a stint of two seconds does
/// not begin by reading a gigabyte.
///
/// An entry holds as long as device, inode, length and both times of the file are the same, and
/// only if the file was not changed shortly before it was read: a later change within the same tick
/// of the file system's clock would not be seen. Nothing depends on the cache: a damaged one, or
/// one that is not this user's, is ignored.
package struct FingerprintCache: Sendable {
  /// What is known of one file.
  struct Entry: Hashable, Sendable {
    var identity: SourceFile.Identity
    /// When its reading began, in nanoseconds since 1970.
    var readAt: Int64
    /// The checksums of the pieces that were read, from the first on.
    var pieces: [Checksum128]
  }

  /// The file's name in the jobs directory.
  static let fileName = "fingerprints"
  /// So many files are remembered.
  static let mostEntries = 64
  /// A file that was changed less than this before it was read is read again.
  static let settlingNanoseconds: Int64 = 2_000_000_000
  /// Shorter files are read faster than it is worth to remember them.
  package static let leastBytes = 16 << 20
  private static let firstLine = "stint-fingerprints 1"
  private static let largestBytes = 8 << 20

  private let directory: String
  private let fileSystem: any FileSystem
  private let userID: UInt32

  /// The cache of a jobs directory, which need not exist.
  package init(
    jobsDirectory: String, fileSystem: any FileSystem = PosixFileSystem(), userID: UInt32 = getuid()
  ) {
    directory = jobsDirectory
    self.fileSystem = fileSystem
    self.userID = userID
  }

  /// What is known of a file and may be relied on.
  func entry(for identity: SourceFile.Identity) -> Entry? {
    entries().first { $0.identity == identity && Self.isSettled($0) }
  }

  /// Remembers a file; what cannot be written is of no consequence.
  func store(_ entry: Entry) {
    guard entry.identity.sizeBytes >= Self.leastBytes, Self.isSettled(entry) else { return }
    let others = entries().filter {
      ($0.identity.device, $0.identity.inode) != (entry.identity.device, entry.identity.inode)
    }
    let kept = [entry] + others.prefix(Self.mostEntries - 1)
    do {
      let jobs = try JobsDirectory.openOrMake(directory, fileSystem: fileSystem)
      defer { fileSystem.close(jobs) }
      try fileSystem.replace(Self.fileName, in: jobs, with: Self.encoded(kept))
    } catch {
      // The next run reads the file again, and that is all.
    }
  }

  private static func isSettled(_ entry: Entry) -> Bool {
    let last = max(entry.identity.modified, entry.identity.changed)
    let (age, overflow) = entry.readAt.subtractingReportingOverflow(last)
    return !overflow && age >= settlingNanoseconds
  }

  private func entries() -> [Entry] {
    guard let jobs = try? fileSystem.openDirectory(at: directory) else { return [] }
    defer { fileSystem.close(jobs) }
    guard let file = try? fileSystem.openFile(Self.fileName, in: jobs, .read) else { return [] }
    defer { fileSystem.close(file) }
    guard let status = try? fileSystem.status(of: file), status.kind == .regular,
      status.userID == userID, status.sizeBytes <= Self.largestBytes,
      let bytes = try? fileSystem.readBytes(file, atMost: status.sizeBytes)
    else { return [] }
    return Self.decoded(bytes)
  }

  /// A line for each file, and the checksum of all lines.
  static func encoded(_ entries: [Entry]) -> [UInt8] {
    var text = firstLine + "\n"
    for entry in entries {
      let identity = entry.identity
      text +=
        "\(identity.device) \(identity.inode) \(identity.sizeBytes) \(identity.modified) "
        + "\(identity.changed) \(entry.readAt)"
      for piece in entry.pieces { text += " \(piece)" }
      text += "\n"
    }
    return Array("\(text)\(XXH3Checksum.digest(Array(text.utf8)))\n".utf8)
  }

  /// What the bytes say; nothing if anything is wrong with them.
  static func decoded(_ bytes: [UInt8]) -> [Entry] {
    // The checksum is 32 digits and a newline.
    guard bytes.count > 33 else { return [] }
    let body = Array(bytes.dropLast(33))
    guard bytes.suffix(33).elementsEqual("\(XXH3Checksum.digest(body))\n".utf8) else { return [] }
    var lines = String(decoding: body, as: UTF8.self).split(separator: "\n")[...]
    guard lines.popFirst() == firstLine[...] else { return [] }
    return lines.compactMap(entry)
  }

  private static func entry(_ line: Substring) -> Entry? {
    let words = line.split(separator: " ")
    let pieces = words.dropFirst(6).compactMap { Checksum128(hex: String($0)) }
    guard words.count >= 6, pieces.count == words.count - 6, let device = UInt64(words[0]),
      let inode = UInt64(words[1]), let sizeBytes = Int(words[2]), sizeBytes > 0,
      let modified = Int64(words[3]), let changed = Int64(words[4]), let readAt = Int64(words[5]),
      pieces.count <= SourceFingerprint.pieceCount(sizeBytes)
    else { return nil }
    return Entry(
      identity: SourceFile.Identity(
        device: device, inode: inode, sizeBytes: sizeBytes, modified: modified, changed: changed),
      readAt: readAt, pieces: pieces)
  }
}
#endif
