// How the child is told of the system's life, and how long one that has nothing open is let be.

extension ServerMachine {
  /// The system may have changed: the child is told each difference from what it was told last.
  ///
  /// - Parameters:
  ///   - next: The system as it is now.
  ///   - now: The time.
  /// - Returns: What the driver has to do.
  package mutating func systemChanged(to next: View, now: Instant) -> [Action] {
    guard phase != .gone, next != view else { return [] }
    let before = view
    view = next
    if next.trip == nil, !next.lifeState.isInForeground { forgetTasks() }
    var actions = phase == .plain ? [] : Self.steps(from: before, to: next).map(Action.send)
    if let stop = next.stop, stop != before.stop, phase != .plain {
      // One that is suspended hears nothing of it (L5).
      if standsInPresentTrip { actions.append(.send(.resumed)) }
      actions.append(.send(.stop(stop.reason, deadline: stop.deadline)))
    }
    actions += continueIfDue(now: now)
    actions += renewPresence(before: before)
    return actions + watchIdleness(now: now)
  }

  /// The process runs again after a suspension, in the background.
  package mutating func resumed(to next: View, now: Instant) -> [Action] {
    idleTrip = nil
    let actions = systemChanged(to: next, now: now)
    return phase == .plain || phase == .gone ? actions : actions + [.send(.resumed)]
  }

  /// Time has passed.
  package mutating func timePassed(now: Instant) -> [Action] {
    endIdlePresence(now: now) + continueIfDue(now: now)
  }

  private mutating func endIdlePresence(now: Instant) -> [Action] {
    guard let end = idleEnd, let presence else { return [] }
    guard now >= end else { return [.wake(at: end)] }
    self.presence = nil
    idleSince = nil
    idleTrip = view.trip?.number
    return [.end(presence)]
  }

  /// Notes since when a speaking child has nothing open in the background.
  ///
  /// It may be about to exit or to begin another task. Its presence holds for a grace, or as long
  /// as a trip that needs no task, but not at the deadline.
  mutating func watchIdleness(now: Instant) -> [Action] {
    guard phase == .speaking, tasks.isEmpty, view.lifeState == .background, presence != nil else {
      idleSince = nil
      return []
    }
    if idleSince == nil { idleSince = now }
    return idleEnd.map { [.wake(at: $0)] } ?? []
  }

  /// When the presence of a child that has nothing open ends.
  private var idleEnd: Instant? {
    guard phase == .speaking, tasks.isEmpty, let idleSince else { return nil }
    let graceEnd = view.needsTask ? idleSince.advanced(by: policy.enterBackgroundGrace) : nil
    let deadlines = [view.trip?.deadline, view.stop?.deadline].compactMap { $0 }
    guard let deadline = deadlines.min() else { return graceEnd }
    // Whoever ended its last task a moment before the deadline gets half of that moment.
    let half = idleSince.advanced(by: max(.zero, idleSince.duration(to: deadline)) / 2)
    let lastEnd = max(deadline.advanced(by: .zero - policy.scopeMargin), half)
    return graceEnd.map { min($0, lastEnd) } ?? lastEnd
  }

  /// The system came to its deadline and ended all tasks by itself.
  private mutating func forgetTasks() {
    tasks = [:]
    presence = nil
    presenceExpiry = nil
    idleSince = nil
  }

  /// A presence that was warned in a trip that is over, or given up, is asked for anew.
  private mutating func renewPresence(before: View) -> [Action] {
    let isNewTrip = view.trip?.number != before.trip?.number
    if isNewTrip, view.trip != nil { idleTrip = nil }
    guard view.lifeState.runs else { return [] }
    // A stop is never taken back, and nothing new is granted under it.
    guard holdsPresence, view.stop == nil, !isAskingForPresence else { return [] }
    if presenceExpiry != nil, isNewTrip {
      presenceExpiry = nil
      isAskingForPresence = true
      let old = presence.map { [Action.end($0)] } ?? []
      presence = nil
      return [.beginPresence] + old
    }
    let wasGivenUp = view.lifeState == .background && idleTrip == view.trip?.number
    guard presence == nil, !wasGivenUp else { return [] }
    isAskingForPresence = true
    return [.beginPresence]
  }

  /// The messages that lead from one view to another, with none of the transitions between left out
  /// (L2).
  static func steps(from before: View, to next: View) -> [SystemMessage] {
    let was = before.lifeState.toldState
    // Suspended at its deadline instead of ended, a system has no trip any more, and the child
    // stays where it was.
    let isOver = next.trip == nil && !next.lifeState.isInForeground
    let isSameTrip = isOver || before.trip?.number == next.trip?.number
    let target = next.lifeState.toldState
    var messages: [SystemMessage] = []
    if was == target, isSameTrip {
      if let trip = next.trip, trip.deadline != before.trip?.deadline {
        messages.append(.deadline(trip: trip.number, trip.deadline))
      }
      if next.lifeState == .suspended, before.lifeState != .suspended {
        messages.append(.suspending)
      }
      return messages
    }
    switch was {
    case .background:
      messages.append(.transition(.willEnterForeground, trip: nil))
      if target != .inactive { messages.append(.transition(.didBecomeActive, trip: nil)) }
      if target == .background { messages.append(.transition(.willResignActive, trip: nil)) }
    case .inactive:
      if target == .active { messages.append(.transition(.didBecomeActive, trip: nil)) }
    case .active:
      messages.append(.transition(.willResignActive, trip: nil))
    }
    if target == .background {
      messages.append(.transition(.didEnterBackground, trip: next.trip))
      if next.lifeState == .suspended { messages.append(.suspending) }
    }
    return messages
  }
}
