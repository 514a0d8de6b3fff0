import Glibc

/// A mean over repeats with its 95 % confidence interval.
package struct Estimate: Hashable, Sendable, Codable {
  package var mean: Double
  package var low: Double
  package var high: Double
  package var repeats: [Double]

  /// By Student's t over the repeats; nil without any.
  package init?(_ repeats: [Double]) {
    guard !repeats.isEmpty else { return nil }
    let count = Double(repeats.count)
    let mean = repeats.reduce(0, +) / count
    self.mean = mean
    self.repeats = repeats
    guard repeats.count > 1 else {
      low = mean
      high = mean
      return
    }
    let variance = repeats.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
    let half = Self.student(freedom: repeats.count - 1) * (variance / count).squareRoot()
    low = mean - half
    high = mean + half
  }

  /// The 97.5th percentile of Student's t (tables; beyond 30 by the expansion of Cornish and
  /// Fisher).
  static func student(freedom: Int) -> Double {
    let table = [
      12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
      2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
      2.052, 2.048, 2.045, 2.042,
    ]
    if freedom <= table.count { return table[max(1, freedom) - 1] }
    let normal = 1.959964
    let n = Double(freedom)
    return normal + (normal * normal * normal + normal) / (4 * n)
  }
}

/// Quantiles of what was measured.
package struct Quantiles: Hashable, Sendable, Codable {
  package var count: Int
  package var p50: Double
  package var p99: Double
  package var maximum: Double

  /// By the nearest rank; nil without any value.
  package init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard let last = sorted.last else { return nil }
    count = sorted.count
    p50 = Self.rank(0.5, of: sorted)
    p99 = Self.rank(0.99, of: sorted)
    maximum = last
  }

  private static func rank(_ share: Double, of sorted: [Double]) -> Double {
    sorted[min(sorted.count, max(1, Int((share * Double(sorted.count)).rounded(.up)))) - 1]
  }
}

/// How many values lie between two limits.
package struct HistogramBar: Hashable, Sendable, Codable {
  package var fromSeconds: Double
  package var toSeconds: Double
  package var count: Int

  /// Bars whose limits grow by about the square root of ten, from 1 ms on, those that are empty
  /// left out.
  package static func bars(_ values: [Double]) -> [HistogramBar] {
    let limits = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1_000, 1e6]
    return zip(limits, limits.dropFirst()).compactMap { from, to in
      let count = values.count { $0 >= from && $0 < to }
      return count > 0 ? HistogramBar(fromSeconds: from, toSeconds: to, count: count) : nil
    }
  }
}
