import Foundation
import StintReport

/// Powers of ten.
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

  /// The logarithm to base ten; zero or less is the least decade there is.
  static func logarithm(_ value: Double) -> Double {
    value > 0 && value.isFinite ? log10(value) : -300
  }
}

extension NumberText {
  /// A number to about four significant places.
  static func significant(_ number: Double) -> String {
    guard number.isFinite, number != 0 else { return number == 0 ? "0" : "-" }
    let decade = Int(Decades.logarithm(number.magnitude).rounded(.down))
    return fixed(number, decimals: min(9, max(0, 3 - decade)))
  }
}
