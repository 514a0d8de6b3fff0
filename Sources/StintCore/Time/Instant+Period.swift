extension Instant {
  /// The instant after this one at which a period next begins, past `now`.
  ///
  /// Periods that have begun until then are left out, and the grid stays where it is (L5).
  package func next(every period: Duration, past now: Instant) -> Instant {
    let next = advanced(by: period)
    guard next <= now else { return next }
    let missed = next.duration(to: now).nanoseconds / period.nanoseconds
    return next.advanced(by: .nanoseconds(period.nanoseconds * (missed + 1)))
  }
}
