import Glibc

/// The standard normal distribution.
enum Normal {
  /// The share of all values that are not above one.
  static func share(upTo value: Double) -> Double {
    0.5 * erfc(-value / 2.0.squareRoot())
  }

  static func density(_ value: Double) -> Double {
    exp(-value * value / 2) / (2 * Double.pi).squareRoot()
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
      value -= reached / density(value) * log(reached / share)
    }
    return value
  }
}
