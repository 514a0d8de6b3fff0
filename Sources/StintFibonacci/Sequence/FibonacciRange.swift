import StintCore

/// The positions of a sequence, both ends included.
package struct FibonacciRange: Hashable, Sendable {
  /// The last position that a sequence may reach.
  ///
  /// A line then has two million digits, which one chunk writes in a few milliseconds; a range that
  /// needs more is better computed number by number.
  package static let maximum = 10_000_000

  /// The position of the first line.
  package let first: Int
  /// The position of the last line.
  package let last: Int

  /// Accepts a range.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  package init(from first: Int, to last: Int) throws {
    guard first >= 0, first <= last else {
      throw StintError(
        .usage, "The range \(first)..\(last) is empty or negative; FROM must be from 0 to TO.")
    }
    guard last <= Self.maximum else {
      throw StintError(
        .usage, "The range ends at \(last); a sequence can go up to \(Self.maximum).")
    }
    self.first = first
    self.last = last
  }

  /// Reads a range as it is typed: two positions with two dots between them.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  package init(text: String) throws {
    let shown = text.count > 60 ? String(text.prefix(60)) + "…" : text
    let notRange = StintError(
      .usage, "\"\(shown)\" is not a range; give two positions as FROM..TO, such as 0..100.")
    let parts = text.split(separator: "..", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { throw notRange }
    if parts.contains(where: { $0.hasPrefix("-") }) {
      throw StintError(
        .usage, "The range \(shown) is negative; a sequence can go from 0 to \(Self.maximum).")
    }
    let ends = try parts.map { try FibonacciIndex(text: String($0)).value }
    try self.init(from: ends[0], to: ends[1])
  }
}
