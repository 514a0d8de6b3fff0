/// What a terminal shows of a number that is too long to be read: its ends, its length and a
/// checksum.
package struct LongNumberSummary: Hashable, Sendable {
  /// How many digits of each end are shown.
  package static let digitsOfAnEnd = 40

  /// The first digits, at least 40 of them.
  package var first: String
  /// The last digits, at least 40 of them.
  package var last: String
  /// How many digits the number has.
  package var digits: Int
  /// The checksum of the result as it would be written to a file, with the name of its algorithm.
  package var checksum: String

  /// Whether a number of that many digits is shown by its ends on a terminal.
  package static func isLong(digits: Int) -> Bool {
    digits > 1000
  }

  /// Two lines; the ends are shortened where the terminal is narrow.
  package func render(width: Int, style: LineStyle) -> String {
    let gap = style.unicode ? "…" : "..."
    let room = max(2, min(2 * Self.digitsOfAnEnd, width - gap.count))
    let ends = "\(first.prefix(room - room / 2))\(gap)\(last.suffix(room / 2))"
    return "\(ends)\n\(ReportText.grouped(digits)) digits, \(checksum)\n"
  }
}
