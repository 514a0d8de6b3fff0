import Glibc

/// A wall-clock label in UTC as people read it: `2026-11-21T07:30:42.123Z`.
package func wallClockText(_ unixNanoseconds: Int64) -> String {
  var (seconds, rest) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
  if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000_000) }
  var time = time_t(seconds)
  var parts = tm()
  guard gmtime_r(&time, &parts) != nil else { return "unknown" }
  func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  return padded(Int(parts.tm_year) + 1900, 4) + "-" + padded(Int(parts.tm_mon) + 1, 2) + "-"
    + padded(Int(parts.tm_mday), 2) + "T" + padded(Int(parts.tm_hour), 2) + ":"
    + padded(Int(parts.tm_min), 2) + ":" + padded(Int(parts.tm_sec), 2) + "."
    + padded(Int(rest / 1_000_000), 3) + "Z"
}
