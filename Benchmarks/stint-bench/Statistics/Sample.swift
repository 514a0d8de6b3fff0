import Glibc
import StintCore

/// Measurements of one thing, in order of size.
struct Sample: Hashable {
  /// The values, smallest first.
  let values: [Double]

  init(_ values: [Double]) {
    precondition(!values.isEmpty, "a sample has at least one value")
    self.values = values.sorted()
  }

  var count: Int { values.count }
  var minimum: Double { values[0] }
  var maximum: Double { values[values.count - 1] }
  var median: Double {
    let middle = values.count / 2
    return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
  }

  /// The smallest value that so large a share of all values does not exceed (nearest rank, no
  /// interpolation).
  func quantile(_ share: Double) -> Double {
    let rank = Int((share * Double(values.count)).rounded(.up))
    return values[min(max(rank, 1), values.count) - 1]
  }

  /// The 99th percentile; with fewer than a hundred values it is the greatest.
  var p99: Double { quantile(0.99) }

  /// The interval in which the median lies with 95 % probability, by resampling.
  func medianInterval() -> ClosedRange<Double> {
    Self.interval(resampling: count) { picks in Sample(picks.map { values[$0] }).median }
  }

  /// The interval in which a figure of several measurements of the same rounds lies with 95 %
  /// probability.
  ///
  /// - Parameters:
  ///   - rounds: How many rounds there were; they are resampled as wholes.
  ///   - figure: The figure of these rounds, given by their numbers.
  /// - Returns: The interval.
  static func interval(
    resampling rounds: Int, _ figure: ([Int]) -> Double
  ) -> ClosedRange<Double> {
    var random = SplitMix64(seed: 1)
    let figures = (0..<500).map { _ in
      figure((0..<rounds).map { _ in Int(random.next() % UInt64(rounds)) })
    }
    let sorted = Sample(figures)
    return sorted.quantile(0.025)...sorted.quantile(0.975)
  }

  /// The interval in which a quantile of what was sampled lies with at least 95 % probability,
  /// whatever its distribution: between two values of the sample.
  ///
  /// How many values are below the quantile has a binomial distribution (David and Nagaraja, "Order
  /// Statistics", 3rd edition, section 7.1). At most 2.5 % are left on either side.
  ///
  /// - Parameter share: Which quantile.
  /// - Returns: The interval; without an upper or a lower end where the sample is too small for it.
  func interval(ofQuantile share: Double) -> Interval {
    let tail = 0.025
    var (low, high): (Double?, Double?)
    var below = 0.0
    // Of the values in order, the quantile is at least the one at `rank` unless fewer are below it.
    for rank in 0...count {
      if rank > 0, below <= tail { low = values[rank - 1] }
      if rank > 0, high == nil, 1 - below <= tail { high = values[rank - 1] }
      below += Self.binomial(rank, of: count, share)
    }
    return Interval(low: low, high: high)
  }

  /// The probability that so many of `count` are below.
  private static func binomial(_ below: Int, of count: Int, _ share: Double) -> Double {
    let (n, k) = (Double(count), Double(below))
    let ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + k * log(share) + (n - k) * log1p(-share))
  }
}
