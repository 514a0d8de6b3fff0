/// What the history says of a task that was begun and is not over.
struct ScheduleRun: Sendable {
  /// How far it is.
  enum Phase: Sendable {
    case asking, launching, running, expiring
  }

  let number: Int
  let request: ModelRequest
  let began: Int
  var phase = Phase.asking
  var task: Int?
  /// By when it has to be completed.
  var end: Int
  var fraction = 0.0

  /// Whether it is still to be told that its time is up.
  var isUnwarned: Bool { phase == .launching || phase == .running }
}

extension ScheduleHistory {
  /// The runs that are not over, in their order.
  func runs(_ policy: SchedulePolicy) -> [ScheduleRun] {
    var open: [Int] = []
    for fact in facts {
      switch fact.what {
      case .asked(let run, _, _): open.append(run)
      case .denied(let run, _), .givenBack(let run), .completed(let run, _), .failed(let run):
        open.removeAll { $0 == run }
      case .gone: open = []
      case .registered, .life, .status, .conditions, .intervalSet, .ready, .submitted, .cancelled,
        .allCancelled, .forced, .granted, .claimed, .progressed, .allowed, .warned:
        continue
      }
    }
    return open.compactMap { story(of: $0, policy) }
  }

  /// A run, or nil if it is over.
  func story(of number: Int, _ policy: SchedulePolicy) -> ScheduleRun? {
    var state = ModelState.notRunning
    var run: ScheduleRun?
    for fact in facts {
      switch fact.what {
      case .life(let next):
        state = next
        run?.lifeChanged(to: state, at: fact.now.at, policy)
      case .asked(number, let request, _):
        // Q5: a continued task has no end of its own in the foreground.
        let isEndless = request.kind == .continued && state.isForeground
        run = ScheduleRun(
          number: number, request: request, began: fact.now.at,
          end: isEndless ? never : fact.now.at + policy.allowance(of: request.kind))
      case .granted(number, let task):
        run?.task = task
        run?.phase = .launching
      case .claimed(number): run?.phase = .running
      case .progressed(number, let fraction): run?.fraction = fraction
      case .allowed(number, let end): run?.end = end
      case .warned(number, let end):
        run?.phase = .expiring
        run?.end = end
      case .denied(number, _), .givenBack(number), .completed(number, _), .failed(number): run = nil
      case .gone:
        run = nil
        state = .notRunning
      case .registered, .status, .conditions, .intervalSet, .ready, .submitted, .cancelled,
        .allCancelled, .forced, .granted, .denied, .claimed, .progressed, .allowed, .warned,
        .givenBack,
        .completed, .failed, .asked:
        continue
      }
    }
    return run
  }

  /// Q3: since when a run has lacked something that it needs; the loss that came first.
  func loss(of run: ScheduleRun) -> (requirement: ModelRequirement, since: Int)? {
    var losses: [(requirement: ModelRequirement, since: Int)] = []
    for requirement in ModelRequirement.allCases
    where run.request.requirements.contains(requirement) {
      var since: Int?
      for fact in facts {
        guard case .conditions(let conditions) = fact.what else { continue }
        since = conditions.present.contains(requirement) ? nil : since ?? fact.now.at
      }
      if let since { losses.append((requirement, max(since, run.began))) }
    }
    // The sort is stable, so power comes before the network.
    return losses.sorted { $0.since < $1.since }.first
  }
}

extension ScheduleRun {
  /// Q5: its time begins when the application leaves the foreground.
  fileprivate mutating func lifeChanged(to state: ModelState, at: Int, _ policy: SchedulePolicy) {
    guard request.kind == .continued, phase != .expiring else { return }
    if state.isForeground {
      end = never
    } else if state == .background, end == never {
      end = at + policy.continuedAllowance
    }
  }
}
