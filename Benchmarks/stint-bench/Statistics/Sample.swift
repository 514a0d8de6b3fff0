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
  func medianInterval(seed: UInt64 = 1) -> ClosedRange<Double> {
    var random = SplitMix64(seed: seed)
    let medians = (0..<500).map { _ in
      Sample((0..<count).map { _ in values[Int(random.next() % UInt64(count))] }).median
    }
    let sorted = Sample(medians)
    return sorted.quantile(0.025)...sorted.quantile(0.975)
  }
}
