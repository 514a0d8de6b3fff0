import FoundationEssentials
import StintCore

@testable import Stint

/// The journal: a file, its lines, and what is folded from them.
///
/// The input is the file.
enum JournalTarget {
  // A line that the quick reader declines goes through JSONDecoder, which keeps a map of it.
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
    lines.forEach(checkReadersAgree)
    records.forEach(checkRoundTrip)
    checkSummary(records, garbageLines: garbageLines, of: input)
  }

  /// The quick reader of plain lines may decline a line, and never reads it otherwise than the general one.
  private static func checkReadersAgree(on line: ArraySlice<UInt8>) {
    let quick = line.withUnsafeBufferPointer { JournalFields(plainLine: $0) }
    guard let quick else { return }
    let general = try? JSONDecoder().decode(JournalFields.self, from: Data(line))
    require(
      general.map { isSame($0, quick) } ?? false,
      "the readers differ:\n\(quick)\n\(general.map { "\($0)" } ?? "declined")")
  }

  private static func isSame(_ left: JournalFields, _ right: JournalFields) -> Bool {
    left.event == right.event && left.content == right.content && left.bootId == right.bootId
      && left.unixSeconds == right.unixSeconds && left.bootSeconds == right.bootSeconds
      && left.pid == right.pid
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
