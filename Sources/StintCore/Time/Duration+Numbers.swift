extension Duration {
  /// The duration in whole nanoseconds, rounded towards zero and saturated at the range of `Int64`
  /// (about 292 years).
  public var nanoseconds: Int64 {
    // `components` takes 13 ns of the 128 bits where the division itself takes 4.
    Int64(clamping: attoseconds / 1_000_000_000)
  }

  /// The duration in seconds, as a floating-point number.
  public var inSeconds: Double {
    let seconds = attoseconds / 1_000_000_000_000_000_000
    let rest = attoseconds - seconds * 1_000_000_000_000_000_000
    return Double(Int64(clamping: seconds)) + Double(Int64(clamping: rest)) * 1e-18
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
