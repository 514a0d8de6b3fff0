/// Learns how long a unit of cost takes here, and how far single measurements stray.
///
/// The prediction is the cost times an exponentially weighted mean of measured time over cost. The
/// spread is kept as measured over predicted time; its quantile is a factor on the prediction.
/// (Whether an order statistic is taken of ratios or of their logarithms is the same: the logarithm
/// keeps the order.)
///
/// What was cut before its end is a measurement too: it would have taken longer. If only what was
/// complete counted, a worker whose slow checkpoints are all cut would only ever see fast ones. How
/// probable a length is follows by the estimator of Kaplan and Meier ("Nonparametric estimation
/// from incomplete observations", JASA 53, 1958).
package struct CostEstimator: Hashable, Sendable {
  /// What an estimator needs of a policy: every machine holds two estimators, and a whole policy is
  /// 360 bytes to copy.
  private struct Policy: Hashable {
    let residualWindow: Int
    let quantile: Double
    let earlySamples: Int
    let earlyFactor: Double
    let leastFactor: Double
    let beyondFactor: Double

    init(_ policy: WorkPolicy) {
      residualWindow = policy.residualWindow
      quantile = policy.quantile
      earlySamples = policy.earlySamples
      earlyFactor = policy.earlyFactor
      leastFactor = policy.leastFactor
      beyondFactor = policy.beyondFactor
    }
  }

  /// A measured time over the predicted one.
  private struct Residual: Hashable, Comparable {
    var ratio: Double
    /// Whether it was cut, and would have taken longer.
    var isCut = false

    /// Of two that are equally long the one that was cut would have taken longer.
    static func < (one: Residual, other: Residual) -> Bool {
      one.ratio != other.ratio ? one.ratio < other.ratio : !one.isCut && other.isCut
    }
  }

  private let policy: Policy
  private let leastSample: Double
  private let meanWeight: Double
  private var secondsPerUnit: Double
  private var calibrationSeconds = 0.0
  private var calibrationCost = 0.0
  /// In the order of the measurements from `oldest` on.
  private var residuals: [Residual] = []
  private var oldest = 0
  /// The same in order of size.
  private var sorted: [Residual] = []
  /// The probability of a time up to each of these, below 1 at the end: the next one may be longer
  /// than any before it.
  private var shares: [Double] = []
  /// The quantile of the residuals; 0 before the first.
  private var residualQuantile = 0.0

  /// How many measurements were taken in, those too short to count left out.
  package private(set) var samples = 0
  /// Whether all of them are of other processes, perhaps on another machine.
  private(set) var isInherited = false

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
    if isInherited { compare(seconds / cost) }
    if seconds < leastSample {
      calibrate(seconds, cost: cost)
      return
    }
    let ratio = seconds / cost
    fastest = min(fastest, ratio)
    if samples > 0 {
      remember(Residual(ratio: ratio / secondsPerUnit))
    }
    samples += 1
    learn(ratio)
  }

  /// Takes in that something was cut before it was complete.
  ///
  /// - Parameters:
  ///   - duration: How long it had taken until then.
  ///   - cost: What it would have cost in units.
  package mutating func cut(after duration: Duration, cost: Double) {
    let ratio = duration.inSeconds / cost
    guard cost > 0, ratio.isFinite, canPredict else { return }
    let residual = Residual(ratio: ratio / secondsPerUnit, isCut: true)
    // That something takes longer than the shortest of all is no news.
    guard let shortest = sorted.first, residual > shortest else { return }
    remember(residual)
    if ratio > secondsPerUnit { learn(ratio) }
  }

  /// All measurements so far were of other processes.
  ///
  /// They hold only if the first one of this process is like them: else this is another machine, or
  /// it has another load.
  mutating func inherited() { isInherited = samples > 0 }

  private mutating func compare(_ ratio: Double) {
    isInherited = false
    let shortest = (sorted.first?.ratio ?? 1) * secondsPerUnit / policy.beyondFactor
    let longest = max(1, sorted.last?.ratio ?? 1) * secondsPerUnit * policy.beyondFactor
    if (shortest...longest).contains(ratio) { return }
    secondsPerUnit = 0
    fastest = .infinity
    samples = 0
    residuals = []
    oldest = 0
    sorted = []
    shares = []
    residualQuantile = 0
  }

  private mutating func learn(_ ratio: Double) {
    let weight = max(meanWeight, 1 / Double(max(1, samples)))
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

  /// A length, and how probable it is.
  struct Length: Hashable {
    var seconds: Double
    var share: Double
  }

  /// What so much cost may take, the shortest first; the shares are 1 together.
  ///
  /// What is longer than all that is known counts as somewhat longer than the longest. Were it
  /// never complete, there would be nothing to wait for, and nobody would find out.
  func lengths(cost: Double) -> [Length] {
    guard samples >= policy.earlySamples, !sorted.isEmpty else { return lengthsBefore(cost) }
    let predicted = cost * secondsPerUnit
    var below = 0.0
    var lengths: [Length] = []
    for (residual, share) in zip(sorted, shares) where !residual.isCut {
      lengths.append(Length(seconds: predicted * residual.ratio, share: share - below))
      below = share
    }
    lengths.append(Length(seconds: predicted * beyond, share: 1 - below))
    return lengths
  }

  /// What is longer than all that is known is taken to be this much of the expected time.
  private var beyond: Double { (sorted.last?.ratio ?? 0) * policy.beyondFactor }

  /// The same before enough is known: what was measured, and once the quantile.
  private func lengthsBefore(_ cost: Double) -> [Length] {
    let predicted = cost * secondsPerUnit
    let measured = zip(sorted, shares).filter { !$0.0.isCut }.map(\.0.ratio)
    let ratios = (measured.isEmpty ? [1] : measured) + [factor]
    return ratios.map { Length(seconds: predicted * $0, share: 1 / Double(ratios.count)) }
  }

  /// Before the first measurement that counts, the sum of the short ones has to do.
  private mutating func calibrate(_ seconds: Double, cost: Double) {
    calibrationSeconds += seconds
    calibrationCost += cost
    if samples == 0 { secondsPerUnit = calibrationSeconds / calibrationCost }
  }

  private mutating func remember(_ residual: Residual) {
    guard policy.residualWindow > 0 else { return }
    let residual = residual.ratio.isFinite ? residual : Residual(ratio: 1)
    if residuals.count < policy.residualWindow {
      residuals.append(residual)
    } else {
      let old = residuals[oldest]
      residuals[oldest] = residual
      oldest = (oldest + 1) % residuals.count
      sorted.remove(at: sorted.partitionPoint { $0 < old })
    }
    sorted.insert(residual, at: sorted.partitionPoint { $0 < residual })
    weigh()
  }

  /// Of those that are at least as long as one that is complete, the next one included, it is one;
  /// so the share of those that take longer falls by that much.
  private mutating func weigh() {
    var longer = 1.0
    var left = Double(sorted.count + 1)
    shares.removeAll(keepingCapacity: true)
    for residual in sorted {
      if !residual.isCut { longer *= (left - 1) / left }
      left -= 1
      shares.append(1 - longer)
    }
    // The quantile is that of what was measured, without the next one.
    let measured = Double(sorted.count) / Double(sorted.count + 1)
    let place = shares.partitionPoint { $0 < policy.quantile * measured - 1e-9 }
    residualQuantile = place < sorted.count ? sorted[place].ratio : beyond
  }
}

extension Array {
  /// The number of leading elements for which the condition holds; it must hold for none after the
  /// first for which it does not.
  func partitionPoint(where isBefore: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
