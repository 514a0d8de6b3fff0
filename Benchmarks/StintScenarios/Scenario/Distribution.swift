import Glibc

/// How a time is spread.
///
/// One uniform number makes one time, the same for every strategy.
package struct Distribution: Hashable, Sendable {
  /// The shape, with times in seconds.
  package enum Shape: Hashable, Sendable {
    case constant(Double)
    case uniform(from: Double, to: Double)
    /// The mean is that of the uncut distribution.
    case logNormal(mean: Double, sigma: Double)
    /// Bounded from above; the mean is that of what is left.
    case pareto(mean: Double, shape: Double)
    case exponential(mean: Double)
    /// Each time comes from one of the parts.
    case mixture([Part])
    /// Each time is one of a list.
    case listed(Listing)
  }

  package struct Part: Hashable, Sendable {
    /// Beside the weights of the other parts.
    package var weight: Double
    package var distribution: Distribution

    package init(weight: Double, _ distribution: Distribution) {
      self.weight = weight
      self.distribution = distribution
    }
  }

  /// A column of a CSV file.
  package struct Listing: Hashable, Sendable {
    package let file: String
    package let column: String
    /// In ascending order; empty if the file was not read.
    package let values: [Double]

    package init(file: String, column: String, values: [Double]) {
      self.file = file
      self.column = column
      self.values = values.sorted()
    }
  }

  /// The shape before it is cut.
  package let shape: Shape
  /// What is longer counts as this much.
  package let most: Double
  /// The least value of a Pareto distribution.
  private let scale: Double
  /// The 99th percentile of a mixture, for which rules ask before each chunk.
  private let percentile99: Double

  /// Creates a distribution whose numbers are in the ranges of the format.
  package init(_ shape: Shape, most: Double = .infinity) {
    self.shape = shape
    self.most = most
    if case .pareto(let mean, let exponent) = shape {
      scale = Self.paretoScale(mean: mean, shape: exponent, most: most)
    } else {
      scale = 0
    }
    if case .mixture(let parts) = shape {
      percentile99 = Self.quantile(0.99, of: parts)
    } else {
      percentile99 = 0
    }
  }

  /// A time that never changes.
  package static func constant(_ seconds: Double) -> Distribution {
    Distribution(.constant(seconds))
  }

  /// A time in seconds by a uniform number above 0 and below 1: a quantile, but in a mixture the
  /// number chooses the part first.
  package func draw(_ unit: Double) -> Double {
    guard case .mixture(let parts) = shape else { return quantile(unit) }
    var rest = unit * parts.reduce(0) { $0 + $1.weight }
    for part in parts.dropLast() {
      if rest < part.weight { return part.distribution.draw(rest / part.weight) }
      rest -= part.weight
    }
    guard let last = parts.last else { return 0 }
    // Rounding must not make a share of 0 or 1 of it.
    return last.distribution.draw(min(1 - 0x1p-53, max(0x1p-53, rest / last.weight)))
  }

  /// The time in seconds below which lies a share, above 0 and below 1, of all times.
  package func quantile(_ share: Double) -> Double {
    let value: Double =
      switch shape {
      case .constant(let seconds): seconds
      case .uniform(let from, let to): from + (to - from) * share
      case .logNormal(let mean, let sigma):
        mean * exp(sigma * Normal.quantile(share) - sigma * sigma / 2)
      case .pareto(_, let exponent): scale * pow(1 - share, -1 / exponent)
      case .exponential(let mean): -mean * log1p(-share)
      case .mixture(let parts): share == 0.99 ? percentile99 : Self.quantile(share, of: parts)
      case .listed(let listing): listing.quantile(share)
      }
    return min(value, most)
  }

  /// Equally probable times that stand for all: one if it is always the same.
  func points(_ most: Int) -> [Double] {
    let count = isConstant ? 1 : most
    return (0..<count).map { quantile((Double($0) + 0.5) / Double(count)) }
  }

  /// The share of times that are not above a time.
  package func share(upTo seconds: Double) -> Double {
    if seconds >= most { return 1 }
    switch shape {
    case .constant(let value): return seconds >= value ? 1 : 0
    case .uniform(let from, let to):
      if seconds >= to { return 1 }
      return max(0, (seconds - from) / (to - from))
    case .logNormal(let mean, let sigma):
      if seconds <= 0 || mean == 0 { return mean == 0 && seconds >= 0 ? 1 : 0 }
      if sigma == 0 { return seconds >= mean ? 1 : 0 }
      return Normal.share(upTo: (log(seconds / mean) + sigma * sigma / 2) / sigma)
    case .pareto(_, let exponent):
      return seconds < scale ? 0 : 1 - pow(scale / seconds, exponent)
    case .exponential(let mean):
      if mean == 0 { return seconds >= 0 ? 1 : 0 }
      return seconds <= 0 ? 0 : -expm1(-seconds / mean)
    case .mixture(let parts): return Self.share(upTo: seconds, of: parts)
    case .listed(let listing): return listing.share(upTo: seconds)
    }
  }

  /// The expectation, after cutting.
  package var mean: Double {
    switch shape {
    case .constant(let seconds): return min(seconds, most)
    case .uniform(let from, let to):
      if most >= to { return (from + to) / 2 }
      if most <= from { return most }
      let below = (most - from) / (to - from)
      return below * (from + most) / 2 + (1 - below) * most
    case .logNormal(let mean, let sigma):
      guard most < .infinity, mean > 0, sigma > 0 else { return min(mean, most) }
      let place = (log(most / mean) + sigma * sigma / 2) / sigma
      return mean * Normal.share(upTo: place - sigma) + most * (1 - Normal.share(upTo: place))
    case .pareto(let mean, _): return min(mean, most)
    case .exponential(let mean):
      return most < .infinity && mean > 0 ? mean * -expm1(-most / mean) : mean
    case .mixture(let parts):
      let whole = parts.reduce(0) { $0 + $1.weight }
      return parts.reduce(0) { $0 + $1.weight / whole * $1.distribution.mean }
    case .listed(let listing):
      return listing.values.reduce(0, +) / Double(max(1, listing.values.count))
    }
  }

  /// The least mean above 0 of a part; of all, if there are no parts.
  package var leastPartMean: Double {
    guard case .mixture(let parts) = shape else { return mean }
    return parts.map(\.distribution.mean).filter { $0 > 0 }.min() ?? mean
  }

  /// Whether every draw is the same.
  package var isConstant: Bool {
    switch shape {
    case .constant: true
    case .uniform(let from, let to): from == to
    case .logNormal(let mean, let sigma): mean == 0 || sigma == 0
    case .pareto: false
    case .exponential(let mean): mean == 0
    case .mixture(let parts):
      parts.allSatisfy {
        $0.distribution.isConstant && $0.distribution.mean == parts.first?.distribution.mean
      }
    case .listed(let listing): listing.values.first == listing.values.last
    }
  }

  /// Whether it is a column of a file that was not read, or has one as a part.
  package var isUnread: Bool {
    switch shape {
    case .listed(let listing): listing.values.isEmpty
    case .mixture(let parts): parts.contains { $0.distribution.isUnread }
    case .constant, .uniform, .logNormal, .pareto, .exponential: false
    }
  }

  private static func share(upTo seconds: Double, of parts: [Part]) -> Double {
    let whole = parts.reduce(0) { $0 + $1.weight }
    return parts.reduce(0) { $0 + $1.weight / whole * $1.distribution.share(upTo: seconds) }
  }

  /// The least time up to which the share lies, by bisection between the quantiles of the parts.
  private static func quantile(_ share: Double, of parts: [Part]) -> Double {
    let quantiles = parts.map { $0.distribution.quantile(share) }
    guard var low = quantiles.min(), var high = quantiles.max() else { return 0 }
    if Self.share(upTo: low, of: parts) >= share { return low }
    while true {
      let middle = low + (high - low) / 2
      if middle <= low || middle >= high { return high }
      if Self.share(upTo: middle, of: parts) >= share { high = middle } else { low = middle }
    }
  }

  /// The least value with which the bounded mean comes out: (a s - s^a m^(1-a)) / (a - 1), which
  /// grows with s.
  private static func paretoScale(mean: Double, shape: Double, most: Double) -> Double {
    func cutMean(_ scale: Double) -> Double {
      let tail = most < .infinity ? pow(scale, shape) * pow(most, 1 - shape) : 0
      return (shape * scale - tail) / (shape - 1)
    }
    var (low, high) = (0.0, min(mean, most))
    for _ in 0..<200 {
      let middle = (low + high) / 2
      if cutMean(middle) < mean { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}

extension Distribution.Listing {
  /// The least value up to which lies the share of all values.
  fileprivate func quantile(_ share: Double) -> Double {
    guard !values.isEmpty else { return 0 }
    let rank = Int((share * Double(values.count)).rounded(.up))
    return values[min(values.count, max(1, rank)) - 1]
  }

  /// The share of values that are not above one.
  fileprivate func share(upTo seconds: Double) -> Double {
    var (low, high) = (0, values.count)
    while low < high {
      let middle = (low + high) / 2
      if values[middle] <= seconds { low = middle + 1 } else { high = middle }
    }
    return values.isEmpty ? 1 : Double(low) / Double(values.count)
  }
}
