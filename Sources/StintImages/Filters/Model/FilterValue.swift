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

/// A matrix of numbers, row after row.
package struct FilterMatrix: Hashable, Sendable {
  /// The longest side that a matrix may have.
  package static let longestSide = 63

  package let width: Int
  package let height: Int
  /// Row after row.
  package let elements: [Double]

  /// A matrix of rows.
  ///
  /// - Precondition: There is a row, and all are equally long and not empty.
  init(_ rows: [[Double]]) {
    precondition(
      !rows.isEmpty && rows.allSatisfy { $0.count == rows[0].count && !$0.isEmpty },
      "a matrix has rows of equal length")
    width = rows[0].count
    height = rows.count
    elements = rows.flatMap { $0 }
  }

  var rows: [[Double]] {
    (0..<height).map { Array(elements[$0 * width..<($0 + 1) * width]) }
  }

  var sum: Double { elements.reduce(0, +) }

  /// Whether every element is a whole number.
  var isWhole: Bool { elements.allSatisfy { $0 == $0.rounded() } }

  /// Rows separated by slashes, elements by commas.
  var canonicalText: String {
    rows.map { $0.map(FilterValue.text).joined(separator: ",") }.joined(separator: "/")
  }
}

/// A colour as it is written: red, green and blue of 8 bits each.
package struct FilterColour: Hashable, Sendable {
  package let red: UInt8
  package let green: UInt8
  package let blue: UInt8

  /// White, the colour of paper.
  static let white = FilterColour(red: 255, green: 255, blue: 255)

  private init(red: UInt8, green: UInt8, blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// Reads a colour: one of the sixteen names, or three or six hexadecimal digits with or without
  /// `#`, as in CSS (CSS Color Module Level 4, sections 5.2 and 6.1).
  ///
  /// - Parameter text: What the user wrote.
  package init?(_ text: String) {
    let text = text.lowercased()
    var digits = Self.names.first { $0.name == text }?.digits ?? text
    if digits.hasPrefix("#") { digits.removeFirst() }
    guard digits.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else { return nil }
    if digits.utf8.count == 3 { digits = digits.map { "\($0)\($0)" }.joined() }
    guard digits.utf8.count == 6, let number = UInt32(digits, radix: 16) else { return nil }
    self.init(
      red: UInt8(number >> 16), green: UInt8(number >> 8 & 255), blue: UInt8(number & 255))
  }

  /// Six hexadecimal digits.
  package var canonicalText: String {
    [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Whether it is a shade of grey.
  var isGrey: Bool { red == green && green == blue }

  /// The names, each with its digits.
  static let names: [(name: String, digits: String)] = [
    ("white", "ffffff"), ("black", "000000"), ("gray", "808080"), ("silver", "c0c0c0"),
    ("red", "ff0000"), ("maroon", "800000"), ("yellow", "ffff00"), ("olive", "808000"),
    ("lime", "00ff00"), ("green", "008000"), ("aqua", "00ffff"), ("teal", "008080"),
    ("blue", "0000ff"), ("navy", "000080"), ("fuchsia", "ff00ff"), ("purple", "800080"),
  ]
}

/// The values that a filter was given, what was left out filled in.
package struct FilterArguments: Hashable, Sendable {
  private let values: [String: FilterValue]

  init(_ values: [String: FilterValue]) {
    self.values = values
  }

  /// The value of a parameter; nil if it may be left out and was.
  package subscript(name: String) -> FilterValue? { values[name] }

  /// A number that has a standard value or must be given.
  func number(_ name: String) -> Double {
    guard case .number(let number)? = values[name] else { wrong(name) }
    return number
  }

  /// A whole number that has a standard value or must be given.
  func whole(_ name: String) -> Int {
    guard let number = optionalWhole(name) else { wrong(name) }
    return number
  }

  /// A whole number that may have been left out.
  func optionalWhole(_ name: String) -> Int? {
    guard let value = values[name] else { return nil }
    guard case .whole(let number) = value else { wrong(name) }
    return number
  }

  /// A number that may have been left out.
  func optionalNumber(_ name: String) -> Double? {
    guard let value = values[name] else { return nil }
    guard case .number(let number) = value else { wrong(name) }
    return number
  }

  func word(_ name: String) -> String {
    guard case .word(let word)? = values[name] else { wrong(name) }
    return word
  }

  func matrix(_ name: String) -> FilterMatrix {
    guard case .matrix(let matrix)? = values[name] else { wrong(name) }
    return matrix
  }

  func colour(_ name: String) -> FilterColour {
    guard case .colour(let colour)? = values[name] else { wrong(name) }
    return colour
  }

  /// The parser fills in every parameter with a value of its kind, so only a slip in the catalogue
  /// comes here.
  private func wrong(_ name: String) -> Never {
    preconditionFailure("the catalogue declares no parameter \(name) of that kind")
  }
}
#endif
