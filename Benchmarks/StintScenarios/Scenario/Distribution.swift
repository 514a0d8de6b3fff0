import Glibc

/// How a time is spread.
///
/// Drawn by inversion, so that one uniform number makes one time, the same for every strategy.
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
  }

  /// The shape before it is cut.
  package let shape: Shape
  /// What is longer counts as this much.
  package let most: Double
  /// The least value of a Pareto distribution.
  private let scale: Double

  /// Creates a distribution whose numbers are in the ranges of the format.
  package init(_ shape: Shape, most: Double = .infinity) {
    self.shape = shape
    self.most = most
    if case .pareto(let mean, let exponent) = shape {
      scale = Self.paretoScale(mean: mean, shape: exponent, most: most)
    } else {
      scale = 0
    }
  }

  /// A time that never changes.
  package static func constant(_ seconds: Double) -> Distribution {
    Distribution(.constant(seconds))
  }

  /// The time below which lies a share of all times.
  ///
  /// - Parameter share: Above 0 and below 1.
  /// - Returns: The time in seconds.
  package func quantile(_ share: Double) -> Double {
    let value: Double =
      switch shape {
      case .constant(let seconds): seconds
      case .uniform(let from, let to): from + (to - from) * share
      case .logNormal(let mean, let sigma):
        mean * exp(sigma * Normal.quantile(share) - sigma * sigma / 2)
      case .pareto(_, let exponent): scale * pow(1 - share, -1 / exponent)
      case .exponential(let mean): -mean * log1p(-share)
      }
    return min(value, most)
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
    }
  }

  /// Whether every draw is the same.
  package var isConstant: Bool {
    switch shape {
    case .constant: true
    case .uniform(let from, let to): from == to
    case .logNormal(let mean, let sigma): mean == 0 || sigma == 0
    case .pareto: false
    case .exponential(let mean): mean == 0
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

/// The standard normal distribution.
enum Normal {
  /// The share of all values that are not above one.
  static func share(upTo value: Double) -> Double {
    0.5 * erfc(-value / 2.0.squareRoot())
  }

  /// The value below which lies a share of all values.
  ///
  /// Newton's method on the logarithm of the share from a rational first guess (Abramowitz and
  /// Stegun, "Handbook of Mathematical Functions", 26.2.23), whose error of 4.5e-4 three steps
  /// bring to the last bits.
  static func quantile(_ share: Double) -> Double {
    if share > 0.5 { return -quantile(1 - share) }
    let share = max(share, 1e-300)
    let t = (-2 * log(share)).squareRoot()
    let numerator = 2.515517 + t * (0.802853 + t * 0.010328)
    let denominator = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    var value = numerator / denominator - t
    for _ in 0..<3 {
      let reached = Normal.share(upTo: value)
      let density = exp(-value * value / 2) / (2 * Double.pi).squareRoot()
      value -= reached / density * log(reached / share)
    }
    return value
  }
}
