#if Images
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
