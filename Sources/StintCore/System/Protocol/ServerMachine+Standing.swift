// A child that stops itself when it is suspended (A15), and when it is continued.

extension ServerMachine {
  /// Whether the child was suspended, and its process stands still until it is continued.
  package var childStandsStill: Bool { standsInTrip != nil && hasStopped }

  /// The child's process has stopped, by itself or by a signal of somebody else's.
  package mutating func processStopped(now: Instant) -> [Action] {
    hasStopped = true
    return continueIfDue(now: now)
  }

  /// The child's process goes on.
  package mutating func processContinued() -> [Action] {
    hasStopped = false
    return []
  }

  /// Whether the child takes itself for suspended in the trip that the system is in.
  var standsInPresentTrip: Bool {
    view.lifeState == .background && standsInTrip != nil && standsInTrip == view.trip?.number
  }

  /// Continues a child that stands still, once there is a reason: a request that may begin, a stop,
  /// another trip or the foreground.
  ///
  /// Its words and the news of its stop come in either order, and a child may stop itself after the
  /// trip in which it was suspended, or after it was asked to stop. So it is continued only when
  /// both have come, and a reason of before counts.
  mutating func continueIfDue(now: Instant) -> [Action] {
    // Suspended by the supervisor, it is that one's to continue.
    guard continuesChild, phase == .speaking, view.lifeState.runs, childStandsStill else {
      return []
    }
    guard view.stop == nil, standsInPresentTrip else { return leaveStanding() }
    let end = view.trip?.deadline ?? .distantFuture
    // Past the end of the trip it is the next one in which the request begins (Q9).
    guard let begin = nextBegin, begin < end, now < end else { return [] }
    guard now >= begin else {
      guard beginWake != begin else { return [] }
      beginWake = begin
      return [.wake(at: begin)]
    }
    // The child says when the one after it may begin.
    nextBegin = nil
    return [.send(.resumed)] + leaveStanding()
  }

  /// Continues a child that stands still; nothing if it does not.
  mutating func leaveStanding() -> [Action] {
    guard childStandsStill else { return [] }
    standsInTrip = nil
    hasStopped = false
    beginWake = nil
    return [.continueChild]
  }
}
