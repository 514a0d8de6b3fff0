import StintCore
import StintRuntime

extension JobCheck {
  private static let remedy = "run the same command again, which makes good what is lost"

  /// Whether the job is a set that was finished, so that it must have a ledger.
  var needsLedger: Bool {
    view.kind.output == .folder && view.summary.journal.finish?.hasResult == true
  }

  /// Whether a partial file is the ledger of a set.
  func isLedger(_ file: String) -> Bool {
    view.kind.output == .folder && file == SetLedger.fileName
  }

  func goneLedger(_ name: String) -> CheckedItem {
    CheckedItem(name: name, state: .damaged, text: "is gone; \(Self.remedy)")
  }

  /// The ledger of a set of images: each of its lines has a checksum, and the journal says what a
  /// finished set came to.
  func ledger(_ name: String) -> CheckedItem {
    let bytes: [UInt8]
    do {
      bytes = try JobFileContents.bytes(of: "\(view.summary.path)/\(name)")
    } catch {
      return CheckedItem(name: name, unread: error)
    }
    let ledger = SetLedger(bytes)
    let finish = view.summary.isRunning ? nil : view.summary.journal.finish
    let count = ledger.damagedLines.count
    if let first = ledger.damagedLines.first {
      return CheckedItem(
        name: name, state: .damaged,
        text: "\(count) of \(ledger.lineCount + (ledger.isTorn ? 1 : 0)) lines "
          + "\(count == 1 ? "is" : "are") damaged, the first at byte \(ReportText.grouped(first)); "
          + Self.remedy, sizeBytes: bytes.count)
    }
    if ledger.lacks(finish) {
      return CheckedItem(
        name: name, state: .damaged,
        text: "lacks lines of results that the journal tells of; \(Self.remedy)",
        sizeBytes: bytes.count)
    }
    var text = "\(ledger.lineCount) line\(ledger.lineCount == 1 ? " is" : "s are") as written"
    if ledger.blankCount > 0 { text += ", \(ledger.blankCount) of them blank since earlier damage" }
    if ledger.isTorn { text += "; the last line is incomplete, because its process ended" }
    return CheckedItem(
      name: name, state: ledger.isTorn ? .note : .ok, text: text, sizeBytes: bytes.count)
  }
}
