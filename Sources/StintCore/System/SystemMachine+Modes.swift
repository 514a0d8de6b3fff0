// While a background mode is in use, the policy's time has no end (B5).

extension SystemMachine {
  /// What came of a request for a mode.
  package struct ModeRequest: Equatable, Sendable {
    /// The number of the use, or why there is none.
    package var result: Result<Int, ModeRefusal>
    package var actions: [Action]
  }

  /// The program says that it may use a mode, and why; the last word counts.
  package mutating func modeDeclared(_ mode: BackgroundMode, because reason: String) {
    declaredModes[mode] = reason
  }

  /// A mode is to be used from now on; in the foreground it waits for the next trip.
  ///
  /// - Parameters:
  ///   - mode: The mode.
  ///   - isPermitted: Whether the system allows it.
  ///   - now: The time.
  /// - Returns: The number of the use, and what is to be done.
  package mutating func modeRequested(
    _ mode: BackgroundMode, isPermitted: Bool = true, now: Instant
  ) -> ModeRequest {
    var actions: [Action] = []
    passTime(to: now, &actions)
    if let refusal = refusal(of: mode, isPermitted: isPermitted) {
      return ModeRequest(result: .failure(refusal), actions: actions)
    }
    modeCount += 1
    let before = deadline
    if modes.isEmpty { chargeQuota(now: now) }
    modes.append(ModeInUse(number: modeCount, mode: mode))
    if modes.count == 1, trip != nil {
      restartClock(now: now)
      // There is time again: calls that nobody has come to are taken back, as by a later end.
      withdrawAnnouncement()
      tellMovedEnd(from: before, isWarning: false, &actions)
    }
    settle(at: now, &actions)
    return ModeRequest(result: .success(modeCount), actions: actions)
  }

  /// A use of a mode is over.
  package mutating func modeEnded(_ number: Int, now: Instant) -> [Action] {
    var actions: [Action] = []
    passTime(to: now, &actions)
    // Race: the system ended it, or the application was terminated.
    endModes(now: now, &actions) { $0.number == number }
    return actions
  }

  /// The system does not permit a mode any more: every use of it is over.
  package mutating func modeForbidden(_ mode: BackgroundMode, now: Instant) -> [Action] {
    var actions: [Action] = []
    passTime(to: now, &actions)
    for use in modes where use.mode == mode {
      actions.append(.diagnose(.modeEnded(use.mode, .notPermitted)))
    }
    endModes(now: now, &actions) { $0.mode == mode }
    return actions
  }

  /// Whether a mode keeps the application from being suspended.
  var isKept: Bool { !modes.isEmpty && stop == nil }

  /// Somebody else says when the trip ends: no mode lifts that, so all are over.
  mutating func limitTrip(now: Instant, _ actions: inout [Action]) {
    for use in modes { actions.append(.diagnose(.modeEnded(use.mode, .limited))) }
    let wasLifted = !modes.isEmpty
    modes = []
    if wasLifted, trip != nil { restartClock(now: now) }
    trip?.isLimited = true
  }

  private func refusal(of mode: BackgroundMode, isPermitted: Bool) -> ModeRefusal? {
    if declaredModes[mode] == nil { return .undeclared }
    if stop != nil { return .stopping }
    switch lifeState {
    case .notRunning: return .notRunning
    case .suspended: return .suspended
    case .inactive, .active, .background: break
    }
    if !isPermitted { return .notPermitted }
    return endsElsewhere ? .limited : nil
  }

  /// After the last one the trip has an end again, as after entering.
  private mutating func endModes(
    now: Instant, _ actions: inout [Action], where isOver: (ModeInUse) -> Bool
  ) {
    let wereInUse = !modes.isEmpty
    modes.removeAll(where: isOver)
    guard wereInUse, modes.isEmpty, trip != nil else { return }
    let before = deadline
    restartClock(now: now)
    tellMovedEnd(from: before, isWarning: now >= warnTime, &actions)
    settle(at: now, &actions)
  }

  /// The clock of the trip starts again, with the policy's time or without an end.
  private mutating func restartClock(now: Instant) {
    let enterReturned = trip?.enterReturned ?? false
    startClock(since: now, granting: policy.grant, now: now)
    trip?.enterReturned = enterReturned
  }
}
