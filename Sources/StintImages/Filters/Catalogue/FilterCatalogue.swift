#if Images
import StintCore
import StintRuntime

/// All filters.
package enum FilterCatalogue {
  /// Their specifications, in the order of the documentation.
  package static let all: [FilterSpecification] =
    blurs + edges + tones + colours + geometry + histograms

  /// Every name and alias.
  package static var names: [String] {
    all.flatMap { [$0.name] + $0.aliases }
  }

  /// The filters by their names and aliases.
  static let byName = Dictionary(
    all.flatMap { filter in ([filter.name] + filter.aliases).map { ($0, filter) } },
    uniquingKeysWith: { first, _ in first })

  /// The filter that a user named.
  ///
  /// - Parameter name: A name or alias; capitals and underscores do not matter.
  /// - Returns: Its specification.
  /// - Throws: `usage`, with the nearest name if one is near.
  static func find(_ name: String) throws(StintError) -> FilterSpecification {
    let wanted = FilterText.normalised(name)
    if let found = byName[wanted] { return found }
    if wanted.isEmpty {
      throw StintError(
        .usage, "A filter is empty; write its name, for example gaussian-blur:3.")
    }
    let advice = NearestName.find(wanted, among: names).map { " Did you mean \($0)?" } ?? ""
    throw StintError(
      .usage,
      "There is no filter \(FilterText.quoted(name)).\(advice)", remedies: [.listFilters])
  }
}

extension FilterCatalogue {
  /// The catalogue for a terminal: each filter with its parameters, their ranges and units.
  ///
  /// - Parameters:
  ///   - option: What stands before a filter on a command line.
  ///   - width: Columns to use; less than 50 is treated as 50, more than 100 as 100.
  /// - Returns: Lines, with a newline after each.
  package static func text(option: String, width: Int) -> String {
    let width = min(max(width, 50), 100)
    var lines = wrapped(
      "Filters are written as \(option) NAME:KEY=VALUE,KEY=VALUE and applied in order; the first "
        + "value may do without its key, and a plus sign joins filters: "
        + "\(option) grayscale+threshold:60.", indent: 0, width: width)
    for filter in all {
      let aliases =
        filter.aliases.isEmpty ? "" : " (also " + filter.aliases.joined(separator: ", ") + ")"
      lines += [""]
      lines += wrapped(filter.name + aliases, indent: 0, width: width)
      lines += wrapped(filter.summary + ".", indent: 4, width: width)
      for parameter in filter.parameters {
        lines += wrapped(
          "\(parameter.name): \(parameter.summary); \(parameter.rangeText); "
            + "\(parameter.presenceText).", indent: 4, hanging: 8, width: width)
      }
      lines += wrapped(
        "Takes \(filter.images.rawValue). Alpha: \(filter.alpha.rawValue)."
          + (filter.needsStatistics ? " Needs a pass over the whole image first." : ""),
        indent: 4, width: width)
      lines += wrapped("Example: \(option) \(filter.example)", indent: 4, width: width)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Words in lines of at most that many columns; a word that is longer has a line of its own.
  private static func wrapped(_ text: String, indent: Int, hanging: Int? = nil, width: Int)
    -> [String]
  {
    var lines: [String] = []
    var line = String(repeating: " ", count: indent)
    var isEmpty = true
    for word in text.split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = String(repeating: " ", count: hanging ?? indent)
        isEmpty = true
      }
      line += isEmpty ? String(word) : " " + word
      isEmpty = false
    }
    return isEmpty ? lines : lines + [line]
  }

  /// The catalogue as one JSON object with the member `filters`, and a newline after it.
  package static var json: String {
    var object = JSONLine()
    object.add("filters", objects: all.map(json))
    return object.line
  }

  private static func json(_ filter: FilterSpecification) -> JSONLine {
    var object = JSONLine()
    object.add("name", filter.name)
    object.add("aliases", filter.aliases)
    object.add("summary", filter.summary)
    object.add("parameters", objects: filter.parameters.map(json))
    object.add("images", filter.images.rawValue)
    object.add("alpha", filter.alpha.rawValue)
    object.add("neighbourhood", filter.neighbourhood)
    object.add("result", filter.result)
    object.add("needsStatistics", isTrue: filter.needsStatistics)
    object.add("example", filter.example)
    return object
  }

  private static func json(_ parameter: FilterParameter) -> JSONLine {
    var object = JSONLine()
    object.add("name", parameter.name)
    object.add("summary", parameter.summary)
    switch parameter.kind {
    case .number(let range):
      object.add("kind", "number")
      object.add("minimum", range.lowerBound)
      object.add("maximum", range.upperBound)
    case .whole(let range), .odd(let range):
      object.add("kind", parameter.kind.isOdd ? "odd" : "whole")
      object.add("minimum", range.lowerBound)
      object.add("maximum", range.upperBound)
    case .word(let words):
      object.add("kind", "word")
      object.add("words", words)
    case .matrix: object.add("kind", "matrix")
    case .colour: object.add("kind", "colour")
    }
    if parameter.unit != .none { object.add("unit", parameter.unit.rawValue) }
    switch parameter.presence {
    case .required: object.add("isRequired", isTrue: true)
    case .optional(let meaning):
      object.add("isRequired", isTrue: false)
      object.add("absent", meaning)
    case .standard(let value):
      object.add("isRequired", isTrue: false)
      object.add("standard", value.canonicalText)
    }
    return object
  }

  /// The catalogue as the tables of the documentation page.
  package static func markdown(option: String) -> String {
    all.map { markdown($0, option) }.joined(separator: "\n")
  }

  private static func markdown(_ filter: FilterSpecification, _ option: String) -> String {
    var lines = ["### \(filter.name)", ""]
    lines += wrapped(
      filter.summary + ". `\(option) \(filter.example)`", indent: 0, width: 100)
    lines += [""]
    if !filter.parameters.isEmpty {
      lines += ["| parameter | meaning | range | default |", "|---|---|---|---|"]
      lines += filter.parameters.map {
        "| `\($0.name)` | \($0.summary) | \($0.rangeText) | \($0.presenceText) |"
      }
      lines += [""]
    }
    let aliases = filter.aliases.map { "`\($0)`" }.joined(separator: ", ")
    if !aliases.isEmpty { lines += ["- Also called \(aliases)."] }
    let points = [
      "- Takes \(filter.images.rawValue). Alpha: \(filter.alpha.rawValue).",
      "- Depends on \(filter.neighbourhood).", "- Result: \(filter.result).",
    ]
    lines += points.flatMap { wrapped($0, indent: 0, hanging: 2, width: 100) }
    return lines.joined(separator: "\n") + "\n"
  }
}
#endif
