/// When tasks begin for an application, stated a second time (B1 to B4, Q1 to Q5, Q7, Q9): a
/// history, and rules that are asked of it.
///
/// As in `SystemModel`, nothing is kept but what happened. What an event makes due is done by the
/// rules of `ScheduleModel+Due.swift`, and noted, until nothing is due.
package struct ScheduleModel: Sendable {
  /// The numbers.
  package let policy: SchedulePolicy
  var history = ScheduleHistory()
  private var deeds: [ScheduleDeed] = []

  /// Creates the model of an application that has not been launched.
  package init(policy: SchedulePolicy) {
    self.policy = policy
  }

  /// Takes what was done since the last time.
  package mutating func takeDeeds() -> [ScheduleDeed] {
    defer { deeds = [] }
    return deeds
  }

  mutating func act(_ deed: ScheduleDeed) { deeds.append(deed) }

  // MARK: The application

  /// The application is in another state.
  package mutating func changeLife(to state: ModelState, at now: ModelMoment) {
    guard state != history.state else { return }
    let before = history.runs(policy)
    history.note(.life(state), at: now)
    // Q5: from now on its time is counted, and the system has to know.
    for run in before where run.end == never {
      guard let end = history.story(of: run.number, policy)?.end, end != never else { continue }
      act(.allow(until: end))
    }
    look(at: now)
  }

  /// L11: whether work in the background is allowed is decided otherwise.
  package mutating func changeStatus(to status: ModelRefreshStatus, at now: ModelMoment) {
    history.note(.status(status), at: now)
    look(at: now)
  }

  /// Q3: the machine offers something else.
  package mutating func changeConditions(to conditions: ModelConditions, at now: ModelMoment) {
    history.note(.conditions(conditions), at: now)
    look(at: now)
  }

  /// The process was to be terminated.
  package mutating func end(at now: ModelMoment) {
    history.note(.gone, at: now)
    look(at: now)
  }

  /// Q5: of two continued tasks or more, the one with the least progress goes; of two that are as
  /// far, the later one.
  package mutating func pressMemory(at now: ModelMoment) {
    let runs = history.runs(policy).filter { $0.request.kind == .continued && $0.phase == .running }
    let least = runs.map(\.fraction).min()
    if runs.count > 1, let run = runs.last(where: { $0.fraction == least }) {
      expire(run, .leastProgress, deadline: now.at + policy.lead, at: now)
    }
    look(at: now)
  }

  /// B1: how often the application may fetch.
  package mutating func setInterval(_ interval: ModelInterval, at now: ModelMoment) {
    history.note(.intervalSet(interval), at: now)
    look(at: now)
  }

  // MARK: Processes

  /// Q6: the process is gone, and the next one of the program knows what it left.
  ///
  /// Returns the identifiers in which programs have ended too often with this one.
  package mutating func restart(at now: ModelMoment) -> [String] {
    let (inheritance, died) = history.left(policy)
    history = ScheduleHistory(inherited: inheritance)
    look(at: now)
    return died
  }

  /// Q6: the handlers are registered; the identifiers that have none.
  package mutating func becomeReady(at now: ModelMoment) -> [String] {
    let isFirst = history.readyAt == nil
    history.note(.ready, at: now)
    let homeless = isFirst ? history.homeless.map(\.identifier) : []
    look(at: now)
    return homeless
  }

  // MARK: Requests

  /// Q1: a handler is registered.
  package mutating func register(
    _ identifier: String, isLate: Bool, at now: ModelMoment
  ) -> ModelRegistration {
    if history.isLate(identifier) != nil { return .twice }
    history.note(.registered(identifier, isLate: isLate), at: now)
    return isLate ? .late : .taken
  }

  /// Q2: a request is submitted; the reason if it is refused.
  package mutating func submit(
    _ request: ModelRequest, at now: ModelMoment
  ) -> ModelRequestRefusal? {
    if let refusal = refusal(of: request) { return refusal }
    if request.kind == .continued, !request.waitsForRoom {
      if let wait = reading.waitIfSubmitted(request, at: now) { return .cannotBegin(wait) }
    }
    history.note(.submitted(request), at: now)
    look(at: now)
    return nil
  }

  private func refusal(of request: ModelRequest) -> ModelRequestRefusal? {
    guard request.kind.isSubmitted else { return .notSubmitted }
    if history.status != .available { return .unavailable(history.status) }
    if history.isLate(request.identifier) == nil { return .notRegistered }
    // Any number of continued tasks may wait.
    if request.kind == .continued { return nil }
    let most = request.kind == .refresh ? policy.mostRefreshes : policy.mostProcessing
    let others = (history.left + history.waiting).filter {
      $0.kind == request.kind && $0.identifier != request.identifier
    }
    guard let most, others.count >= most else { return nil }
    return .tooManyWaiting(most: most)
  }

  /// Q2: a request that would not wait is taken back if the system denied it at once.
  package mutating func takeBack(_ identifier: String, at now: ModelMoment) -> ModelDenial? {
    let request = history.waiting.first { $0.identifier == identifier }
    guard request?.waitsForRoom == false, let denial = history.denials(of: identifier).last else {
      return nil
    }
    history.note(.cancelled(identifier), at: now)
    return denial
  }

  /// A request is taken back.
  package mutating func cancel(_ identifier: String, at now: ModelMoment) {
    history.note(.cancelled(identifier), at: now)
  }

  /// All requests are taken back.
  package mutating func cancelAll(at now: ModelMoment) {
    history.note(.allCancelled, at: now)
  }

  // MARK: Simulation

  /// Q8: a request begins now; whether there is one that does not run already.
  package mutating func simulateLaunch(_ identifier: String, at now: ModelMoment) -> Bool {
    guard history.waiting.contains(where: { $0.identifier == identifier }),
      !reading.isRunning(identifier)
    else { return false }
    history.note(.forced(identifier), at: now)
    look(at: now)
    return true
  }

  /// Q8: the time of a task is up; whether there is one that can be told.
  package mutating func simulateExpiry(_ identifier: String, at now: ModelMoment) -> Bool {
    let run = history.runs(policy).first {
      $0.request.identifier == identifier && $0.request.kind.isWarned && $0.isUnwarned
    }
    guard let run else { return false }
    expire(run, .revoked, deadline: now.at + policy.lead, at: now)
    look(at: now)
    return true
  }

  /// Q8, B4: a fetch, or what a session has to tell, begins now; its run.
  package mutating func simulateEvent(
    _ identifier: String, _ kind: ModelTaskKind, at now: ModelMoment
  ) -> Int {
    begin(ModelRequest(identifier, kind), isSimulated: true, at: now)
    return history.runCount
  }
}
