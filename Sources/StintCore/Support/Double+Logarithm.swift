// The standard library alone has neither log nor exp. Both are needed for residuals only, to about 1e-12.

extension Double {
  /// The natural logarithm of a positive finite number; of anything else, zero.
  ///
  /// Splits off the binary exponent and sums the series of the inverse hyperbolic tangent,
  /// ln(m) = 2 artanh((m - 1) / (m + 1)) (Abramowitz and Stegun, 4.1.27).
  package var logarithm: Double {
    guard self > 0, isFinite else { return 0 }
    var mantissa = significand
    var exponent = Double(exponent)
    if mantissa > 1.414_213_562_373_095 {
      mantissa /= 2
      exponent += 1
    }
    let ratio = (mantissa - 1) / (mantissa + 1)
    let square = ratio * ratio
    var term = ratio
    var sum = 0.0
    for divisor in stride(from: 1.0, through: 25.0, by: 2.0) {
      sum += term / divisor
      term *= square
    }
    return 2 * sum + exponent * 0.693_147_180_559_945_3
  }

  /// The exponential function, saturated outside of ±700.
  ///
  /// Reduces the argument by whole multiples of ln 2 and sums the Taylor series.
  package var exponential: Double {
    if isNaN { return 1 }
    let clamped = Swift.min(Swift.max(self, -700), 700)
    let power = (clamped / 0.693_147_180_559_945_3).rounded()
    let rest = clamped - power * 0.693_147_180_559_945_3
    var term = 1.0
    var sum = 1.0
    for index in 1...18 {
      term *= rest / Double(index)
      sum += term
    }
    return Double(sign: .plus, exponent: Int(power), significand: sum)
  }
}
