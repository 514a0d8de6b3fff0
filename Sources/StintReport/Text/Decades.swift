/// Powers of ten, without a C library.
enum Decades {
  /// The decades that hold all values; never none.
  static func holding(_ values: [Double]) -> ClosedRange<Int> {
    let positive = values.filter { $0 > 0 && $0.isFinite }
    let low = Int(logarithm(positive.min() ?? 1).rounded(.down))
    // A value that is a power of ten except for rounding needs no further decade.
    let high = Int((logarithm(positive.max() ?? 10) - 1e-9).rounded(.up))
    return low...max(high, low + 1)
  }

  static func range(_ decades: ClosedRange<Int>) -> ClosedRange<Double> {
    Double(decades.lowerBound)...Double(decades.upperBound)
  }

  static func power(_ exponent: Int) -> Double {
    let magnitude = (0..<Int(exponent.magnitude)).reduce(1.0) { product, _ in product * 10 }
    return exponent < 0 ? 1 / magnitude : magnitude
  }

  /// The logarithm to base ten, to far more places than a picture shows; zero or less is the least
  /// decade there is.
  ///
  /// The number is brought between 1 and 10, and the series of the area tangent does the rest: log
  /// m = 2 artanh((m-1)/(m+1)).
  static func logarithm(_ value: Double) -> Double {
    guard value > 0, value.isFinite else { return -300 }
    var mantissa = value
    var exponent = 0
    while mantissa >= 10 {
      mantissa /= 10
      exponent += 1
    }
    while mantissa < 1 {
      mantissa *= 10
      exponent -= 1
    }
    let root = mantissa.squareRoot().squareRoot()
    let ratio = (root - 1) / (root + 1)
    let square = ratio * ratio
    var (power, sum) = (ratio, 0.0)
    for term in 0..<14 {
      sum += power / Double(2 * term + 1)
      power *= square
    }
    return Double(exponent) + 8 * sum / 2.302585092994046
  }
}
