import Glibc

/// Makes records of the bytes of a journal, which come in pieces that end anywhere.
struct JournalLines {
  /// A longer line is garbage, whatever it says: no more than this is kept of it.
  static let longestBytes = 1 << 20

  /// Whole lines that are no records.
  private(set) var garbageLines = 0
  /// The beginning of a line whose end has not come yet.
  private var begun: [UInt8] = []
  private var isTooLong = false
  /// The first bytes are the end of a line whose beginning was not read.
  private var beginsInsideLine: Bool

  init(beginsInsideLine: Bool = false) {
    self.beginsInsideLine = beginsInsideLine
  }

  /// Takes in the next bytes, and calls the body with each record that they complete.
  mutating func add(_ bytes: UnsafeRawBufferPointer, _ body: (JournalRecord) -> Void) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let end = Self.endOfLine(in: UnsafeRawBufferPointer(rebasing: rest)) else {
        keep(UnsafeRawBufferPointer(rebasing: rest))
        return
      }
      let line = UnsafeRawBufferPointer(rebasing: rest.prefix(end))
      rest = rest.dropFirst(end + 1)
      if beginsInsideLine {
        beginsInsideLine = false
      } else if begun.isEmpty && !isTooLong {
        complete(line, body)
      } else {
        keep(line)
        let whole = begun
        whole.withUnsafeBytes { complete($0, body) }
        begun = []
        isTooLong = false
      }
    }
  }

  /// Takes what is left for the last line.
  ///
  /// Without its newline it is a record, or was torn by the end of a process and is not counted.
  mutating func end(_ body: (JournalRecord) -> Void) {
    if isTooLong { garbageLines += 1 }
    if !isTooLong, let record = JournalRecord(line: begun) { body(record) }
  }

  private mutating func complete(_ line: UnsafeRawBufferPointer, _ body: (JournalRecord) -> Void) {
    if isTooLong || line.count > Self.longestBytes {
      garbageLines += 1
    } else if line.isEmpty {
      // What a line begins with after a torn one.
    } else if let record = JournalRecord(line: line.bindMemory(to: UInt8.self)) {
      body(record)
    } else if !line.allSatisfy({ $0 == 0 }) {
      // Zero bytes are what a power cut leaves of a line that was not on disk yet.
      garbageLines += 1
    }
  }

  private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
    if beginsInsideLine { return }
    if isTooLong || begun.count + bytes.count > Self.longestBytes {
      isTooLong = true
      begun = []
    } else {
      begun += bytes
    }
  }

  private static func endOfLine(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress,
      let found = memchr(base, Int32(UInt8(ascii: "\n")), bytes.count)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }
}
