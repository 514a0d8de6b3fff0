import Glibc
package import StintCore

/// The files by which a command tells how far it is: nothing but a look at them is needed, so any
/// program can have them.
package struct CommandFiles: Hashable, Sendable {
  /// What tells one state of a file from another, also after the machine was booted again.
  package struct Mark: Hashable, Sendable {
    package var file: UInt64
    package var modified: Int64
    package var sizeBytes: Int

    package init(file: UInt64, modified: Int64, sizeBytes: Int) {
      self.file = file
      self.modified = modified
      self.sizeBytes = sizeBytes
    }

    /// The state of a file now; nil if there is none or it cannot be asked.
    package init?(of path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      file = UInt64(status.st_ino)
      modified = CommandFiles.time(status.st_mtim)
      sizeBytes = Int(status.st_size)
    }
  }

  /// A time of a file in nanoseconds since 1970.
  ///
  /// By its places: which module the members belong to depends on how the program is linked.
  static func time(_ time: timespec) -> Int64 {
    withUnsafeBytes(of: time) { bytes in
      bytes.load(as: Int64.self) &* 1_000_000_000
        &+ bytes.load(fromByteOffset: 8, as: Int64.self)
    }
  }

  /// What a look at them found.
  package struct Look: Hashable, Sendable {
    /// How often new content of the checkpoint or the done file was found.
    package var news = 0
    /// The bytes of the checkpoint.
    package var checkpointBytes = 0
    /// Whether the checkpoint has more files than are looked at.
    package var isCutOff = false
    /// Whether the done file is there, and is another one than when the job began.
    package var isDone = false
    /// Whether it is the one that was there then.
    package var hasOldDoneFile = false
    /// The state of the progress file.
    package var progressMark: Mark?
    /// What the progress file says; nil if it says nothing that can be read.
    package var progress: WorkProgress?
    /// The first words of a progress file that cannot be read.
    package var unreadable: String?

    package init() {}
  }

  /// A file, a folder or a pattern whose new content counts as a checkpoint.
  package var checkpoint: String?
  /// A file that shows that the work is done.
  package var done: String?
  /// A file that begins with the share that is done.
  package var progress: String?
  /// The done file as it was when the job began.
  package var oldDone: Mark?
  /// The progress file as it was when the job began.
  package var oldProgress: Mark?

  /// Names the files; nil for those that there are not.
  package init(checkpoint: String? = nil, done: String? = nil, progress: String? = nil) {
    self.checkpoint = checkpoint
    self.done = done
    self.progress = progress
  }

  /// Whether there is anything to look at.
  package var isEmpty: Bool { checkpoint == nil && done == nil && progress == nil }

  /// Takes the files as they are now for those from before the job.
  package mutating func beginJob() {
    oldDone = done.flatMap { Mark(of: $0) }
    oldProgress = progress.flatMap { Mark(of: $0) }
  }

  /// Takes the progress file as it is now for that of an earlier run; the work begins again.
  package mutating func beginAgain() {
    oldProgress = progress.flatMap { Mark(of: $0) }
  }

  /// How the files were when the job began, as text that a later process reads; one line a file
  /// that was there.
  package var beginning: String {
    get {
      [("done", oldDone), ("progress", oldProgress)]
        .compactMap { name, mark in
          mark.map { "\(name) \($0.file) \($0.modified) \($0.sizeBytes)\n" }
        }
        .joined()
    }
    set {
      let marks = newValue.split(separator: "\n").map { $0.split(separator: " ") }
      func mark(_ name: Substring) -> Mark? {
        guard let words = marks.first(where: { $0.first == name }), words.count == 4,
          let file = UInt64(words[1]), let modified = Int64(words[2]), let size = Int(words[3])
        else { return nil }
        return Mark(file: file, modified: modified, sizeBytes: size)
      }
      (oldDone, oldProgress) = (mark("done"), mark("progress"))
    }
  }
}

/// Looks at a command's files, and remembers what it has seen; on one thread.
final class CommandFileWatch {
  private let files: CommandFiles
  private var checkpoint: ContentWatch?
  private var last: CommandFiles.Look?

  init(_ files: CommandFiles) {
    self.files = files
    checkpoint = files.checkpoint.map { ContentWatch($0) }
  }

  /// Looks at them; a file server that does not answer holds up the caller.
  ///
  /// What the first look finds is there already, and is no news.
  ///
  /// - Parameter isLast: Whether the command has ended, so that nothing is still being written.
  /// - Returns: What was found.
  func look(isLast: Bool) -> CommandFiles.Look {
    var look = CommandFiles.Look()
    look.news = last?.news ?? 0
    if let found = checkpoint?.look(isLast: isLast || last == nil) {
      look.checkpointBytes = found.sizeBytes
      look.isCutOff = found.isCutOff
      if found.isNew, last != nil { look.news += 1 }
    }
    if let done = files.done, let mark = CommandFiles.Mark(of: done) {
      look.isDone = mark != files.oldDone
      look.hasOldDoneFile = !look.isDone
      if look.isDone, last?.isDone == false { look.news += 1 }
    }
    if let path = files.progress { readProgress(path, into: &look) }
    last = look
    return look
  }

  private func readProgress(_ path: String, into look: inout CommandFiles.Look) {
    guard let mark = CommandFiles.Mark(of: path), mark != files.oldProgress else { return }
    look.progressMark = mark
    // Without O_NONBLOCK a FIFO would be waited for.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: WorkProgress.longestText)
    let count = read(file, &bytes, bytes.count)
    guard count > 0 else { return }
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    look.progress = WorkProgress(commandText: text)
    if look.progress == nil { look.unreadable = String(text.prefix(40)) }
  }
}
