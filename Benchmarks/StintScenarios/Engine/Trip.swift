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

  /// The announced deadline moves.
  package struct Move: Hashable, Sendable {
    package var at: Nanoseconds
    /// Negative for an earlier deadline.
    package var by: Nanoseconds
    /// When the warning of the new end comes; nil if never, or if that was earlier.
    package var warned: Nanoseconds?
    /// Whether the new end is so near that its warning would have come already.
    package var isWarning = false

    /// The same after a standstill that the deadline waits for.
    func later(by length: Nanoseconds) -> Move {
      var later = self
      later.at += length
      later.warned = warned.map { $0 + length }
      return later
    }
  }

  package var number = 0
  package var isDenied = false
  /// The whole of what was granted, before any move or revocation.
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
  package var move: Move?

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
    // Whoever goes by an earlier end than the true one keeps that too.
    if let announced, announced <= grant { return true }
    return warned.map { $0 < deadline } ?? false
  }

  /// What is left from the news of a revocation, or of an end that was not announced as it is, to
  /// the deadline.
  package var noticeLead: Nanoseconds? {
    if let notice { return deadline - notice }
    return announced == grant ? nil : warned.map { deadline - $0 }
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
    if !isAnnounced {
      trip.announced = nil
    } else if let listed {
      trip.announced = listed.announced.map { Swift.max(1, Nanoseconds(seconds: $0)) }
    }
    if let seconds = listed?.warningSeconds {
      trip.warned = seconds > 0 ? Swift.max(0, grant - Nanoseconds(seconds: seconds)) : nil
    } else if let warning {
      let before = warning.before.draw(draws.unit(.warning, number))
      let isMissed = draws.unit(.warningMissed, number) < warning.missedShare
      trip.warned = isMissed ? nil : Swift.max(0, grant - Nanoseconds(seconds: before))
    } else if lead == 0 {
      trip.warned = nil
    }
    let late = Nanoseconds(seconds: enforcedLate.draw(draws.unit(.enforcement, number)))
    trip.enforced = grant + late
    let revokedAt = revokedAt(number, draws: draws)
    move(&trip, unlessAfter: revokedAt, draws: draws)
    revoke(&trip, at: revokedAt)
    standStill(&trip, draws: draws)
    return trip
  }

  private func listedTrip(_ number: Int, draws: Draws) -> ListedTrip? {
    guard case .listed(_, let trips) = grant else { return nil }
    return trips[Int(draws.unit(.place, number) * Double(trips.count))]
  }

  private func drawnGrant(_ number: Int, draws: Draws) -> Double {
    switch grant {
    case .drawn(let distribution): distribution.draw(draws.unit(.grant, number))
    case .policy(let policy): policy.grant?.inSeconds ?? 600
    case .listed: 0
    }
  }

  /// When the rest is taken back, if the trip lasts so long.
  private func revokedAt(_ number: Int, draws: Draws) -> Nanoseconds? {
    revocation.map {
      Swift.max(1, Nanoseconds(seconds: $0.after.draw(draws.unit(.revocation, number))))
    }
  }

  /// Moves the end of a trip to which an end was announced; what was taken back moves no more.
  private func move(_ trip: inout Trip, unlessAfter revokedAt: Nanoseconds?, draws: Draws) {
    guard let moves, trip.announced != nil, draws.unit(.move, trip.number) < moves.share else {
      return
    }
    let at = Swift.max(1, Nanoseconds(seconds: moves.after.draw(draws.unit(.moveAt, trip.number))))
    guard at < trip.deadline, at < revokedAt ?? .max else { return }
    let isLater = draws.unit(.moveLater, trip.number) < moves.laterShare
    let by = Nanoseconds(seconds: moves.by.draw(draws.unit(.moveBy, trip.number)))
    // The lead is promised: an earlier end leaves at least that, or what was left.
    let most = Swift.max(0, trip.deadline - at - trip.lead)
    var move = Trip.Move(at: at, by: isLater ? by : -Swift.min(by, most))
    if let warned = trip.warned {
      let moved = warned + move.by
      move.isWarning = moved <= at
      move.warned = moved > at ? moved : nil
      // Moved before the first warning, there is only the second.
      if warned >= at { trip.warned = nil }
    }
    trip.move = move
    trip.deadline += move.by
    trip.enforced += move.by
  }

  private func revoke(_ trip: inout Trip, at revokedAt: Nanoseconds?) {
    guard let revocation, let at = revokedAt, at < trip.deadline else { return }
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
    if let warned = trip.move?.warned, warned >= trip.deadline { trip.move?.warned = nil }
  }

  private func standStill(_ trip: inout Trip, draws: Draws) {
    guard let standstill, draws.unit(.standstill, trip.number) < standstill.share else { return }
    let place = draws.unit(.standstillPlace, trip.number)
    let length = standstill.length.draw(draws.unit(.standstillLength, trip.number))
    trip.standstill = Trip.Standstill(
      at: Nanoseconds(seconds: trip.deadline.seconds * place),
      length: Nanoseconds(seconds: length), counts: standstill.counts)
  }
}
