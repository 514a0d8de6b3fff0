import StintCore

/// Whose trips end when the sources of a budget say so.
package protocol BudgetClient: AnyObject, Sendable {
  /// The trip ends at another instant, or never.
  ///
  /// - Parameters:
  ///   - end: When it ends.
  ///   - reason: For those who are warned of it.
  ///   - moved: To be called, on any thread, once the hard stop stands there.
  func endMoved(
    to end: Deadline?, because reason: ExpiryReason, then moved: @escaping @Sendable () -> Void)
  /// Writes the end down durably.
  func recordMovedEnd(_ end: Deadline?)
}

/// Lets the end of a trip move when a source changes its mind while the trip lasts (E1).
///
/// Less time takes effect first and is recorded then, because a disk that does not answer must not
/// delay it. More time is recorded first and takes effect then; otherwise a run that is killed in
/// the added time would look as if it had overrun its deadline.
package final class BudgetFollower: Sendable {
  private struct State {
    /// Whose trip is under way; nil between two.
    weak var client: (any BudgetClient)?
    var start: Instant?
    var end: Deadline?
    /// Whether the client is still moving its hard stop to an earlier end.
    var isMoving = false
    /// Whether a source has spoken meanwhile.
    var mustLook = false
  }

  private let sources: BudgetSources
  private let state = Protected(State())
  /// A source may take a file or another process, and must hold up nothing else; nil where no
  /// source ever speaks again.
  private let looking: SerialThread?
  private let recording: SerialThread?

  package init(_ sources: BudgetSources) {
    self.sources = sources
    looking = sources.mayChange ? SerialThread(name: "stint-budget") : nil
    recording = sources.mayChange ? SerialThread(name: "stint-end") : nil
    sources.follow { [weak self] in self?.look() }
  }

  /// A trip of a client has begun with an end, or without one.
  package func tripBegan(at start: Instant, end: Deadline?, of client: any BudgetClient) {
    guard looking != nil else { return }
    state.withLock { $0 = State(client: client, start: start, end: end) }
    // What was said before anybody listened counts, too.
    look()
  }

  /// The trip is over; what its sources say now is for the next one.
  package func tripEnded() {
    state.withLock { $0 = State() }
  }

  private func look() {
    looking?.enqueue { [self] in
      let began = state.withLock { state -> Instant? in
        // What is said while an end moves is heard when it stands.
        state.mustLook = state.isMoving
        return state.isMoving ? nil : state.start
      }
      guard let start = began else { return }
      let (end, reason) = sources.earliest(ofTripSince: start)
      let (client, former) = state.withLock { state -> ((any BudgetClient)?, Deadline?) in
        guard state.start == start else { return (nil, nil) }
        return (state.client, exchange(&state.end, with: end))
      }
      let (before, after) = (former?.instant ?? .distantFuture, end?.instant ?? .distantFuture)
      guard let client, before != after else { return }
      if after < before {
        state.withLock { if $0.start == start { $0.isMoving = true } }
        client.endMoved(to: end, because: reason) { [self] in
          recording?.enqueue { client.recordMovedEnd(end) }
          let mustLook = state.withLock { state in
            guard state.start == start else { return false }
            state.isMoving = false
            return state.mustLook
          }
          if mustLook { look() }
        }
      } else {
        recording?.enqueue { [self] in
          client.recordMovedEnd(end)
          // While it was written the sources may have said something else, or the trip has ended.
          guard state.withLock({ $0.start == start && $0.end == end }) else { return }
          client.endMoved(to: end, because: reason) {}
        }
      }
    }
  }
}
