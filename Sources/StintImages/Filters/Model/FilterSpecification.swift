#if Images
import StintCore

/// What there is to know about a filter: its row in the catalogue.
package struct FilterSpecification: Sendable {
  /// Which images a filter takes.
  package enum Images: String, Sendable {
    /// Any samples and colours: the filter only moves pixels, or averages them.
    case any = "any samples and colours"
    /// 8 and 16 bits of any colours: each band is treated alike.
    case whole = "8 and 16 bits, any colours"
    /// 8 and 16 bits of grayscale or RGB: the filter has to know what light and dark are.
    case greyOrRGB = "8 and 16 bits, grayscale or RGB"
  }

  /// What happens to alpha.
  package enum Alpha: String, Sendable {
    /// It is moved like the other bands.
    case moved = "moved with the colour"
    /// It is kept, and colour is looked at without it.
    case kept = "kept as it is"
    /// Colour is weighted by it, and it is filtered as well.
    case weighted = "filtered too; colour is weighted by it"
    /// Colour is weighted by it, and it is kept.
    case weighing = "kept; colour is weighted by it"
    /// It decides how much of a background is seen, and is gone.
    case used = "laid over the background, and gone"
  }

  /// The name that the canonical text uses.
  package let name: String
  package let aliases: [String]
  /// One line, without a full stop.
  package let summary: String
  /// The parameters in their order.
  package let parameters: [FilterParameter]
  package let images: Images
  package let alpha: Alpha
  /// How far a pixel's result reaches: "the pixel alone", "3 x 3 pixels", "the whole image".
  package let neighbourhood: String
  /// What it puts out and how it rounds; which operations of libvips do it.
  package let result: String
  /// An example of its use.
  package let example: String
  /// Whether a pass over the whole image comes first.
  package let needsStatistics: Bool
  /// Makes the filter of its arguments; throws `usage` if they do not go together.
  let make: @Sendable (FilterArguments) throws(StintError) -> any Filter
  /// Takes apart a value without a key that says several parameters at once; nil if it is not in
  /// that form.
  let shorthand: (@Sendable (String) -> [(key: String, value: String)]?)?
  /// The filter by which this one is known in the canonical text, and what its arguments are there.
  let standsFor: (@Sendable (FilterArguments) -> (name: String, arguments: FilterArguments))?

  init(
    _ name: String, aliases: [String] = [], _ summary: String, _ parameters: [FilterParameter],
    images: Images, alpha: Alpha, neighbourhood: String, result: String, example: String,
    needsStatistics: Bool = false,
    shorthand: (@Sendable (String) -> [(key: String, value: String)]?)? = nil,
    standsFor: (@Sendable (FilterArguments) -> (name: String, arguments: FilterArguments))? = nil,
    make: @escaping @Sendable (FilterArguments) throws(StintError) -> any Filter
  ) {
    self.name = name
    self.aliases = aliases
    self.summary = summary
    self.parameters = parameters
    self.images = images
    self.alpha = alpha
    self.neighbourhood = neighbourhood
    self.result = result
    self.example = example
    self.needsStatistics = needsStatistics
    self.shorthand = shorthand
    self.standsFor = standsFor
    self.make = make
  }
}

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

    var isOdd: Bool { if case .odd = self { true } else { false } }
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

  /// A number that has a standard value.
  static func number(
    _ name: String, _ range: ClosedRange<Double>, _ unit: Unit, _ standard: Double,
    _ summary: String
  ) -> FilterParameter {
    FilterParameter(name, .number(range), unit, .standard(.number(standard)), summary)
  }

  /// One of a few words, of which one is the standard.
  static func word(
    _ name: String, _ words: [String], _ standard: String, _ summary: String
  ) -> FilterParameter {
    FilterParameter(name, .word(words), .none, .standard(.word(standard)), summary)
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
