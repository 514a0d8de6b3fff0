/// The answers that a history of a schedule gives.
package struct ScheduleReading: Sendable {
  /// What could begin.
  private struct Candidate: Sendable {
    let request: ModelRequest
    /// Q8: whether it waits for the system alone.
    let isForced: Bool
    let lastBegan: Int?
    let denials: (count: Int, last: ModelDenial?, at: Int)
  }

  private let history: ScheduleHistory
  private let policy: SchedulePolicy
  private let state: ModelState
  private let status: ModelRefreshStatus
  private let conditions: ModelConditions
  private let runs: [ScheduleRun]
  private let deaths: [String: ScheduleInheritance.Deaths]
  private let losses: [(requirement: ModelRequirement, since: Int)?]
  private var candidates: [Candidate] = []

  /// The requests that wait, in their order.
  package let pending: [ModelRequest]

  init(_ history: ScheduleHistory, _ policy: SchedulePolicy) {
    self.history = history
    self.policy = policy
    state = history.state
    status = history.status
    conditions = history.conditions
    runs = history.runs(policy)
    losses = runs.map(history.loss)
    deaths = history.deaths
    pending = history.left + history.waiting
    var requests = history.waiting
    // B1: also the next fetch. What earlier processes left waits for the launch, and so does it.
    if history.readyAt != nil || !history.isLater,
      !runs.contains(where: { $0.request.kind == .fetch }), let next = history.nextFetch(policy)
    {
      var fetch = ModelRequest(ScheduleHistory.fetchName, .fetch)
      fetch.earliest = next
      requests.append(fetch)
    }
    candidates = requests.map { candidate($0) }
  }

  private func candidate(_ request: ModelRequest) -> Candidate {
    Candidate(
      request: request, isForced: history.isForced(request.identifier),
      lastBegan: history.lastBegan(request.identifier),
      denials: history.denials(of: request.identifier))
  }

  // MARK: What is due

  /// The first thing that is due; when it is done, the history is read again.
  func due(at now: ModelMoment) -> ScheduleDue? {
    for (run, loss) in zip(runs, losses) {
      if let due = due(of: run, loss, at: now) { return due }
    }
    return candidates.first { wait(of: $0, at: now) == nil }.map { .begin($0.request) }
  }

  private func due(
    of run: ScheduleRun, _ loss: (requirement: ModelRequirement, since: Int)?, at now: ModelMoment
  ) -> ScheduleDue? {
    guard let task = run.task else { return nil }
    // Nobody is to blame for what nobody has heard of.
    if now.at >= run.end {
      return run.phase == .launching ? .giveBack(run) : .fail(run, task: task)
    }
    guard run.isUnwarned, run.request.kind.isWarned else { return nil }
    if let loss, now.at >= loss.since + policy.lossAllowance {
      return .expire(run, .requirementLost(loss.requirement))
    }
    if now.at >= warning(of: run) { return .expire(run, .timeElapsed) }
    return nil
  }

  /// A12: a lead before its end; a choice: in the last quarter where the lead leaves nothing.
  private func warning(of run: ScheduleRun) -> Int {
    let allowance = policy.allowance(of: run.request.kind)
    return shifted(run.end, -(policy.lead < allowance ? policy.lead : allowance / 4))
  }

  // MARK: Waiting

  /// Q7: why a request would wait if it were submitted now; nil if it would begin.
  func waitIfSubmitted(_ request: ModelRequest, at now: ModelMoment) -> ModelWait? {
    wait(
      of: Candidate(
        request: request, isForced: false, lastBegan: history.lastBegan(request.identifier),
        denials: (0, nil, 0)), at: now)
  }

  func isRunning(_ identifier: String) -> Bool {
    runs.contains { $0.request.identifier == identifier }
  }

  /// Q7: why a request waits; nil if it begins.
  ///
  /// The order of the reasons is a choice.
  private func wait(of candidate: Candidate, at now: ModelMoment) -> ModelWait? {
    let request = candidate.request
    if isRunning(request.identifier) { return .running }
    // Q8: what is simulated waits for the system alone.
    if candidate.isForced { return denial(of: candidate, at: now) }
    switch state {
    case .notRunning: return .notRunning
    case .inactive, .active: if request.kind != .continued { return .foreground }
    case .background, .suspended: if request.kind == .continued { return .background }
    }
    if status != .available { return .unavailable(status) }
    if let earliest = request.earliest, earliest > now.wall {
      return .earliest(left: earliest - now.wall)
    }
    if let last = candidate.lastBegan, now.at < last + policy.pace {
      return .paced(left: last + policy.pace - now.at)
    }
    if let death = deaths[request.identifier], let left = left(death, at: now) {
      return .died(death.count, left: left)
    }
    return lack(of: request) ?? denial(of: candidate, at: now)
  }

  /// Q6: ten seconds after its begin, then twice as long; a clock that was set back ends that.
  private func left(_ death: ScheduleInheritance.Deaths, at now: ModelMoment) -> Int? {
    var wait = policy.firstDeathWait
    for _ in 1..<death.count { wait *= 2 }
    return (death.began..<death.began + wait).contains(now.wall)
      ? death.began + wait - now.wall : nil
  }

  /// Q3: what the machine lacks; here the network comes first.
  private func lack(of request: ModelRequest) -> ModelWait? {
    for requirement in [ModelRequirement.network, .externalPower]
    where request.requirements.contains(requirement) && !conditions.present.contains(requirement) {
      return .missing(requirement)
    }
    if let most = request.mostLoad, conditions.load > most {
      return .load(conditions.load, most: most)
    }
    if let least = request.leastMemory, conditions.memory < least {
      return .memory(conditions.memory, least: least)
    }
    if let least = request.leastDisk, conditions.disk < least {
      return .disk(conditions.disk, least: least)
    }
    return nil
  }

  /// Q9: after 2 s, then after twice as long each time.
  ///
  /// A system that stops, or has not been launched, is not asked again in this trip.
  private func denial(of candidate: Candidate, at now: ModelMoment) -> ModelWait? {
    let denials = candidate.denials
    guard let reason = denials.last else { return nil }
    if reason == .notRunning || reason == .stopping { return .denied(reason, left: nil) }
    var distance = policy.retry
    for _ in 1..<denials.count { distance = min(distance * 2, policy.longestRetry) }
    let left = denials.at + min(distance, policy.longestRetry) - now.at
    return left > 0 ? .denied(reason, left: left) : nil
  }

  // MARK: Questions

  /// Q1: whether a handler is registered.
  package func hasHandler(_ identifier: String) -> Bool { history.isLate(identifier) != nil }

  /// Whether something should have been done already.
  package func isLate(at now: ModelMoment) -> Bool { due(at: now) != nil }

  /// Q7: what is known of an identifier.
  package func standing(of identifier: String, at now: ModelMoment) -> ModelStanding {
    if let candidate = candidates.first(where: { $0.request.identifier == identifier }) {
      return wait(of: candidate, at: now).map { .waits($0) } ?? .beginsNow
    }
    let run = runs.first { $0.request.identifier == identifier }
    if let run { return .runs(since: run.began) }
    func names(_ requests: [ModelRequest]) -> Bool {
      requests.contains { $0.identifier == identifier }
    }
    if names(history.dead) { return .setAside(hasHandler: true) }
    if names(history.homeless) { return .setAside(hasHandler: false) }
    return names(history.left) ? .left : .unknown
  }

  /// Whether something was left that waits for the launch to end.
  package var waitsForLaunch: Bool { !history.left.isEmpty }

  /// Whether the conditions have to be watched: something waits for one, or needs one.
  package func needsConditions(at now: ModelMoment) -> Bool {
    runs.contains { !$0.request.requirements.isEmpty }
      || candidates.contains { wait(of: $0, at: now)?.isForConditions == true }
  }

  /// Whether the wall clock has to be watched.
  package func needsWallClock(at now: ModelMoment) -> Bool {
    candidates.contains { candidate in
      switch wait(of: candidate, at: now) {
      case .earliest, .died: true
      default: false
      }
    }
  }

  /// The runs that are not over, with how far they are, for who chooses what happens next.
  package var openRuns: [(number: Int, isAsking: Bool, isLaunching: Bool, kind: ModelTaskKind)] {
    runs.map {
      ($0.number, $0.phase == .asking, $0.phase == .launching, $0.request.kind)
    }
  }

  /// The first instant at which something is due, or something waits for another reason than now,
  /// by time alone.
  package func nextLook(after now: ModelMoment) -> Int {
    let reasons = candidates.map { wait(of: $0, at: now)?.timeless }
    for boundary in boundaries(now) where boundary > now.at {
      let then = now.later(by: boundary - now.at)
      if due(at: then) != nil { return boundary }
      if candidates.map({ wait(of: $0, at: then)?.timeless }) != reasons { return boundary }
    }
    return never
  }

  /// Every instant at which something may be due by time alone.
  package func boundaries(_ now: ModelMoment) -> [Int] {
    var all: [Int] = []
    for (run, loss) in zip(runs, losses) {
      all += [run.end, warning(of: run)]
      if let loss { all.append(loss.since + policy.lossAllowance) }
    }
    for candidate in candidates {
      if let earliest = candidate.request.earliest { all.append(now.at + (earliest - now.wall)) }
      if let last = candidate.lastBegan { all.append(last + policy.pace) }
      if let death = deaths[candidate.request.identifier], let left = left(death, at: now) {
        all.append(now.at + left)
      }
      if case .denied(_, let left?)? = denial(of: candidate, at: now) {
        all.append(now.at + left)
      }
    }
    return all.filter { $0 != never }.sorted()
  }
}
