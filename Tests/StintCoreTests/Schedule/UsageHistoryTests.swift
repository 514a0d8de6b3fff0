import Testing

@testable import StintCore

@Suite("Usage history and fetch plan")
struct UsageHistoryTests {
  private static let hour = Duration.seconds(3_600)
  /// The fifth of January 1970, which was a Monday.
  private let monday = WallInstant(nanoseconds: 4 * 86_400_000_000_000)

  private func time(day: Int, hour: Double) -> WallInstant {
    monday.advanced(by: .seconds(Double(day) * 86_400 + hour * 3_600))
  }

  @Test("B3 an hour of the week is counted from Monday at midnight, also before 1970")
  func hours() {
    #expect(UsageHistory.hourOfWeek(of: monday) == 0)
    #expect(UsageHistory.hourOfWeek(of: WallInstant(nanoseconds: 0)) == 72)
    #expect(UsageHistory.hourOfWeek(of: WallInstant(nanoseconds: -1)) == 71)
    #expect(UsageHistory.hourOfWeek(of: time(day: 6, hour: 23.99)) == 167)
    #expect(UsageHistory.hourOfWeek(of: time(day: 7, hour: 0)) == 0)
    for extreme in [Int64.min, .max] {
      let hour = UsageHistory.hourOfWeek(of: WallInstant(nanoseconds: extreme))
      #expect((0..<UsageHistory.hoursOfWeek).contains(hour))
    }
  }

  @Test(
    "B3 a use loses a quarter of its weight with each week; a clock that is set back lowers nothing"
  )
  func decay() {
    var history = UsageHistory()
    #expect(history.isEmpty && !history.isLikely(at: monday))
    history.used(at: time(day: 1, hour: 8))
    history.used(at: time(day: 1, hour: 8.5))
    #expect(history.hours[32] == 2)
    history.used(at: time(day: 15, hour: 20))
    #expect(history.hours[32] == 2 * 0.75 * 0.75)
    history.used(at: time(day: 2, hour: 8))
    #expect(history.hours[32] == 2 * 0.75 * 0.75)
    #expect(history.isLikely(at: time(day: 22, hour: 8.2)))
    #expect(!history.isLikely(at: time(day: 22, hour: 9.2)))
    history.used(at: time(day: 7 * 500, hour: 0))
    #expect(history.hours[32] < 1e-9)
  }

  @Test(
    "B3 the plan keeps the lower bound, doubles after what was in vain, and is pulled to hours of use"
  )
  func plan() {
    let policy = SystemPolicy.iOS13
    var plan = FetchPlan()
    #expect(plan.next(policy) == nil)
    plan.interval = .minimum
    plan.since = time(day: 0, hour: 0)
    #expect(plan.next(policy) == time(day: 0, hour: 0.25))
    for doubling in [2.0, 4, 8, 8] {
      plan.ended(.noData, after: .seconds(1), policy)
      #expect(plan.next(policy) == time(day: 0, hour: 0.25 * doubling))
    }
    plan.usage.used(at: time(day: 0, hour: 1.5))
    #expect(plan.next(policy) == time(day: 0, hour: 1), "pulled forward to an hour of use")
    plan.since = time(day: 0, hour: 2)
    #expect(plan.next(policy) == time(day: 0, hour: 6), "no hour of use is near")
    for _ in 0..<3 { plan.ended(.newData, after: .seconds(1), policy) }
    plan.since = time(day: 0, hour: 1)
    #expect(plan.next(policy) == time(day: 0, hour: 1.25), "never before the lower bound")
    plan.ended(.newData, after: .seconds(20), policy)
    #expect(plan.doublings == 1, "it was long")
    plan.interval = .atLeast(.seconds(5))
    #expect(plan.leastDistance(policy) == .seconds(5))
    plan.interval = .atLeast(.zero)
    #expect(plan.leastDistance(policy) == policy.leastBetweenBegins)
    plan.interval = .atLeast(.nanoseconds(Int64.max))
    #expect(plan.next(policy) == WallInstant(nanoseconds: .max))
    plan.interval = .never
    #expect(plan.next(policy) == nil)
  }
}
