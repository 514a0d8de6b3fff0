package import StintCore

/// A budget trace, a workload, and the strategies that are compared on them
/// (`docs/formats/bench-scenario.md`).
package struct Scenario: Hashable, Sendable {
  package var name: String
  package var title: String
  package var description = ""
  /// Budgets in each repeat.
  package var trips = 200
  package var trace: Trace
  package var workload: Workload
  package var strategies = StrategyName.allCases
  /// The work of the job, for the trips to finish; nil for ten times the mean budget.
  package var givenWorkSeconds: Double?
  /// The interval of `every`; nil for a quarter of the mean budget.
  package var givenEverySeconds: Double?
  /// What Stint has to save here at least; nil for no such goal.
  package var leastSavedShare: Double?
  /// Goals that cannot be kept here, with the reason.
  package var expectedLimits: [ExpectedLimit] = []

  package init(name: String, title: String, trace: Trace, workload: Workload) {
    self.name = name
    self.title = title
    self.trace = trace
    self.workload = workload
  }

  /// The work of the job.
  package var workSeconds: Double { givenWorkSeconds ?? trace.meanGrantSeconds * 10 }
  /// The interval of the strategy that saves every so often.
  package var everySeconds: Double { givenEverySeconds ?? trace.meanGrantSeconds / 4 }
}

/// A goal that no strategy without the oracle's knowledge can keep in a scenario.
package struct ExpectedLimit: Hashable, Sendable, Codable {
  /// The goal's name.
  package var goal: String
  /// Why, by figures.
  package var explanation: String
}

/// The budgets of a scenario.
package struct Trace: Hashable, Sendable {
  /// Where the time of a trip comes from.
  package enum Grant: Hashable, Sendable {
    case drawn(Distribution)
    case policy(SystemPolicy)
    /// The lines of a file, one after the other.
    case listed(name: String, [ListedTrip])
  }

  /// A line of a CSV trace.
  package struct ListedTrip: Hashable, Sendable {
    package var grantSeconds: Double
    /// How long before the end a warning comes; 0 for none; nil if the file does not say.
    package var warningSeconds: Double?

    package init(grantSeconds: Double, warningSeconds: Double? = nil) {
      self.grantSeconds = grantSeconds
      self.warningSeconds = warningSeconds
    }
  }

  /// When the engine's warning really comes.
  package struct Warning: Hashable, Sendable {
    package var before: Distribution
    package var missedShare = 0.0

    package init(before: Distribution, missedShare: Double = 0) {
      self.before = before
      self.missedShare = missedShare
    }
  }

  /// The system takes back what it granted.
  package struct Revocation: Hashable, Sendable {
    package var after: Distribution
    /// What is left from then on; 0 for no warning at all.
    package var leadSeconds: Double

    package init(after: Distribution, leadSeconds: Double) {
      self.after = after
      self.leadSeconds = leadSeconds
    }
  }

  /// The machine is suspended.
  package struct Standstill: Hashable, Sendable {
    package var share: Double
    package var length: Distribution
    /// Whether the deadline stands meanwhile.
    package var counts = true

    package init(share: Double, length: Distribution, counts: Bool = true) {
      self.share = share
      self.length = length
      self.counts = counts
    }
  }

  package var grant: Grant
  package var isAnnounced = true
  package var leadSeconds: Double?
  package var warning: Warning?
  package var enforcedLate = Distribution.constant(0)
  package var revocation: Revocation?
  package var deniedShare = 0.0
  package var standstill: Standstill?

  package init(grant: Grant) {
    self.grant = grant
  }

  /// How long before its end a trip of a length is warned, if nothing else is said.
  package func lead(ofGrant seconds: Double) -> Double {
    if let leadSeconds { return leadSeconds }
    if case .policy(let policy) = grant { return policy.lead.inSeconds }
    return min(5, seconds / 4)
  }

  /// The expectation of what is granted.
  package var meanGrantSeconds: Double {
    switch grant {
    case .drawn(let distribution): distribution.mean
    case .policy(let policy): policy.grant?.inSeconds ?? 600
    case .listed(_, let trips): trips.map(\.grantSeconds).reduce(0, +) / Double(trips.count)
    }
  }
}

/// The work of a scenario.
package struct Workload: Hashable, Sendable {
  /// What a chunk takes.
  package var chunk: Distribution
  /// What a checkpoint takes.
  package var checkpoint: Distribution
  /// So often the cost of a chunk doubles before it begins again.
  package var doublings = 0
  /// From the last checkpoint to the end of the task.
  package var closingSeconds = 0.001

  package init(chunk: Distribution, checkpoint: Distribution) {
    self.chunk = chunk
    self.checkpoint = checkpoint
  }

  /// What chunk `index` is expected to take, as a factor on the mean of all.
  ///
  /// Every strategy knows it: a computation knows how its costs grow.
  package func nominal(_ index: Int) -> Double {
    guard doublings > 0 else { return 1 }
    let cycle = doublings + 1
    let total = Double((1 << cycle) - 1)
    return Double(1 << (index % cycle)) * Double(cycle) / total
  }
}
