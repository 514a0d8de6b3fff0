// From the last chunk to the result under its final name.

extension WorkerMachine {
  /// The result is durable under its final name (W9).
  ///
  /// It counts in whatever phase it comes: a stint that was cut leaves the delivery running.
  package mutating func delivered(at moment: Moment) -> [Action] {
    running.deliveryEnded(isDurable: true)
    if case .ended = phase { return [] }
    return finishedOnceSaved(at: moment)
  }

  /// A checkpoint that is being written would come to stand beside the finished result.
  ///
  /// It is waited for, but not longer than the task may stay open: the result is durable, the
  /// checkpoint is not needed any more.
  private mutating func finishedOnceSaved(at moment: Moment) -> [Action] {
    if running.save == nil { return finished(at: moment) }
    guard phase == .delivering, let limit = closingLimit(at: moment) else { return [] }
    return moment.now < limit ? wake(limit, at: moment) : finished(at: moment)
  }

  /// The result could not be put where it belongs.
  package mutating func deliveryFailed(_ error: StintError, at moment: Moment) -> [Action] {
    running.deliveryEnded(isDurable: false)
    // Crossed the end of its stint: the next one tries again.
    guard phase == .delivering else { return [] }
    return failing(error, at: moment)
  }

  /// The computation is complete.
  ///
  /// Under a deadline the last state is made durable first, because nothing is known of how
  /// long the delivery takes.
  mutating func completed(at moment: Moment) -> [Action] {
    if running.delivery == .none, let limit = closingLimit(at: moment) {
      if moment.now >= limit { return close(.didNotFit, at: moment) }
      if !work.isDurable { return saveIfNeeded(at: moment) + wake(limit, at: moment) }
    }
    phase = .delivering
    // An earlier stint's delivery may still be on its way.
    if running.delivery == .running { return watchDelivery(at: moment) }
    running.deliveryBegan()
    return [.deliver] + watchDelivery(at: moment)
  }

  /// The delivery may be cut; what it delivers must not be lost with it.
  mutating func watchDelivery(at moment: Moment) -> [Action] {
    if running.delivery == .done { return finishedOnceSaved(at: moment) }
    guard running.delivery == .running, let limit = closingLimit(at: moment) else { return [] }
    var actions: [Action] = []
    if !work.isDurable, running.save == nil, work.failedSaves < policy.failedCheckpoints,
      canStillSave(at: moment)
    {
      actions += startSave(at: moment)
    }
    if moment.now < limit { return actions + wake(limit, at: moment) }
    // Delivery and checkpoint go on behind the end; each becomes durable as a whole or not at all.
    return endStint(.expired, at: moment)
  }

  /// Everything is done: what was not saved is kept in the result.
  mutating func finished(at moment: Moment) -> [Action] {
    work.resultIsDurable()
    return endStint(.finished, at: moment)
  }

  /// The last instant at which the task can be ended in time.
  func closingLimit(at moment: Moment) -> Instant? {
    moment.deadline.map { $0.advanced(by: .zero - closing) }
  }

  /// What is kept free at the end of a stint: what ending takes, and how late the wake-up for it
  /// has to be expected.
  ///
  /// Never more than the lead, so that a machine that wakes badly still works.
  var closing: Duration {
    max(policy.closing, min(lead, policy.closing + lateness.expected))
  }
}
