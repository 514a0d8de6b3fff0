#if Images
/// One parameter of a filter: what it means, and what it may be.
package struct FilterParameter: Sendable {
  /// In what a parameter's value is measured.
  package enum Unit: String, Sendable {
    case none = ""
    case pixels = "px"
    case percent = "%"
    case degrees = "deg"
    case bits = "bit"
  }

  /// What a value may be.
  package enum Kind: Sendable {
    /// A number of a range.
    case number(ClosedRange<Double>)
    /// A whole number of a range.
    case whole(ClosedRange<Int>)
    /// An odd whole number of a range.
    case odd(ClosedRange<Int>)
    /// One of a few words.
    case word([String])
    case matrix
    /// A colour by name or by hexadecimal digits.
    case colour
  }

  /// What the parameter is without being given.
  package enum Presence: Sendable {
    /// It must be given.
    case required
    /// It may be left out, and is then absent.
    case optional(String)
    /// It may be left out, and then has this value.
    case standard(FilterValue)
  }

  /// The key, such as `sigma`.
  package let name: String
  /// One line about it, without a full stop.
  package let summary: String
  package let kind: Kind
  package let unit: Unit
  package let presence: Presence

  init(_ name: String, _ kind: Kind, _ unit: Unit = .none, _ presence: Presence, _ summary: String)
  {
    self.name = name
    self.kind = kind
    self.unit = unit
    self.presence = presence
    self.summary = summary
  }

  /// What it may be, for people: "0.2 to 500 px", "odd, 3 to 31 px", "horizontal or vertical".
  package var rangeText: String {
    let suffix = unit == .none ? "" : " \(unit.rawValue)"
    switch kind {
    case .number(let range):
      return
        "\(FilterValue.text(range.lowerBound)) to \(FilterValue.text(range.upperBound))\(suffix)"
    case .whole(let range): return "\(range.lowerBound) to \(range.upperBound)\(suffix)"
    case .odd(let range): return "odd, \(range.lowerBound) to \(range.upperBound)\(suffix)"
    case .word(let words): return FilterParameter.either(words)
    case .matrix:
      let side = FilterMatrix.longestSide
      return "rows separated by /, numbers by commas; 1 x 1 to \(side) x \(side)"
    case .colour: return "a colour such as white, #fff or ffffff"
    }
  }

  /// What it is when left out, for people.
  package var presenceText: String {
    switch presence {
    case .required: "required"
    case .optional(let meaning): meaning
    case .standard(let value): "default \(value.canonicalText)"
    }
  }

  private static func either(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.joined() }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}
#endif
