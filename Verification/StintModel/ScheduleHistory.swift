/// Everything that has happened to a schedule, and nothing else.
struct ScheduleHistory: Sendable {
  /// One thing that happened.
  struct Fact: Sendable {
    let now: ModelMoment
    let what: What
  }

  /// What happened.
  ///
  /// Runs are numbered from 1 in the order in which the system was asked.
  enum What: Sendable {
    case registered(String, isLate: Bool)
    case life(ModelState)
    case status(ModelRefreshStatus)
    case conditions(ModelConditions)
    case intervalSet(ModelInterval)
    /// All handlers are registered that a launch registers (Q6).
    case ready
    case submitted(ModelRequest)
    case cancelled(String)
    case allCancelled
    /// A request is to begin whatever it waits for (Q8).
    case forced(String)

    /// The system was asked for a task; by simulation, if nobody waited for it (Q8).
    case asked(run: Int, ModelRequest, isSimulated: Bool)
    case granted(run: Int, task: Int)
    case denied(run: Int, ModelDenial)
    /// The handler was called.
    case claimed(run: Int)
    case progressed(run: Int, Double)
    /// It has time up to then at least (Q5).
    case allowed(run: Int, until: Int)
    /// The expiration handler is called, and the run has to be completed by then.
    case warned(run: Int, end: Int)
    /// Its time was up before its handler was called.
    case givenBack(run: Int)
    case completed(run: Int, ModelFetchResult)
    /// It was not completed in its time.
    case failed(run: Int)
    /// The process was to be terminated.
    case gone
  }

  var facts: [Fact] = []
  /// What earlier processes left.
  var inherited = ScheduleInheritance()
  /// Whether this is not the first process of its program.
  var isLater = false

  init() {}

  mutating func note(_ what: What, at now: ModelMoment) {
    facts.append(Fact(now: now, what: what))
  }

  // MARK: What holds now

  var state: ModelState {
    for fact in facts.reversed() {
      if case .life(let state) = fact.what { return state }
      // If that was only reported, the state is told next.
      if case .gone = fact.what { return .notRunning }
    }
    return .notRunning
  }

  var status: ModelRefreshStatus {
    for fact in facts.reversed() {
      if case .status(let status) = fact.what { return status }
    }
    return .available
  }

  var conditions: ModelConditions {
    for fact in facts.reversed() {
      if case .conditions(let conditions) = fact.what { return conditions }
    }
    return ModelConditions()
  }

  /// Whether the handler of an identifier was registered late; nil if there is none (Q1).
  func isLate(_ identifier: String) -> Bool? {
    for fact in facts {
      if case .registered(identifier, let isLate) = fact.what { return isLate }
    }
    return nil
  }

  // MARK: Requests

  /// The requests that wait, in their order.
  var waiting: [ModelRequest] {
    var waiting: [ModelRequest] = []
    for (index, fact) in facts.enumerated() {
      switch fact.what {
      case .ready:
        if index == readyAt { waiting = taken + waiting }
      case .submitted(let request):
        // Q2: the same identifier replaces.
        waiting.removeAll { $0.identifier == request.identifier }
        waiting.append(request)
      case .cancelled(let identifier):
        waiting.removeAll { $0.identifier == identifier }
      case .allCancelled:
        waiting = []
      case .asked(_, let request, _):
        // A fetch does not wait there, but a request may have its name.
        guard request.kind.isSubmitted else { continue }
        waiting.removeAll { $0.identifier == request.identifier }
      case .denied(let run, _), .givenBack(let run):
        if let request = request(of: run, untouchedTo: index) { waiting.append(request) }
      case .gone:
        // Q4: what nobody had heard of waits again.
        for run in unheard(before: index) {
          if let request = request(of: run, untouchedTo: index) { waiting.append(request) }
        }
      case .registered, .life, .status, .conditions, .intervalSet, .forced, .granted, .claimed,
        .progressed, .allowed, .warned, .completed, .failed:
        continue
      }
    }
    return waiting
  }

  /// The runs that are not over and whose handlers have not been called.
  func unheard(before index: Int) -> [Int] {
    var unheard: [Int] = []
    for fact in facts[..<index] {
      switch fact.what {
      case .asked(let run, _, _): unheard.append(run)
      case .denied(let run, _), .claimed(let run), .givenBack(let run), .completed(let run, _),
        .failed(let run):
        unheard.removeAll { $0 == run }
      case .gone: unheard = []
      default: continue
      }
    }
    return unheard
  }

  /// What a run was asked for, if it was a request that nobody has replaced or taken back since.
  func request(of run: Int, untouchedTo index: Int) -> ModelRequest? {
    var found: ModelRequest?
    for fact in facts[..<index] {
      switch fact.what {
      case .asked(run, let request, _) where request.kind.isSubmitted: found = request
      case .submitted(let newer) where newer.identifier == found?.identifier: found = nil
      case .cancelled(let identifier) where identifier == found?.identifier: found = nil
      case .allCancelled: found = nil
      default: continue
      }
    }
    return found
  }

  /// Q8: whether it begins whatever the conditions are.
  func isForced(_ identifier: String) -> Bool {
    var isForced = false
    var wasForced: [Int: Bool] = [:]
    for (index, fact) in facts.enumerated() {
      switch fact.what {
      case .forced(identifier): isForced = true
      case .submitted(let request) where request.identifier == identifier: isForced = false
      case .asked(let run, let request, _)
      where request.identifier == identifier && request.kind.isSubmitted:
        wasForced[run] = isForced
        isForced = false
      case .denied(let run, _) where request(of: run, untouchedTo: index) != nil:
        // What was denied waits as it did.
        isForced = wasForced[run] ?? isForced
      default: continue
      }
    }
    return isForced
  }

  /// Q9: when a task of an identifier last began; a denied one has not.
  func lastBegan(_ identifier: String) -> Int? {
    for fact in facts.reversed() {
      if case .asked(let run, let request, _) = fact.what, request.identifier == identifier,
        !wasDenied(run)
      {
        return fact.now.at
      }
    }
    return nil
  }

  func wasDenied(_ run: Int) -> Bool {
    facts.contains { if case .denied(run, _) = $0.what { true } else { false } }
  }

  /// Q9: how often in a row the system denied what waits under an identifier, and the last time.
  ///
  /// It counts anew in the next trip, but what the system is being asked for then keeps its count.
  func denials(
    of identifier: String
  ) -> (count: Int, last: ModelDenial?, at: Int) {
    var denials: (count: Int, last: ModelDenial?, at: Int) = (0, nil, 0)
    var isGone = true
    var before: [Int: Int] = [:]
    for (index, fact) in facts.enumerated() {
      switch fact.what {
      case .submitted(let request) where request.identifier == identifier: denials = (0, nil, 0)
      case .forced(identifier): denials = (0, nil, 0)
      case .life(let state):
        if isGone || (state != .suspended && state != .notRunning) { denials = (0, nil, 0) }
        isGone = state == .notRunning
      case .gone: isGone = true
      case .intervalSet where identifier == Self.fetchName: denials = (0, nil, 0)
      case .asked(let run, let request, let isSimulated) where request.identifier == identifier:
        before[run] = isSimulated ? 0 : denials.count
        if request.kind.isSubmitted { denials = (0, nil, 0) }
      case .granted(let run, _) where before[run] != nil: denials = (0, nil, 0)
      case .denied(let run, let reason):
        guard let count = before[run] else { continue }
        if identifier != Self.fetchName, request(of: run, untouchedTo: index) == nil { continue }
        denials = (max(denials.count, count) + 1, reason, fact.now.at)
      default: continue
      }
    }
    return denials
  }

  /// Fetches have one name.
  static let fetchName = "background fetch"

  /// How often the system was asked.
  var runCount: Int {
    facts.count { if case .asked = $0.what { true } else { false } }
  }
}

extension ModelState {
  var isForeground: Bool { self == .inactive || self == .active }
}
