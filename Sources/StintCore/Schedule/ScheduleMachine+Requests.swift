// What the program asks for, and why it waits.

extension ScheduleMachine {
  /// What came of registering a handler (Q1).
  package enum Registration: Hashable, Sendable {
    case taken
    /// There is a handler already, which stays.
    case twice
    /// It is taken, although a delegate has returned from didFinishLaunching.
    case late
  }

  /// What came of a request.
  package struct Submission: Sendable {
    package var refusal: TaskRequestError?
    package var actions: [Action]
  }

  /// Why a request waits (Q7).
  package enum Wait: Hashable, Sendable {
    /// The application has not been launched, or is gone.
    case notRunning
    /// The application is in the foreground.
    case foreground
    /// The application is in the background, and a continued task begins in the foreground.
    case background
    /// Work in the background is not allowed.
    case unavailable(BackgroundRefreshStatus)
    /// Its earliest time is still to come.
    case earliest(left: Duration)
    /// One of the same identifier began a moment ago.
    case paced(left: Duration)
    /// The program ended so often in a row before its task was completed.
    case died(Int, left: Duration)
    /// An earlier process left it, and this one has not registered its handlers.
    case launching
    /// One of the same identifier is not completed.
    case running
    case missing(TaskRequirement)
    case load(Double, most: Double)
    case memory(Int64, least: Int64)
    case disk(Int64, least: Int64)
    /// The system denied it; it is asked again after a while, or in the next trip.
    case denied(DenialReason, left: Duration?)

    /// How long it lasts if nothing else happens; nil if time alone changes nothing.
    var left: Duration? {
      switch self {
      case .earliest(let left), .paced(let left), .died(_, let left): left
      case .denied(_, let left): left
      case .notRunning, .foreground, .background, .unavailable, .running, .missing, .load, .memory,
        .disk, .launching:
        nil
      }
    }

    /// Whether a clock that is set could end it.
    var isForWallClock: Bool {
      switch self {
      case .earliest, .died: true
      case .notRunning, .foreground, .background, .unavailable, .paced, .running, .missing, .load,
        .memory, .disk, .denied, .launching:
        false
      }
    }

    /// Whether a condition of the machine is missing.
    var isForConditions: Bool {
      switch self {
      case .missing, .load, .memory, .disk: true
      case .notRunning, .foreground, .background, .unavailable, .earliest, .paced, .running,
        .denied, .died, .launching:
        false
      }
    }
  }

  /// A handler is registered for an identifier.
  ///
  /// - Parameters:
  ///   - identifier: Names what is to be done.
  ///   - isLate: Whether a delegate has returned from didFinishLaunching.
  /// - Returns: Whether the handler counts.
  package mutating func handlerRegistered(_ identifier: String, isLate: Bool) -> Registration {
    guard registered.insert(identifier).inserted else { return .twice }
    return isLate ? .late : .taken
  }

  /// A request is submitted; one of the same identifier that waits is replaced (Q2).
  package mutating func requestSubmitted(_ request: TaskRequest, now: ScheduleTime) -> Submission {
    if let refusal = refusal(of: request, now: now) {
      return Submission(refusal: refusal, actions: [])
    }
    let (waitingBefore, parkedBefore) = (waiting, parked)
    waiting.removeAll { $0.request.identifier == request.identifier }
    unpark(request.identifier)
    waiting.append(Waiting(request: request))
    if request.kind == .continued, !request.waitsForRoom,
      let reason = wait(of: waiting[waiting.count - 1], now: now, running: running)
    {
      // What waited before goes on waiting.
      (waiting, parked) = (waitingBefore, parkedBefore)
      let words = sentence(reason, of: request.identifier)
      return Submission(
        refusal: .cannotBegin(request.identifier, .refused(words)), actions: [])
    }
    return Submission(refusal: nil, actions: settle(now: now))
  }

  /// Takes back a request that would not wait, if the system denied it at once.
  ///
  /// - Parameter identifier: Names what was to be done.
  /// - Returns: Why it was denied; nil if it has begun, or may wait.
  package mutating func denialTakenBack(_ identifier: String) -> DenialReason? {
    let index = waiting.firstIndex {
      $0.request.identifier == identifier && !$0.request.waitsForRoom && $0.denial != nil
    }
    guard let index else { return nil }
    deaths[identifier] = nil
    return waiting.remove(at: index).denial
  }

  /// A request is taken back; what has begun goes on.
  package mutating func requestCancelled(_ identifier: String) {
    waiting.removeAll { $0.request.identifier == identifier }
    unpark(identifier)
    deaths[identifier] = nil
    for index in runs.indices where runs[index].request.identifier == identifier {
      runs[index].isTakenBack = true
    }
  }

  /// All requests are taken back.
  package mutating func allCancelled() {
    (waiting, parked, deaths) = ([], [], [:])
    for index in runs.indices { runs[index].isTakenBack = true }
  }

  /// The requests that wait, in the order in which they were submitted.
  package var pending: [TaskRequest] {
    parked.filter(\.isLeft).map(\.request) + waiting.map(\.request)
  }

  private func refusal(of request: TaskRequest, now: ScheduleTime) -> TaskRequestError? {
    let identifier = request.identifier
    switch request.kind {
    case .fetch, .sessionEvents: return .notSubmitted(identifier, request.kind)
    case .refresh, .processing, .continued: break
    }
    guard status == .available else { return .unavailable(identifier, status) }
    guard registered.contains(identifier) else { return .notRegistered(identifier) }
    let most: Int?
    switch request.kind {
    case .refresh: most = policy.mostWaitingRefreshes
    case .processing: most = policy.mostWaitingProcessing
    case .continued, .fetch, .sessionEvents: return nil
    }
    let others = pending.count { $0.kind == request.kind && $0.identifier != identifier }
    guard let most, others >= most else { return nil }
    return .tooManyWaiting(identifier, request.kind, most: most)
  }

  // MARK: Waiting

  /// All that could begin: the requests, and the next fetch.
  var candidates: [Waiting] {
    guard !isLaunching, let next = plan.next(policy),
      !runs.contains(where: { $0.request.kind == .fetch })
    else { return waiting }
    var fetch = fetchDenials
    fetch.request.earliestBegin = next
    return waiting + [fetch]
  }

  /// The identifiers of what has begun.
  var running: Set<String> { Set(runs.lazy.map(\.request.identifier)) }

  /// Why each of the candidates does not begin now; nil if it does.
  func waits(now: ScheduleTime) -> [Wait?] {
    let candidates = candidates
    if candidates.isEmpty { return [] }
    let running = running
    return candidates.map { wait(of: $0, now: now, running: running) }
  }

  /// Why a request does not begin now; nil if it does.
  func wait(of waiting: Waiting, now: ScheduleTime, running: Set<String>) -> Wait? {
    let request = waiting.request
    if running.contains(request.identifier) { return .running }
    if waiting.isForced { return denial(of: waiting, now) }
    switch (lifeState, request.kind) {
    case (.notRunning, _): return .notRunning
    case (.inactive, .continued), (.active, .continued): break
    case (.inactive, _), (.active, _): return .foreground
    case (.background, .continued), (.suspended, .continued): return .background
    case (.background, _), (.suspended, _): break
    }
    if status != .available { return .unavailable(status) }
    if let earliest = request.earliestBegin, now.wall < earliest {
      return .earliest(left: now.wall.duration(to: earliest))
    }
    if let last = lastBegan[request.identifier] {
      let left = now.instant.duration(to: last.advanced(by: policy.leastBetweenBegins))
      if left > .zero { return .paced(left: left) }
    }
    if let death = deaths[request.identifier], let left = death.left(now.wall) {
      return .died(death.count, left: left)
    }
    return Self.missing(request, in: conditions) ?? denial(of: waiting, now)
  }

  private func denial(of waiting: Waiting, _ now: ScheduleTime) -> Wait? {
    guard let denial = waiting.denial else { return nil }
    let left = waiting.retry.map { now.instant.duration(to: $0) }
    if let left, left <= .zero { return nil }
    return .denied(denial, left: left)
  }

  /// What a request needs and a machine does not offer; nil if nothing is missing.
  static func missing(_ request: TaskRequest, in conditions: MachineConditions) -> Wait? {
    for requirement in TaskRequirement.allCases
    where request.requirements.contains(requirement) && !conditions.meet(requirement) {
      return .missing(requirement)
    }
    if let most = request.mostLoad, conditions.load > most {
      return .load(conditions.load, most: most)
    }
    if let least = request.leastMemory, conditions.freeMemory < least {
      return .memory(conditions.freeMemory, least: least)
    }
    if let least = request.leastDisk, conditions.freeDisk < least {
      return .disk(conditions.freeDisk, least: least)
    }
    return nil
  }

  /// Why the request of an identifier waits, or that it runs, in one sentence (Q7).
  package func why(_ identifier: String, now: ScheduleTime) -> String {
    if let waiting = candidates.first(where: { $0.request.identifier == identifier }) {
      guard let wait = wait(of: waiting, now: now, running: running) else {
        return "\"\(identifier)\" begins now."
      }
      return "\"\(identifier)\" waits: \(sentence(wait, of: identifier))."
    }
    if let run = runs.first(where: { $0.request.identifier == identifier }) {
      let age = run.began.duration(to: now.instant).compactText
      return "\"\(identifier)\" is running since \(age)."
    }
    switch parked.first(where: { $0.request.identifier == identifier })?.setAside {
    case .died: return "\"\(identifier)\" is set aside: \(Self.manyDeaths)."
    case .noHandler:
      return "\"\(identifier)\" is set aside: no handler was registered for it."
    case nil: break
    }
    if pending.contains(where: { $0.identifier == identifier }) {
      return "\"\(identifier)\" waits: \(sentence(.launching, of: identifier))."
    }
    return "No request for \"\(identifier)\" waits."
  }

  /// A wait as a clause.
  func sentence(_ wait: Wait, of identifier: String) -> String {
    switch wait {
    case .notRunning: "the application is not running"
    case .foreground: "the application is in the foreground"
    case .background: "the application is not in the foreground"
    case .unavailable(.restricted): "work in the background is restricted"
    case .unavailable: "work in the background is denied"
    case .earliest(let left): "its earliest time comes in \(left.compactText)"
    case .paced(let left):
      "\(policy.leastBetweenBegins.compactText) have to lie between two of them, and "
        + "\(left.compactText) are left"
    case .died(let count, let left):
      "\(count == 1 ? "the program" : "\(count) programs in a row") ended before it was "
        + "completed; it is tried again in \(left.compactText)"
    case .launching: "the application is being launched"
    case .running: "the one before is not completed"
    case .missing, .load, .memory, .disk: wait.clauseOfConditions
    case .denied(let reason, let left?):
      "the system denied it, because \(reason); it is asked again in \(left.compactText)"
    case .denied(let reason, nil): "the system denied it, because \(reason)"
    }
  }

  /// Why a request is set aside whose program never comes to its end.
  package static let manyDeaths =
    "\(ScheduleRecord.mostDeaths) programs in a row ended before it was completed"
}

extension ScheduleMachine.Wait {
  /// What the machine does not offer, as a clause; empty for another wait.
  var clauseOfConditions: String {
    switch self {
    case .missing(let requirement): "\(requirement) is missing"
    case .load(let load, let most):
      "the load is \(Self.text(load)), and \(Self.text(most)) is the most"
    case .memory(let free, let least): "\(free) bytes of memory are free, and \(least) are needed"
    case .disk(let free, let least): "\(free) bytes of the disk are free, and \(least) are needed"
    case .notRunning, .foreground, .background, .unavailable, .earliest, .paced, .running, .denied,
      .died, .launching:
      ""
    }
  }

  /// A load with two decimals.
  private static func text(_ load: Double) -> String {
    // A limit below zero, which nothing meets, is as good as zero.
    let hundredths = Int((max(0, min(load, 1e6)) * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
