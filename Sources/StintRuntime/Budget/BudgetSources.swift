package import StintCore

/// All sources of a process: the one place that takes the earliest end, and says whose it is (E1).
package final class BudgetSources: Sendable {
  private let all: [any BudgetSource]
  /// What each said last, for one that cannot be asked now.
  private let known: Protected<[BudgetEnd]>

  package init(_ all: [any BudgetSource]) {
    self.all = all
    known = Protected(Array(repeating: .unknown, count: all.count))
  }

  /// Whether one of them may say something else while a trip lasts.
  package var mayChange: Bool { all.contains(where: \.mayChange) }

  /// Calls back whenever one of them says something else.
  package func follow(_ changed: @escaping @Sendable () -> Void) {
    for source in all where source.mayChange { source.follow(changed) }
  }

  /// The source that ends a trip first, and when; nil if none sets an end.
  package func earliest(ofTripSince start: Instant) -> (source: any BudgetSource, end: Instant)? {
    // Asked outside the lock: an answer may take a file or another process.
    let said = all.map { $0.end(ofTripSince: start) }
    let ends = known.withLock { known in
      for (index, end) in said.enumerated() where end != .unknown { known[index] = end }
      return known
    }
    var earliest: (source: any BudgetSource, end: Instant)?
    for (source, end) in zip(all, ends) {
      guard case .at(let instant) = end, instant < earliest?.end ?? .distantFuture else { continue }
      earliest = (source, instant)
    }
    return earliest
  }

  /// What a trip is granted, and by whom; nil without an end, never negative.
  package func grant(ofTripSince start: Instant) -> (Duration, BudgetName)? {
    earliest(ofTripSince: start).map { source, end in
      (max(.zero, start.duration(to: end)), source.name)
    }
  }
}
