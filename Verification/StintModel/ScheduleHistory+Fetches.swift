// B1, B3: when a fetch may begin.

extension ScheduleHistory {
  private static let hour = 3_600_000_000_000
  private static let hoursOfWeek = 168

  /// When the next fetch may begin by the wall clock; nil for never.
  func nextFetch(_ policy: SchedulePolicy) -> Int? {
    guard let least = leastDistance(policy), let since = fetchesSince else { return nil }
    let first = since + least
    // A choice: what is so rare is learnt nothing about.
    if least >= 6_000_000_000 * 1_000_000_000 { return first }
    let uses = uses(policy)
    var distance = least
    for _ in 0..<doublings(policy) + (uses.isEmpty ? 0 : 1) { distance *= 2 }
    let last = since + distance
    // An hour of use pulls it forward, never before the lower bound.
    if Self.isLikely(first, uses) { return first }
    var start = (first - Self.offset(in: first, of: Self.hour)) + Self.hour
    for _ in 0..<Self.hoursOfWeek where start <= last {
      if Self.isLikely(start, uses) { return start }
      start += Self.hour
    }
    return last
  }

  private func leastDistance(_ policy: SchedulePolicy) -> Int? {
    switch interval {
    case .never: nil
    case .minimum: policy.fetchInterval
    case .atLeast(let span): max(span, policy.pace)
    }
  }

  /// What the program said last.
  var interval: ModelInterval {
    for fact in facts.reversed() {
      if case .intervalSet(let interval) = fact.what { return interval }
    }
    return inherited.interval
  }

  /// The last fetch that began, or when the application first wanted any.
  var fetchesSince: Int? {
    var fetches: Set<Int> = []
    var since: Int?
    for fact in facts {
      if case .asked(let run, let request, _) = fact.what, request.kind == .fetch {
        fetches.insert(run)
      }
      if case .granted(let run, _) = fact.what, fetches.contains(run) { since = fact.now.wall }
    }
    if let since = since ?? inherited.fetchesSince { return since }
    for fact in facts {
      if case .intervalSet(let interval) = fact.what, interval != .never { return fact.now.wall }
    }
    return nil
  }

  /// B3: how often the distance is doubled, by what came of the fetches.
  func doublings(_ policy: SchedulePolicy) -> Int {
    var doublings = inherited.doublings
    var open: [Int: Int] = [:]
    for (index, fact) in facts.enumerated() {
      var bad = 0
      switch fact.what {
      case .asked(let run, let request, _) where request.kind == .fetch: open[run] = fact.now.at
      case .denied(let run, _), .givenBack(let run): open[run] = nil
      case .completed(let run, let result):
        guard let began = open.removeValue(forKey: run) else { continue }
        let isLong = (fact.now.at - began) * 2 > policy.fetchAllowance
        if result == .newData, !isLong { doublings = max(0, doublings - 1) } else { bad = 1 }
      case .failed(let run):
        if open.removeValue(forKey: run) != nil { bad = 1 }
      case .gone:
        // A choice: what the end of the process cut off was not completed either.
        let unheard = unheard(before: index)
        bad = open.keys.count { !unheard.contains($0) }
        open = [:]
      default: continue
      }
      doublings = min(policy.mostDoublings, doublings + bad)
    }
    return doublings
  }

  // MARK: Hours of use

  /// The hours of the week in which the application became active, with the weight of each use.
  private func uses(_ policy: SchedulePolicy) -> [(hour: Int, weight: Double)] {
    let uses = pastUses
    guard let last = uses.last?.week else { return [] }
    return uses.map { use in
      var weight = 1.0
      for _ in 0..<last - use.week { weight *= policy.keptAfterWeek }
      return (use.hour, weight)
    }
  }

  /// Each use, with its week.
  var pastUses: [(hour: Int, week: Int)] {
    var uses = inherited.uses
    for fact in facts {
      guard case .life(.active) = fact.what else { continue }
      // 1970 began on a Thursday.
      let monday = fact.now.wall + 72 * Self.hour
      let time = Self.offset(in: monday, of: Self.hour * Self.hoursOfWeek)
      let week = (monday - time) / (Self.hour * Self.hoursOfWeek)
      // A clock that was set back makes nothing older.
      uses.append((time / Self.hour, max(week, uses.last?.week ?? week)))
    }
    return uses
  }

  /// Whether the hour of an instant is used at least twice as often as the average one.
  private static func isLikely(_ wall: Int, _ uses: [(hour: Int, weight: Double)]) -> Bool {
    let hour = offset(in: wall + 72 * Self.hour, of: Self.hour * hoursOfWeek) / Self.hour
    var here = 0.0
    var all = 0.0
    for use in uses {
      all += use.weight
      if use.hour == hour { here += use.weight }
    }
    return all > 0 && here * Double(hoursOfWeek) >= 2 * all
  }

  /// How far an instant is into its period.
  private static func offset(in instant: Int, of period: Int) -> Int {
    let rest = instant % period
    return rest < 0 ? rest + period : rest
  }
}
