// The end of a trip moves: a source of its budget says so, or an authority in another process.

extension SystemMachine {
  /// The trip ends at another instant, on either side of the former one (E1).
  ///
  /// What is due by the former end does not happen any more: only what the new one says counts.
  /// Nothing is un-called: a task that was warned stays spent, and a new one is warned by the new
  /// end.
  ///
  /// - Parameters:
  ///   - end: When the budget is gone; `.distantFuture` for never.
  ///   - reason: Why who is warned of an earlier end is warned.
  ///   - now: The time.
  /// - Returns: What the driver has to do.
  package mutating func deadlineMoved(
    to end: Instant, because reason: ExpiryReason = .revoked, now: Instant
  ) -> [Action] {
    var actions: [Action] = []
    let before = deadline
    if trip != nil {
      limitTrip(now: now, &actions)
      endTripElsewhere()
    }
    // Race: the trip that was meant is over.
    guard let former = trip?.deadline else { return [] }
    trip?.moveEnd(to: end, policy: policy)
    let (end, warnTime) = (trip?.deadline ?? former, trip?.warnTime ?? former)
    if end < former, revocation == nil { revocation = reason }
    if end > former {
      // Who was told of a reason has it for the whole trip.
      if announcement == nil { revocation = nil }
      // The end of a requested stop never comes later (W11).
      stop?.deadline = before
      if stop == nil, now < warnTime { withdrawAnnouncement() }
    }
    tellMovedEnd(from: before, isWarning: now >= warnTime, &actions)
    settle(at: now, &actions)
    return actions
  }

  /// The end of the trip is not the policy's own, so it lasts until then, with a task or without.
  mutating func endTripElsewhere() {
    trip?.isLimited = true
    trip?.needsTask = false
  }

  /// Tells owners that count on another end; suspended, nobody does (L5).
  func tellMovedEnd(from before: Instant, isWarning: Bool, _ actions: inout [Action]) {
    guard lifeState == .background, isHeld else { return }
    if deadline > before {
      actions.append(.deadlineExtended(to: deadline))
    } else if isWarning {
      // Who is called because of it learns of it with the call.
      tellNearerDeadline(than: before, &actions)
    } else if deadline < before {
      actions.append(.deadlineMoved(to: deadline))
    }
  }
}
