import StintCore

/// The end that an outside source tells as text, and what is wrong with it.
///
/// A time is converted to the boot-time clock only when it changes, so a wall clock that jumps
/// moves no deadline. Each complaint is made once.
package final class ToldEnd: Sendable {
  private struct State {
    var text: String?
    var time: Int64?
    var end = BudgetEnd.unknown
    var complaint: String?
  }

  private let wallClock: @Sendable () -> Int64
  private let complain: @Sendable (String) -> Void
  private let grace: Duration
  private let state = Protected(State())

  /// Knows nothing yet.
  ///
  /// - Parameters:
  ///   - wallClock: Nanoseconds since 1970, now.
  ///   - grace: The time to save that is left when a time is told that has passed already.
  ///   - complain: Told what is wrong, once for each cause.
  package init(
    wallClock: @escaping @Sendable () -> Int64, grace: Duration = .zero,
    complain: @escaping @Sendable (String) -> Void
  ) {
    self.wallClock = wallClock
    self.grace = grace
    self.complain = complain
  }

  /// The source sets no end.
  package func none() -> BudgetEnd {
    state.withLock { $0 = State() }
    return .never
  }

  /// The source told an end.
  ///
  /// - Parameters:
  ///   - text: Its words.
  ///   - time: Reads them: nanoseconds since 1970, or nil if they are not a time.
  /// - Returns: The end; nil if the words are not a time.
  package func at(_ text: String, time: (String) -> Int64?) -> BudgetEnd? {
    if let known = state.withLock({ $0.text == text ? $0.end : nil }) { return known }
    guard let time = time(text) else { return nil }
    // The same time in other words.
    if let known = state.withLock({ $0.time == time ? $0.end : nil }) { return known }
    let now = BootClock.now
    let left = time.subtractingReportingOverflow(wallClock()).partialValue
    return state.withLock { state in
      var instant = now.advanced(by: .nanoseconds(max(0, left)))
      if left <= 0 {
        // Work that is under way saves first, but gets no time by it that it did not have.
        instant = instant.advanced(by: grace)
        if case .at(let known) = state.end { instant = min(instant, known) }
      }
      state = State(text: text, time: time, end: .at(instant))
      return .at(instant)
    }
  }

  /// The source cannot be used now; what it said before still holds.
  package func unusable(_ complaint: String) -> BudgetEnd {
    let isNew = state.withLock { exchange(&$0.complaint, with: complaint) != complaint }
    if isNew { complain(complaint) }
    return .unknown
  }
}
