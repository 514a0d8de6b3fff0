extension SystemModel {
  /// B5: a mode is to be used; the number of the use, or why there is none.
  ///
  /// The order of the reasons is a choice.
  package mutating func beginMode(
    _ name: String, isPermitted: Bool, at now: Int
  ) -> Result<Int, ModelRefusal> {
    look(at: now)
    let before = reading
    if let refusal = refusal(of: name, isPermitted: isPermitted) { return .failure(refusal) }
    var number = 1
    for fact in history.life {
      if case .modeBegan = fact.what { number += 1 }
    }
    history.note(.modeBegan(ModelMode(number: number, name: name)), at: now)
    if before.modes.isEmpty, before.trip != nil {
      // As by a later end (A17), the calls that nobody has come to are taken back.
      history.note(.expiryWithdrawn, at: now)
      tellMovedEnd(than: before.deadline, at: now)
    }
    look(at: now)
    return .success(number)
  }

  private func refusal(of name: String, isPermitted: Bool) -> ModelRefusal? {
    let reading = reading
    guard declaredModes.contains(name) else { return .undeclared }
    if reading.stop != nil { return .stopping }
    if reading.state == .notRunning { return .notRunning }
    if reading.state == .suspended { return .suspended }
    if !isPermitted { return .notPermitted }
    // A limit that is not the policy's own: another process's, a budget, an end that was moved.
    if isRemote || !policy.grantsModes || reading.trip?.isLimited == true { return .limited }
    return nil
  }

  /// B5: a use is over; after the last one the trip has an end again.
  package mutating func endMode(_ number: Int, at now: Int) {
    look(at: now)
    noteEnds(of: reading.modes.filter { $0.number == number }, at: now)
  }

  /// B5: a mode is not permitted any more.
  package mutating func forbidMode(_ name: String, at now: Int) {
    look(at: now)
    let uses = reading.modes.filter { $0.name == name }
    for _ in uses { say(.modeEnded(name: name, .notPermitted)) }
    noteEnds(of: uses, at: now)
  }

  private mutating func noteEnds(of uses: [ModelMode], at now: Int) {
    guard !uses.isEmpty else { return }
    let before = reading.deadline
    for use in uses { history.note(.modeEnded(use), at: now) }
    let reading = reading
    guard reading.modes.isEmpty, reading.trip != nil else { return }
    tellMovedEnd(than: before, at: now)
    look(at: now)
  }

  /// B5: what limits the time ends every use.
  mutating func endModes(_ reason: ModelRefusal, at now: Int) {
    for use in reading.modes {
      say(.modeEnded(name: use.name, reason))
      history.note(.modeEnded(use), at: now)
    }
  }
}
