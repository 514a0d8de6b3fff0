/// The system contract, stated a second time: a history, and rules that are asked of it.
///
/// Nothing is kept but what happened. Every event notes a fact; then the rules
/// (`ModelReading+Due.swift`) are asked what is due, it is done and noted, and they are asked again
/// until nothing is due. It is slow and that does not matter.
///
/// Where the contract is silent the comment at the rule says what was chosen.
package struct SystemModel: Sendable {
  /// The numbers.
  package let policy: ModelPolicy
  /// Whether another process answers requests (A3).
  package let isRemote: Bool
  /// B5: the modes that may be used.
  package var declaredModes: Set<String> = []
  var history = ModelHistory()

  /// What the system did and said since the last time that it was taken.
  package private(set) var deeds: [ModelDeed] = []
  /// What the owner was told since then.
  package private(set) var diagnostics: [ModelDiagnostic] = []

  /// Creates the model of an application that has not been launched.
  package init(policy: ModelPolicy, isRemote: Bool) {
    self.policy = policy
    self.isRemote = isRemote
  }

  /// What the history says now.
  package var reading: ModelReading { ModelReading(history, policy) }

  /// Takes what was done and said.
  package mutating func takeDeeds() -> (deeds: [ModelDeed], diagnostics: [ModelDiagnostic]) {
    defer {
      deeds = []
      diagnostics = []
    }
    return (deeds, diagnostics)
  }

  mutating func act(_ deed: ModelDeed) { deeds.append(deed) }

  mutating func say(_ diagnostic: ModelDiagnostic) { diagnostics.append(diagnostic) }

  // MARK: Time

  /// Somebody looks at the clock: what is due is done.
  package mutating func look(at now: Int) {
    while true {
      let reading = reading
      guard let due = reading.due(at: now) else { return }
      perform(due, reading, at: now)
    }
  }

  private mutating func perform(_ due: ModelDue, _ reading: ModelReading, at now: Int) {
    switch due {
    case .warn:
      expire(reading.stop?.reason ?? reading.trip?.revocation ?? .timeElapsed, at: now)
    case .endScope(let id):
      say(.scopeOverran(name: history.stories[id - 1].name))
      history.note(.ended(ModelHistory.systemPlace), of: id, at: now)
    case .sayUnserved:
      say(.mainQueueUnserved(allowance: policy.allowance))
      history.note(.saidUnserved, at: now)
    case .sayOverran(let id):
      say(.handlerOverran(name: history.stories[id - 1].name, allowance: policy.allowance))
      history.note(.saidOverran, of: id, at: now)
    case .sayLeftOpen(let id):
      let story = history.stories[id - 1]
      say(.leftOpen(name: story.name, age: now - story.began, place: story.place))
      history.note(.saidLeftOpen, of: id, at: now)
    case .sayHeldTooLong(let id):
      let story = history.stories[id - 1]
      let held = now - max(story.began, reading.trip?.start ?? 0)
      say(.heldTooLong(name: story.name, held: held, place: story.place))
      history.note(.saidHeldTooLong, of: id, at: now)
    case .completeStop:
      act(.stopCompleted)
      history.note(.stopCompleted, at: now)
    case .suspend:
      act(.suspend)
      history.note(.suspended, at: now)
    case .terminate(let cause):
      act(.terminate(cause))
      history.note(.gone, at: now)
    }
  }

  /// A12: the expiry is announced: first to who does not use the main queue, then in a durable
  /// record, then to handlers.
  ///
  /// One expiry has one reason, its first: who joins it later is told the same (A18).
  mutating func expire(_ reason: ModelReason, at now: Int) {
    let reading = reading
    let reason = reading.expiry?.reason ?? reason
    let unwarned = reading.tasks.filter { $0.state == .granted && $0.delivery != .none }
    let onMain = unwarned.filter(\.delivery.needsMain).map(\.id)
    let directly = unwarned.filter { !$0.delivery.needsMain }.map(\.id)
    let open = reading.tasks.filter(\.holds).map(\.name)
    if reading.expiry == nil { history.note(.expired(reason), at: now) }
    for id in directly { history.note(.handed, of: id, at: now) }
    for id in onMain { history.note(.called(history.calls + 1), of: id, at: now) }
    let deadline = reading.deadline
    if !directly.isEmpty { act(.handDirectly(directly, reason, deadline: deadline)) }
    if reading.expiry == nil, !open.isEmpty {
      act(.record(reason, deadline: deadline, open: open))
    }
    if !onMain.isEmpty { act(.callHandlers(onMain, reason, deadline: deadline)) }
  }
}
