import StintCore
import Testing

@Suite("Durations as numbers")
struct DurationNumbersTests {
  /// The longest duration there is, in attoseconds of 128 bits.
  private let longest = Duration(attoseconds: .max)
  private let shortest = Duration(attoseconds: .min)

  @Test("nanoseconds are cut towards zero and stay in their range")
  func nanoseconds() {
    let cut: [(Int128, Int64)] = [
      (0, 0), (999_999_999, 0), (-999_999_999, 0), (1_000_000_000, 1), (-1_000_000_001, -1),
      (Int128(Int64.max) * 1_000_000_000, .max), (Int128(Int64.max) * 1_000_000_000 + 1, .max),
      (Int128(Int64.min) * 1_000_000_000, .min), (Int128(Int64.max) * 2_000_000_000, .max),
    ]
    for (attoseconds, nanoseconds) in cut {
      #expect(Duration(attoseconds: attoseconds).nanoseconds == nanoseconds, "\(attoseconds)")
    }
    #expect(longest.nanoseconds == .max)
    #expect(shortest.nanoseconds == .min)
    for value in [Int64.min, -1, 0, 7, .max] {
      #expect(Duration.nanoseconds(value).nanoseconds == value)
    }
  }

  @Test("seconds are as exact as a floating-point number can be")
  func seconds() {
    for seconds in [0, 1e-9, 0.1, 0.25, 1, 1.5, 12.345678901, 86_400.000000001] {
      #expect(Duration(clampingSeconds: seconds).inSeconds == seconds)
      #expect(Duration(clampingSeconds: -seconds).inSeconds == -seconds)
    }
    #expect(longest.inSeconds > 9e18 && shortest.inSeconds < -9e18)
  }

  @Test("seconds beyond the range saturate, and what is not a number is nothing")
  func clamping() {
    #expect(Duration(clampingSeconds: .infinity) == .nanoseconds(Int64.max))
    #expect(Duration(clampingSeconds: -.infinity) == .nanoseconds(Int64.min))
    #expect(Duration(clampingSeconds: 1e30) == .nanoseconds(Int64.max))
    #expect(Duration(clampingSeconds: .nan) == .zero)
  }
}
