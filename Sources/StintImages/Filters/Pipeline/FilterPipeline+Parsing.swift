#if Images
package import StintCore

extension FilterPipeline {
  /// The most filters that a pipeline may have.
  package static let mostSteps = 64
  /// The longest text of a pipeline, in bytes.
  package static let longestText = 65_536

  /// Reads pipelines as people write them: `gaussian-blur:3`,
  /// `crop:left=10,top=10,width=300,height=200`, `grayscale+threshold:60`.
  ///
  /// A filter is a name, and after a colon its parameters as `key=value`, separated by commas; the
  /// first value may do without its key. Filters are separated by a plus sign that a letter
  /// follows.
  ///
  /// - Parameter texts: What each option said, in order.
  /// - Throws: `usage` with what is wrong, what would be right, and what may have been meant.
  package init(parsing texts: [String]) throws(StintError) {
    guard texts.reduce(0, { $0 + $1.utf8.count }) <= Self.longestText else {
      throw StintError(
        .usage, "The text of the filters is longer than the maximum of \(Self.longestText) bytes.")
    }
    var steps: [FilterStep] = []
    for part in texts.flatMap(Self.parts) {
      guard steps.count < Self.mostSteps else {
        throw StintError(.usage, "A pipeline has \(Self.mostSteps) filters at most.")
      }
      let step = try FilterStep(parsing: part)
      guard steps.isEmpty || !(step.filter is Thumbnail) else {
        throw StintError(
          .usage,
          "The filter \(step.specification.name) reads the file itself, so it is the first one; "
            + "resize changes the size later.")
      }
      steps.append(step)
    }
    self.init(steps)
  }

  /// The filters of a text: it is cut at each plus sign that a letter follows, and at one at its
  /// end.
  private static func parts(of text: String) -> [String] {
    var parts = [""]
    var rest = text[...]
    while let character = rest.popFirst() {
      if character == "+", rest.first.map({ $0.isLetter || $0 == "+" }) ?? true {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }
}

extension FilterStep {
  init(parsing text: String) throws(StintError) {
    let colon = text.firstIndex(of: ":")
    let name = String(text[..<(colon ?? text.endIndex)])
    let specification = try FilterCatalogue.find(name)
    var values: [String: FilterValue] = [:]
    if let colon {
      let pairs = try FilterText.pairs(String(text[text.index(after: colon)...]), specification)
      for (parameter, value) in pairs {
        guard values[parameter.name] == nil else {
          throw StintError(
            .usage, "The filter \(specification.name) is given its \(parameter.name) twice.")
        }
        values[parameter.name] = try FilterText.value(value, parameter, specification)
      }
    }
    for parameter in specification.parameters where values[parameter.name] == nil {
      switch parameter.presence {
      case .standard(let value): values[parameter.name] = value
      case .optional: break
      case .required:
        throw StintError(
          .usage,
          "The filter \(specification.name) needs its \(parameter.name) (\(parameter.rangeText)), "
            + "for example \(specification.example).")
      }
    }
    try self.init(specification, FilterArguments(values))
  }
}
#endif
