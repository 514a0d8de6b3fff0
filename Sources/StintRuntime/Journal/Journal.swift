import Glibc
package import StintCore

/// The file `journal.jsonl`: one JSON object a line, only ever appended to.
///
/// Appending takes no lock: each line is one write to a file opened for appending. What cannot be
/// written is reported once and then missing; the work goes on, but for what must not be done
/// before its record is durable.
package final class Journal: Sendable {
  /// The file's name.
  package static let fileName = "journal.jsonl"

  private struct State {
    /// How many lines were torn, and after how many of them a line has begun anew.
    var tornLines: Int
    var completedLines = 0
    var hasReportedFailure = false
    /// Lines that the disk lost: the kernel takes them for written, and the next call would succeed
    /// for nothing.
    var lost: StintError?
  }

  private let fileSystem: any FileSystem
  private let file: OpenFile
  private let state: Protected<State>
  private let report: @Sendable (String) -> Void

  /// Opens the journal for appending, and makes it if there is none; reports once that a line
  /// cannot be written.
  package init(
    fileSystem: any FileSystem, directory: OpenFile, report: @escaping @Sendable (String) -> Void
  ) throws(StintError) {
    self.fileSystem = fileSystem
    self.report = report
    file = try fileSystem.openFile(Self.fileName, in: directory, .append)
    do throws(StintError) {
      let sizeBytes = try Self.sizeBytes(of: file, fileSystem: fileSystem)
      let last =
        sizeBytes == 0 ? [] : try fileSystem.readBytes(file, at: sizeBytes - 1, atMost: 1)
      let isTorn = last != [] && last != [UInt8(ascii: "\n")]
      state = Protected(State(tornLines: isTorn ? 1 : 0))
    } catch {
      fileSystem.close(file)
      throw error
    }
  }

  deinit {
    fileSystem.close(file)
  }

  /// Appends a record, and waits until it is on disk if it is to be durable; any thread.
  ///
  /// - Returns: Why it is not there, or not on disk; nil if all went well.
  @discardableResult
  package func append(_ record: JournalRecord, durably: Bool) -> StintError? {
    append([record], durably: durably)
  }

  /// Appends records in one write: a process that ends meanwhile leaves all of them or none.
  @discardableResult
  package func append(_ records: [JournalRecord], durably: Bool) -> StintError? {
    let (tornLines, completesTornLine) = state.withLock { state in
      (state.tornLines, state.tornLines > state.completedLines)
    }
    // Two threads may both begin a new line; readers ignore empty lines.
    let bytes = Array(((completesTornLine ? "\n" : "") + records.map(\.line).joined()).utf8)
    do throws(StintError) {
      let count = try bytes.withUnsafeBufferPointer { (buffer) throws(StintError) in
        try fileSystem.append(file, UnsafeRawBufferPointer(buffer))
      }
      if count < bytes.count {
        state.withLock { $0.tornLines += 1 }
        throw fileError("cannot append all of a line to", file.path, ENOSPC)
      }
      if completesTornLine {
        state.withLock { $0.completedLines = max($0.completedLines, tornLines) }
      }
      if durably { try synchronize() }
      return nil
    } catch {
      let isFirst = state.withLock { !exchange(&$0.hasReportedFailure, with: true) }
      if isFirst { report("the journal is incomplete from here on: \(error)") }
      return error
    }
  }

  /// Waits until everything that was appended is on disk.
  ///
  /// - Throws: ``StintError`` with the code `io`; then every later call of this process fails as
  ///   well.
  package func synchronize() throws(StintError) {
    if let lost = state.withLock({ $0.lost }) { throw lost }
    do throws(StintError) {
      try fileSystem.synchronizeData(file)
    } catch {
      state.withLock { $0.lost = error }
      throw error
    }
  }

  /// Whether its name is another file's by now, as after a start over.
  func isReplaced(in directory: OpenFile) throws(StintError) -> Bool {
    guard try fileSystem.exists(Self.fileName, in: directory) else { return false }
    return try !fileSystem.isNamed(file, Self.fileName, in: directory)
  }

  /// Folds everything that the file holds.
  package func summary() throws(StintError) -> JournalSummary {
    try Self.summary(of: file, fileSystem: fileSystem)
  }

  /// Folds the journal of a directory without opening it for writing; empty if there is none.
  package static func summary(
    in directory: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> JournalSummary {
    let found = try ifPresent(fileSystem.openFile(fileName, in: directory, .read))
    guard let file = found else { return JournalSummary() }
    defer { fileSystem.close(file) }
    return try summary(of: file, fileSystem: fileSystem)
  }

  private static func summary(
    of file: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> JournalSummary {
    let end = try sizeBytes(of: file, fileSystem: fileSystem)
    let begin = max(0, end - largestBytes)
    var summary = JournalSummary()
    summary.unreadBytes = begin
    var splitter = JournalLines(beginsInsideLine: begin > 0)
    _ = try fileSystem.forEachPiece(of: file, from: begin, atMost: end - begin) {
      (piece, _) throws(StintError) in
      splitter.add(piece) { summary.add($0) }
    }
    splitter.end { summary.add($0) }
    summary.garbageLines = splitter.garbageLines
    return summary
  }

  /// The bytes of a directory's journal from an offset on: of a longer one than is read, the last
  /// (C8).
  ///
  /// - Returns: The bytes, and how many between the offset and them are left out; none at all if
  ///   there is no journal.
  package static func bytes(
    from offset: Int, in directory: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> (bytes: [UInt8], unread: Int) {
    let found = try ifPresent(fileSystem.openFile(fileName, in: directory, .read))
    guard let file = found else { return ([], 0) }
    defer { fileSystem.close(file) }
    let end = try sizeBytes(of: file, fileSystem: fileSystem)
    let begin = max(offset, end - largestBytes)
    let bytes = try fileSystem.readBytes(file, at: begin, atMost: max(0, end - begin))
    guard begin > offset else { return (bytes, 0) }
    // The first line that is whole.
    let cut = bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
    return (Array(bytes[cut...]), begin - offset + cut)
  }

  /// The length of a journal, after a look at what it is: a device has no end.
  private static func sizeBytes(
    of file: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> Int {
    let status = try fileSystem.status(of: file)
    guard status.kind == .regular else {
      throw StintError(.io, "\(file.path) is not a regular file; move it away", errno: EINVAL)
    }
    return status.sizeBytes
  }

  /// Of a longer journal only the end is read, so that no file makes a start wait (C8): about
  /// 300,000 lines.
  static let largestBytes = 1 << 26

  /// Splits bytes into records.
  ///
  /// A last line without newline that is no record was torn by the end of a process and is not
  /// counted as garbage.
  package static func parse(_ bytes: [UInt8]) -> (records: [JournalRecord], garbageLines: Int) {
    var records: [JournalRecord] = []
    var splitter = JournalLines()
    bytes.withUnsafeBytes { bytes in splitter.add(bytes) { records.append($0) } }
    splitter.end { records.append($0) }
    return (records, splitter.garbageLines)
  }
}
