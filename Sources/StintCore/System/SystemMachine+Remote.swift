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
    shortenTrip(to: end, because: reason, isRevoked: false, now: now)
  }
}
