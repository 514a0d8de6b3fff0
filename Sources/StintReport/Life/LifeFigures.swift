import StintCore

/// What can be counted in a life.
package struct LifeFigures: Hashable, Sendable {
  /// A reason and how often it was given.
  package struct Count: Hashable, Sendable {
    package var words: String
    package var count: Int
  }

  package var stints = 0
  /// Whether the job counts its work, as in the life; if not, nothing is said about what was saved
  /// or lost.
  package var countsWork = true
  /// The sum of what was granted (``LifeStint/granted``).
  package var granted: Duration = .zero
  /// Work time that became durable.
  package var saved: Duration = .zero
  /// The sum of the stints' own times.
  package var elapsed: Duration = .zero
  /// From the first begin to the last sign of life, rests between stints included.
  package var span: Duration = .zero
  /// Work time that was lost, as far as the stints told.
  package var lost: Duration = .zero
  /// How many stints lost something.
  package var stintsThatLost = 0
  /// How many were ended before they could say what was lost.
  package var stintsUntold = 0
  /// What those have lost at least: what they ran after their last checkpoint, up to their last
  /// sign of life.
  package var untold: Duration = .zero
  package var checkpoints = 0
  package var failedCheckpoints = 0
  package var checkpointBytes = 0
  /// Those whose cost is known.
  package var costs: [Duration] = []
  /// By reason, the most frequent first.
  package var expiries: [Count] = []
  /// By how the stints ended, the most frequent first.
  package var endings: [Count] = []
  /// Stints that were seen past their deadline.
  package var overruns = 0
  package var longestOvershoot: Duration = .zero

  package init(_ life: Life) {
    stints = life.stints.count
    countsWork = life.countsWork
    var reasons: [String] = []
    for stint in life.stints {
      add(stint)
      reasons += stint.expiries.map(\.reason)
    }
    costs.sort()
    expiries = Self.counts(reasons)
    endings = Self.counts(life.stints.map(\.words))
    if let first = life.stints.first {
      span = life.stints.map { $0.began + $0.elapsed - first.began }.max() ?? .zero
    }
  }

  private mutating func add(_ stint: LifeStint) {
    // What was not over could still be saved.
    if stint.ending != .open {
      granted += stint.granted
      saved += stint.saved
    }
    elapsed += stint.elapsed
    switch stint.lost {
    case nil where stint.ending == .killed:
      stintsUntold += 1
      untold += stint.lostFrom.map { stint.elapsed - $0 } ?? .zero
    case nil: break
    case .some(let lost):
      self.lost += lost
      if lost > .zero { stintsThatLost += 1 }
    }
    checkpoints += stint.checkpoints.count
    failedCheckpoints += stint.remarks.filter { $0.kind == .checkpointFailed }.count
    for checkpoint in stint.checkpoints {
      checkpointBytes = checkpointBytes.addingClamped(checkpoint.sizeBytes ?? 0)
      if let took = checkpoint.took { costs.append(took) }
    }
    let overshoot = stint.overshoot
    if overshoot > .zero {
      overruns += 1
      longestOvershoot = max(longestOvershoot, overshoot)
    }
  }

  /// The share of the granted time that ended up saved; nil if none was granted.
  package var savedShare: Double? {
    granted > .zero && countsWork ? saved.inSeconds / granted.inSeconds : nil
  }

  /// What all checkpoints cost whose cost is known.
  package var cost: Duration { costs.reduce(.zero, +) }

  /// The cost that so large a share of the checkpoints stays below; nil if none is known.
  package func cost(quantile: Double) -> Duration? {
    guard !costs.isEmpty else { return nil }
    let rank = (quantile * Double(costs.count)).rounded(.up)
    return costs[min(costs.count - 1, max(0, Int(rank) - 1))]
  }

  private static func counts(_ words: [String]) -> [Count] {
    var counts: [String: Int] = [:]
    for word in words { counts[word, default: 0] += 1 }
    return counts.map { Count(words: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.words) < ($0.count, $1.words) }
  }
}

extension Int {
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
