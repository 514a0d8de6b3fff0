/// A distribution on the multiples of a step: the mean is kept, because each time is split between
/// its two neighbours.
struct TimeMasses: Hashable, Sendable {
  /// The first multiple with a mass.
  let first: Int
  /// The masses from there on; their sum is 1.
  let masses: [Double]

  /// Splits equally probable points of a distribution.
  ///
  /// - Parameters:
  ///   - distribution: The times.
  ///   - factor: What they are multiplied with.
  ///   - step: The step in seconds.
  ///   - least: The first multiple that may have a mass.
  init(_ distribution: Distribution, times factor: Double = 1, step: Double, least: Int) {
    let count = distribution.isConstant ? 1 : 2_000
    var sums: [Int: Double] = [:]
    for index in 0..<count {
      let time = distribution.quantile((Double(index) + 0.5) / Double(count)) * factor / step
      let low = max(least, Int(time.rounded(.down)))
      let share = min(1, max(0, time - Double(low)))
      sums[low, default: 0] += (1 - share) / Double(count)
      if share > 0 { sums[low + 1, default: 0] += share / Double(count) }
    }
    first = sums.keys.min() ?? least
    let last = sums.keys.max() ?? first
    masses = (first...last).map { sums[$0] ?? 0 }
  }
}
