import Glibc
import StintCore
import StintRuntime

/// The file `lines.jsonl` in a batch's directory: what became of its lines, over all its processes.
///
/// It is only appended to, one write a record, so that the end of the process can tear no more than
/// the last line. A line that is torn or no record counts as not written: its job is run again.
final class BatchLog: Sendable {
  /// What the log says of a line.
  struct Entry: Hashable, Sendable {
    var history = BatchMachine.History.fresh
    /// How it stands for those who look at the batch.
    var standing = BatchStanding.waiting
    /// Its number in the file, as the log has it.
    var number = 0
    var stints = 0
    var seconds = 0.0
    /// How many of its processes in a row were ended by their time and had saved nothing.
    var cuts = 0
    var output: BatchOutputMark?
    /// The records of its ends that the job log or standard output does not have yet.
    var owed: [BatchRecord] = []
  }

  /// Past this length it is written anew when it is opened, with one record a line.
  static let usualBytes = 8 << 20
  /// A longer one is not, because all of what is written would be in memory.
  private static let mostWrittenAnew = 64 << 20
  /// More than this is no log, whatever the file says.
  private static let largestBytes = 4 << 30
  /// How much of it is read at once.
  private static let pieceBytes = 1 << 20

  /// What stood there when it was opened, by the lines' keys, until that is forgotten.
  var entries: BatchEntries { before.withLock { $0 } }
  private let before: Protected<BatchEntries>
  private let fileSystem: any FileSystem
  private let file: OpenFile
  private let isTorn: Protected<Bool>

  /// Opens the log of a directory, which the caller has locked; makes it if there is none.
  ///
  /// - Throws: ``StintError``: `io`, or `damaged` if it is longer than any log.
  init(
    in directory: OpenFile, fileSystem: any FileSystem, usualBytes: Int = usualBytes
  ) throws(StintError) {
    self.fileSystem = fileSystem
    var opened = try fileSystem.openFile(JobFiles.batchLog, in: directory, .append)
    do throws(StintError) {
      var size = try fileSystem.status(of: opened).sizeBytes
      guard size <= Self.largestBytes else {
        throw StintError(
          .damaged,
          "\(opened.path) has \(size) bytes, and the most is \(Self.largestBytes); start over with "
            + "--fresh, which removes the batch's files")
      }
      var endsTorn = false
      if size > usualBytes, size <= Self.mostWrittenAnew {
        let (entries, lastRecords) = Self.fold(try fileSystem.readBytes(opened, atMost: size))
        before = Protected(entries)
        let kept = lastRecords.map(\.text).joined()
        try fileSystem.replace(JobFiles.batchLog, in: directory, with: Array(kept.utf8))
        let old = opened
        opened = try fileSystem.openFile(JobFiles.batchLog, in: directory, .append)
        fileSystem.close(old)
        size = kept.utf8.count
      } else {
        var entries = BatchEntries()
        endsTorn = try Self.read(
          upTo: size,
          { (offset) throws(StintError) in
            try fileSystem.readBytes(opened, at: offset, atMost: Self.pieceBytes)
          }, into: &entries)
        before = Protected(entries)
      }
      isTorn = Protected(endsTorn)
    } catch {
      fileSystem.close(opened)
      throw error
    }
    file = opened
  }

  deinit {
    fileSystem.close(file)
  }

  /// Forgets what stood there, of which there may be much.
  func forgetEntries() { before.withLock { $0 = BatchEntries() } }

  /// Reads a log in pieces.
  ///
  /// - Returns: Whether its last line has no end.
  private static func read(
    upTo size: Int, _ piece: (_ offset: Int) throws(StintError) -> [UInt8],
    into entries: inout BatchEntries
  ) throws(StintError) -> Bool {
    var (offset, begun) = (0, [UInt8]())
    while offset < size {
      let bytes = try piece(offset)
      if bytes.isEmpty { break }
      offset += bytes.count
      begun += bytes
      guard let end = begun.lastIndex(of: UInt8(ascii: "\n")) else { continue }
      for line in begun[..<end].split(separator: UInt8(ascii: "\n")) {
        if let record = BatchRecord(line: line) { entries.take(record) }
      }
      begun.removeSubrange(...end)
    }
    // A last line without its end may be whole all the same.
    if let record = BatchRecord(line: begun[...]) { entries.take(record) }
    return !begun.isEmpty
  }

  /// What stands in the log of a batch's directory, on which another process may be working:
  /// nothing if there is none that can be read.
  static func entries(in path: String) -> BatchEntries {
    let bytes = try? JobFileContents.bytes(
      of: "\(path)/\(JobFiles.batchLog)", atMost: largestBytes)
    return fold(bytes ?? []).entries
  }

  /// Appends a record, and waits until it is on disk if that is wanted.
  ///
  /// - Throws: ``StintError`` with the code `io`; what was to be written then counts as not
  ///   written.
  func append(_ record: BatchRecord, durably: Bool) throws(StintError) {
    try append(record.text)
    if durably { try fileSystem.synchronizeData(file) }
  }

  /// Appends what a process says first: which lines stand otherwise than the log has it, and how
  /// many there are.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func append(_ begin: BatchBegin, correcting records: [BatchRecord]) throws(StintError) {
    try append(records.map(\.text).joined() + begin.text)
  }

  private func append(_ text: String) throws(StintError) {
    let bytes = Array(((isTorn.withLock { $0 } ? "\n" : "") + text).utf8)
    let count = try bytes.withUnsafeBufferPointer { (buffer) throws(StintError) in
      try fileSystem.append(file, UnsafeRawBufferPointer(buffer))
    }
    isTorn.withLock { $0 = count < bytes.count }
    guard count == bytes.count else {
      throw fileError("cannot append all of a line to", file.path, ENOSPC)
    }
  }

  /// Waits until all records are on disk.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func synchronize() throws(StintError) { try fileSystem.synchronizeData(file) }

  /// What the bytes of a log say: an entry for each key, and the records that say the same.
  static func fold(_ bytes: [UInt8]) -> (entries: BatchEntries, lastRecords: [BatchRecord]) {
    var entries = BatchEntries()
    var last: [String: BatchRecord] = [:]
    var corrections: [String: BatchRecord] = [:]
    var order: [String] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let record = BatchRecord(line: line) else { continue }
      if entries[record.key] == nil { order.append(record.key) }
      entries.take(record)
      switch record.event {
      case .lineBegan, .lineEnded:
        last[record.key] = record
        corrections[record.key] = nil
      case .lineStands: corrections[record.key] = record
      case .lineTold, .linePrinted: break
      }
    }
    let kept = order.flatMap { key -> [BatchRecord] in
      let owed = entries[key]?.owed ?? []
      let correction = corrections[key].map { [$0] } ?? []
      guard var record = last[key],
        record.event != .lineEnded || record.stints != owed.last?.stints
      else { return owed + correction }
      (record.isForJobLog, record.isForOutput) = (nil, nil)
      return owed + [record] + correction
    }
    return (entries, kept)
  }
}

extension BatchRecord {
  fileprivate var isOwed: Bool { isForJobLog == true || isForOutput == true }
}

extension BatchLog.Entry {
  /// Takes note of whoever has a record, and so those before it.
  private mutating func settle(_ reader: WritableKeyPath<BatchRecord, Bool?>, _ told: BatchRecord) {
    for index in owed.indices where owed[index].stints <= told.stints {
      owed[index][keyPath: reader] = nil
    }
    owed.removeAll { !$0.isOwed }
  }

  /// Takes in what happened next.
  mutating func take(_ record: BatchRecord) {
    switch record.event {
    case .lineStands:
      standing = record.stands ?? standing
      number = record.line
    case .lineTold:
      settle(\.isForJobLog, record)
    case .linePrinted:
      settle(\.isForOutput, record)
    case .lineBegan:
      (standing, number) = (.running, record.line)
      stints = record.stints
      // What ended before ended without having finished, or is to be done again.
      if history != .failed { history = .begun }
      output = nil
    case .lineEnded:
      (standing, number) = (record.outcome?.standing ?? .waiting, record.line)
      stints = record.stints
      if record.isOwed { owed.append(record) }
      seconds = record.totalSeconds ?? seconds
      output = record.output
      cuts = record.wasCut == true ? cuts + 1 : 0
      switch record.outcome {
      case .finished: history = .finished
      case .failed: history = .failed
      case .unfinished, nil: history = .begun
      }
    }
  }
}
