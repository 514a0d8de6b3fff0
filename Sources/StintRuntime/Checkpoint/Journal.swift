import Glibc
package import StintCore

/// The file `journal.jsonl`: one JSON object a line, only ever appended to.
///
/// Appending takes no lock: each line is one write to a file opened for appending. What cannot be written is reported
/// once and then missing; the work goes on.
package final class Journal: Sendable {
  /// The file's name.
  package static let fileName = "journal.jsonl"

  private struct State {
    /// How many lines were torn, and after how many of them a line has begun anew.
    var tornLines: Int
    var completedLines = 0
    var hasReportedFailure = false
  }

  private let fileSystem: any FileSystem
  private let file: OpenFile
  private let state: Protected<State>
  private let report: @Sendable (String) -> Void

  /// Opens the journal for appending; makes it if there is none.
  ///
  /// - Parameters:
  ///   - fileSystem: Where it is.
  ///   - directory: The job's directory.
  ///   - report: Called once when a line cannot be written.
  /// - Throws: ``StintError`` with the code `io`.
  package init(
    fileSystem: any FileSystem, directory: OpenFile, report: @escaping @Sendable (String) -> Void
  ) throws(StintError) {
    self.fileSystem = fileSystem
    self.report = report
    file = try fileSystem.openFile(Self.fileName, in: directory, .append)
    do throws(StintError) {
      let status = try fileSystem.status(of: file)
      guard status.kind == .regular else {
        throw StintError(.io, "\(file.path) is not a regular file; move it away", errno: EINVAL)
      }
      let last =
        status.sizeBytes == 0
        ? [] : try fileSystem.readBytes(file, at: status.sizeBytes - 1, atMost: 1)
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

  /// Appends a record.
  ///
  /// Any thread.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - durably: Whether to wait until it is on disk.
  package func append(_ record: JournalRecord, durably: Bool) {
    append([record], durably: durably)
  }

  /// Appends records in one write: a process that ends meanwhile leaves all of them or none.
  package func append(_ records: [JournalRecord], durably: Bool) {
    let (tornLines, completesTornLine) = state.withLock { state in
      (state.tornLines, state.tornLines > state.completedLines)
    }
    // Two threads may both begin anew: an empty line is none.
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
      if durably { try fileSystem.synchronizeData(file) }
    } catch {
      let isFirst = state.withLock { state in
        defer { state.hasReportedFailure = true }
        return !state.hasReportedFailure
      }
      if isFirst { report("the journal is incomplete from here on: \(error.message)") }
    }
  }

  /// Folds everything that the file holds.
  package func summary() throws(StintError) -> JournalSummary {
    try Self.summary(of: file, fileSystem: fileSystem)
  }

  /// Folds the journal of a directory without opening it for writing; empty if there is none.
  package static func summary(
    in directory: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> JournalSummary {
    let file: OpenFile
    do {
      file = try fileSystem.openFile(fileName, in: directory, .read)
    } catch  where error.errno == ENOENT {
      return JournalSummary()
    }
    defer { fileSystem.close(file) }
    return try summary(of: file, fileSystem: fileSystem)
  }

  private static func summary(
    of file: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> JournalSummary {
    var summary = JournalSummary()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 64)
    defer { buffer.deallocate() }
    var splitter = JournalLines()
    var offset = 0
    while true {
      let count = try fileSystem.readAll(file, into: buffer, at: offset)
      splitter.add(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { summary.add($0) }
      offset += count
      if count < buffer.count { break }
    }
    splitter.end { summary.add($0) }
    summary.garbageLines = splitter.garbageLines
    return summary
  }

  /// How much is read at a time, whatever length the file is said to have (C8).
  private static let pieceBytes = 1 << 18

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
