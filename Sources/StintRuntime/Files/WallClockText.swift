import Glibc

/// A wall-clock label in UTC as people read it: `2026-11-21T07:30:42.123Z`.
package func wallClockText(_ unixNanoseconds: Int64) -> String {
  var seconds = time_t(unixNanoseconds.quotientFloored(by: 1_000_000_000))
  var parts = tm()
  guard gmtime_r(&seconds, &parts) != nil else { return "unknown" }
  func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
  let rest = unixNanoseconds % 1_000_000_000
  let milliseconds = (rest < 0 ? rest + 1_000_000_000 : rest) / 1_000_000
  return padded(Int(parts.tm_year) + 1900, 4) + "-" + padded(Int(parts.tm_mon) + 1, 2) + "-"
    + padded(Int(parts.tm_mday), 2) + "T" + padded(Int(parts.tm_hour), 2) + ":"
    + padded(Int(parts.tm_min), 2) + ":" + padded(Int(parts.tm_sec), 2) + "."
    + padded(Int(milliseconds), 3) + "Z"
}

extension Int64 {
  /// The quotient rounded down, also below zero.
  fileprivate func quotientFloored(by divisor: Int64) -> Int64 {
    self / divisor - (self % divisor < 0 ? 1 : 0)
  }
}
