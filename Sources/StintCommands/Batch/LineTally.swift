import Glibc
import StintCore
import StintRuntime

/// How the lines of a batch stand, read from its log (`docs/formats/batch-log.md`).
///
/// It takes the log in pieces and remembers where it was, so that each byte is read once by a
/// process that watches. Of each line it keeps how it stands, and of one that failed where in the
/// log its end is told.
struct LineTally {
  struct Line: Hashable, Sendable {
    var standing = BatchStanding.waiting
    var number = 0
    /// Where the record of its last end lies.
    var end = 0..<0
  }

  /// What the last process said first; nil if the log does not have it.
  private(set) var begin: BatchBegin?
  private(set) var lines: [String: Line] = [:]
  private(set) var done = 0
  private(set) var failed = 0
  private(set) var running: Set<String> = []
  /// Lines of which an end was read that failed, since somebody asked last.
  private var newlyFailed: [String] = []
  /// How many bytes of the log have been taken.
  private(set) var offset = 0

  /// Takes in what stands in the log behind that which was taken before; half a line at its end is
  /// left for the next time.
  mutating func take(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { buffer in
      var start = 0
      while let base = buffer.baseAddress, start < buffer.count,
        let found = memchr(base + start, Int32(UInt8(ascii: "\n")), buffer.count - start)
      {
        let end = base.distance(to: UnsafeRawPointer(found))
        take(LogLine(bytes: UnsafeRawBufferPointer(rebasing: buffer[start..<end])), at: offset)
        offset += end + 1 - start
        start = end + 1
      }
    }
  }

  private mutating func take(_ line: LogLine, at offset: Int) {
    switch line.event {
    case .lineTold, .linePrinted: return
    case nil:
      guard let begin = BatchBegin(line: line.array[...]) else { return }
      self.begin = begin
      // Whoever ran them is gone.
      for key in running { lines[key]?.standing = .waiting }
      running = []
    case .lineBegan, .lineEnded, .lineStands:
      guard let fields = line.fields else { return }
      var entry = lines[fields.key] ?? Line()
      count(entry.standing, of: fields.key, by: -1)
      (entry.standing, entry.number) = (fields.standing, fields.number)
      if line.event == .lineEnded {
        entry.end = offset..<offset + line.bytes.count
        if entry.standing == .failed { newlyFailed.append(fields.key) }
      }
      count(entry.standing, of: fields.key, by: 1)
      lines[fields.key] = entry
    }
  }

  private mutating func count(_ standing: BatchStanding, of key: String, by step: Int) {
    switch standing {
    case .finished: done += step
    case .failed: failed += step
    case .running where step > 0: running.insert(key)
    case .running: running.remove(key)
    case .waiting, .gone: break
    }
  }

  /// Restricts the counts to some lines: an earlier version wrote down which lines a part has.
  mutating func keep(_ share: BatchShare) {
    let keys = Set(share.keys)
    for (key, line) in lines where !keys.contains(key) {
      count(line.standing, of: key, by: -1)
      lines[key] = nil
    }
    begin = BatchBegin(count: keys.count, wholeCount: share.count, unixNanoseconds: 0)
  }

  /// The lines that failed, in the order of their numbers.
  var failures: [(key: String, line: Line)] {
    guard failed > 0 else { return [] }
    return lines.filter { $0.value.standing == .failed }.map { (key: $0.key, line: $0.value) }
      .sorted { ($0.line.number, $0.key) < ($1.line.number, $1.key) }
  }

  /// Those that have failed since this was asked last, as they came.
  mutating func takeNewFailures() -> [(key: String, line: Line)] {
    defer { newlyFailed = [] }
    return newlyFailed.compactMap { key in
      lines[key].flatMap { $0.standing == .failed ? (key: key, line: $0) : nil }
    }
  }
}

/// A line of the log, of which only those members are read that the counts need.
///
/// The members stand where ``BatchRecord`` puts them. What looks otherwise is read as JSON.
private struct LogLine {
  typealias Fields = (key: String, number: Int, standing: BatchStanding)

  let bytes: UnsafeRawBufferPointer
  let event: BatchRecord.Event?

  private static let events = BatchRecord.Event.allCases.map { event in
    (event: event, start: Array("{\"event\":\"\(event.rawValue)\",".utf8))
  }
  private static let mostDigits = 18
  private static let keyStart = Array(",\"key\":\"".utf8)
  private static let lineStart = Array(",\"line\":".utf8)
  private static let outcomeStart = Array(",\"outcome\":\"".utf8)
  private static let standsStart = Array(",\"stands\":\"".utf8)
  private static let outputStart = Array(",\"output\":{".utf8)
  private static let quote = Int32(UInt8(ascii: "\""))
  private static let backslash = Int32(UInt8(ascii: "\\"))

  init(bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    let found = Self.events.first { entry in
      guard let base = bytes.baseAddress, bytes.count > entry.start.count else { return false }
      return memcmp(base, entry.start, entry.start.count) == 0
    }
    event = found?.event ?? BatchRecord(line: Array(bytes)[...])?.event
  }

  var array: [UInt8] { Array(bytes) }

  var fields: Fields? { quickFields ?? slowFields }

  private var quickFields: Fields? {
    // A record that is torn may look whole up to where it ends.
    let brace = UInt8(ascii: "}")
    guard bytes.count > 2, bytes[bytes.count - 1] == brace,
      bytes[bytes.count - 2] == brace || find(Self.outputStart) == nil,
      let key = text(after: Self.keyStart), let start = find(Self.lineStart)
    else { return nil }
    var number = 0
    for index in start..<min(start + Self.mostDigits, bytes.count) {
      let digit = bytes[index] ^ UInt8(ascii: "0")
      guard digit < 10 else { break }
      number = number * 10 + Int(digit)
    }
    switch event {
    case .lineBegan: return (key, number, .running)
    case .lineEnded:
      guard let end = text(after: Self.outcomeStart).flatMap(BatchLineEnd.init) else { return nil }
      return (key, number, end.standing)
    case .lineStands:
      guard let stands = text(after: Self.standsStart).flatMap(BatchStanding.init)
      else { return nil }
      return (key, number, stands)
    case .lineTold, .linePrinted, nil: return nil
    }
  }

  private var slowFields: Fields? {
    guard let record = BatchRecord(line: array[...]) else { return nil }
    let standing: BatchStanding? =
      switch record.event {
      case .lineBegan: .running
      case .lineEnded: record.outcome?.standing ?? .waiting
      case .lineStands: record.stands
      case .lineTold, .linePrinted: nil
      }
    return standing.map { (record.key, record.line, $0) }
  }

  /// The index behind a pattern, which cannot stand in a text: quotation marks are escaped there.
  private func find(_ pattern: [UInt8]) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var start = 0
    while start + pattern.count < bytes.count,
      let found = memchr(base + start, Int32(pattern[0]), bytes.count - pattern.count - start)
    {
      let place = base.distance(to: UnsafeRawPointer(found))
      if memcmp(found, pattern, pattern.count) == 0 { return place + pattern.count }
      start = place + 1
    }
    return nil
  }

  /// The text behind a pattern; nil if it has escapes.
  private func text(after pattern: [UInt8]) -> String? {
    guard let start = find(pattern), let base = bytes.baseAddress,
      let found = memchr(base + start, Self.quote, bytes.count - start)
    else { return nil }
    let end = base.distance(to: UnsafeRawPointer(found))
    guard memchr(base + start, Self.backslash, end - start) == nil else { return nil }
    return String(
      validating: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
  }
}
