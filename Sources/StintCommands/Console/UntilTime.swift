import CStint
import Glibc
import StintCore

/// Reads the argument of `--until`: a time of day, or a date and time.
package enum UntilTime {
  private static let timesOfDay = ["%H:%M", "%H:%M:%S"]
  private static let dates = [
    "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S",
  ]

  /// How long it is from now until the time that is meant.
  ///
  /// `06:00` is the next time the clock shows that, today or tomorrow. `2026-11-21T06:00` is local
  /// time; with `Z` or an offset such as `+01:00` it is that zone's.
  ///
  /// - Parameters:
  ///   - text: The text as a user wrote it.
  ///   - now: Nanoseconds since 1970, by the wall clock.
  ///   - calendar: The user's time zone.
  /// - Returns: The time that is left, above zero.
  /// - Throws: ``StintError`` with the code `usage`.
  package static func remaining(
    _ text: String, nowNanoseconds now: Int64, calendar: WallCalendar
  ) throws -> Duration {
    let second: Int64 = 1_000_000_000
    let nowSeconds = now / second
    let shown = "--until \"\(text.prefix(60))\""
    let seconds: Int64
    if let (time, _) = parsed(text, by: timesOfDay) {
      seconds = next(time, after: nowSeconds, calendar: calendar)
    } else if let (date, _) = parsed(text, by: dates) {
      let moved = calendar.seconds(date)
      try check(date, exists: calendar.civil(moved), shown: shown)
      // Where the clock shows it twice, the first that is still to come.
      let instants = calendar.instants(of: date)
      seconds = instants.first { $0 > nowSeconds } ?? instants.last ?? moved
    } else if let (date, offset) = parsed(text, by: dates.map { $0 + "%z" }) {
      let zone = WallCalendar.fixed(secondsFromUTC: offset)
      seconds = zone.seconds(date)
      try check(date, exists: zone.civil(seconds), shown: shown)
    } else {
      throw StintError(
        .usage, "\(shown) is not a time; write one such as 06:00 or 2026-11-21T06:00.")
    }
    // Saturated rather than refused: whatever is out of range is in the past or centuries away.
    let target = Duration.seconds(seconds).nanoseconds
    guard target > now else {
      throw StintError(.usage, "\(shown) is in the past; write a time that is still to come.")
    }
    return .nanoseconds(target - now)
  }

  /// Reads a time that means one instant everywhere: a date and time with its zone (RFC 3339), or
  /// `@` and seconds since 1970; nil for anything else.
  package static func instant(_ text: String) -> Int64? {
    if text.first == "@" {
      guard text.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }) else {
        return nil
      }
      return (try? Duration(text: text.dropFirst() + "s"))?.nanoseconds
    }
    // The fraction of a second, which the C library does not read.
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let digits = parts.count == 2 ? parts[1].prefix { $0.isNumber } : ""
    let whole = parts.count == 2 ? String(parts[0] + parts[1].dropFirst(digits.count)) : text
    guard parts.count == 1 || !digits.isEmpty,
      let (date, offset) = parsed(whole, by: ["%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S%z"])
    else { return nil }
    let zone = WallCalendar.fixed(secondsFromUTC: offset)
    let seconds = zone.seconds(date)
    guard (try? check(date, exists: zone.civil(seconds), shown: "")) != nil else { return nil }
    return (Duration.seconds(seconds) + ((try? Duration(text: "0.\(digits)s")) ?? .zero))
      .nanoseconds
  }

  /// The next instant at which a clock shows a time of day.
  ///
  /// In the hour that a clock repeats that is the second time within the hour. On a day on which it
  /// skips the time, it is the time to which that is moved.
  private static func next(
    _ time: tm, after now: Int64, calendar: WallCalendar
  ) -> Int64 {
    let today = calendar.civil(now)
    // A clock that is set back at midnight shows the day before once more.
    for days: Int32 in -1...2 {
      var civil = today
      civil.tm_mday += days
      (civil.tm_hour, civil.tm_min, civil.tm_sec) = (time.tm_hour, time.tm_min, time.tm_sec)
      let moved = calendar.seconds(civil)
      let instants = calendar.instants(of: civil)
      if let next = (instants.isEmpty ? [moved] : instants).first(where: { $0 > now }) {
        return next
      }
    }
    preconditionFailure("a time of day comes within two days")
  }

  private static func check(_ date: tm, exists: tm, shown: String) throws {
    guard date.tm_year == exists.tm_year, date.tm_mon == exists.tm_mon,
      date.tm_mday == exists.tm_mday
    else {
      throw StintError(.usage, "\(shown) names a day that the month does not have.")
    }
  }

  private static func parsed(_ text: String, by formats: [String]) -> (tm, Int)? {
    // strptime would pass over blanks.
    guard text.first?.isNumber == true else { return nil }
    for format in formats {
      var fields = tm()
      if stint_read_time(text, format, &fields) == 1, fields.tm_sec < 60 {
        return (fields, Int(fields.tm_gmtoff))
      }
    }
    return nil
  }
}
