package import CStint  // For struct tm, which its header declares too.
import Glibc
package import StintCore

/// The rules of a time zone: from seconds since 1970 to civil time and back.
///
/// The C library's own conversion, because Foundation's brings the tables of all the world's
/// calendars into every run.
package struct WallCalendar: Sendable {
  /// Civil time, in C's fields, at a number of seconds since 1970 (UTC).
  package var civil: @Sendable (Int64) -> tm
  /// Seconds since 1970 of a civil time.
  ///
  /// A time that a change of the clocks skips is moved, and a day beyond
  /// the month's end runs into the next.
  package var seconds: @Sendable (tm) -> Int64

  /// All instants at which a clock shows a time, in order: none where a change of the clocks skips
  /// it, two where one repeats it.
  package func instants(of civil: tm) -> [Int64] {
    let about = seconds(civil)
    // As many seconds as if no clock were ever changed; a day beyond the month's end becomes one of
    // the next.
    let utc = Self.fixed(secondsFromUTC: 0)
    let shown = utc.seconds(civil)
    var found: Set<Int64> = []
    for probe in [about - 86_400, about, about + 86_400] {
      let offset = utc.seconds(self.civil(probe)) - probe
      let instant = shown - offset
      if utc.seconds(self.civil(instant)) == shown { found.insert(instant) }
    }
    return found.sorted()
  }

  /// The time zone of this process.
  package static let current = WallCalendar(
    civil: { seconds in
      var (time, fields) = (time_t(seconds), tm())
      localtime_r(&time, &fields)
      return fields
    },
    seconds: { civil in
      var fields = civil
      fields.tm_isdst = -1
      return Int64(mktime(&fields))
    })

  /// A zone that is always that many seconds ahead of UTC.
  package static func fixed(secondsFromUTC offset: Int) -> WallCalendar {
    WallCalendar(
      civil: { seconds in
        var (time, fields) = (time_t(seconds + Int64(offset)), tm())
        gmtime_r(&time, &fields)
        return fields
      },
      seconds: { civil in
        var fields = civil
        return Int64(timegm(&fields)) - Int64(offset)
      })
  }
}

/// The wall clock at one moment, with the rules of the user's zone.
package struct WallTime: Sendable {
  package var nanosecondsSince1970: Int64
  package var calendar: WallCalendar
  /// The same moment by the boot-time clock.
  package var instant = Instant(nanoseconds: 0)
}
