/// What a process leaves to the next one of its program (Q6).
struct ScheduleInheritance: Sendable {
  /// How often in a row a program ended in a task, and when the last such task began.
  struct Deaths: Sendable {
    var count: Int
    var began: Int
  }

  /// What is to wait again, once the handlers are registered.
  var left: [ModelRequest] = []
  /// What programs ended in too often.
  var dead: [ModelRequest] = []
  var deaths: [String: Deaths] = [:]
  var interval = ModelInterval.never
  var fetchesSince: Int?
  var doublings = 0
  var uses: [(hour: Int, week: Int)] = []
}

extension ScheduleHistory {
  init(inherited: ScheduleInheritance) {
    self.inherited = inherited
    isLater = true
  }
}

extension ScheduleHistory {
  // MARK: What was left to this process

  /// When its handlers were registered.
  var readyAt: Int? {
    facts.firstIndex { if case .ready = $0.what { true } else { false } }
  }

  /// Whether somebody has asked for an identifier anew, or has taken it back, in some facts.
  private func isTouched(_ identifier: String, in range: Range<Int>) -> Bool {
    facts[range].contains { fact in
      switch fact.what {
      case .submitted(let request): request.identifier == identifier
      case .cancelled(identifier), .allCancelled: true
      default: false
      }
    }
  }

  /// What was left, and what holds for it still when the handlers are registered.
  private var decided: [(request: ModelRequest, hasHandler: Bool)] {
    let end = readyAt ?? facts.count
    return inherited.left.filter { !isTouched($0.identifier, in: 0..<end) }.map { request in
      let hasHandler = facts[..<end].contains {
        if case .registered(request.identifier, _) = $0.what { true } else { false }
      }
      return (request, hasHandler)
    }
  }

  /// What was left and is not decided yet.
  var left: [ModelRequest] { readyAt == nil ? decided.map(\.request) : [] }

  /// What waits again, since the handlers are registered.
  var taken: [ModelRequest] { decided.filter(\.hasHandler).map(\.request) }

  /// What no handler was registered for.
  var homeless: [ModelRequest] {
    guard let readyAt else { return [] }
    return decided.filter { !$0.hasHandler }.map(\.request).filter {
      !isTouched($0.identifier, in: readyAt..<facts.count)
    }
  }

  /// What programs ended in too often.
  var dead: [ModelRequest] {
    inherited.dead.filter { !isTouched($0.identifier, in: 0..<facts.count) }
  }

  /// How often in a row programs ended in a task of an identifier.
  var deaths: [String: ScheduleInheritance.Deaths] {
    var deaths = inherited.deaths
    var names: [Int: String] = [:]
    for fact in facts {
      switch fact.what {
      case .asked(let run, let request, _): names[run] = request.identifier
      case .completed(let run, _): deaths[names[run] ?? ""] = nil
      case .cancelled(let identifier): deaths[identifier] = nil
      case .allCancelled: deaths = [:]
      default: continue
      }
    }
    return deaths
  }

  // MARK: What is left to the next process

  /// The runs that were heard of and never completed, with when they began: those that had to end
  /// the process first.
  private func unfinished(_ policy: SchedulePolicy) -> [(request: ModelRequest, began: Int)] {
    var given: [(request: ModelRequest, began: Int)] = []
    var heard: [Int: (request: ModelRequest, began: Int, index: Int)] = [:]
    var asked: [Int: (request: ModelRequest, began: Int, index: Int)] = [:]
    func note(_ run: (request: ModelRequest, began: Int, index: Int), at index: Int?) {
      let identifier = run.request.identifier
      guard run.request.kind.isKept, !isCancelled(identifier, in: run.index..<facts.count) else {
        return
      }
      // What was given up is asked for anew by a newer request.
      if let index, isTouched(identifier, in: index..<facts.count) { return }
      given.append((run.request, run.began))
    }
    for (index, fact) in facts.enumerated() {
      switch fact.what {
      case .asked(let run, let request, _): asked[run] = (request, fact.now.wall, index)
      case .claimed(let run): heard[run] = asked[run]
      case .completed(let run, _), .givenBack(let run), .denied(let run, _): heard[run] = nil
      case .failed(let run):
        if let run = heard.removeValue(forKey: run) { note(run, at: index) }
      case .gone:
        for run in heard.keys.sorted() {
          heard.removeValue(forKey: run).map { note($0, at: index) }
        }
      default: continue
      }
    }
    for run in heard.keys.sorted() { heard[run].map { note($0, at: nil) } }
    return given
  }

  private func isCancelled(_ identifier: String, in range: Range<Int>) -> Bool {
    facts[range].contains { fact in
      switch fact.what {
      case .cancelled(identifier), .allCancelled: true
      default: false
      }
    }
  }

  /// What the next process gets, and what programs have ended in too often with this one.
  func left(
    _ policy: SchedulePolicy
  ) -> (inheritance: ScheduleInheritance, died: [String]) {
    var next = ScheduleInheritance()
    var died: [String] = []
    let unheard = unheard(before: facts.count).compactMap {
      request(of: $0, untouchedTo: facts.count)
    }
    next.left = left + homeless + (unheard + waiting).filter(\.kind.isKept)
    next.dead = dead
    next.deaths = deaths
    for (request, began) in unfinished(policy) {
      let identifier = request.identifier
      let count = 1 + (next.deaths[identifier]?.count ?? 0)
      if count < policy.mostDeaths {
        next.deaths[identifier] = ScheduleInheritance.Deaths(count: count, began: began)
        if !next.left.contains(where: { $0.identifier == identifier }) { next.left.append(request) }
      } else {
        next.deaths[identifier] = nil
        next.left.removeAll { $0.identifier == identifier }
        next.dead.append(request)
        died.append(identifier)
      }
    }
    next.interval = interval
    next.fetchesSince = fetchesSince
    // What the end cut off has found nothing.
    let isFetching = runs(policy).contains {
      $0.request.kind == .fetch && ($0.phase == .running || $0.phase == .expiring)
    }
    next.doublings = min(policy.mostDoublings, doublings(policy) + (isFetching ? 1 : 0))
    next.uses = pastUses
    return (next, died)
  }
}
