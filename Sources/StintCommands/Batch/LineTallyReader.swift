import Glibc
import StintCore
import StintRuntime

/// Reads how the lines of a batch stand, again and again: only what is new in its log.
struct LineTallyReader {
  /// Of which failed lines to tell.
  enum Failures: Hashable, Sendable {
    /// The first, by their numbers.
    case first(Int)
    /// Those that have failed since the last look, as they came, but no more than so many.
    case new(atMost: Int)
  }

  private static let pieceBytes = 1 << 20

  /// The batch's directory.
  let path: String
  private var tally = LineTally()
  private var inode: UInt64?

  init(_ path: String) {
    self.path = path
  }

  /// Reads on.
  ///
  /// - Parameters:
  ///   - isRunning: Whether a process works on the batch: without one, no line runs.
  ///   - failures: Of which failed lines to tell.
  /// - Returns: Nil if the log does not say how many lines there are.
  mutating func read(isRunning: Bool, failures: Failures) -> ItemTally? {
    let name = "\(path)/\(JobFiles.batchLog)"
    let file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    // It was written anew, or cut.
    if inode != UInt64(status.st_ino) || Int(status.st_size) < tally.offset { tally = LineTally() }
    inode = UInt64(status.st_ino)
    takeNews(file)
    var counted = tally
    if tally.begin == nil, let share = readShare() { counted.keep(share) }
    guard let begin = counted.begin else { return nil }
    var items = ItemTally(wholeCount: begin.wholeCount, count: begin.count)
    (items.done, items.failed) = (counted.done, counted.failed)
    if isRunning {
      items.running = counted.running.compactMap { counted.lines[$0]?.number }.sorted()
    }
    let told: ArraySlice<(key: String, line: LineTally.Line)>
    switch failures {
    case .first(0): return items
    case .first(let most): told = counted.failures.prefix(most)
    case .new(let most): told = tally.takeNewFailures().prefix(most)
    }
    items.failures = told.map { failure($0.key, $0.line, in: file) }
    return items
  }

  private mutating func takeNews(_ file: Int32) {
    var pieceBytes = Self.pieceBytes
    while true {
      let bytes = Self.bytes(tally.offset..<tally.offset + pieceBytes, of: file)
      let before = tally.offset
      tally.take(bytes)
      if bytes.count < pieceBytes { return }
      // One line is longer than the piece.
      if tally.offset == before { pieceBytes *= 2 }
    }
  }

  private func readShare() -> BatchShare? {
    (try? JobFileContents.bytes(of: "\(path)/\(JobFiles.batchShare)"))
      .flatMap { try? BatchShare(contents: $0) }
  }

  private func failure(_ key: String, _ line: LineTally.Line, in file: Int32) -> ItemTally.Failure {
    let record = BatchRecord(line: Self.bytes(line.end, of: file)[...])
    let kept = BatchDirectory.keptOutput(of: key, in: path)
    return ItemTally.Failure(
      number: line.number, name: record?.words?.map(ShellWord.quoted).joined(separator: " ") ?? key,
      why: record?.howItFailed, outputPath: kept.output, errorPath: kept.errors)
  }

  private static func bytes(_ range: Range<Int>, of file: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      while count < range.count {
        let got = pread(
          file, buffer.baseAddress.map { $0 + count }, range.count - count,
          range.lowerBound + count)
        if got < 0, errno == EINTR { continue }
        if got <= 0 { return }
        count += got
      }
    }
  }
}

extension BatchRecord {
  /// Why the line failed, as a clause; nil if nobody said.
  fileprivate var howItFailed: String? {
    let parts = [endedBy, reason].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
