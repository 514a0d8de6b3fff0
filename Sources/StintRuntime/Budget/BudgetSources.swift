package import StintCore

/// All sources of a process: the one place that takes the earliest end, and says which source it is
/// from (E1).
package final class BudgetSources: Sendable {
  private let all: [any BudgetSource]
  /// What each source said last, in case it cannot be asked now.
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

  /// How long a process may live after SIGTERM, as far as a source knows.
  package var stopGrace: Duration? { all.compactMap(\.stopGrace).min() }

  /// When a trip ends and by whose word, or nil if no source sets an end; and why who is warned of
  /// an end that was moved there is warned.
  package func earliest(ofTripSince start: Instant) -> (end: Deadline?, reason: ExpiryReason) {
    // Asked outside the lock: an answer may take a file or another process.
    let said = all.map { $0.end(ofTripSince: start) }
    let ends = known.withLock { known in
      for (index, end) in said.enumerated() where end != .unknown { known[index] = end }
      return known
    }
    var earliest: (end: Deadline?, reason: ExpiryReason) = (nil, .revoked)
    for (source, end) in zip(all, ends) {
      guard case .at(let instant) = end, instant < earliest.end?.instant ?? .distantFuture else {
        continue
      }
      let name = source.name.rawValue
      earliest = (Deadline(source: name, instant: instant), source.reason)
    }
    return earliest
  }

  /// When a trip ends, and by whose word; nil if no source sets an end.
  package func end(ofTripSince start: Instant) -> Deadline? {
    earliest(ofTripSince: start).end
  }

  /// What a trip is granted; nil without an end, never negative.
  package func grant(ofTripSince start: Instant) -> Duration? {
    end(ofTripSince: start).map { max(.zero, start.duration(to: $0.instant)) }
  }
}
