// What outlives the process, and what comes of it in the next one (Q6).

extension ScheduleMachine {
  /// What an earlier process left is known, before the launch; it waits until
  /// ``handlersRegistered(now:)``.
  ///
  /// Race: while another process held the record, this one may have been launched already. What was
  /// asked for since counts.
  ///
  /// - Returns: What is set aside because its program has ended too often, and what is to be done.
  package mutating func recordRead(
    _ earlier: ScheduleRecord, now: ScheduleTime
  ) -> (setAside: [String], actions: [Action]) {
    let record = earlier.afterEnd(policy)
    var setAside: [String] = []
    isLaunching = true
    for kept in record.requests where !hasNewer(kept.request.identifier) {
      switch kept.setAside {
      // Perhaps this program has a handler for it.
      case nil, .noHandler: parked.append(ScheduleRecord.Kept(kept.request))
      case .died:
        parked.append(kept)
        if !earlier.requests.contains(kept) { setAside.append(kept.request.identifier) }
      }
    }
    deaths.merge(record.deaths) { present, _ in present }
    begins += record.begins
    plan.continued(from: record.plan)
    return (setAside, settle(now: now))
  }

  private func hasNewer(_ identifier: String) -> Bool {
    waiting.contains { $0.request.identifier == identifier }
      || parked.contains { $0.request.identifier == identifier }
  }

  /// didFinishLaunching has returned: what an earlier process left waits again, before all that was
  /// asked for since.
  ///
  /// - Returns: What is set aside because there is no handler for it, and what is to be done.
  package mutating func handlersRegistered(
    now: ScheduleTime
  ) -> (setAside: [String], actions: [Action]) {
    var setAside: [String] = []
    isLaunching = false
    var again: [Waiting] = []
    for index in parked.indices where parked[index].isLeft {
      let request = parked[index].request
      if registered.contains(request.identifier) {
        again.append(Waiting(request: request))
      } else {
        parked[index].setAside = .noHandler
        setAside.append(request.identifier)
      }
    }
    parked.removeAll(where: \.isLeft)
    waiting = again + waiting
    return (setAside, settle(now: now))
  }

  /// What has to be kept for the next process.
  package var record: ScheduleRecord {
    var record = ScheduleRecord()
    record.requests = parked
    for run in runs where run.request.kind.isKept {
      switch run.phase {
      case .running, .expiring:
        if !run.isTakenBack {
          record.requests.append(ScheduleRecord.Kept(run.request, began: run.beganWall))
        }
      case .asking, .launching:
        if mayWaitAgain(run) { record.requests.append(ScheduleRecord.Kept(run.request)) }
      }
    }
    record.requests += waiting.lazy.map(\.request).filter(\.kind.isKept).map {
      ScheduleRecord.Kept($0)
    }
    record.deaths = deaths
    record.plan = plan
    record.isFetching = runs.contains {
      $0.request.kind == .fetch && ($0.phase == .running || $0.phase == .expiring)
    }
    record.begins = begins
    return record
  }

  /// A run that was not completed is kept until the process has ended, which is about to be.
  mutating func park(_ run: Run) {
    guard run.request.kind.isKept, !run.isTakenBack else { return }
    parked.append(ScheduleRecord.Kept(run.request, began: run.beganWall))
  }

  /// Nothing of an identifier is kept any more.
  mutating func unpark(_ identifier: String) {
    if !parked.isEmpty { parked.removeAll { $0.request.identifier == identifier } }
  }
}

extension ScheduleRecord.Kept {
  /// Whether an earlier process left it, and it is not known yet whether there is a handler.
  var isLeft: Bool { began == nil && setAside == nil }
}

extension ScheduledTaskKind {
  /// Whether a request for it outlives the process.
  var isKept: Bool {
    switch self {
    case .refresh, .processing: true
    case .continued, .fetch, .sessionEvents: false
    }
  }
}

extension FetchPlan {
  /// Goes on with what an earlier process had learnt; what this one has asked for counts.
  mutating func continued(from earlier: FetchPlan) {
    let own = self
    self = earlier
    if own.interval != .never { interval = own.interval }
    since = earlier.since ?? own.since
    usage.add(own.usage)
  }
}
