import FoundationEssentials
import StintCore

extension JournalRecord {
  /// Reads a line; nil if it is not a whole record.
  ///
  /// An event of a name that this version does not know is not an error.
  ///
  /// - Parameter line: The line without its newline.
  package init?(line: some Collection<UInt8>) {
    let quick = line.withContiguousStorageIfAvailable { JournalFields(plainLine: $0) }
    let fields = (quick ?? nil) ?? (try? JSONDecoder().decode(JournalFields.self, from: Data(line)))
    guard let fields, let content = fields.content else { return nil }
    self.init(
      stamp: Stamp(
        unixNanoseconds: fields.unixNanoseconds,
        bootID: fields.bootId,
        instant: Instant(nanoseconds: Duration(clampingSeconds: fields.bootSeconds).nanoseconds),
        pid: fields.pid),
      content: content)
  }
}
