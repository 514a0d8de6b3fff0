import StintCore

/// One budget, as it will be: what is told, and what really happens.
package struct Trip: Hashable, Sendable {
  /// The machine stands still.
  package struct Standstill: Hashable, Sendable {
    package var at: Nanoseconds
    package var length: Nanoseconds
    /// Whether the deadline stands meanwhile.
    package var counts: Bool
  }

  package var number = 0
  package var isDenied = false
  /// The whole of what was granted, before any revocation.
  package var grant: Nanoseconds
  /// The end as it is told at the beginning; nil if it is not told.
  package var announced: Nanoseconds?
  /// When the warning of the planned end comes; nil if never.
  package var warned: Nanoseconds?
  /// When it is told that the rest is taken back; from then on ``deadline`` is known.
  package var notice: Nanoseconds?
  /// When the time is gone.
  package var deadline: Nanoseconds
  /// When a process that is still there is killed.
  package var enforced: Nanoseconds
  /// The lead that the system promises.
  package var lead: Nanoseconds
  package var standstill: Standstill?
  /// Whether the rest was taken back.
  package var isRevoked = false

  /// A plain budget, warned its lead before the end.
  package init(grant: Nanoseconds, lead: Nanoseconds) {
    self.grant = grant
    self.lead = lead
    announced = grant
    warned = Swift.max(0, grant - lead)
    deadline = grant
    enforced = grant
  }

  /// Whether the true end was told before it came, on a machine that was awake then.
  package var isForetold: Bool {
    if isDenied { return false }
    if let standstill, standstill.counts, standstill.at < deadline,
      standstill.at + standstill.length >= deadline
    {
      return false
    }
    if isRevoked { return notice != nil }
    return announced != nil || warned.map { $0 < deadline } ?? false
  }

  /// What is left from the news of a revocation, or of an end that was not announced, to the
  /// deadline.
  package var noticeLead: Nanoseconds? {
    if let notice { return deadline - notice }
    return announced == nil ? warned.map { deadline - $0 } : nil
  }

  /// The time in which something could run before the deadline.
  package var usable: Nanoseconds {
    if isDenied { return 0 }
    guard let standstill, standstill.counts else { return deadline }
    let end = Swift.min(deadline, standstill.at + standstill.length)
    return deadline - Swift.max(0, end - standstill.at)
  }
}

extension Trace {
  /// The trips of one repetition.
  package func trips(_ count: Int, draws: Draws) -> [Trip] {
    (0..<count).map { trip($0, draws: draws) }
  }

  private func trip(_ number: Int, draws: Draws) -> Trip {
    let listed = listedTrip(number, draws: draws)
    let grantSeconds = listed?.grantSeconds ?? drawnGrant(number, draws: draws)
    let grant = Swift.max(1, Nanoseconds(seconds: grantSeconds))
    let lead = Swift.min(grant, Nanoseconds(seconds: lead(ofGrant: grantSeconds)))
    var trip = Trip(grant: grant, lead: lead)
    trip.number = number
    if draws.unit(.denial, number) < deniedShare {
      trip.isDenied = true
      return trip
    }
    if !isAnnounced { trip.announced = nil }
    if let seconds = listed?.warningSeconds {
      trip.warned = seconds > 0 ? Swift.max(0, grant - Nanoseconds(seconds: seconds)) : nil
    } else if let warning {
      let before = warning.before.quantile(draws.unit(.warning, number))
      let isMissed = draws.unit(.warningMissed, number) < warning.missedShare
      trip.warned = isMissed ? nil : Swift.max(0, grant - Nanoseconds(seconds: before))
    } else if lead == 0 {
      trip.warned = nil
    }
    let late = Nanoseconds(seconds: enforcedLate.quantile(draws.unit(.enforcement, number)))
    trip.enforced = grant + late
    revoke(&trip, draws: draws)
    standStill(&trip, draws: draws)
    return trip
  }

  private func listedTrip(_ number: Int, draws: Draws) -> ListedTrip? {
    guard case .listed(_, let trips) = grant else { return nil }
    let place = Int(draws.unit(.place, 0) * Double(trips.count))
    return trips[(place + number) % trips.count]
  }

  private func drawnGrant(_ number: Int, draws: Draws) -> Double {
    switch grant {
    case .drawn(let distribution): distribution.quantile(draws.unit(.grant, number))
    case .policy(let policy): policy.grant?.inSeconds ?? 600
    case .listed: 0
    }
  }

  private func revoke(_ trip: inout Trip, draws: Draws) {
    guard let revocation else { return }
    let drawn = revocation.after.quantile(draws.unit(.revocation, trip.number))
    let at = Swift.max(1, Nanoseconds(seconds: drawn))
    guard at < trip.deadline else { return }
    trip.isRevoked = true
    let late = trip.enforced - trip.deadline
    trip.deadline = Swift.min(trip.deadline, at + Nanoseconds(seconds: revocation.leadSeconds))
    trip.enforced = trip.deadline + late
    if revocation.leadSeconds == 0 {
      trip.enforced = trip.deadline
    } else {
      trip.notice = at
    }
    if let warned = trip.warned, warned >= trip.deadline { trip.warned = nil }
  }

  private func standStill(_ trip: inout Trip, draws: Draws) {
    guard let standstill, draws.unit(.standstill, trip.number) < standstill.share else { return }
    let place = draws.unit(.standstillPlace, trip.number)
    let length = standstill.length.quantile(draws.unit(.standstillLength, trip.number))
    trip.standstill = Trip.Standstill(
      at: Nanoseconds(seconds: trip.deadline.seconds * place),
      length: Nanoseconds(seconds: length), counts: standstill.counts)
  }
}
