// The end of the trip moves to a later instant.

extension WorkerMachine {
  /// The trip ends later than was said.
  ///
  /// A task is warned once (A12). A stint that was warned therefore ends, and the next one begins
  /// in the same trip, under a task of its own that is warned by the new end.
  package mutating func deadlineExtended(at moment: Moment) -> [Action] {
    switch phase {
    case .idle, .registering, .paused, .ended:
      // Nothing runs that counts on an end.
      return []
    case .parked(.didNotFit), .parked(.expired):
      // Somebody else keeps the application from being suspended, and there is time again.
      return registration.isInForeground || ends.stop != nil ? [] : register()
    case .parked:
      return []
    case .closing(.didNotFit), .closing(.expired):
      if ends.stop == nil, !ends.pause, stint?.isDoubtful == false { phase = .working }
    case .working, .delivering, .closing:
      break
    }
    return askForSuccessor() + advance(at: moment)
  }

  /// Asks for the task of the next stint, beside the one that is spent.
  private mutating func askForSuccessor() -> [Action] {
    guard phase == .working || phase == .delivering, ends.stop == nil, !ends.pause,
      registration.askedForSuccessor()
    else { return [] }
    return [.beginTask]
  }

  /// The next stint has its task: the former one ends, with what it has in hand handed on.
  mutating func succeed(
    _ former: BackgroundTaskIdentifier, at moment: Moment
  ) -> [Action] {
    let end = Action.endTask(former)
    guard phase == .working, ends.stop == nil, !ends.pause, let stint else {
      return [end] + (phase == .delivering ? freshTask(at: moment) : [])
    }
    schedule.observed(ran: stint.beganAt.duration(to: moment.now))
    let summary = stint.summary(.extended, of: work, at: moment)
    return [.stintEnded(summary), end] + beginStint(at: moment)
  }
}
