extension SystemMachine {
  /// What came of a request for a task.
  package struct Request: Equatable, Sendable {
    /// Granted or denied, as far as it is known now.
    package var grant: TaskGrant
    /// Whether the authority's answer is still to come.
    package var isPending: Bool
    package var actions: [Action]
  }

  /// What came of ending a task.
  package struct Ended: Equatable, Sendable {
    package var result: EndResult
    package var actions: [Action]
  }

  /// A task is asked for (A1, A4, A8, A11).
  ///
  /// - Parameters:
  ///   - name: The task's name; empty for the calling function's.
  ///   - origin: Where it is asked for.
  ///   - delivery: How its expiry reaches its owner.
  ///   - now: The time.
  /// - Returns: The grant and what is to be done.
  package mutating func taskRequested(
    name: String, origin: TaskOrigin, delivery: TaskDelivery, now: Instant
  ) -> Request {
    var actions: [Action] = []
    passTime(to: now, &actions)
    if let denial = denialOfRequest(now: now) {
      return Request(grant: .denied(denial), isPending: false, actions: actions)
    }
    let identifier = BackgroundTaskIdentifier(rawValue: nextIdentifier)
    nextIdentifier += 1
    let isPending = authority == .remote
    tasks.append(
      TaskRecord(
        identifier: identifier, name: name.isEmpty ? origin.function : name, origin: origin,
        delivery: delivery, began: now, progress: isPending ? .pending : .open))
    if delivery == .none {
      actions.append(.diagnose(.taskWithoutHandler(name: nameOfNewest, origin: origin)))
    }
    if isPending { actions.append(.ask(identifier)) }
    if case .some = trip {
      trip?.hadTask = true
      settleTasks(at: now, &actions)
    }
    return Request(grant: .granted(identifier), isPending: isPending, actions: actions)
  }

  /// The authority in the other process answered.
  package mutating func taskAnswered(
    _ identifier: BackgroundTaskIdentifier, _ answer: TaskAnswer, now: Instant
  ) -> [Action] {
    var actions: [Action] = []
    passTime(to: now, &actions)
    // Race: the task was ended, or the process terminated, while the answer was on its way.
    guard let index = index(of: identifier), tasks[index].progress == .pending else {
      return actions
    }
    actions.append(.answer(identifier, answer))
    tasks[index].progress = .open
    switch answer {
    case .granted:
      break
    case .denied(let reason):
      deny(at: index, reason, now: now, &actions)
    }
    if !isQuiet { settleTasks(at: now, &actions) }
    return actions
  }

  /// A task is ended by its owner (A5, A6, A7, A15).
  ///
  /// - Parameters:
  ///   - identifier: The task.
  ///   - origin: Where it is ended.
  ///   - quietly: Whether a task that is gone is expected (the end of a scope).
  ///   - now: The time.
  /// - Returns: The result and what is to be done.
  package mutating func taskEnded(
    _ identifier: BackgroundTaskIdentifier, by origin: TaskOrigin, quietly: Bool = false,
    now: Instant
  ) -> Ended {
    var actions: [Action] = []
    passTime(to: now, &actions)
    guard let index = index(of: identifier) else {
      let (result, diagnostic) = endOfMissing(identifier, by: origin)
      if !quietly { actions.append(.diagnose(diagnostic)) }
      return Ended(result: result, actions: actions)
    }
    let started = tasks[index].isSpent && tasks[index].progress != .open
    forget(at: index, endedAt: origin)
    if !isQuiet {
      settleTasks(at: now, &actions)
    } else if nextWake != .distantFuture {
      // A handler that ran on in the foreground was watched (A19).
      schedule(&actions)
    }
    return Ended(result: started ? .handlerAlreadyStarted : .ended, actions: actions)
  }

  /// Why a request is refused at once, or nil.
  ///
  /// Inlined, because calling it would copy the machine.
  @inline(__always)
  private func denialOfRequest(now: Instant) -> DenialReason? {
    if stop != nil { return .stopping }
    switch lifeState {
    case .notRunning: return .notRunning
    case .suspended: return .suspended
    case .inactive, .active, .background: break
    }
    if tasks.count >= policy.maximumTasks {
      return .tooManyTasks(maximum: policy.maximumTasks)
    }
    if let trip, now >= trip.lastGrant {
      let left = now.duration(to: trip.deadline)
      // Nothing at all is never worth it, whatever the policy says: nobody could be warned (A11).
      if left < policy.leastWorthGranting || left <= .zero {
        return .tooLittleTime(remaining: max(.zero, left), least: policy.leastWorthGranting)
      }
    }
    return nil
  }

  /// Refuses a task whose identifier is out: its handler is called once, and it holds nothing (A4).
  private mutating func deny(
    at index: Int, _ reason: DenialReason, now: Instant, _ actions: inout [Action]
  ) {
    let identifier = tasks[index].identifier
    tasks[index].denial = reason
    switch tasks[index].delivery {
    case .none:
      break
    case .mainQueue, .mainQueueAsync:
      epochCount += 1
      tasks[index].epoch = epochCount
      tasks[index].progress = .called
      actions.append(
        .callHandlers([identifier], .denied(reason), deadline: deadline, epoch: epochCount))
    case .direct, .scoped:
      tasks[index].progress = .handed
      actions.append(.expireDirectly([identifier], .denied(reason), deadline: deadline))
    }
  }

  private var nameOfNewest: String {
    tasks[tasks.count - 1].name
  }

  /// What to say about an identifier that is not open.
  private func endOfMissing(
    _ identifier: BackgroundTaskIdentifier, by origin: TaskOrigin
  ) -> (EndResult, Diagnostic) {
    if identifier == .invalid { return (.unknown, .endedInvalid(by: origin)) }
    if let past = recentlyEnded.first(where: { $0.identifier == identifier }) {
      return (
        .alreadyEnded,
        .endedTwice(identifier, name: past.name, first: past.endedAt, by: origin)
      )
    }
    let wasGiven = identifier.rawValue > 0 && identifier.rawValue < nextIdentifier
    return (wasGiven ? .alreadyEnded : .unknown, .endedUnknown(identifier, by: origin))
  }

  /// Takes a task out of the list and remembers it for A7.
  mutating func forget(at index: Int, endedAt origin: TaskOrigin) {
    recentlyEnded[recentlyEndedNext] = EndedTask(
      identifier: tasks[index].identifier, name: tasks[index].name, endedAt: origin)
    recentlyEndedNext = (recentlyEndedNext + 1) % Self.rememberedTasks
    tasks.remove(at: index)
  }

  /// The position of an open task; the list is short, so a search beats a table.
  func index(of identifier: BackgroundTaskIdentifier) -> Int? {
    for index in tasks.indices where tasks[index].identifier == identifier { return index }
    return nil
  }
}
