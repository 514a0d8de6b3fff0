import StintCore
import Testing

@Suite("The ticks of a periodic observer")
struct PeriodicTicksTests {
  private static let start = Instant(nanoseconds: 1_000_000_000)
  private static func at(_ milliseconds: Int64) -> Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  private let period = Duration.milliseconds(10)

  /// Calls that come and return at once, at the instants at which the ticks ask for it.
  private func calls(_ ticks: inout PeriodicTicks, until end: Instant) -> [Instant] {
    var calls: [Instant] = []
    while ticks.nextWake <= end {
      let now = ticks.nextWake
      if ticks.timePassed(now: now), ticks.callClaimed() {
        calls.append(now)
        ticks.callReturned()
      }
    }
    return calls
  }

  @Test("B5 a thousand ticks come in ten seconds, each on the grid")
  func grid() {
    var ticks = PeriodicTicks(every: period, from: Self.start)
    let calls = calls(&ticks, until: Self.at(10_000))
    #expect(calls == (1...1_000).map { Self.at($0 * 10) })
  }

  @Test("B5 after a second in which nothing ran there is one late call, then the grid goes on")
  func stoodStill() {
    var ticks = PeriodicTicks(every: period, from: Self.start)
    _ = calls(&ticks, until: Self.at(100))
    #expect(ticks.timePassed(now: Self.at(1_107)) == true)
    #expect(ticks.callClaimed() == true)
    ticks.callReturned()
    #expect(ticks.timePassed(now: Self.at(1_108)) == false, "no burst")
    #expect(ticks.nextWake == Self.at(1_110))
  }

  @Test("B5 ticks are dropped while a call waits or runs, however long")
  func busy() {
    var ticks = PeriodicTicks(every: period, from: Self.start)
    #expect(ticks.timePassed(now: Self.at(10)) == true)
    for tick in 2...50 { #expect(ticks.timePassed(now: Self.at(Int64(tick) * 10)) == false) }
    #expect(ticks.callClaimed() == true)
    ticks.callReturned()
    #expect(ticks.timePassed(now: Self.at(505)) == false, "none of them is made up for")
    #expect(ticks.timePassed(now: Self.at(510)) == true)
  }

  @Test("B5 L5 while the application is suspended no tick comes, and a call that waits is not made")
  func suspended() {
    var ticks = PeriodicTicks(every: period, from: Self.start)
    #expect(ticks.timePassed(now: Self.at(10)) == true)
    ticks.suspended()
    #expect(ticks.callClaimed() == false)
    #expect(ticks.nextWake == .distantFuture)
    // A timer that was set before the suspension.
    #expect(ticks.timePassed(now: Self.at(20)) == false)
    ticks.resumed(now: Self.at(1_010))
    #expect(ticks.nextWake == Self.at(1_020), "past the resumption, on the grid")
    #expect(
      ticks.timePassed(now: Self.at(1_020)) == true, "the call that was dropped does not wait")
  }

  @Test("B5 a short suspension leaves the next tick where it was")
  func shortSuspension() {
    var ticks = PeriodicTicks(every: period, from: Self.start)
    ticks.suspended()
    ticks.resumed(now: Self.at(4))
    #expect(ticks.nextWake == Self.at(10))
  }

  @Test("B5 a timer that fires too early calls nobody")
  func early() {
    var ticks = PeriodicTicks(every: period, from: Self.start)
    #expect(ticks.timePassed(now: Self.at(10).advanced(by: .nanoseconds(-1))) == false)
    #expect(ticks.timePassed(now: Self.at(10)) == true)
  }

  @Test("B5 removed, it is never called again, nor is a call made that waits")
  func removed() {
    var ticks = PeriodicTicks(every: period, from: Self.start)
    #expect(ticks.timePassed(now: Self.at(10)) == true)
    ticks.removed()
    #expect(ticks.callClaimed() == false)
    #expect(ticks.nextWake == .distantFuture)
    ticks.resumed(now: Self.at(30))
    #expect(ticks.timePassed(now: Self.at(40)) == false)
  }

  @Test("B5 a period below 10 ms is a mistake")
  func tooShort() async {
    await #expect(processExitsWith: .failure) {
      _ = PeriodicTicks(every: .microseconds(9_999), from: Instant(nanoseconds: 0))
    }
  }
}
