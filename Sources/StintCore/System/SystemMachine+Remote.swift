// What an authority in another process says of the trip that it granted.

extension SystemMachine {
  /// The authority expires the tasks of this trip, whenever this machine would have done it.
  ///
  /// - Parameters:
  ///   - reason: Why.
  ///   - end: When the time is over; it never moves the deadline to a later instant.
  ///   - now: The time.
  /// - Returns: What the driver has to do.
  package mutating func expiredByAuthority(
    _ reason: ExpiryReason, until end: Instant, now: Instant
  ) -> [Action] {
    var actions: [Action] = []
    passTime(to: now, &actions)
    // Race: the trip that was meant is over.
    guard lifeState == .background else { return actions }
    let before = deadline
    limitTrip(now: now, &actions)
    guard let trip else { return actions }
    if end < trip.deadline {
      self.trip?.setDeadline(end, policy: policy)
      self.trip?.graceEnd = min(trip.graceEnd, end)
      if revocation == nil { revocation = reason }
    }
    tellNearerDeadline(than: before, &actions)
    if tasks.contains(where: { $0.holds }) { announce(reason, now: now, &actions) }
    settle(at: now, &actions)
    return actions
  }
}
