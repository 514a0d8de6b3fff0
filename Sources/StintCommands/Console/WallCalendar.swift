import CStint  // For struct tm, which its header declares too.
import Glibc
package import StintCore

/// A date and time of day as people write it.
package struct CivilTime: Hashable, Sendable {
  package var year: Int
  package var month: Int
  package var day: Int
  package var hour = 0
  package var minute = 0
  package var second = 0
}

/// The rules of a time zone: from seconds since 1970 to civil time and back.
///
/// The C library's own conversion, because Foundation's brings the tables of all the world's
/// calendars into every run.
package struct WallCalendar: Sendable {
  /// Civil time at a number of seconds since 1970 (UTC).
  package var civil: @Sendable (Int64) -> CivilTime
  /// Seconds since 1970 of a civil time.
  ///
  /// A time that a change of the clocks skips is moved, and a day beyond
  /// the month's end runs into the next.
  package var seconds: @Sendable (CivilTime) -> Int64

  /// All instants at which a clock shows a time, in order: none where a change of the clocks skips
  /// it, two where one repeats it.
  package func instants(of civil: CivilTime) -> [Int64] {
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
      return CivilTime(fields)
    },
    seconds: { civil in
      var fields = civil.fields
      fields.tm_isdst = -1
      return Int64(mktime(&fields))
    })

  /// A zone that is always that many seconds ahead of UTC.
  package static func fixed(secondsFromUTC offset: Int) -> WallCalendar {
    WallCalendar(
      civil: { seconds in
        var (time, fields) = (time_t(seconds + Int64(offset)), tm())
        gmtime_r(&time, &fields)
        return CivilTime(fields)
      },
      seconds: { civil in
        var fields = civil.fields
        return Int64(timegm(&fields)) - Int64(offset)
      })
  }
}

extension CivilTime {
  /// The civil time in C's fields.
  init(_ fields: tm) {
    self.init(
      year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday),
      hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec))
  }

  /// C's fields.
  var fields: tm {
    var fields = tm()
    fields.tm_year = Int32(year - 1900)
    fields.tm_mon = Int32(month - 1)
    fields.tm_mday = Int32(day)
    fields.tm_hour = Int32(hour)
    fields.tm_min = Int32(minute)
    fields.tm_sec = Int32(second)
    return fields
  }
}

/// The wall clock at one moment, with the rules of the user's zone.
package struct WallTime: Sendable {
  package var nanosecondsSince1970: Int64
  package var calendar: WallCalendar
  /// The same moment by the boot-time clock.
  package var instant = Instant(nanoseconds: 0)
}
