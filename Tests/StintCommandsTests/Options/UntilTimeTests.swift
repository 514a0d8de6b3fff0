import StintCommands
import StintCore
import Testing

@Suite("Times of --until")
struct UntilTimeTests {
  /// In this zone it is 2026-11-21 06:00:00.
  let calendar = WallCalendar.fixed(secondsFromUTC: 3600)

  func remaining(_ text: String, plus nanoseconds: Int64 = 0) throws -> Duration {
    try UntilTime.remaining(
      text, nowNanoseconds: CommandLine.now + nanoseconds, calendar: calendar)
  }

  @Test(
    "a time of day is the next one, today or tomorrow",
    arguments: [
      ("06:01", 60), ("6:01", 60), ("06:00:01", 1), ("23:59:59", 64_799), ("06:00", 86_400),
      ("05:59", 86_340), ("00:00", 64_800),
    ])
  func timeOfDay(text: String, seconds: Int) throws {
    #expect(try remaining(text) == .seconds(seconds))
  }

  @Test("parts of a second count")
  func parts() throws {
    #expect(try remaining("06:01", plus: 250_000_000) == .milliseconds(59_750))
    #expect(try remaining("06:00:01", plus: 999_999_999) == .nanoseconds(1))
    #expect(try remaining("06:00:01", plus: 1_000_000_000) == .seconds(86_400))
  }

  @Test(
    "a date is local time unless it names a zone",
    arguments: [
      ("2026-11-21T06:01", 60), ("2026-11-21 06:01", 60), ("2026-11-21T06:01:30", 90),
      ("2026-11-21 06:01:30", 90), ("2026-11-21 06:01:30+01:00", 90),
      ("2026-11-21T06:00Z", 3600), ("2026-11-21T06:00:00Z", 3600),
      ("2026-11-21T06:01:00+01:00", 60), ("2026-11-21T00:01:00-05:00", 60),
      ("2027-11-21T06:00", 31_536_000), ("2028-02-29T06:00", 40_176_000),
    ])
  func date(text: String, seconds: Int) throws {
    #expect(try remaining(text) == .seconds(seconds))
  }

  @Test(
    "what is not a time to come is refused",
    arguments: [
      ("", "is not a time"), ("6", "is not a time"), ("24:00", "is not a time"),
      ("06:00x", "is not a time"), ("-06:00", "is not a time"), ("06:00:60", "is not a time"),
      ("2026-11-21", "is not a time"), ("tomorrow", "is not a time"), ("nan", "is not a time"),
      ("2026-11-21T05:59", "is in the past"), ("2026-11-21T06:00", "is in the past"),
      ("0001-01-01T00:00", "is in the past"), ("2027-02-29T06:00", "does not have"),
      ("2026-13-01T06:00", "is not a time"),
    ])
  func refused(text: String, part: String) {
    let error = #expect(throws: StintError.self) { try remaining(text) }
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }

  @Test("a time further away than nanoseconds can count is as far as they can")
  func farAway() throws {
    #expect(try remaining("9999-01-01T00:00") > .seconds(200 * 365 * 86_400))
  }

  @Test("a day on which the clocks change is as long as it is")
  func clockChange() throws {
    // A zone that goes forward by an hour one hour from now.
    let change = CommandLine.now / 1_000_000_000 + 3600
    let (before, after) = (
      WallCalendar.fixed(secondsFromUTC: 3600), WallCalendar.fixed(secondsFromUTC: 7200)
    )
    let zone = WallCalendar(
      civil: { $0 < change ? before.civil($0) : after.civil($0) },
      seconds: { civil in
        let late = after.seconds(civil)
        return late >= change ? late : before.seconds(civil)
      })
    let rest = try UntilTime.remaining("09:00", nowNanoseconds: CommandLine.now, calendar: zone)
    #expect(rest == .seconds(7200))
  }

  @Test("the process's own zone goes there and back")
  func currentZone() {
    for seconds in stride(from: Int64(0), to: 2_000_000_000, by: 123_456_789) {
      let civil = WallCalendar.current.civil(seconds)
      #expect(abs(WallCalendar.current.seconds(civil) - seconds) <= 3600)
    }
  }
}
