import StintCore

/// The position n of a Fibonacci number F(n), within what GMP can hold.
package struct FibonacciIndex: Hashable, Sendable {
  /// The largest position that is accepted.
  ///
  /// GMP numbers have at most 2^31 − 1 limbs of 64 bits, 2^37 − 64 bits in all, and GMP aborts the
  /// process beyond. F(n) has n · log2 φ − 1.16 bits (log2 φ = 0.694 241 9…), so the last one that
  /// fits is at 197 969 829 695; a product needs up to one limb and the doubling formulas two bits
  /// more than their results. At 1.97 × 10^11, F(n) has 2 136 963 391 limbs: ten million to spare.
  package static let maximum = 197_000_000_000

  /// n, from 0 to ``maximum``.
  package let value: Int

  /// Accepts a position in range.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  package init(_ value: Int) throws {
    guard value >= 0 else {
      throw StintError(.usage, "The position \(value) is negative; give 0 to \(Self.maximum).")
    }
    guard value <= Self.maximum else { throw Self.tooLarge(String(value)) }
    self.value = value
  }

  /// Reads a position as it is typed: digits, which underscores may group, and a power of ten as in
  /// `1e8`.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  package init(text: String) throws {
    let shown = text.count > 40 ? String(text.prefix(40)) + "…" : text
    let notNumber = StintError(
      .usage,
      "\"\(shown)\" is not a position; give a whole number from 0 to \(Self.maximum),"
        + " such as 100000000, 100_000_000 or 1e8.")
    guard !text.isEmpty else { throw notNumber }
    let unsigned = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
    let parts = unsigned.split(
      maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 == "e" || $0 == "E" })
    guard let digits = Self.digits(parts[0]) else { throw notNumber }
    var exponent = 0
    if parts.count == 2 {
      guard let text = Self.digits(parts[1]), text == parts[1] else { throw notNumber }
      exponent = Int(text) ?? .max
    }
    let significant = digits.drop { $0 == "0" }
    if text.first == "-" {
      throw StintError(
        .usage, "The position \(shown) is negative; give 0 to \(Self.maximum).")
    }
    guard !significant.isEmpty else {
      value = 0
      return
    }
    guard exponent <= 12, significant.count + exponent <= 12,
      let number = Int(significant + String(repeating: "0", count: exponent)),
      number <= Self.maximum
    else { throw Self.tooLarge(shown) }
    value = number
  }

  private static func tooLarge(_ shown: String) -> StintError {
    StintError(
      .usage,
      "The position \(shown) is beyond \(maximum), where F(n) would exceed 2^37 bits,"
        + " the largest number that GMP can hold; give a smaller one.")
  }

  /// The digits without the underscores that group them, or nil if they are something else.
  private static func digits(_ text: Substring) -> String? {
    guard let first = text.utf8.first, let last = text.utf8.last,
      (48...57).contains(first), (48...57).contains(last),
      text.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: "_") })
    else { return nil }
    return text.filter { $0 != "_" }
  }
}
