/// Learns how long a unit of cost takes here, and how far single measurements stray.
///
/// A piece of work takes a fixed time and a time for each unit of its cost. The time for a unit is
/// an exponentially weighted mean; the weight of a measurement follows from its cost, never from
/// how long it took. Otherwise short pieces would count only if something interrupted them, and
/// everything would look slow. Pieces that are expected to be short teach the fixed time instead.
///
/// The spread is kept as ratios of measured to expected times, and its quantile is a factor on the
/// expected time. For pieces expected to be shorter than the least sample, the ratio is taken as if
/// they were as long as that, because what interrupts a piece does not get shorter with it. (It is
/// the same whether an order statistic is taken of ratios or of their logarithms: the logarithm
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
  /// In seconds.
  private let leastSample: Double
  private let meanWeight: Double
  private var secondsPerUnit: Double
  /// What a piece of work takes beside its units, in seconds.
  private var fixedSeconds = 0.0
  /// The cost of everything that was measured.
  private var measuredCost = 0.0
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

  /// How many measurements were taken in of what was expected to be long enough to be a sample.
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
  ///   - leastSample: What is expected to be shorter says more of the fixed time than of the time
  ///     for a unit, and is no sample.
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
    let isSample = isSample(cost: cost)
    if isInherited, isSample { compare(seconds, cost: cost) }
    fixedSeconds = min(fixedSeconds, seconds)
    if isSample {
      fastest = min(fastest, (seconds - fixedSeconds) / cost)
      // What was learnt from much less work says nothing of how far measurements stray.
      if samples > 0, measuredCost >= cost / 4 { remember(residual(of: seconds, cost: cost)) }
      samples += 1
    } else if samples > 0 {
      let unexpected = seconds - expectedSeconds(cost)
      // An interruption is no fixed time: a longer one takes several measurements to be believed.
      fixedSeconds += meanWeight * min(unexpected, max(leastSample, 3 * fixedSeconds))
      fixedSeconds = max(0, fixedSeconds)
    }
    // The first sample replaces what shorter pieces have made to expect.
    learn((seconds - fixedSeconds) / cost, cost: cost, replaces: isSample && samples == 1)
    measuredCost += cost
  }

  /// Whether so much cost is expected to take long enough to be a sample.
  func isSample(cost: Double) -> Bool { cost * secondsPerUnit >= leastSample }

  /// Takes in that something was cut before it was complete.
  ///
  /// - Parameters:
  ///   - duration: How long it had taken until then.
  ///   - cost: What it would have cost in units.
  package mutating func cut(after duration: Duration, cost: Double) {
    let seconds = duration.inSeconds
    guard cost > 0, (seconds / cost).isFinite, canPredict else { return }
    var residual = residual(of: seconds, cost: cost)
    residual.isCut = true
    // That something takes longer than the shortest of all is no news.
    guard let shortest = sorted.first, residual > shortest else { return }
    remember(residual)
    if seconds > expectedSeconds(cost) { learn((seconds - fixedSeconds) / cost, cost: cost) }
  }

  /// All measurements so far were of other processes.
  ///
  /// They hold only if the first one of this process is like them: else this is another machine, or
  /// it has another load.
  mutating func inherited() { isInherited = samples > 0 }

  private mutating func compare(_ seconds: Double, cost: Double) {
    isInherited = false
    let shortest = (sorted.first?.ratio ?? 1) / policy.beyondFactor
    let longest = max(1, sorted.last?.ratio ?? 1) * policy.beyondFactor
    if (shortest...longest).contains(residual(of: seconds, cost: cost).ratio) { return }
    secondsPerUnit = 0
    fixedSeconds = 0
    measuredCost = 0
    fastest = .infinity
    samples = 0
    residuals = []
    oldest = 0
    sorted = []
    shares = []
    residualQuantile = 0
  }

  /// Moves the time for a unit towards a measured one.
  private mutating func learn(_ ratio: Double, cost: Double, replaces: Bool = false) {
    // Pieces that are no samples count for their part of all that was measured.
    let weight =
      replaces ? 1 : max(isSample(cost: cost) ? meanWeight : 0, cost / (measuredCost + cost))
    secondsPerUnit += weight * (ratio - secondsPerUnit)
  }

  private func expectedSeconds(_ cost: Double) -> Double { fixedSeconds + cost * secondsPerUnit }

  /// What a ratio is taken of where so many seconds are expected.
  private func scale(of expected: Double) -> Double { max(expected, leastSample) }

  private func residual(of seconds: Double, cost: Double) -> Residual {
    let expected = expectedSeconds(cost)
    return Residual(ratio: 1 + (seconds - expected) / scale(of: expected))
  }

  /// The time that belongs to a ratio.
  private func seconds(_ cost: Double, at ratio: Double) -> Double {
    let expected = expectedSeconds(cost)
    return max(0, expected + (ratio - 1) * scale(of: expected))
  }

  /// The expected time of so much cost; zero if nothing is known.
  package func expected(cost: Double) -> Duration {
    Duration(clampingSeconds: expectedSeconds(cost))
  }

  /// What a piece of work takes whatever it costs.
  package var fixedTime: Duration { Duration(clampingSeconds: fixedSeconds) }

  /// The least time that so much cost can take, by the best measurement; zero before the first.
  package func least(cost: Double) -> Duration {
    fastest.isFinite ? Duration(clampingSeconds: cost * fastest) : .zero
  }

  /// The time that so much cost stays under with the policy's probability; zero if nothing is
  /// known.
  package func quantile(cost: Double) -> Duration {
    canPredict ? Duration(clampingSeconds: seconds(cost, at: factor)) : .zero
  }

  /// The cost that stays under a time with the policy's probability.
  package func affordableCost(within duration: Duration) -> Double {
    guard canPredict else { return 0 }
    let seconds = duration.inSeconds
    let expected =
      seconds >= factor * leastSample ? seconds / factor : seconds - (factor - 1) * leastSample
    return max(0, expected - fixedSeconds) / secondsPerUnit
  }

  /// The cost that is expected to take a time.
  package func expectedCost(within duration: Duration) -> Double {
    canPredict ? max(0, duration.inSeconds - fixedSeconds) / secondsPerUnit : 0
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
    var below = 0.0
    var lengths: [Length] = []
    for (residual, share) in zip(sorted, shares) where !residual.isCut {
      lengths.append(Length(seconds: seconds(cost, at: residual.ratio), share: share - below))
      below = share
    }
    lengths.append(Length(seconds: seconds(cost, at: beyond), share: 1 - below))
    return lengths
  }

  /// What is longer than all that is known is taken to be this much of the expected time.
  private var beyond: Double { (sorted.last?.ratio ?? 0) * policy.beyondFactor }

  /// The same before enough is known: what was measured, and once the quantile.
  private func lengthsBefore(_ cost: Double) -> [Length] {
    let measured = zip(sorted, shares).filter { !$0.0.isCut }.map(\.0.ratio)
    let ratios = (measured.isEmpty ? [1] : measured) + [factor]
    return ratios.map { Length(seconds: seconds(cost, at: $0), share: 1 / Double(ratios.count)) }
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
