/// Learns how long a unit of cost takes here, and how far single measurements stray.
///
/// The prediction is the cost times an exponentially weighted mean of measured time over cost. The
/// spread is kept as measured over predicted time; its quantile is a factor on the prediction.
/// (Whether an order statistic is taken of ratios or of their logarithms is the same: the logarithm
/// keeps the order.)
package struct CostEstimator: Hashable, Sendable {
  /// What an estimator needs of a policy: every machine holds two estimators, and a whole policy is
  /// 360 bytes to copy.
  private struct Policy: Hashable {
    let residualWindow: Int
    let quantile: Double
    let earlySamples: Int
    let earlyFactor: Double
    let leastFactor: Double

    init(_ policy: WorkPolicy) {
      residualWindow = policy.residualWindow
      quantile = policy.quantile
      earlySamples = policy.earlySamples
      earlyFactor = policy.earlyFactor
      leastFactor = policy.leastFactor
    }
  }

  private let policy: Policy
  private let leastSample: Double
  private let meanWeight: Double
  private var secondsPerUnit: Double
  private var calibrationSeconds = 0.0
  private var calibrationCost = 0.0
  /// Measured over predicted, in the order of the measurements from `oldest` on.
  private var residuals: [Double] = []
  private var oldest = 0
  /// The same in order of size.
  private var sorted: [Double] = []
  /// The quantile of the residuals; 0 before the first.
  private var residualQuantile = 0.0

  /// How many measurements were taken in, those too short to count left out.
  package private(set) var samples = 0

  /// The best measurement so far, in seconds a unit: what this machine can do when nothing else
  /// runs on it.
  private var fastest = Double.infinity

  /// Creates an estimator.
  ///
  /// - Parameters:
  ///   - policy: The window, weights and quantile.
  ///   - expectedSecondsPerUnit: What to assume before the first measurement; 0 if nothing is
  ///     known.
  ///   - leastSample: Shorter measurements only calibrate: what a chunk costs beside its work
  ///     weighs too much in them to say anything of longer ones.
  ///   - meanWeight: The weight of the newest measurement in the mean, if not the policy's for
  ///     chunks.
  package init(
    policy: WorkPolicy, expectedSecondsPerUnit: Double = 0, leastSample: Duration = .zero,
    meanWeight: Double? = nil
  ) {
    self.policy = Policy(policy)
    self.meanWeight = meanWeight ?? policy.meanWeight
    self.leastSample = leastSample.inSeconds
    secondsPerUnit = expectedSecondsPerUnit
  }

  /// Whether a prediction can be made at all.
  package var canPredict: Bool { secondsPerUnit > 0 }

  /// Takes a measurement in.
  ///
  /// - Parameters:
  ///   - duration: How long it took.
  ///   - cost: What it cost in units; a cost that is not above zero, or so small that no number
  ///     holds the time for a unit, is ignored.
  package mutating func measured(_ duration: Duration, cost: Double) {
    let seconds = max(duration.inSeconds, 1e-9)
    guard cost > 0, cost.isFinite, (seconds / cost).isFinite else { return }
    if seconds < leastSample {
      calibrate(seconds, cost: cost)
      return
    }
    let ratio = seconds / cost
    fastest = min(fastest, ratio)
    if samples > 0 {
      remember(ratio / secondsPerUnit)
    }
    samples += 1
    let weight = max(meanWeight, 1 / Double(samples))
    secondsPerUnit += weight * (ratio - secondsPerUnit)
  }

  /// The expected time of so much cost; zero if nothing is known.
  package func expected(cost: Double) -> Duration {
    Duration(clampingSeconds: cost * secondsPerUnit)
  }

  /// The least time that so much cost can take, by the best measurement; zero before the first.
  package func least(cost: Double) -> Duration {
    fastest.isFinite ? Duration(clampingSeconds: cost * fastest) : .zero
  }

  /// The time that so much cost stays under with the policy's probability; zero if nothing is
  /// known.
  package func quantile(cost: Double) -> Duration {
    Duration(clampingSeconds: cost * secondsPerUnit * factor)
  }

  /// The cost that stays under a time with the policy's probability.
  package func affordableCost(within duration: Duration) -> Double {
    canPredict ? max(0, duration.inSeconds) / (secondsPerUnit * factor) : 0
  }

  /// The cost that is expected to take a time.
  package func expectedCost(within duration: Duration) -> Double {
    canPredict ? max(0, duration.inSeconds) / secondsPerUnit : 0
  }

  /// The factor between the expected time and the quantile.
  package var factor: Double {
    let least = samples < policy.earlySamples ? policy.earlyFactor : policy.leastFactor
    return max(least, residualQuantile)
  }

  /// The share of past measurements that would have stayed under a time, had they cost so much.
  ///
  /// Before enough samples are known the quantile stands for all of it: 1 above, 0 below.
  package func probability(cost: Double, staysUnder duration: Duration) -> Double {
    guard samples >= policy.earlySamples, !residuals.isEmpty else {
      return quantile(cost: cost) <= duration ? 1 : 0
    }
    let predicted = cost * secondsPerUnit
    let limit = duration.inSeconds
    let kept = sorted.partitionPoint { predicted * $0 <= limit }
    return Double(kept) / Double(sorted.count)
  }

  /// What so much cost would have taken by each of the measurements, the shortest first; what is
  /// expected before there are enough of them.
  func measuredLengths(cost: Double) -> [Duration] {
    guard samples >= policy.earlySamples, !sorted.isEmpty else { return [expected(cost: cost)] }
    return sorted.map { Duration(clampingSeconds: cost * secondsPerUnit * $0) }
  }

  /// Before the first measurement that counts, the sum of the short ones has to do.
  private mutating func calibrate(_ seconds: Double, cost: Double) {
    calibrationSeconds += seconds
    calibrationCost += cost
    if samples == 0 { secondsPerUnit = calibrationSeconds / calibrationCost }
  }

  private mutating func remember(_ residual: Double) {
    let residual = residual.isFinite ? residual : 1
    guard policy.residualWindow > 0 else { return }
    if residuals.count < policy.residualWindow {
      residuals.append(residual)
    } else {
      let old = residuals[oldest]
      residuals[oldest] = residual
      oldest = (oldest + 1) % residuals.count
      sorted.remove(at: sorted.partitionPoint { $0 < old })
    }
    sorted.insert(residual, at: sorted.partitionPoint { $0 < residual })
    let rank = (policy.quantile * Double(sorted.count)).rounded(.up)
    residualQuantile = sorted[min(sorted.count - 1, max(0, Int(rank) - 1))]
  }
}

extension Array {
  /// The number of leading elements for which the condition holds; it must hold for none after the
  /// first for which it does not.
  fileprivate func partitionPoint(where isBefore: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
