import Glibc
import StintCore

/// Tells new content below a path from what was there before (X4).
///
/// The path is a file, a folder, whose regular files count at any depth, or a pattern for both.
/// What a stamp says is only the reason to look: a file that was touched, or written again as it
/// was, holds nothing new.
package struct ContentWatch {
  /// What tells one state of a file from another.
  private struct Mark: Hashable {
    var device: UInt64
    var file: UInt64
    var modified: Int64
    var changed: Int64
    var sizeBytes: Int

    init(_ status: stat) {
      device = UInt64(status.st_dev)
      file = UInt64(status.st_ino)
      modified = CommandFiles.time(status.st_mtim)
      changed = CommandFiles.time(status.st_ctim)
      sizeBytes = Int(status.st_size)
    }
  }

  private struct Content: Hashable {
    var sizeBytes: Int
    var checksum: Checksum128
  }

  /// What a look has found.
  struct Found: Hashable {
    /// The bytes of all files.
    var sizeBytes = 0
    /// Whether some file holds what none held before.
    var isNew = false
    /// Whether there are more files than are looked at.
    var isCutOff = false
  }

  /// More files than these are not looked at.
  package static let mostFiles = 100_000
  /// More bytes than these are not read at one look: a file that changed counts as new then.
  private static let mostBytes = 1 << 30
  /// A larger file is read only once it has not changed for one look: it may take long to write.
  private static let largeBytes = 16 << 20

  let path: String
  private var known: [[CChar]: Mark] = [:]
  /// Large files that have changed, as the last look saw them.
  private var unread: [[CChar]: Mark] = [:]
  private var contents: Set<Content> = []

  init(_ path: String) {
    self.path = path
  }

  /// Whether a path may stand for others, as the shell's patterns do.
  package static func isPattern(_ path: String) -> Bool { path.contains { "*?[".contains($0) } }

  /// Looks at everything; a file server that does not answer holds up the caller.
  ///
  /// - Parameter isLast: Whether nobody writes any more.
  /// - Returns: What was found.
  mutating func look(isLast: Bool) -> Found {
    var found = Found()
    var files: [[CChar]: Mark] = [:]
    var changing: [[CChar]: Mark] = [:]
    var readBytes = 0
    var listing = FileListing()
    listing.add(pattern: path)
    found.isCutOff = listing.isCutOff
    for (name, status) in listing.files {
      let mark = Mark(status)
      found.sizeBytes.addSaturating(mark.sizeBytes)
      if known[name] == mark {
        files[name] = mark
        continue
      }
      if !isLast, mark.sizeBytes > Self.largeBytes, unread[name] != mark {
        changing[name] = mark
        files[name] = known[name]
        continue
      }
      guard readBytes + mark.sizeBytes <= Self.mostBytes else {
        files[name] = mark
        found.isNew = true
        continue
      }
      readBytes += mark.sizeBytes
      guard let content = Self.content(of: name, expected: mark) else {
        // It is being written: the next look compares it.
        files[name] = known[name]
        continue
      }
      files[name] = mark
      if contents.insert(content).inserted { found.isNew = true }
    }
    (known, unread) = (files, changing)
    return found
  }

  /// The content of a file; nil if it cannot be read, or changes meanwhile.
  private static func content(of name: [CChar], expected: Mark) -> Content? {
    // Without O_NONBLOCK a FIFO that took the name would be waited for.
    let file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let checksum = XXH3Checksum()
    let isRead = withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { buffer in
      while true {
        let count = read(file, buffer.baseAddress, buffer.count)
        if count < 0 { return false }
        if count == 0 { return true }
        checksum.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
    var status = stat()
    guard isRead, fstat(file, &status) == 0, Mark(status) == expected else { return nil }
    return Content(sizeBytes: expected.sizeBytes, checksum: checksum.value)
  }
}

/// Regular files that hold something, below names that may be patterns.
private struct FileListing {
  private(set) var files: [(name: [CChar], status: stat)] = []
  private(set) var isCutOff = false

  /// Adds the file, what is below the folder, or all that the pattern matches if nothing has that
  /// very name.
  mutating func add(pattern: String) {
    var status = stat()
    let name = Array(pattern.utf8CString)
    if stat(name, &status) == 0 { return add(name, status) }
    guard ContentWatch.isPattern(pattern) else { return }
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern, 0, nil, &found) == 0 else { return }
    for index in 0..<Int(found.gl_pathc) {
      guard let match = found.gl_pathv[index] else { continue }
      let name = Array(UnsafeBufferPointer(start: match, count: strlen(match) + 1))
      if stat(name, &status) == 0 { add(name, status) }
    }
  }

  private mutating func add(_ name: [CChar], _ status: stat) {
    switch status.st_mode & S_IFMT {
    // An empty file is no checkpoint: many programs create theirs before they have anything to
    // write.
    case S_IFREG where status.st_size > 0:
      guard files.count < ContentWatch.mostFiles else { return isCutOff = true }
      files.append((name, status))
    case S_IFDIR: addFolder(name)
    case _: break
    }
  }

  /// Adds what is below a folder; links there are not followed.
  private mutating func addFolder(_ name: [CChar]) {
    var folders = [name]
    while let folder = folders.popLast() {
      guard let stream = opendir(folder) else { continue }
      defer { closedir(stream) }
      while let entry = readdir(stream) {
        let last = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
            Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1))
          }
        }
        if last == [46, 0] || last == [46, 46, 0] { continue }
        let path = folder.dropLast() + [47] + last
        var status = stat()
        guard lstat(Array(path), &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR {
          folders.append(Array(path))
        } else {
          add(Array(path), status)
        }
        if isCutOff { return }
      }
    }
  }
}
