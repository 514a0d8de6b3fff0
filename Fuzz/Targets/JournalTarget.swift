import StintCore

@testable import StintRuntime

/// The journal: a file, its lines, and what is folded from them.
///
/// The input is the file.
enum JournalTarget {
  // A member is a name and a value, and short ones are most of a line.
  private static let allowance = Allowance(
    peakBytes: (fixed: 65_536, perByte: 64), totalBytes: (fixed: 131_072, perByte: 512))

  static func examine(_ input: [UInt8]) {
    let (records, garbageLines) = allowance.measured(input.count) {
      let parsed = Journal.parse(input)
      if !parsed.records.isEmpty { Plant.accepted(input) }
      return parsed
    }
    Plant.rare(records.contains { $0.stamp.pid > 99_999 })
    let lines = input.split(separator: UInt8(ascii: "\n"))
    require(records.count + garbageLines <= lines.count, "more records than lines")
    records.forEach(checkRoundTrip)
    checkSummary(records, garbageLines: garbageLines, of: input)
  }

  private static func checkRoundTrip(_ record: JournalRecord) {
    var line = Array(record.line.utf8)
    require(line.popLast() == UInt8(ascii: "\n"), "a line without its end")
    require(!line.contains(UInt8(ascii: "\n")), "a line of two lines")
    if case .unknown = record.content {
      // Kept as a name alone; an older program does not write lines of a version to come.
      return
    }
    var again = JournalRecord(line: line)
    if Plant.spoils { again?.stamp.instant.nanoseconds += 1 }
    require(again == record, "\(record)\ncame back as\n\(again.map { "\($0)" } ?? "nothing")")
  }

  private static func checkSummary(
    _ records: [JournalRecord], garbageLines: Int, of input: [UInt8]
  ) {
    var folded = JournalSummary()
    for record in records { folded.add(record) }
    folded.garbageLines = garbageLines
    let fileSystem = SingleFile(input)
    let read = try? Journal.summary(in: fileSystem.directory, fileSystem: fileSystem)
    require(read == folded, "the file folds to another summary than its records")
    require(folded.elapsed >= .zero, "elapsed time went back")
    require(folded.stints <= records.count, "more stints than records")
    folded.processIsGone()
    // A run can also end before its first stint begins, which only its announcement tells.
    let announcements = records.count { record in
      if case .event(.expiryAnnounced) = record.content { true } else { false }
    }
    require(
      folded.stintsWithoutProgress <= folded.stints + announcements,
      "more without progress than stints and announcements")
  }
}
