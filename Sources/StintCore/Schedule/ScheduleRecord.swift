/// What of a program's requests outlives its process (Q6): what waits, what had begun and was not
/// completed, and what the system has learnt of fetches (B3).
///
/// Continued tasks are no part of it: a user begins them in the foreground.
package struct ScheduleRecord: Hashable, Sendable {
  /// A request that is kept.
  package struct Kept: Hashable, Sendable {
    package var request: TaskRequest
    /// When its task began that was not completed; nil for one that waits.
    package var began: WallInstant?
    /// Why it does not wait any more; nil if it does.
    package var setAside: SetAside?

    package init(
      _ request: TaskRequest, began: WallInstant? = nil, setAside: SetAside? = nil
    ) {
      self.request = request
      self.began = began
      self.setAside = setAside
    }
  }

  /// Why a request does not wait any more, although nobody completed or cancelled it.
  package enum SetAside: String, Hashable, Sendable, CaseIterable {
    /// As many programs in a row as may have ended before its task was completed.
    case died
    /// The program has registered no handler for it; a program that does takes it up again.
    case noHandler
  }

  /// How often in a row a program ended before the task of an identifier was completed.
  package struct Death: Hashable, Sendable {
    package var count: Int
    /// When the last of these tasks began.
    package var began: WallInstant

    package init(count: Int, began: WallInstant) {
      (self.count, self.began) = (count, began)
    }

    /// How long it is until the task may begin again; nil if it may.
    ///
    /// A clock that was set back ends the wait.
    package func left(_ now: WallInstant) -> Duration? {
      let passed = began.duration(to: now)
      let wait = firstWait * (1 << min(count - 1, 20))
      return passed < .zero || passed >= wait ? nil : wait - passed
    }
  }

  /// How many programs in a row may end in a task before its request is set aside.
  package static let mostDeaths = 3
  /// How long after its begin such a task may begin again; twice as long after the next one.
  package static let firstWait = Duration.seconds(10)

  package var requests: [Kept] = []
  /// By identifier, where there were some.
  package var deaths: [String: Death] = [:]
  package var plan = FetchPlan()
  /// Whether a fetch has begun and is not completed.
  package var isFetching = false
  /// How many tasks have begun, ever; who launches the program sees by it whether one has.
  package var begins = 0

  package init() {}

  /// Whether nothing was ever asked for.
  package var isEmpty: Bool { requests.isEmpty && plan.interval == .never }
}

extension ScheduleRecord {
  /// The record as the next process begins with it: what had begun and was not completed waits
  /// again, and each such end counts.
  package func afterEnd(_ policy: SystemPolicy) -> ScheduleRecord {
    var record = self
    record.requests = requests.filter { $0.began == nil }
    for kept in requests {
      guard let began = kept.began else { continue }
      let identifier = kept.request.identifier
      let count = (record.deaths[identifier]?.count ?? 0) + 1
      let isAskedForAnew = record.requests.contains { $0.request.identifier == identifier }
      if count >= Self.mostDeaths {
        // Also what its own handler had asked for anew.
        record.requests.removeAll { $0.request.identifier == identifier }
        record.deaths[identifier] = nil
        record.requests.append(Kept(kept.request, setAside: .died))
      } else {
        record.deaths[identifier] = Death(count: count, began: began)
        if !isAskedForAnew { record.requests.append(Kept(kept.request)) }
      }
    }
    if isFetching {
      record.plan.ended(nil, after: .zero, policy)
      record.isFetching = false
    }
    return record
  }
}
