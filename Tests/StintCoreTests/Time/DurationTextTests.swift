import StintCore
import Testing

@Suite("Durations as text")
struct DurationTextTests {
  @Test(
    "R14 durations are read with their units",
    arguments: [
      ("250ms", 250_000_000), ("30s", 30_000_000_000), ("3m", 180_000_000_000),
      ("1h30m", 5_400_000_000_000), ("1.5s", 1_500_000_000), ("0s", 0), ("1ns", 1),
      (".5s", 500_000_000), ("2d", 172_800_000_000_000), ("1m1s1ms1us1ns", 61_001_001_001),
      ("36525d", 3_155_760_000_000_000_000), ("0.1234567891s", 123_456_789),
      ("3min", 180_000_000_000),
    ])
  func reads(text: String, nanoseconds: Int64) throws {
    #expect(try Duration(text: text).nanoseconds == nanoseconds)
  }

  @Test(
    "R14 what is not a duration is refused with a reason",
    arguments: [
      ("", "is empty"), ("10", "has no unit"), ("-1s", "is negative"), ("nan", "is not a duration"),
      ("inf", "is not a duration"), ("1x", "unknown unit"), ("1s1h", "out of order"),
      ("1s1s", "out of order"), ("1.2.3s", "not a number"), (".s", "not a number"),
      ("1 s", "unknown unit"), ("٣s", "is not a duration"), ("1e3s", "unknown unit"),
      ("999999999999d", "too large"), ("106751d23h59m", "is too long"),
      (String(repeating: "1", count: 100) + "s", "is too long"),
    ])
  func refuses(text: String, part: String) {
    let error = #expect(throws: DurationTextError.self) { try Duration(text: text) }
    #expect(error?.reason.contains(part) == true, "\(error?.description ?? "")")
  }

  @Test(
    "durations are shown to three places",
    arguments: [
      (0, "0s"), (12, "12ns"), (1_500_000, "1.5ms"), (29_800_000_000, "29.8s"),
      (192_000_000_000, "3m12s"), (5_400_000_000_000, "1h30m"), (187_200_000_000_000, "2d4h"),
      (-1_500_000, "-1.5ms"), (999, "999ns"), (1_000, "1us"), (60_000_000_000, "1m"),
    ] as [(Int64, String)])
  func compact(nanoseconds: Int64, text: String) {
    #expect(Duration.nanoseconds(nanoseconds).compactText == text)
  }

  @Test("W3 remaining seconds are cut, never rounded up")
  func secondsText() {
    #expect(Duration.milliseconds(4_999).secondsText(decimals: 1) == "4.9")
    #expect(Duration.milliseconds(50).secondsText(decimals: 1) == "0.0")
    #expect(Duration.milliseconds(-1_500).secondsText(decimals: 1) == "-1.5")
    #expect(Duration.seconds(7).secondsText(decimals: 0) == "7")
    #expect(Duration.nanoseconds(7).secondsText(decimals: 9) == "0.000000007")
  }
}
