#if Images
import StintCore

/// How parameters of filters are written.
enum FilterText {
  /// The parameters of a filter and what is written for each, in the order of the text.
  static func pairs(_ text: String, _ specification: FilterSpecification) throws(StintError)
    -> [(FilterParameter, String)]
  {
    if let shorthand = specification.shorthand?(text) {
      return try shorthand.map { pair throws(StintError) in
        (try parameter(pair.key, specification), pair.value)
      }
    }
    var pairs: [(FilterParameter, String)] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      if let pair = pair(part) {
        pairs.append((try parameter(pair.key, specification), pair.value))
      } else if let last = pairs.last, case .matrix = last.0.kind {
        pairs[pairs.count - 1].1 += "," + part
      } else if pairs.isEmpty, let first = specification.parameters.first {
        pairs.append((first, String(part)))
      } else {
        throw misplaced(String(part), specification)
      }
    }
    return pairs
  }

  /// A part of the form `key=value`; nil for any other.
  static func pair(_ part: Substring) -> (key: String, value: String)? {
    guard let equals = part.firstIndex(of: "=") else { return nil }
    return (String(part[..<equals]), String(part[part.index(after: equals)...]))
  }

  private static func misplaced(_ part: String, _ specification: FilterSpecification) -> StintError
  {
    let name = specification.name
    if specification.parameters.isEmpty {
      return StintError(
        .usage, "The filter \(name) has no parameters; \(quoted(part)) is too much.")
    }
    if part.isEmpty {
      return StintError(.usage, "The filter \(name) has a comma with no parameter after it.")
    }
    return StintError(
      .usage,
      "The filter \(name) cannot tell what \(quoted(part)) is for; only its first value may do "
        + "without a key, as in \(specification.example).")
  }

  private static func parameter(_ key: String, _ specification: FilterSpecification)
    throws(StintError) -> FilterParameter
  {
    let wanted = normalised(key)
    if let found = specification.parameters.first(where: { $0.name == wanted }) { return found }
    let names = specification.parameters.map(\.name)
    guard !names.isEmpty else { throw misplaced(key, specification) }
    let advice =
      NearestName.find(wanted, among: names).map { "Did you mean \($0)?" }
      ?? "It has \(names.joined(separator: ", "))."
    throw StintError(
      .usage, "The filter \(specification.name) has no parameter \(quoted(key)). \(advice)")
  }

  /// A name as it stands in the catalogue: small letters, and hyphens for underscores and blanks.
  static func normalised(_ name: String) -> String {
    String(name.lowercased().map { $0 == "_" || $0 == " " ? "-" : $0 })
  }

  /// What a user wrote, safe to print and not too long.
  static func quoted(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(40).map { scalar in
      scalar.properties.generalCategory == .control ? "?" : String(scalar)
    }.joined()
    return "\"\(shown)\(text.unicodeScalars.count > 40 ? "..." : "")\""
  }

  static func value(
    _ text: String, _ parameter: FilterParameter, _ specification: FilterSpecification
  ) throws(StintError) -> FilterValue {
    let read: FilterValue? =
      switch parameter.kind {
      case .number(let range):
        number(text, parameter.unit).flatMap { range.contains($0) ? .number($0) : nil }
      case .whole(let range), .odd(let range):
        whole(text, parameter.unit).flatMap {
          range.contains($0) && (!parameter.kind.isOdd || $0 % 2 == 1) ? .whole($0) : nil
        }
      case .word(let words): word(text, parameter.unit, words).map { .word($0) }
      case .matrix: matrix(text).map { .matrix($0) }
      case .colour: FilterColour(text).map { .colour($0) }
      }
    if let read { return read }
    let names: [String] =
      switch parameter.kind {
      case .word(let words): words
      case .colour: FilterColour.names.map(\.name)
      case .number, .whole, .odd, .matrix: []
      }
    let near = NearestName.find(text.lowercased(), among: names)
    throw StintError(
      .usage,
      "The filter \(specification.name) takes as its \(parameter.name) \(parameter.rangeText), "
        + "not \(quoted(text))." + (near.map { " Did you mean \($0)?" } ?? ""))
  }

  /// A finite number in decimal digits, with or without its unit.
  static func number(_ text: String, _ unit: FilterParameter.Unit) -> Double? {
    var digits = text[...]
    if unit != .none, digits.hasSuffix(unit.rawValue) {
      digits = digits.dropLast(unit.rawValue.count)
    }
    guard !digits.isEmpty, digits.utf8.count <= 64,
      digits.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }),
      let number = Double(digits), number.isFinite
    else { return nil }
    return number == 0 ? 0 : number
  }

  private static func whole(_ text: String, _ unit: FilterParameter.Unit) -> Int? {
    number(text, unit).flatMap { Int(exactly: $0) }
  }

  private static func word(
    _ text: String, _ unit: FilterParameter.Unit, _ words: [String]
  ) -> String? {
    var text = normalised(text)
    if unit != .none, text.hasSuffix(unit.rawValue) { text.removeLast(unit.rawValue.count) }
    return words.contains(text) ? text : nil
  }

  /// Rows separated by slashes, numbers by commas.
  private static func matrix(_ text: String) -> FilterMatrix? {
    var rows: [[Double]] = []
    for line in text.split(separator: "/", omittingEmptySubsequences: false) {
      var row: [Double] = []
      for part in line.split(separator: ",", omittingEmptySubsequences: false) {
        guard let number = number(String(part), .none), abs(number) <= 1_000_000 else { return nil }
        row.append(number)
      }
      guard row.count <= FilterMatrix.longestSide, rows.allSatisfy({ $0.count == row.count }) else {
        return nil
      }
      rows.append(row)
    }
    return rows.count <= FilterMatrix.longestSide ? FilterMatrix(rows) : nil
  }
}
#endif
