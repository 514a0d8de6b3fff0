extension Duration {
  /// The duration in whole nanoseconds, rounded towards zero and saturated at the range of `Int64`
  /// (about 292 years).
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carried ? (seconds < 0 ? .min : .max) : sum
  }

  /// The duration in seconds, as a floating-point number.
  public var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }

  /// Creates a duration from seconds; a value beyond the range of nanoseconds in `Int64`, infinity
  /// included, saturates, and NaN is zero.
  public init(clampingSeconds seconds: Double) {
    let nanoseconds = seconds * 1e9
    if nanoseconds.isNaN {
      self = .zero
    } else if nanoseconds >= 9.2e18 {
      self = .nanoseconds(Int64.max)
    } else if nanoseconds <= -9.2e18 {
      self = .nanoseconds(Int64.min)
    } else {
      self = .nanoseconds(Int64(nanoseconds.rounded()))
    }
  }
}
