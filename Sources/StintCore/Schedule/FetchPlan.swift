/// How often an application may fetch (B1).
public enum FetchInterval: Hashable, Sendable {
  /// Never, which holds until the application says something else.
  case never
  /// As often as the system likes.
  case minimum
  /// At least so long after the one before.
  case atLeast(Duration)
}

/// When the next background fetch may begin: what the application asked for, and what the system
/// has learnt (B1, B3).
///
/// The distance of two fetches is never below the interval. Each fetch that is long, fails or finds
/// nothing doubles the distance, up to eight times; each that finds something in little time halves
/// it. Where uses of the application are known, a fetch outside of their hours waits once more as
/// long, unless an hour of use comes first: that one pulls it forward.
package struct FetchPlan: Hashable, Sendable {
  /// The most doublings of the distance.
  static let mostDoublings = 3

  package var interval = FetchInterval.never
  package var usage = UsageHistory()
  package internal(set) var doublings = 0
  /// From when the interval counts: the last fetch, or when the application first asked.
  package var since: WallInstant?

  package init() {}

  /// The plan as it was written down.
  package init(
    interval: FetchInterval, usage: UsageHistory, doublings: Int, since: WallInstant?
  ) {
    self.interval = interval
    self.usage = usage
    self.doublings = min(Self.mostDoublings, max(0, doublings))
    self.since = since
  }

  /// The time between two fetches that the system keeps in any case; nil for no fetches.
  func leastDistance(_ policy: SystemPolicy) -> Duration? {
    switch interval {
    case .never: nil
    case .minimum: policy.minimumFetchInterval
    case .atLeast(let distance): max(distance, policy.leastBetweenBegins)
    }
  }

  /// When the next fetch may begin; nil for never.
  func next(_ policy: SystemPolicy) -> WallInstant? {
    guard let since, let least = leastDistance(policy) else { return nil }
    let first = since.advanced(by: least)
    // Beyond 200 years nothing is added up any more.
    guard least < .seconds(6_000_000_000) else { return first }
    let last = since.advanced(by: least * (1 << (doublings + (usage.isEmpty ? 0 : 1))))
    return usage.firstLikely(from: first, to: last) ?? last
  }

  /// A fetch is over.
  ///
  /// - Parameters:
  ///   - result: What came of it; nil if it was never completed.
  ///   - duration: How long it took.
  ///   - policy: The numbers.
  mutating func ended(
    _ result: BackgroundFetchResult?, after duration: Duration, _ policy: SystemPolicy
  ) {
    let isGood = result == .newData && duration * 2 <= policy.fetchAllowance
    doublings = isGood ? max(0, doublings - 1) : min(Self.mostDoublings, doublings + 1)
  }
}
