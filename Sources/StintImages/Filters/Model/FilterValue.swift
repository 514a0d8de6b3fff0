#if Images
/// The value of a parameter.
package enum FilterValue: Hashable, Sendable {
  case number(Double)
  case whole(Int)
  case word(String)
  case matrix(FilterMatrix)
  case colour(FilterColour)

  /// The value in the one form that stands for it in a job's key: numbers with as few digits as say
  /// them exactly.
  package var canonicalText: String {
    switch self {
    case .number(let number): Self.text(number)
    case .whole(let number): String(number)
    case .word(let word): word
    case .matrix(let matrix): matrix.canonicalText
    case .colour(let colour): colour.canonicalText
    }
  }

  /// A number with as few digits as say it exactly; whole numbers without a point, and no sign
  /// before zero.
  package static func text(_ number: Double) -> String {
    if number == number.rounded(), abs(number) < 1e15 { return String(Int(number)) }
    return "\(number)"
  }
}
#endif
