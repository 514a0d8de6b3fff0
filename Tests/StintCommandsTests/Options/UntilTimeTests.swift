import StintCore
import Testing

@testable import StintCommands

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

  @Test(
    "a time that means one instant everywhere is read, and nothing else",
    arguments: [
      ("@1795250641", 1_795_250_641_000_000_000), ("@1795250641.25", 1_795_250_641_250_000_000),
      ("2026-11-21T06:00:00Z", 1_795_240_800_000_000_000),
      ("2026-11-21T07:00:00+01:00", 1_795_240_800_000_000_000),
      ("2026-11-21 06:00:00.5Z", 1_795_240_800_500_000_000), ("2026-11-21T06:00:00", nil),
      ("06:00", nil), ("@", nil), ("@1 ", nil), ("@-1", nil), ("@1h", nil), ("", nil),
      ("2026-11-31T06:00:00Z", nil), ("2026-11-21T06:00:00.Z", nil),
      ("@99999999999999999999", nil),
    ])
  func instants(text: String, nanoseconds: Int64?) {
    #expect(UntilTime.instant(text) == nanoseconds)
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
    expectError(saying: part) { try remaining(text) }
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

  /// Middle Europe in 2026: an hour ahead, in summer two; in spring at 01:00 UTC of March 29, in
  /// autumn of October 25.
  static let europe = {
    let (winter, summer) = (
      WallCalendar.fixed(secondsFromUTC: 3600), WallCalendar.fixed(secondsFromUTC: 7200)
    )
    let (spring, autumn) = (Int64(1_774_746_000), Int64(1_792_890_000))
    return WallCalendar(
      civil: { spring..<autumn ~= $0 ? summer.civil($0) : winter.civil($0) },
      seconds: { civil in
        // As mktime(3) does: of two instants the later one, and a time that is skipped is moved.
        let (early, late) = (summer.seconds(civil), winter.seconds(civil))
        return spring..<autumn ~= early && spring..<autumn ~= late ? early : late
      })
  }()

  /// In the night of October 25, seconds after the first 02:00.
  static func autumn(_ seconds: Int64) -> Int64 { 1_792_886_400 + seconds }

  @Test(
    "in the hour that a clock repeats, a time of day is the next instant that shows it",
    arguments: [
      // It is the first 02:10.
      (600, "02:21", 660), (600, "02:05", 3_300), (600, "03:00", 6_600), (600, "02:10", 3_600),
      // It is the second 02:10.
      (4_200, "02:21", 660), (4_200, "02:05", 86_100), (4_200, "01:59", 85_740),
      // It is 01:50, and 03:10.
      (-600, "02:21", 1_860), (-600, "01:40", 89_400), (7_800, "02:21", 83_460),
      (600, "2026-10-25T02:21", 660), (4_200, "2026-10-25T02:21", 660),
      (600, "2026-10-25T02:05", 3_300),
    ] as [(Int64, String, Int64)])
  func autumnHour(now: Int64, text: String, seconds: Int64) throws {
    let rest = try UntilTime.remaining(
      text, nowNanoseconds: Self.autumn(now) * 1_000_000_000, calendar: Self.europe)
    #expect(rest == .seconds(seconds))
  }

  @Test("a date whose both instants are past is in the past, and a time that is skipped is moved")
  func pastAndSkipped() throws {
    expectError(saying: "in the past") {
      try UntilTime.remaining(
        "2026-10-25T02:05", nowNanoseconds: Self.autumn(4_200) * 1_000_000_000,
        calendar: Self.europe)
    }
    // March 29, 01:30, half an hour before the clock is set forward.
    let spring = Int64(1_774_746_000 - 1_800) * 1_000_000_000
    let rest = try UntilTime.remaining("02:30", nowNanoseconds: spring, calendar: Self.europe)
    #expect(rest > .zero && rest <= .seconds(3_600))
  }

  @Test("every instant is among those that show what the clock shows then")
  func everyInstant() {
    let calendar = Self.europe
    for hour in -30..<30 {
      let now = Self.autumn(Int64(hour) * 3600 + 123)
      #expect(calendar.instants(of: calendar.civil(now)).contains(now))
    }
    #expect(calendar.instants(of: calendar.civil(Self.autumn(60))).count == 2)
  }

  @Test("the process's own zone goes there and back")
  func currentZone() {
    for seconds in stride(from: Int64(0), to: 2_000_000_000, by: 123_456_789) {
      let civil = WallCalendar.current.civil(seconds)
      #expect(abs(WallCalendar.current.seconds(civil) - seconds) <= 3600)
    }
  }
}
